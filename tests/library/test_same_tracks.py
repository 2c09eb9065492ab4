"""A folder has the tracks that it had if all that tells of them is the same."""

import os
from pathlib import Path
from typing import Any

import pytest

from playshuffle.library.folder import Folder
from playshuffle.library.unchanged import has_same_tracks
from playshuffle.library.walk import find
from tests.support.service import aged


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    music = tmp_path / "Music"
    (music / "More").mkdir(parents=True)
    for name in ("1.mp3", "2.mp3"):
        (music / name).write_bytes(b"x")
    aged(music)
    return find([os.fsencode(music)], {}).roots[0][0]


def test_a_folder_that_was_left_alone_has_the_same_tracks(folder: Folder) -> None:
    assert has_same_tracks(folder, still_ns=0)


@pytest.mark.parametrize(
    "field", ["device", "inode", "is_plain", "has_hard_links", "folders", "names", "stamps"]
)
def test_each_field_counts(field: str, folder: Folder) -> None:
    value: Any = getattr(folder, field)
    other: Any = value[:-1] + b"\xff" if isinstance(value, bytes) else not value

    assert not has_same_tracks(folder._replace(**{field: other}), still_ns=0)


def test_a_growing_file_makes_other_tracks(folder: Folder) -> None:
    path = os.path.join(folder.path, b"2.mp3")
    with open(path, "ab") as file:
        file.write(b"more")

    assert not has_same_tracks(folder, still_ns=60_000_000_000)


def test_a_folder_that_is_gone_cannot_be_read(folder: Folder) -> None:
    with pytest.raises(FileNotFoundError):
        has_same_tracks(folder._replace(path=folder.path + b"gone/"), still_ns=0)
