"""Check the spelling of all texts, and that they have none of the phrases listed in words.py."""

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
def test_no_page_has_a_forbidden_phrase_that_readers_would_have_to_decode(page: Path) -> None:
    # Generated tables have the texts of the program, which the next test checks.
    text = re.sub(r"<!-- table: .*?<!-- end -->", "", page.read_text(), flags=re.DOTALL)

    assert faults(text) == []


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string in a module: messages, help, docstrings."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring in a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line, without ` %`, which is an operator in code."""
    yield from enumerate(path.read_text().replace(" %", "").splitlines(), 1)


def modules(*folders: str) -> list[Path]:
    """Return the modules in some folders, without the list of phrases itself."""
    paths = (path for folder in folders for path in sorted((CHECKOUT / folder).rglob("*.py")))
    return [path for path in paths if path.name != "words.py" or path.parent.name != "docs"]


def faults_in(paths: Iterable[Path], read: Callable[[Path], Iterable[tuple[int, str]]]) -> list[str]:
    """Return the forbidden phrases in files, each with its file and line."""
    return [
        f"{path.relative_to(CHECKOUT)}:{line}: {fault}"
        for path in paths
        for line, text in read(path)
        for fault in faults(text)
    ]


def test_no_message_help_or_docstring_of_the_program_has_a_forbidden_phrase() -> None:
    assert faults_in(modules("playshuffle"), texts) == []


def test_no_line_of_code_and_no_comment_or_name_has_a_forbidden_phrase() -> None:
    assert faults_in(modules(*CODE), lines) == []


def test_no_systemd_unit_or_packaging_file_has_a_forbidden_phrase() -> None:
    files = (path for folder in ("systemd", "packaging") for path in (CHECKOUT / folder).rglob("*"))
    assert faults_in(sorted(path for path in files if path.is_file() and path.suffix != ".pyc"), lines) == []


@pytest.mark.parametrize("folder", CODE)
def test_at_most_three_percent_of_docstrings_have_an_indirect_phrase_such_as_what_is(folder: str) -> None:
    """In beets and borg, 2% have one."""
    found = [(path, line, text) for path in modules(folder) for line, text in docstrings(path) if text]
    indirect = [f"{path.relative_to(CHECKOUT)}:{line}" for path, line, text in found if INDIRECT.search(text)]

    assert len(indirect) <= 0.03 * len(found), indirect


def unknown_names(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Return the arguments and fields that a docstring describes although they do not exist."""
    sections = re.findall(r"(?m)^(?:Args|Attributes):\n((?:    .*\n?)+)", ast.get_docstring(node) or "")
    described = re.findall(r"^    (\w+): ", "".join(sections), re.MULTILINE)
    parts = [*node.body[1:], *([node.args] if isinstance(node, ast.FunctionDef) else ())]
    code = "\n".join(map(ast.unparse, parts))
    return [name for name in described if not re.search(rf"\b{name}\b", code)]


@pytest.mark.parametrize("folder", CODE)
def test_every_argument_and_field_that_a_docstring_describes_exists(folder: str) -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}:{node.lineno}: {name}"
        for path in modules(folder)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node)
        for name in unknown_names(node)
    ]

    assert found == []


@pytest.mark.process
def test_codespell_finds_no_mistake_in_documentation_program_and_scripts() -> None:
    places: list[str | Path] = [*WRITTEN, "docs", "playshuffle", "scripts", "systemd", "man"]
    words = ["--skip", "*.svg,*.png,*.pyc", "-L", _SPELLINGS, *places]
    done = finished([sys.executable, "-m", "codespell_lib", *words], cwd=CHECKOUT)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")
