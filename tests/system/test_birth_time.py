"""A file that is written or renamed keeps its birth time, and no other file has its inode and birth time."""

import os
from pathlib import Path

import pytest

from playshuffle.system.birth_time import Birth, birth_of
from tests.support.needs import unmet


@pytest.fixture
def file(tmp_path: Path) -> bytes:
    path = tmp_path / "x.mp3"
    path.write_bytes(b"x")
    if birth_of(os.fsencode(path)) is None:
        unmet("the file system of the temporary folder has no birth times")
    return os.fsencode(path)


def test_a_file_keeps_its_inode_and_birth_time_when_it_is_written_and_renamed(
    file: bytes, tmp_path: Path
) -> None:
    before = birth_of(file)
    with open(file, "ab") as content:
        content.write(b"tags")
    os.utime(file, (1, 1))
    (tmp_path / "album").mkdir()
    os.rename(file, other := os.fsencode(tmp_path / "album/y.mp3"))

    assert birth_of(other) == before
    assert before is not None
    assert before[0] == os.stat(other).st_ino


def test_a_link_has_the_inode_and_birth_time_of_its_target(file: bytes, tmp_path: Path) -> None:
    os.symlink(file, link := os.fsencode(tmp_path / "link.mp3"))
    assert birth_of(link) == birth_of(file)


def test_a_new_file_with_the_inode_of_a_deleted_file_has_another_birth_time(file: bytes) -> None:
    """On ext4 the next file gets the inode of the deleted one."""
    births = set[Birth | None]()
    for _ in range(100):
        os.unlink(file)
        with open(file, "xb") as content:
            content.write(b"x")
        births.add(birth_of(file))
        _let_the_clock_tick(file)
    assert len(births) == 100


def _let_the_clock_tick(path: bytes) -> None:
    first = os.stat(path).st_ctime_ns
    while os.stat(path).st_ctime_ns == first:
        os.utime(path)


@pytest.mark.parametrize("path", [b"/nowhere", b"/proc/self/stat", b"a\0b"])
def test_a_missing_file_or_one_in_a_file_system_without_birth_times_has_no_birth_time(path: bytes) -> None:
    assert birth_of(path) is None
