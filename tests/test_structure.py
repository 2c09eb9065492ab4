"""The house rules that a machine can see: who may name whom."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import playshuffle

PACKAGE = Path(playshuffle.__file__).parent
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}

# From the bottom up: a module names only modules of lower rows, or of its own.
LAYERS = (
    {"playshuffle"},
    {"errors", "identity", "lock", "period", "shuffle", "sizes", "track"},
    {"agenda", "base", "database", "deck", "duration", "fields", "formats", "id3", "ignore", "listing"},
    {"hint", "mounts", "mpdconf", "notify", "quirks", "recipe"},
    {"batch", "listener", "mode"},
    {"cache", "output", "playlist", "schema", "tags", "unchanged"},
    {"state"},
    {"decks", "sentry"},
    {"watch"},
    {"exchange", "folder", "guard", "parts", "player", "players", "target", "worker"},
    {"library", "losses", "readers", "stored"},
    {"groups", "request"},
    {"way"},
    {"apart", "orders", "pins", "seam", "survey"},
    {"arrange"},
    {"rounds"},
    {"account", "document", "keep", "keys", "options"},
    {"pipeline"},
    {"table"},
    {"dealing"},
    {"audit", "check", "config", "listed"},
    {"example", "origin", "passes", "progress", "services", "summary", "units"},
    {"hand"},
    {"access", "ledger", "log", "sandbox", "settle", "status", "systemctl"},
    {"installation"},
    {"daemon"},
    {"cli"},
    {"__main__"},
)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module: str) -> int:
    name = module.removeprefix("playshuffle.").split(".")[0]
    return next(number for number, row in enumerate(LAYERS) if name in row)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down_only(module: str) -> None:
    """A module knows what lies below it, and nothing of what stands on it."""
    named = {name for name in imports(MODULES[module]) if name in MODULES and name != "playshuffle"}

    assert all(layer(name) <= layer(module) for name in named)


@pytest.mark.parametrize(
    ("library", "users"),
    [
        ("mutagen", {"tags"}),
        ("sqlite3", {"cache", "database", "schema", "state"}),
        ("tomllib", {"document"}),
        ("typer", {"cli"}),
        ("rich", {"progress"}),
        ("pathspec", {"ignore"}),
        ("watchdog", {"listener"}),
        ("random", set()),
        ("secrets", set()),
        ("socket", {"notify"}),
        ("subprocess", {"readers", "systemctl"}),  # its own reader of tags, and what systemd comes with
    ],
)
def test_a_library_is_named_where_it_belongs(library: str, users: set[str]) -> None:
    """Changing one is a change in one place."""
    found = {
        module.removeprefix("playshuffle.").split(".")[0]
        for module, path in MODULES.items()
        if any(name.split(".")[0] == library for name in imports(path))
    }

    assert found == users


def test_the_core_names_nothing_outside_of_itself() -> None:
    """The shuffles are a library of their own."""
    core = {name: path for name, path in MODULES.items() if name.startswith("playshuffle.shuffle")}
    named = {name for path in core.values() for name in imports(path) if name.startswith("playshuffle")}

    assert core
    assert all(name.startswith("playshuffle.shuffle") for name in named)


@pytest.mark.parametrize("module", MODULES)
def test_no_shell_and_no_chance_but_where_it_belongs(module: str) -> None:
    text = MODULES[module].read_text()

    assert "shell=True" not in text
    assert "os.system" not in text
    assert "urandom" not in text or module == "playshuffle.shuffle.chance"
