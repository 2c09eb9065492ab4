"""Check which package may import which, and where each third-party library is used."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import playshuffle

PACKAGE = Path(playshuffle.__file__).parent
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}
# From the bottom up: a package imports from lower rows only, never upward or sideways.
ROWS = (
    {"playshuffle"},
    {"errors", "text", "duration"},
    {"shuffle", "system"},
    {"tags"},
    {"library"},
    {"history", "playlist", "selection", "watch"},
    {"ordering", "players"},
    {"dealing"},
    {"options"},
    {"store"},
    {"pipeline"},
    {"config"},
    {"audit", "demo", "exporting", "install", "service", "telling"},
    {"listening"},
    {"cli"},
    {"__main__"},
)


def package(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def row(module: str) -> int:
    return next(number for number, row in enumerate(ROWS) if package(module) in row)


def names_imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


NAMES = {module: frozenset(names_imported(path)) for module, path in MODULES.items()}
IMPORTS = {
    module: {name for name in names if name in MODULES and name not in {module, "playshuffle"}}
    for module, names in NAMES.items()
}


@pytest.mark.parametrize("module", MODULES)
def test_packages_import_only_from_packages_in_lower_rows_of_the_table(module: str) -> None:
    others = {name for name in IMPORTS[module] if package(name) != package(module)}

    # The modules of the first row are single files, and may use each other.
    assert [name for name in others if row(name) >= row(module) > 1] == []


def test_no_two_modules_or_classes_have_the_same_name_except_modules_of_commands() -> None:
    """A module of `cli` has the name of its command."""
    modules = Counter(module.rpartition(".")[2] for module in MODULES if package(module) != "cli")
    trees = [ast.parse(path.read_text()) for path in MODULES.values()]
    nodes = (node for tree in trees for node in ast.walk(tree))
    classes = Counter(node.name.lstrip("_") for node in nodes if isinstance(node, ast.ClassDef))

    assert [name for name, count in (modules + classes).items() if count > 1] == []


def test_modules_of_a_package_do_not_import_each_other_in_a_cycle() -> None:
    left = {
        module: {name for name in names if name.startswith(f"playshuffle.{package(module)}.")}
        for module, names in IMPORTS.items()
    }
    while free := {module for module, names in left.items() if not names & left.keys()}:
        left = {module: names for module, names in left.items() if module not in free}

    assert left == {}


def users(library: str) -> list[str]:
    roots = {module: {name.split(".")[0] for name in names} for module, names in NAMES.items()}
    return [module for module, names in roots.items() if library in names]


@pytest.mark.parametrize(
    ("library", "packages"),
    [
        ("mutagen", {"tags"}),
        ("sqlite3", {"library", "store", "system"}),
        ("tomlkit", {"config"}),
        ("tomllib", {"config"}),
        ("typer", {"cli"}),
        ("rich", {"cli"}),
        ("pathspec", {"library"}),
        ("watchdog", {"watch"}),
        ("random", set()),
        ("secrets", set()),
        ("mpd", {"telling"}),
        ("socket", {"service", "system", "telling"}),
        ("subprocess", {"install", "listening", "tags"}),  # systemctl, busctl, and our own tag reader
    ],
)
def test_each_library_is_imported_by_exactly_the_packages_that_may_import_it(
    library: str, packages: set[str]
) -> None:
    assert {package(module) for module in users(library)} == packages


@pytest.mark.parametrize("library", ["mutagen", "tomlkit", "tomllib", "rich", "pathspec", "watchdog", "mpd"])
def test_each_of_these_external_libraries_is_imported_in_only_one_module(library: str) -> None:
    assert len(users(library)) == 1


def test_the_package_shuffle_imports_no_other_package() -> None:
    shuffles = [module for module in MODULES if package(module) == "shuffle"]

    assert shuffles
    assert all(package(name) == "shuffle" for module in shuffles for name in IMPORTS[module])


@pytest.mark.parametrize("module", MODULES)
def test_no_module_runs_a_shell_and_only_the_module_chance_reads_system_randomness(module: str) -> None:
    text = MODULES[module].read_text()

    assert "shell=True" not in text
    assert "os.system" not in text
    assert "urandom" not in text or module == "playshuffle.shuffle.chance"


def test_every_test_file_that_conftest_lists_to_run_first_exists() -> None:
    from tests.conftest import _RANKS

    assert [str(path) for path in _RANKS if not path.exists()] == []
