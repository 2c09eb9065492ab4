"""docs/shuffles.md shows every order that can be audited; its figures and steps are those of the program."""

import re
import runpy
from pathlib import Path

import pytest

from playshuffle.audit.audited_orders import NAMES, audited
from tests.audit.run import Program

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "shuffles.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_order_has_its_name_its_picture_and_its_figures(name: str) -> None:
    picture = f"pictures/{name.replace(':', '-')}.png"

    assert f"`{name}`" in PAGE
    assert f"]({picture})" in PAGE
    assert (DOCS / picture).stat().st_size < 40_000
    verdict = "bad" if name.startswith("specimen:") else "good"
    assert re.search(rf"^\| {name} \|.*\| {verdict} \|$", PAGE, re.MULTILINE)


def test_no_picture_is_left_over() -> None:
    """Each is of an order, or is shown by another page."""
    drawn = {path.stem for path in (DOCS / "pictures").glob("*.png")}
    others = " ".join(page.read_text() for page in DOCS.glob("*.md") if page.name != "shuffles.md")

    assert {name for name in drawn if f"pictures/{name}.png" not in others} == {
        name.replace(":", "-") for name in NAMES
    }


def test_the_steps_are_those_of_the_program(program: Program) -> None:
    command, table = re.findall(r"^    playshuffle (trace .*)\n\n((?:    k=.*\n)+)", PAGE, re.MULTILINE)[0]

    assert program(*command.split()).out == table.replace("    k=", "k=")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_figures_are_those_of_the_program(name: str) -> None:
    make = runpy.run_path(str(DOCS / "pictures" / "make.py"))
    order = audited(name, 8 if name == "table" else make["TRACKS"])

    assert make["row"](order) in PAGE
