"""The plugin for Quod Libet imports only the package `shuffle`, so it has a copy of a function."""

import ast
from pathlib import Path
from typing import Any

import playshuffle
from playshuffle.ordering.gap import usual_gap

PLUGIN = Path(playshuffle.__file__).parent / "install" / "quodlibet_orders.py"


def test_the_plugin_for_quod_libet_has_the_usual_gap_of_a_deck_with_the_same_number_of_songs() -> None:
    """The gap: how many other songs are played before a song is played again."""
    tree = ast.parse(PLUGIN.read_text())
    names: dict[str, Any] = {}
    tree.body = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "_usual_gap"
    ]
    exec(compile(tree, PLUGIN, "exec"), names)  # the file cannot be imported without Quod Libet

    assert all(names["_usual_gap"](songs) == usual_gap(songs) for songs in range(2000))
