"""Refuse options of a playlist that exclude each other, or need another option: a table of contradictions."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from playshuffle.dealing.amount import Count
from playshuffle.errors import OptionError
from playshuffle.options.option_values import fields_of_queries
from playshuffle.options.table import ROWS, STDOUT, Options
from playshuffle.ordering.gap import parse_gap
from playshuffle.ordering.groups import FOLDER
from playshuffle.ordering.limit_per_tag import parse_limit
from playshuffle.ordering.orders import KEPT, ORDERS, field_of
from playshuffle.playlist.m3u import PathStyle
from playshuffle.selection.fields import OF_HISTORY
from playshuffle.text import any_of


class Contradiction(NamedTuple):
    """Options that do not work together.

    Attributes:
        applies: returns whether the options contradict; a returned text fills `{field}` in the sentence.
        sentence: has `{}` for each spelling, `{name}` for the value of the field `name` of `Options`,
            and may have `{sources}`, the play histories of this computer.
        spellings: the options, as in the configuration; may have `{name}`, too.
    """

    applies: Callable[[Options], object]
    sentence: str
    spellings: tuple[str, ...]


def check(options: Options) -> None:
    """Check that options, each with a valid value, work together.

    Raises:
        OptionError: two options contradict each other, or one needs another.
    """
    check_history(_fields(options), has_history=bool(options.history))
    values = options._asdict()
    for row in CONTRADICTIONS:
        if field := row.applies(options):
            spellings = [spelling.format_map(values) for spelling in row.spellings]
            raise OptionError(row.sentence, *spellings, **values, field=field, sources=_sources())


def check_history(fields: Iterable[str], *, has_history: bool) -> None:
    """Check that a play history is given if a field of a query needs one.

    Raises:
        OptionError: none is given.
    """
    lacking = OF_HISTORY.intersection(fields)
    if lacking and not has_history:
        raise OptionError(
            "There is no field '{field}' without a play history: {} with a source. {sources}",
            "history",
            field=min(lacking),
            sources=_sources(),
        )


def _sources() -> str:
    from playshuffle.history.sources import sources_here  # for errors only

    return sources_here()


def _fields(options: Options) -> set[str]:
    limits = [] if options.most is None else [parse_limit(options.most).tag]
    return {
        *fields_of_queries(options.where),
        *limits,
        *filter(None, [options.group_by, field_of(options.order)]),
    }


_FIELD_OF = {row.key: row.name for row in ROWS}


def _has(options: Options, *spellings: str) -> bool:
    """Return whether all of these options are given; a spelling is a key, or `key = value`."""
    values = {key: getattr(options, _FIELD_OF[key]) for key in (text.partition(" ")[0] for text in spellings)}
    if values.get("gap") is not None and parse_gap(values["gap"]) is None:
        return False
    return all(value not in (None, (), False) for value in values.values())


def _excludes(
    first: str,
    second: str,
    why: str,
    applies: Callable[[Options], object] | None = None,
    cure: str = "Remove either.",
) -> Contradiction:
    """Return the row for two options that exclude each other, by default whenever both are given."""
    return Contradiction(
        applies or (lambda options: _has(options, first, second)),
        f"{{}} does not work with {{}}: {why}. {cure}",
        (first, second),
    )


def _needs(first: str, second: str, sentence: str) -> Contradiction:
    return Contradiction(
        lambda options: _has(options, first) and not _has(options, second), sentence, (first, second)
    )


def _excludes_in_deals(first: str, second: str, why: str) -> Contradiction:
    return _excludes(first, second, why, lambda options: _has(options, "every", first, second))


def _fitting(option: str) -> str:
    return any_of([name for name, row in ORDERS.items() if option in row.takes])


def _excluded_by_order(option: str, why: str) -> Contradiction:
    """Return the row for an option that works only with orders that take it."""
    return _excludes(
        option,
        _ORDER,
        why,
        lambda options: _has(options, option) and option not in ORDERS[options.order].takes,
        f"It works with {_fitting(option)}.",
    )


def _excludes_no_tags(
    option: str, why: str = "it needs tags", applies: Callable[[Options], object] | None = None
) -> Contradiction:
    uses_tags = applies or (lambda options: _has(options, option))
    return _excludes(option, "tags = false", why, lambda options: not options.tags and uses_tags(options))


def _needs_history(spelling: str, applies: Callable[[Options], bool]) -> Contradiction:
    return Contradiction(
        lambda options: not options.history and applies(options),
        "{} needs a play history: {} with a source. {sources}",
        (spelling, "history"),
    )


def _is_relative(options: Options) -> bool:
    return options.paths == PathStyle.RELATIVE


def _tag_of_order(options: Options) -> str | None:
    tag = options.group_by or ORDERS[options.order].tag
    return None if tag == FOLDER else tag


_ORDER, _PATHS = 'order = "{order}"', 'paths = "{paths}"'
_ONLY_WITH = "{0} works only with {1}. Add {1}, or remove {0}."
_ONE_SIZE, _CONTINUES = "a deal has one size", "a deal continues from the last one"

CONTRADICTIONS: Sequence[Contradiction] = (
    Contradiction(
        lambda options: options.source is not None and options.folders,
        "{} reads a list of files, so it does not work with folders. Remove either.",
        ("from",),
    ),
    _needs("from", "output", "{} needs the name of the playlist to write. Give it with {}."),
    # Path styles.
    _excludes("map", "relative_to", "each says where the player sees the music"),
    _excludes(
        "relative_to",
        _PATHS,
        "it writes relative paths",
        lambda options: _has(options, "relative_to", "paths") and not _is_relative(options),
    ),
    _excludes(
        "map", _PATHS, "it writes absolute paths", lambda options: options.maps and _is_relative(options)
    ),
    _excludes(
        _PATHS,
        'output = "-"',
        "standard output has no folder",
        lambda options: options.output == STDOUT and _is_relative(options) and options.relative_to is None,
    ),
    # Orders.
    _excludes("rest", "seed", "a seed gives the same order whatever was played"),
    _excludes(
        'group_by = "{group_by}"',
        _ORDER,
        "it has no groups",
        lambda options: _has(options, "group_by") and "group_by" not in ORDERS[options.order].takes,
        "It works with spread (each {group_by} apart) or groups (each {group_by} together).",
    ),
    _excluded_by_order("gap", "its own rule and a gap may contradict each other"),
    _excluded_by_order("inside", "it has no groups"),
    _excluded_by_order("rest", "it decides the position of each track"),
    _excluded_by_order("pin", "a pinned track would be torn out of its group"),
    _excludes(
        "no_duplicates",
        _ORDER,
        "the {order} would have gaps",
        lambda options: options.no_duplicates and "inside" in ORDERS[options.order].takes,
    ),
    # Deals.
    _needs("count", "every", _ONLY_WITH),
    Contradiction(
        lambda options: options.patience is not None and options.done_when != Count.PLAYED,
        _ONLY_WITH,
        ("patience", 'count = "played"'),
    ),
    _excludes_in_deals("limit", "time", _ONE_SIZE),
    _excludes("limit", "groups", "a list has one size"),
    _excludes("time", "groups", "a list has one size"),
    _excludes("size", "groups", "a list has one size"),
    _excludes_in_deals("limit", "size", _ONE_SIZE),
    _excludes("time", "size", "a list has one of these limits"),
    _excludes("most", "groups", "the groups would have gaps"),
    _excludes("pin", "every", _CONTINUES),
    _excludes("seed", "every", _CONTINUES),
    _excludes(
        _ORDER,
        "every",
        "a round has no last order to keep",
        lambda options: options.order == KEPT and options.every is not None,
        'In the order of the paths: order = "sorted".',
    ),
    Contradiction(
        lambda options: _has(options, "groups") and "inside" not in ORDERS[options.order].takes,
        "{0} does not work with {1}: it keeps no groups together. It works with"
        f" {_fitting('inside')}, as in: {{2}} {{0}}",
        ("groups = {groups}", _ORDER, 'order = "albums"'),
    ),
    # Play histories.
    _needs_history("rest", lambda options: options.rest is not None),
    _needs_history('count = "played"', lambda options: options.done_when == Count.PLAYED),
    _needs_history(_ORDER, lambda options: options.order == "rare"),
    # Tags.
    _excludes_no_tags("every", "a deal needs tags"),
    _excludes_no_tags("time", "track lengths come from tags"),
    _excludes_no_tags("history"),
    _excludes_no_tags("no_duplicates"),
    _excludes_no_tags(_ORDER, "it needs {field}", _tag_of_order),
    _excludes_no_tags(
        "most", applies=lambda options: options.most is not None and parse_limit(options.most).tag != FOLDER
    ),
    _excludes_no_tags(
        "where",
        "{field} is a tag",
        lambda options: min(fields_of_queries(options.where).difference(("path", "today")), default=""),
    ),
)
