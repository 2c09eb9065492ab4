"""Define what the command line and the configuration know of an option of a playlist."""

import dataclasses
from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Any

_ROW = "row"


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """What the command line and the configuration know of an option.

    flags: its spellings, the long one first; `--no-` gives the opposite of the value.
    help: for the command line, at most 50 characters. metavar: placeholder of the value.
    group: one of `option_groups.GROUPS`.
    verbs: the commands that take it.
    check: called with the long flag and a value that was given; raises PlayshuffleError.
    names: what a value names, as in `text.known`, and all values.
    after_colon: what a value may have behind its colon, which a shell completes.
    example: of a value, as a configuration has it.
    choices: all values that the command line takes.
    has_key: whether the configuration has it as a key.
    may_be_number: whether the configuration takes a number for the text, too.
    is_one_key: whether the configuration takes one text, where the command line takes several.
    """

    flags: tuple[str, ...]
    help: str
    group: str
    metavar: str | None = None
    verbs: tuple[str, ...] = ("make", "deal")
    check: Callable[[str, Any], object] | None = None
    names: tuple[str, Collection[str]] | None = None
    after_colon: Collection[str] = ()
    example: str | None = None
    choices: type[StrEnum] | None = None
    has_key: bool = True
    may_be_number: bool = False
    is_one_key: bool = False

    @property
    def is_negated(self) -> bool:
        """Return whether the flag gives the opposite of the value."""
        return self.flags[0].startswith("--no-")

    @property
    def key(self) -> str:
        """Return the key of the configuration: the long flag as a TOML name."""
        return self.flags[0].removeprefix("--").removeprefix("no-").replace("-", "_")


def option(*flags: str, default: object = None, **facts: Any) -> Any:
    """Return a field of a dataclass for an option, with its row; facts: fields of the row."""
    return dataclasses.field(default=default, metadata={_ROW: Row(flags, **facts)})


def row_of(field: dataclasses.Field[Any]) -> Row | None:
    """Return the row of a field; None if it is not an option."""
    return field.metadata.get(_ROW)
