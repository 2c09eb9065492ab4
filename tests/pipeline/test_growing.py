"""Test files that are tagged and exchange names just before an update, while they count as being written."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.library.walk import Changes, Dirty
from tests.support.library import deal, keep, tools
from tests.support.sized import SizedMusic, age, rotate

_STILL_NS = 60 * 10**9
_COUNT = 12


class _Music(SizedMusic):
    """Tracks in two folders that were written an hour ago.

    order: the order of the playlist at the start. dealt: tracks of all deals.
    """

    def __init__(self, top: Path) -> None:
        super().__init__(top)
        names = [f"{'xy'[number % 2]}/{number:02}.mp3" for number in range(_COUNT)]
        self.paths = [age(self.add(name)) for name in names]
        self.dealt: list[int] = []
        self.update()
        self.order = self.tracks("all")
        self.deal(5)

    def update(self, *, still_ns: int = _STILL_NS, moved: Sequence[tuple[Path, Path]] = ()) -> None:
        """Update the kept playlist, as the service does at its start or after events."""
        moves = tuple((bytes(old), bytes(new)) for old, new in moved)
        gone = frozenset(old for old, _ in moves)
        dirty = Dirty(frozenset(bytes(path.parent) + b"/" for path in self.paths)) if moved else None
        keep(self.request("all"), tools(seed="x"), Changes(dirty, gone, moves, still_ns))

    def deal(self, count: int, *, still_ns: int = 0) -> None:
        """Deal as the command does, which reads each file, or with `still_ns` as the service does."""
        changes = Changes(still_ns=still_ns)
        deal(self.request("today"), tools(seed="x"), count, changes=changes)
        self.dealt += self.tracks("today")


def _choose(music: _Music, kinds: str) -> list[Path]:
    """Return the paths of some dealt (d) and undealt (u) tracks."""
    undealt = [number for number in range(1, _COUNT + 1) if number not in music.dealt]
    left = {"d": list(music.dealt), "u": undealt}
    return [music.paths[left[kind].pop(0) - 1] for kind in kinds]


@pytest.mark.parametrize("kinds", ["du", "ud", "dd", "uu", "dud", "udu"])
@pytest.mark.parametrize("written", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("is_seen", [False, True])
def test_tracks_whose_files_are_retagged_and_swap_names_keep_positions_and_are_dealt_once(
    tmp_path: Path, kinds: str, written: Sequence[int], is_seen: bool
) -> None:
    """Two files, or three. Updates come before the written files are settled, and after."""
    music = _Music(tmp_path)
    paths = _choose(music, kinds)
    for number in written:
        music.retag(paths[number])
    rotate(*paths)
    between = tmp_path / "between"
    moves = [(paths[-1], between), *zip(paths[-2::-1], paths[:0:-1], strict=True), (between, paths[0])]

    music.update(moved=moves if is_seen else ())
    first = music.tracks("all")
    music.update()
    assert music.tracks("all") == first
    music.update(still_ns=0)
    music.deal(_COUNT - 5)

    assert len({*first}) == len(first)
    assert music.tracks("all") == music.order
    assert sorted(music.dealt) == [*range(1, _COUNT + 1)]


@pytest.mark.parametrize("written", [0, 1])
def test_a_deal_while_files_are_being_written_deals_no_track_twice(tmp_path: Path, written: int) -> None:
    music = _Music(tmp_path)
    paths = _choose(music, "du")
    music.retag(paths[written])
    rotate(*paths)

    music.update()
    music.deal(3, still_ns=_STILL_NS)
    music.update(still_ns=0)
    music.deal(_COUNT - 5 - 3)

    assert music.tracks("all") == music.order
    assert sorted(music.dealt) == [*range(1, _COUNT + 1)]


@pytest.mark.parametrize("is_new", [False, True])
def test_a_file_just_written_keeps_its_position_when_it_swaps_names_with_another_file(
    tmp_path: Path, is_new: bool
) -> None:
    """With a new file, or with a track that a program edited by a copy, both written an hour ago."""
    music = _Music(tmp_path)
    written, other = _choose(music, "uu")
    if is_new:
        other = music.add("new.mp3")
    else:
        shutil.copyfile(other, other.with_name("copy"))
        other.with_name("copy").rename(other)
    age(other)
    music.retag(written)
    rotate(written, other)

    for still_ns in (_STILL_NS, 0):
        music.update(still_ns=still_ns)
        assert [number for number in music.tracks("all") if number <= _COUNT] == music.order
