"""Options are read back from JSON as they were written, and nothing else is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.options.table import ROWS, Options, from_json, to_json

TYPES = {"folders": tuple[str, ...], **{row.name: row.type for row in ROWS}}

# Names of files may have bytes that are not UTF-8.
_TEXT = st.text(st.characters() | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF))
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    str: _TEXT,
    str | None: st.none() | _TEXT,
    int | None: st.none() | st.integers(),
    tuple[str, ...]: st.lists(_TEXT).map(tuple),
}


@given(st.fixed_dictionaries({name: VALUES[type_] for name, type_ in TYPES.items()}))
def test_all_options_are_read_back_from_json(values: dict[str, Any]) -> None:
    options = Options(**values)

    assert from_json(to_json(options)) == options


def test_json_has_only_the_options_that_differ_from_their_defaults() -> None:
    assert to_json(Options()) == "{}"
    assert json.loads(to_json(Options(folders=("/m",), tags=False))) == {"folders": ["/m"], "tags": False}


@pytest.mark.parametrize("text", ["", '{"law": 1}'])
def test_json_with_an_unknown_option_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(text)
