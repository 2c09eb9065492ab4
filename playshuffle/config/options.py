"""Define the options of a playlist, as the user wrote them, and check their values."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from playshuffle.config.known_value import known_value
from playshuffle.config.option_rows import ROWS, Row
from playshuffle.errors import OptionError, PlayshuffleError
from playshuffle.players.profiles import GENERIC

STDOUT = "-"


class Options(NamedTuple):
    """The options of one playlist, as the user wrote them; None is what was not given."""

    folders: tuple[str, ...] = ()
    output: str | None = None
    order: str = "random"
    group_by: str | None = None
    source: str | None = None
    where: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    dedupe: str | None = None
    spoken: bool = False
    group_size: int | None = None
    inside: str | None = None
    part: str | None = None
    gap: str | None = None
    pin: tuple[str, ...] = ()
    limit: int | None = None
    most: str | None = None
    time: str | None = None
    seed: str | None = None
    player: str = GENERIC
    paths: str | None = None
    root_as: str | None = None
    relative_to: str | None = None
    replace_prefix: tuple[str, ...] = ()
    max_per_file: int | None = None
    strict: bool = False
    extinf: bool = True
    tags: bool = True
    ignore_files: bool = True
    allow_shrink: bool = False
    force: bool = False


class Field(NamedTuple):
    """A field of `Options`: its name, type and default."""

    name: str
    type: Any
    default: Any


def rows() -> Iterator[tuple[Field, Row]]:
    """Iterate over all options: the field of `Options`, and its row."""
    for name, row in ROWS.items():
        yield Field(name, Options.__annotations__[name], Options._field_defaults[name]), row


def check_options(options: Options) -> Options:
    """Check each value that was given, for itself, and return the options with whole names.

    Raises:
        PlayshuffleError: a value is not valid; names its option.
    """
    names: dict[str, Any] = {}
    for field, row in rows():
        value = getattr(options, field.name)
        if value is None:
            continue
        try:
            if row.names is not None:
                names[field.name] = known_value(row.key, value, *row.names)
            elif row.check is not None:
                row.check(value)
        except OptionError:
            raise
        except PlayshuffleError as error:
            raise OptionError("{}: {problem}", row.key, code=error.code, problem=error) from error
    return options._replace(**names)
