"""The file for Quod Libet has copies, because it uses nothing of playshuffle but the package `shuffle`."""

import ast
from pathlib import Path
from typing import Any

import playshuffle
from playshuffle.ordering.gap import usual_gap

PLUGIN = Path(playshuffle.__file__).parent / "install" / "quodlibet_orders.py"


def function_of_the_plugin(name: str) -> Any:
    """Return one function of the file, which cannot be imported without Quod Libet."""
    body: list[ast.stmt] = [
        node
        for node in ast.parse(PLUGIN.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    names: dict[str, Any] = {}
    exec(compile(ast.Module(body, []), PLUGIN, "exec"), names)
    return names[name]


def test_quod_libet_gets_the_gap_that_decks_have() -> None:
    gap_of_the_plugin = function_of_the_plugin("_usual_gap")

    assert [gap_of_the_plugin(songs) for songs in range(1000)] == [usual_gap(songs) for songs in range(1000)]
