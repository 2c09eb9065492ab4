"""Write a shuffled playlist of the tracks that a beets query selects: `beet playshuffle [OPTIONS] [QUERY]`.

beets loads this module for `plugins: playshuffle`. It has the options of `playshuffle make`, and the
tracks are the same as with `playshuffle make --from`.
"""

import optparse
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from beets import ui
from beets.plugins import BeetsPlugin

# Nothing else of playshuffle is imported here: each `beet` command loads this module.
from playshuffle.errors import PlayshuffleError

if TYPE_CHECKING:
    from playshuffle.options.table import Row
    from playshuffle.pipeline.request import Request

# The query of beets selects the tracks; the command's own options give the size and the period of a deal.
_NOT_HERE = ("source", "where", "albums", "every")


class PlayshufflePlugin(BeetsPlugin):  # type: ignore[misc]
    """The command `playshuffle`, with defaults from `playshuffle:` in the configuration of beets."""

    def commands(self) -> list[ui.Subcommand]:
        command = _Command("playshuffle", help="write a shuffled playlist of what a query lists")
        command.func = self._run
        return [command]

    def _run(self, library: Any, given: optparse.Values, query: Sequence[str]) -> None:
        try:
            _write(library, given, list(query), self.config.flatten() if self.config.exists() else {})
        except PlayshuffleError as error:
            raise ui.UserError(str(error)) from error


class _Command(ui.Subcommand):  # type: ignore[misc]
    """A command that adds its options when it is used, so that other commands do not wait for them."""

    def parse_args(self, words: list[str]) -> Any:
        self._add_options()
        return super().parse_args(words)

    def print_help(self) -> None:
        self._add_options()
        super().print_help()

    def _add_options(self) -> None:
        add = self.parser.add_option
        for row in _options():
            if not row.verbs:
                continue
            facts: dict[str, Any] = {"action": "store", "metavar": row.metavar or row.flags[0][2:].upper()}
            if row.type is bool:
                facts = {"action": "store_false" if row.is_negated else "store_true"}
            elif row.type == tuple[str, ...]:
                facts["action"] = "append"
            elif row.type == int | None:
                facts["type"] = "int"
            add(*row.flags, dest=row.name, default=None, help=row.help, **facts)
        add("--deal", action="store_true", help="Write the next tracks: each once before any comes again.")
        add("--every", metavar="day|week|run", default="day", help="How often the next deal is due.")
        add("--dry-run", action="store_true", help="Write nothing.")
        add("--quiet", "-q", action="store_true", help="Print only errors.")
        add("--verbose", "-v", action="store_true", help="List skipped files.")


def _options() -> "list[Row]":
    from playshuffle.options.table import ROWS

    return [row for row in ROWS if row.name not in _NOT_HERE]


def _write(library: Any, given: optparse.Values, query: list[str], defaults: Mapping[str, Any]) -> None:
    from playshuffle.config.build_request import build_request, default_output
    from playshuffle.config.own_players import known_player
    from playshuffle.errors import Exit
    from playshuffle.options.table import STDOUT, Options

    items = list(library.items(query))
    if not items:
        raise PlayshuffleError("No item matches the query; there is nothing to play.", Exit.NOTHING_TO_PLAY)
    tags = {os.path.normpath(os.fsencode(item.path)): _flexible_tags(item) for item in items}
    chosen = {row.name: getattr(given, row.name) for row in _options() if row.verbs}
    chosen = {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}
    options = Options(**{**_defaults(defaults), **{n: v for n, v in chosen.items() if v is not None}})
    if options.output is None:
        name = "today" if given.deal else None  # None gives each player its own name
        folder = os.path.normpath(os.fsencode(library.directory))
        options = options._replace(
            output=os.fsdecode(default_output(known_player(options.player), folder, name))
        )
    if given.deal:
        if options.output == STDOUT:
            raise PlayshuffleError("A deal needs a file; name one with -o.")
        if given.dry_run:
            raise PlayshuffleError("--dry-run does not work with --deal; omit either.")
        _deal(build_request(options._replace(every=given.every), files=tuple(tags)), given, tags)
    else:
        request = build_request(options, files=tuple(tags))
        _make(request._replace(dry_run=bool(given.dry_run)), given, tags)


def _make(request: "Request", given: optparse.Values, tags: Mapping[bytes, Mapping[str, Any]]) -> None:
    from playshuffle.cli import make_report
    from playshuffle.cli.progress import progress_bar
    from playshuffle.cli.streams import show, write_out
    from playshuffle.pipeline.make import make
    from playshuffle.pipeline.open_playlist import open_run
    from playshuffle.pipeline.tools import Tools
    from playshuffle.shuffle import System
    from playshuffle.tags.reader_pool import read_all

    with progress_bar(bool(given.quiet)) as progress:
        tools = Tools(read_all, System(), progress, tags=tags)
        with open_run(request, tools) as run:
            report = make(run)
    if request.output is None:
        write_out(report.text)
    if not given.quiet:
        show(make_report.lines(report, names=bool(given.verbose)))


def _deal(request: "Request", given: optparse.Values, tags: Mapping[bytes, Mapping[str, Any]]) -> None:
    from playshuffle.cli import deal_report
    from playshuffle.cli.progress import progress_bar
    from playshuffle.cli.streams import show
    from playshuffle.pipeline.deal import deal
    from playshuffle.pipeline.open_playlist import open_run
    from playshuffle.pipeline.tools import Tools
    from playshuffle.shuffle import System
    from playshuffle.tags.reader_pool import read_all

    with progress_bar(bool(given.quiet)) as progress:
        tools = Tools(read_all, System(), progress, tags=tags)
        with open_run(request, tools, must_remember=True) as run:
            dealt = deal(run)
    if not given.quiet:
        show(deal_report.lines(dealt, names=bool(given.verbose)))


def _defaults(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `Options` that the configuration of beets sets."""
    from playshuffle.config import keys
    from playshuffle.errors import Exit

    known_keys = {row.key: keys.PLAYLIST[row.key] for row in _options() if row.has_key}
    for name, value in table.items():
        key = known_keys.get(name)
        fault = keys.unknown(name, known_keys) if key is None else keys.wrong(name, value, key)
        if fault is not None:
            raise PlayshuffleError(f"In the configuration of beets, playshuffle: {fault}", Exit.CONFIG)
    fields = keys.options_of(table)
    if "output" in table:
        fields["output"] = os.path.expanduser(table["output"])
    return fields


def _flexible_tags(item: Any) -> dict[str, Any]:
    """Return the tags that only the database of beets has: ratings and other flexible attributes."""
    from playshuffle.tags.reading import Tags

    tags: dict[str, Any] = {}
    for name, type_ in Tags.__annotations__.items():
        if name in item and name not in type(item)._fields:
            value = item[name]
            if name == "rating":
                value = _rating(value)
            elif type_ is str:
                value = str(value)
            elif not isinstance(value, int):
                continue
            if value is not None:
                tags[name] = value
    return tags


def _rating(value: Any) -> float | None:
    """Convert a rating of an unknown scale to 0 to 1."""
    try:
        rating = float(value)
    except (TypeError, ValueError):
        return None
    scale = next((top for top in (1, 5, 10, 100) if 0 <= rating <= top), None)
    return None if scale is None else rating / scale
