"""Test that the options of a playlist are read back as they were saved."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.options.table import ROWS, Options
from playshuffle.store.saved_options import pack, unpack

TYPES = {"folders": tuple[str, ...], **{row.name: row.type for row in ROWS}}

# Absolute paths, which may have bytes that are not UTF-8.
_TEXT = st.binary().map(lambda name: f"/{os.fsdecode(name)}")
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

    assert unpack(pack(options)) == options


def test_json_has_only_the_options_that_differ_from_their_defaults() -> None:
    assert pack(Options()) == "{}"
    assert json.loads(pack(Options(folders=("/m",), tags=False))) == {"folders": ["/m"], "tags": False}


def test_paths_below_the_home_are_saved_without_its_name(home: Path) -> None:
    options = Options(folders=(f"{home}/Music", "/mnt"), maps=(f"{home}/Music=/M",))

    assert json.loads(pack(options)) == {"folders": ["~/Music", "/mnt"], "maps": ["~/Music=/M"]}
    assert unpack(pack(options)) == options


@pytest.mark.parametrize("text", [pack(None), '{"law": 1}'])
def test_saved_options_that_this_version_does_not_know_give_none(text: str) -> None:
    assert unpack(text) is None
