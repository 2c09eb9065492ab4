"""Files that are tagged and exchange their names within the settling time keep their positions and deals."""

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.library.walk import Changes, Dirty
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from tests.support.library import deal, entries, keep, tools
from tests.support.program import DATA

_AUDIO = (DATA / "v24.mp3").read_bytes()
_STILL_NS = 60 * 10**9
_COUNT = 12


class _Music:
    """Tracks in two folders that were written an hour ago; each is known by its inode.

    order: in which the kept playlist began. dealt: in all deals.
    """

    def __init__(self, top: Path) -> None:
        self.top = top
        self.paths = [top / "Music" / "xy"[number % 2] / f"{number:02}.mp3" for number in range(_COUNT)]
        for number, path in enumerate(self.paths):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_AUDIO + bytes(100 * number))
            os.utime(path, (time.time() - 3600, time.time() - 3600))
        self._number_of = {path.stat().st_ino: number for number, path in enumerate(self.paths)}
        self.dealt: list[int] = []
        self.update()
        self.order = self.numbers("all")
        self.deal(5)

    def number_of(self, path: Path) -> int:
        return self._number_of[path.stat().st_ino]

    def know(self, path: Path, number: int) -> None:
        """Know the file at a path as this track from now on."""
        self._number_of[path.stat().st_ino] = number

    def retag(self, path: Path) -> None:
        """Edit a file in place, just now."""
        with path.open("ab") as file:
            file.write(b"x")

    def rotate(self, *paths: Path) -> None:
        """Give each file the name of the next one, and the last one that of the first."""
        paths[-1].rename(self.top / "between")
        for source, target in zip(paths[-2::-1], paths[:0:-1], strict=True):
            source.rename(target)
        (self.top / "between").rename(paths[0])

    def update(self, *, still_ns: int = _STILL_NS, moved: Sequence[tuple[Path, Path]] = ()) -> None:
        """Update the kept playlist, as the service does at its start or after events."""
        moves = tuple((bytes(old), bytes(new)) for old, new in moved)
        gone = frozenset(old for old, _ in moves)
        dirty = Dirty(frozenset(bytes(path.parent) + b"/" for path in self.paths)) if moved else None
        keep(self._request("all"), self._tools(), Changes(dirty, gone, moves, still_ns))

    def deal(self, count: int, *, still_ns: int = 0) -> None:
        """Deal by hand, which reads each file; or as the service does."""
        changes = Changes(still_ns=still_ns)
        deal(self._request("today"), self._tools(), count, changes=changes)
        self.dealt += self.numbers("today")

    def numbers(self, name: str) -> list[int]:
        return [self.number_of(self.top / entry) for entry in entries(self._request(name))]

    def _request(self, name: str) -> Request:
        return Request((bytes(self.top / "Music"),), bytes(self.top / f"{name}.m3u"))

    def _tools(self) -> Tools:
        return tools(seed="x")


def _choose(music: _Music, kinds: str) -> list[Path]:
    """Return the paths of some dealt (d) and undealt (u) tracks."""
    undealt = [number for number in range(_COUNT) if number not in music.dealt]
    left = {"d": list(music.dealt), "u": undealt}
    return [music.paths[left[kind].pop(0)] for kind in kinds]


@pytest.mark.parametrize("kinds", ["du", "ud", "dd", "uu", "dud", "udu"])
@pytest.mark.parametrize("written", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("is_seen", [False, True])
def test_a_retag_and_a_change_of_names_moves_no_track_and_deals_none_twice(
    tmp_path: Path, kinds: str, written: Sequence[int], is_seen: bool
) -> None:
    """Two files, or three. Updates come before the written files are settled, and after."""
    music = _Music(tmp_path)
    paths = _choose(music, kinds)
    for number in written:
        music.retag(paths[number])
    music.rotate(*paths)
    between = tmp_path / "between"
    moves = [(paths[-1], between), *zip(paths[-2::-1], paths[:0:-1], strict=True), (between, paths[0])]

    music.update(moved=moves if is_seen else ())
    first = music.numbers("all")
    music.update()
    assert music.numbers("all") == first
    music.update(still_ns=0)
    music.deal(_COUNT - 5)

    assert len({*first}) == len(first)
    assert music.numbers("all") == music.order
    assert sorted(music.dealt) == [*range(_COUNT)]


@pytest.mark.parametrize("written", [0, 1])
def test_a_deal_of_the_service_within_the_settling_time_deals_none_twice(
    tmp_path: Path, written: int
) -> None:
    music = _Music(tmp_path)
    paths = _choose(music, "du")
    music.retag(paths[written])
    music.rotate(*paths)

    music.update()
    music.deal(3, still_ns=_STILL_NS)
    music.update(still_ns=0)
    music.deal(_COUNT - 5 - 3)

    assert music.numbers("all") == music.order
    assert sorted(music.dealt) == [*range(_COUNT)]


@pytest.mark.parametrize("is_new", [False, True])
def test_a_track_that_was_just_written_keeps_its_place_when_it_swaps_names_with_another_file(
    tmp_path: Path, is_new: bool
) -> None:
    """With a new file, or with a track that a program edited by a copy, both written an hour ago."""
    music = _Music(tmp_path)
    written, other = _choose(music, "uu")
    if is_new:
        number, other = _COUNT, written.with_name("new.mp3")
        other.write_bytes(_AUDIO + bytes(5000))
    else:
        number = music.number_of(other)
        shutil.copyfile(other, other.with_name("copy"))
        other.with_name("copy").rename(other)
    os.utime(other, (time.time() - 3600, time.time() - 3600))
    music.know(other, number)
    music.retag(written)
    music.rotate(written, other)

    for still_ns in (_STILL_NS, 0):
        music.update(still_ns=still_ns)
        assert [number for number in music.numbers("all") if number < _COUNT] == music.order
