"""docs/shuffles.md shows every order that can be audited; the program computes its figures and steps."""

import re
from pathlib import Path

import pytest

from playshuffle.audit.audited_orders import NAMES
from scripts import draw_orders
from tests.support.in_process import Program

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "shuffles.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_name_picture_and_figures_of_every_order(name: str) -> None:
    picture = f"pictures/{name.replace(':', '-')}.svg"

    assert f"`{name}`" in PAGE
    assert (f"]({picture})" in PAGE) == (name not in draw_orders.ALIKE)
    assert name in draw_orders.ALIKE or (DOCS / picture).stat().st_size < 80_000
    verdict = "bad" if name.startswith("specimen:") else "good"
    assert re.search(rf"^\| {name} \|.*\| {verdict} \|$", PAGE, re.MULTILINE)


def test_every_picture_is_shown_on_a_page() -> None:
    """Each is shown by a page."""
    pages = " ".join(page.read_text() for page in DOCS.glob("*.md"))

    assert {f.name for f in (DOCS / "pictures").iterdir() if f"pictures/{f.name}" not in pages} == set()


def test_the_steps_on_the_page_are_the_output_of_the_command_trace(program: Program) -> None:
    command, table = re.findall(
        r"^playshuffle (trace .*)\n```\n\n```text\n((?:k=.*\n)+)", PAGE, re.MULTILINE
    )[0]

    assert program(*command.split()).out == table
