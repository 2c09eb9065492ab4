"""Folders for the tests of scans."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tree import public_folder


@pytest.fixture
def top(tmp_path: Path) -> bytes:
    """The path of a music folder that does not exist yet."""
    return os.fsencode(tmp_path / "music")


@pytest.fixture
def public() -> Iterator[bytes]:
    """A folder that other users can read."""
    with public_folder() as folder:
        yield folder
