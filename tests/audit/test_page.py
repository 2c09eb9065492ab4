"""docs/shuffles.md shows every order that can be audited, and steps that the program prints."""

import re

import pytest

from playshuffle.audit.audited_orders import NAMES
from scripts import draw_orders
from tests.support.in_process import Program
from tests.support.program import CHECKOUT

PAGE = (CHECKOUT / "docs/shuffles.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_shuffles_has_the_name_and_picture_of_every_order_that_can_be_audited(name: str) -> None:
    picture = f"pictures/{name.replace(':', '-')}.svg"

    assert f"`{name}`" in PAGE
    assert (f"]({picture})" in PAGE) == (name not in draw_orders.ALIKE)


def test_the_steps_on_the_page_of_shuffles_are_the_output_of_the_command_above_them(program: Program) -> None:
    command, table = re.findall(
        r"^playshuffle (trace .*)\n```\n\n```text\n((?:k=.*\n)+)", PAGE, re.MULTILINE
    )[0]

    assert program(*command.split()).out == table
