"""The file for Quod Libet has copies, because it uses nothing of playshuffle but the package `shuffle`."""

import ast
from pathlib import Path
from typing import Any

import playshuffle
from playshuffle.ordering.gap import usual_gap

PLUGIN = Path(playshuffle.__file__).parent / "install" / "quodlibet_orders.py"


def test_the_plugin_for_quod_libet_has_the_same_usual_gap_as_a_deck_of_as_many_songs() -> None:
    """The function of the file, which cannot be imported without Quod Libet."""
    tree = ast.parse(PLUGIN.read_text())
    names: dict[str, Any] = {}
    tree.body = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "_usual_gap"
    ]
    exec(compile(tree, PLUGIN, "exec"), names)

    assert [names["_usual_gap"](songs) for songs in range(1000)] == [
        usual_gap(songs) for songs in range(1000)
    ]
