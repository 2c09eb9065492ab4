"""The options of a playlist on the command line: their defaults, and the flags that switch them."""

import inspect
from typing import Any

import pytest

from playshuffle.cli.playlist_options import takes_playlist_options
from playshuffle.config.options import ROWS, Options, Row

_SWITCHES = [row for row in ROWS if row.type is bool]


@takes_playlist_options("make")
def _make(options: Options) -> Options:
    return options


def given(*flags: str) -> object:
    """Return the options of a command line with these flags."""
    known = inspect.signature(_make).parameters.values()
    defaults = {parameter.name: parameter.default for parameter in known}
    return _make(**defaults | {row.name: True for row in ROWS if row.flags[0] in flags})


def test_without_flags_options_have_their_defaults() -> None:
    assert given() == Options()


@pytest.mark.parametrize("row", _SWITCHES, ids=[row.name for row in _SWITCHES])
def test_a_flag_switches_its_option_alone_and_begins_with_no_if_that_is_on(row: Row) -> None:
    assert row.is_negated is row.default
    changed: dict[str, Any] = {row.name: not row.default}
    assert given(row.flags[0]) == Options(**changed)
