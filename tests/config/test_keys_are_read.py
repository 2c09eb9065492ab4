"""Test that the program reads each key of the configuration, so that none can be set without an effect."""

import ast
from pathlib import Path

import playshuffle
from playshuffle.config import keys
from playshuffle.config.model import Config
from playshuffle.options.table import ROWS, Options

PACKAGE = Path(playshuffle.__file__).parent
TREES = {
    str(path.relative_to(PACKAGE)): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))
}


def attributes_read(*without: str) -> set[str]:
    """Return the names of attributes that the package reads, except in the modules `without`."""
    nodes = (node for path, tree in TREES.items() if path not in without for node in ast.walk(tree))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}


def test_each_option_of_a_playlist_is_read_somewhere_in_the_code() -> None:
    read = attributes_read(*(path for path in TREES if path.startswith("options/")))

    assert {row.name for row in ROWS}.difference(read) == set()
    assert {*Options._fields}.difference(read) == set()


def test_each_key_of_the_configuration_that_is_not_a_playlist_option_is_read_in_the_code() -> None:
    loaded = ast.dump(TREES["config/load.py"])
    read = attributes_read("config/load.py", "config/keys.py")
    own = {*keys.TOP, *keys.PLAYLIST}.difference(row.key for row in ROWS)

    assert {key for key in own.difference(keys.DURATIONS) if f"'{key}'" not in loaded} == set()
    assert {f"{key}_s" for key in keys.DURATIONS} <= {*Config._fields}
    assert {key for key in own if not read.intersection([key, f"{key}_s"])} == set()
