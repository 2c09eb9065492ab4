"""Folders for the tests of scans."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tree import public_folder


@pytest.fixture
def top(tmp_path: Path) -> bytes:
    """A music folder that is not there yet."""
    return os.fsencode(tmp_path / "music")


@pytest.fixture
def public() -> Iterator[bytes]:
    """A folder that other users can get to."""
    with public_folder() as folder:
        yield folder
