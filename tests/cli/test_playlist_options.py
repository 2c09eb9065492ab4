"""The options of a playlist on the command line: their defaults, and the flags that switch them."""

from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from playshuffle.cli.playlist_options import takes_playlist_options
from playshuffle.options.given import NOTHING_GIVEN, Given
from playshuffle.options.table import ROWS, Options, Row

_SWITCHES = [row for row in ROWS if row.type is bool and "make" in row.verbs]


def parsed(*flags: str) -> Given:
    """Return the options that a command line with these flags gives."""
    results = []

    @takes_playlist_options("make")
    def command(*, given: Given) -> None:
        results.append(given)

    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, flags).exit_code == 0
    return results[0]


def test_without_flags_options_have_their_defaults() -> None:
    assert parsed() == NOTHING_GIVEN


@pytest.mark.parametrize("row", _SWITCHES, ids=[row.name for row in _SWITCHES])
def test_a_flag_changes_only_its_option_and_has_no_in_front_if_the_default_is_on(row: Row) -> None:
    assert row.is_negated is row.default
    changed: dict[str, Any] = {row.name: not row.default}
    assert parsed(row.flags[0]) == Given(Options(**changed), frozenset(changed))
