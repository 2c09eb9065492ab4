"""A playlist with more entries than a file may have is split into several files."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.playlist import parts
from playshuffle.playlist.m3u import Text, fingerprint_of, parse
from playshuffle.playlist.parts import Parts, playlist_text
from playshuffle.system import atomic_file
from tests.support.refusals import refusal


def text(count: int, most: int | None, salt: str = "x") -> Parts:
    lines = [b"%d.mp3\n" % number for number in range(count)]
    return playlist_text(Text, lines, range(count), [("ORDER", salt)], most, basis="")


def write(path: bytes, content: Parts, *, force: bool = False) -> bool:
    with parts.prepared(path, content, force=force) as ready:
        return ready.replace()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("count", "most", "sizes"), [(5, 5, [5]), (5, 2, [2, 2, 1]), (0, 2, [0])])
def test_a_playlist_is_split_into_files_with_at_most_the_allowed_number_of_entries(
    count: int, most: int | None, sizes: list[int]
) -> None:
    whole = text(count, most)

    assert [len(parse(b"".join(one), b"/m").paths) for one in whole.texts] == sizes
    assert ("PART" in parse(b"".join(whole), b"/m").comments) is (len(sizes) > 1)
    assert parse(b"".join(whole), b"/m").paths == [b"/m/%d.mp3" % number for number in range(count)]
    assert whole.fingerprint == " ".join(map(fingerprint_of, whole.texts))


def test_each_file_of_a_split_playlist_has_the_header_and_the_comments(tmp_path: Path) -> None:
    assert write(bytes(tmp_path / "a.m3u8"), text(5, 2))

    assert names(tmp_path) == ["a-1.m3u8", "a-2.m3u8", "a-3.m3u8"]
    last = (tmp_path / "a-3.m3u8").read_text()
    assert last == "#EXTM3U\n#PLAYSHUFFLE-ORDER:x\n#PLAYSHUFFLE-PART:3/3\n4.mp3\n"


def test_when_a_split_playlist_becomes_shorter_the_files_that_it_no_longer_needs_are_removed(
    tmp_path: Path,
) -> None:
    path = bytes(tmp_path / "a.m3u")
    for count, most, left in (
        (5, 2, ["a-1.m3u", "a-2.m3u", "a-3.m3u"]),
        (4, 2, ["a-1.m3u", "a-2.m3u"]),
        (2, 2, ["a.m3u"]),
        (3, 2, ["a-1.m3u", "a-2.m3u"]),
    ):
        assert write(path, text(count, most))
        assert not write(path, text(count, most))
        assert names(tmp_path) == left


def test_a_file_of_another_program_named_like_a_file_of_a_split_playlist_needs_force_to_be_replaced(
    tmp_path: Path,
) -> None:
    other = tmp_path / "a-2.m3u"
    other.write_bytes(b"mine.mp3\n")
    path = bytes(tmp_path / "a.m3u")

    refusal(Exit.CANNOT_CREATE, write, path, text(4, 2))
    assert names(tmp_path) == ["a-2.m3u"]
    write(path, text(1, 2))
    assert other.read_bytes() == b"mine.mp3\n"
    write(path, text(4, 2), force=True)
    assert other.read_bytes() != b"mine.mp3\n"


def test_if_one_file_of_a_split_playlist_cannot_be_written_no_file_of_it_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bytes(tmp_path / "a.m3u")
    write(path, text(4, 2, "old"))
    prepared = atomic_file.prepared

    def fails_at_the_second(
        file: bytes, content: Iterable[bytes], is_same: bool | None
    ) -> AbstractContextManager[atomic_file.Prepared]:
        if file.endswith(b"-2.m3u"):
            raise PlayshuffleError("full", Exit.CANNOT_CREATE)
        return prepared(file, content, is_same)

    monkeypatch.setattr(atomic_file, "prepared", fails_at_the_second)
    with pytest.raises(PlayshuffleError):
        write(path, text(6, 2, "new"))

    assert b"ORDER:old" in (tmp_path / "a-1.m3u").read_bytes()
    assert b"ORDER:old" in (tmp_path / "a-2.m3u").read_bytes()
    assert names(tmp_path) == ["a-1.m3u", "a-2.m3u"]
