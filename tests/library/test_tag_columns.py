"""Test that tags come back by rows and by columns as they were packed."""

from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.tag_columns import pack, unpack

_VALUES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False) | st.text(max_size=3)
_ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.none() | st.lists(_VALUES, min_size=width, max_size=width), max_size=6)
)


@given(_ROWS)
def test_packed_rows_and_columns_are_read_back(rows: list[list[object] | None]) -> None:
    unpacked = unpack(pack(rows).encode())

    assert repr(list(unpacked)) == repr(rows)
    assert len(unpacked) == len(rows)
    assert unpacked == rows
    tagged = [number for number, row in enumerate(rows) if row is not None]
    for index in range(len(rows[tagged[0]] or ())) if tagged else ():
        column = unpacked.column(index)
        assert [repr(column[number]) for number in tagged] == [
            repr(row[index]) for row in rows if row is not None
        ]


def test_a_text_that_all_files_share_is_stored_once() -> None:
    assert pack([["Album", 1], ["Album", 2]]) == '[2, [], ["Album", [1, 2]]]'
