"""How a part is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering.recipe import parse_part


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("1:3", [0, 1, 2]),
        ("4:1", [3]),
        ("1:3:1", [0, 1, 2]),
        ("2:3:5", [1, 6, 11]),
        ("01:02", [0, 1]),
    ],
)
def test_a_part_is_a_run_of_positions_or_every_so_manyth(text: str, positions: list[int]) -> None:
    assert list(parse_part(text)) == positions


@pytest.mark.parametrize(
    "text",
    ["", "1", "1:", ":1", "0:3", "1:0", "1:3:0", "1:3:", "1:2:3:4", "-1:2", "a:b", "1 :2", "1:2\n", "²:1"],
)
def test_what_is_no_part_is_answered_with_how_to_write_one(text: str) -> None:
    with pytest.raises(PlayshuffleError, match="START:COUNT:STRIDE") as caught:
        parse_part(text)

    assert caught.value.code == Exit.USAGE


@given(st.integers(1, 10**9 - 1), st.integers(1, 10**9 - 1), st.integers(1, 10**9 - 1))
def test_a_part_has_as_many_positions_as_it_says(start: int, count: int, stride: int) -> None:
    positions = parse_part(f"{start}:{count}:{stride}")

    assert len(positions) == count
    assert positions[0] == start - 1
    assert positions[-1] == start - 1 + (count - 1) * stride
