"""Check spelling, and that no text has a phrase that readers have to decode."""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.docs.commands import CHECKOUT, GENERATED, PAGES
from tests.docs.words import INDIRECT, faults
from tests.support.processes import finished

CODE = ("playshuffle", "beetsplug", "benchmarks", "scripts", "tests")
WRITTEN = [*(page for page in PAGES if page not in GENERATED), CHECKOUT / "CHANGELOG.md"]
# Words that codespell takes for mistakes: frames of ID3, a function of SQLite, an operator of Python.
_SPELLINGS = "notin,tye,te,caf,iif"


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_a_page_is_in_plain_english(page: Path) -> None:
    # Generated tables have the texts of the program, which the next test checks.
    text = re.sub(r"<!-- table: .*?<!-- end -->", "", page.read_text(), flags=re.DOTALL)

    assert faults(text) == []


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Iterate over the texts of a module: messages, help, docstrings."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Iterate over the docstrings of a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Iterate over the lines of a file. In code, % is an operator, or part of a tested value."""
    yield from enumerate(path.read_text().replace(" %", "").splitlines(), 1)


def modules(*folders: str) -> list[Path]:
    """Return the modules in some folders, but for the list of phrases itself."""
    paths = (path for folder in folders for path in sorted((CHECKOUT / folder).rglob("*.py")))
    return [path for path in paths if path.name != "words.py" or path.parent.name != "docs"]


def faults_in(paths: Iterable[Path], read: Callable[[Path], Iterable[tuple[int, str]]]) -> list[str]:
    """Return the forbidden phrases in files, each with its place."""
    return [
        f"{path.relative_to(CHECKOUT)}:{line}: {fault}"
        for path in paths
        for line, text in read(path)
        for fault in faults(text)
    ]


def test_the_texts_of_the_program_are_in_plain_english() -> None:
    """Help, errors and docstrings."""
    assert faults_in(modules("playshuffle"), texts) == []


def test_comments_and_names_are_in_plain_english() -> None:
    assert faults_in(modules(*CODE), lines) == []


def test_the_texts_of_systemd_units_and_packages_are_in_plain_english() -> None:
    files = (path for folder in ("systemd", "packaging") for path in (CHECKOUT / folder).rglob("*"))
    assert faults_in(sorted(path for path in files if path.is_file() and path.suffix != ".pyc"), lines) == []


@pytest.mark.parametrize("folder", CODE)
def test_at_most_three_percent_of_docstrings_have_an_indirect_phrase(folder: str) -> None:
    """At most 3% have an indirect phrase: 2% in beets and borg."""
    found = [(path, line, text) for path in modules(folder) for line, text in docstrings(path) if text]
    indirect = [f"{path.relative_to(CHECKOUT)}:{line}" for path, line, text in found if INDIRECT.search(text)]

    assert len(indirect) <= 0.03 * len(found), indirect


def strangers(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Return the arguments and fields that a docstring describes, and that do not exist."""
    sections = re.findall(
        r"^(?:Args|Attributes):\n((?:    .*\n?)+)", ast.get_docstring(node) or "", re.MULTILINE
    )
    described = re.findall(r"^    (\w+): ", "".join(sections), re.MULTILINE)
    parts = [*node.body[1:], *([node.args] if isinstance(node, ast.FunctionDef) else ())]
    code = "\n".join(map(ast.unparse, parts))
    return [name for name in described if not re.search(rf"\b{name}\b", code)]


@pytest.mark.parametrize("folder", CODE)
def test_arguments_and_fields_that_docstrings_describe_exist(folder: str) -> None:
    """Those whose name and type say all have no line."""
    found = [
        f"{path.relative_to(CHECKOUT)}:{node.lineno}: {name}"
        for path in modules(folder)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node)
        for name in strangers(node)
    ]

    assert found == []


@pytest.mark.process
def test_the_spelling_is_right() -> None:
    places: list[str | Path] = [*WRITTEN, "docs", "playshuffle", "scripts", "systemd", "man"]
    words = ["--skip", "*.svg,*.png,*.pyc", "-L", _SPELLINGS, *places]
    done = finished([sys.executable, "-m", "codespell_lib", *words], cwd=CHECKOUT)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")
