"""Test that plain command lines are read as typer reads them, which is the reference."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.cli.parameters import Parameter, parameters
from playshuffle.cli.plain_line import parse
from playshuffle.cli.typer_app import for_typer
from playshuffle.cli.verbs import VERBS, command_of, commands_of, module_of

_GROUPS = {verb: commands_of(module_of(verb)) for verb in VERBS}
_NAMES = [
    (verb, *rest) for verb, group in _GROUPS.items() for rest in ([()] if group is None else zip(group))
]
_VALUES = [
    "",
    "-",
    "--",
    "3",
    "007",
    "1_000",
    " 4",
    "٣",
    "-5",
    "9" * 12,
    "2.5",
    "relative",
    "Uri",
    "a=b",
    "\udcff",
]


def _command(name: Sequence[str]) -> Callable[..., object]:
    found = command_of(name)
    assert found is not None
    return found[0]


@functools.cache
def _typer(name: Sequence[str]) -> Any:
    """Return a command of typer that returns the values of its parameters."""

    def values(**values: Any) -> dict[str, Any]:
        return values

    values.parameters = parameters(_command(name))  # type: ignore[attr-defined]
    program = typer.Typer(add_completion=False)
    program.command()(for_typer(values))
    return typer.main.get_command(program)


def _words(known: Sequence[Parameter]) -> st.SearchStrategy[list[str]]:
    flags = ["--config", *(flag for parameter in known for flag in parameter.flags)]
    values = st.sampled_from(_VALUES) | st.text(max_size=3)
    word = (
        st.sampled_from([*flags, "--help", "-h", "--", "--nothing", "-qv"])
        | values
        | st.builds("{}={}".format, st.sampled_from(flags), values)
        | st.builds("{}{}".format, st.sampled_from(flags), values)
    )
    pair = st.tuples(st.sampled_from(flags), values)
    return st.lists(word.map(lambda one: (one,)) | pair, max_size=6).map(
        lambda parts: [one for part in parts for one in part]
    )


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_plain_line_has_the_values_that_typer_reads(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(_NAMES))
    words = data.draw(_words(parameters(_command(name))))

    plain = parse([*name, *words])

    if plain is not None:
        assert plain == (_command(name), _typer(name).main(words, standalone_mode=False))


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("status", {}),
        ("status --all --json", {"lists_all": True, "as_json": True}),
        ("make", {}),
        ("make Music -q -o - -n 40", {"folders": ["Music"], "quiet": True, "output": "-", "limit": 40}),
        ("make --where=a --where b --no-tags", {"where": ["a", "b"], "tags": True}),
        ("make a b --paths uri", {"folders": ["a", "b"], "paths": "uri"}),
        ("deal Music --albums 3 --every=week", {"folders": ["Music"], "albums": 3, "every": "week"}),
        ("deck list", {}),
        ("deck show today --json", {"name": "today", "as_json": True}),
        ("tell mpd calm", {"player": "mpd", "playlist": "calm"}),
        ("check a.m3u -", {"playlists": ["a.m3u", "-"]}),
    ],
)
def test_common_lines_are_plain(line: str, values: dict[str, object]) -> None:
    plain = parse(line.split())

    assert plain is not None
    command, found = plain
    assert found == {parameter.name: parameter.default for parameter in parameters(command)} | values


@pytest.mark.parametrize(
    "line",
    [
        *("", "--version", "make --help", "mke", "-- status", "deck", "deck lst", "status x"),
        *("make --ordr x", "make -ofile", "make -qv", "make --order", "make --order --dry-run"),
        *("make -n x", "make -n=3", "make --no-tags=1", "make --paths Uri", "make -- -x", "check"),
    ],
)
def test_other_lines_are_left_to_typer(line: str) -> None:
    assert parse(line.split()) is None
