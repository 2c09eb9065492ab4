"""Check spelling, and that no text has a phrase that readers have to decode."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.commands import CHECKOUT, GENERATED, PAGES
from tests.docs.words import faults
from tests.support.processes import finished

WRITTEN = [*(page for page in PAGES if page not in GENERATED), CHECKOUT / "CHANGELOG.md"]
# Words that codespell takes for mistakes: frames of ID3, a function of SQLite.
_SPELLINGS = "tye,te,caf,iif"


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


def test_the_texts_of_the_program_are_in_plain_english() -> None:
    """Help, errors and docstrings."""
    found = [
        f"{path.relative_to(CHECKOUT)}:{line}: {fault}"
        for path in sorted((CHECKOUT / "playshuffle").rglob("*.py"))
        for line, text in texts(path)
        for fault in faults(text)
    ]

    assert found == []


@pytest.mark.process
def test_the_spelling_is_right() -> None:
    places: list[str | Path] = [*WRITTEN, "docs", "playshuffle", "scripts", "systemd", "man"]
    words = ["--skip", "*.svg,*.png,*.pyc", "-L", _SPELLINGS, *places]
    done = finished([sys.executable, "-m", "codespell_lib", *words], cwd=CHECKOUT)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")
