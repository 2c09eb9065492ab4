"""While a file is being written, a scan keeps its last known state, but finds no file at two paths."""

import os
import shutil
from collections import Counter
from pathlib import Path

from playshuffle.library.folder import Folder
from playshuffle.library.tracks import tracks
from playshuffle.library.walk import Dirty
from tests.support.sized import age, rotate
from tests.support.tree import by_path, find, first_root, put

_STILL_NS = 60 * 10**9


class _Music:
    """Files written an hour ago. A file is identified by its name at the start."""

    def __init__(self, top: Path, *names: str) -> None:
        self.top = os.fsencode(top)
        put(self.top, *map(os.fsencode, names))
        self._name_of: dict[int, str] = {}
        for name in names:
            age(top / name)
            self._name_of[os.stat(self._path(name)).st_ino] = name
        self.known: dict[bytes, Folder] = {}
        assert self.scan() == {name: name for name in names}

    def retag(self, name: str) -> None:
        with open(self._path(name), "ab") as file:
            file.write(b"more")

    def replace_by_copy(self, name: str) -> None:
        shutil.copyfile(self._path(name), self._path("copy"))
        os.rename(self._path("copy"), self._path(name))

    def rotate(self, *names: str) -> None:
        rotate(*map(self._path, names))

    def scan(self, *, still_ns: int = _STILL_NS, dirty: Dirty | None = None) -> dict[str, str]:
        """Return by path the file that a scan finds there, identified by its name at the start."""
        self.found = find([self.top], self.known, still_ns=still_ns, dirty=dirty)
        self.known = by_path(self.found)
        assert self.found.skipped == []
        return {
            os.fsdecode(os.path.relpath(path, self.top)): self._name_of[inode]
            for folder in first_root(self.found)
            for path, inode in zip(folder.file_paths(), folder.stamp_column(3), strict=True)
        }

    def growing(self) -> set[str]:
        return {os.fsdecode(os.path.relpath(path, self.top)) for path in self.found.growing}

    def link(self, name: str, other: str) -> None:
        os.link(self._path(name), self._path(other))

    def _path(self, name: str) -> bytes:
        return os.path.join(self.top, os.fsencode(name))


def test_after_two_files_swapped_names_a_scan_of_the_folder_of_one_file_finds_neither_file_twice(
    tmp_path: Path,
) -> None:
    """A file being written is not read. Until the folder of the other one is scanned, both stay as known."""
    music = _Music(tmp_path, "x/a.mp3", "y/b.mp3")
    music.retag("x/a.mp3")
    music.rotate("x/a.mp3", "y/b.mp3")
    read_y = Dirty(frozenset([music.top + b"/y/"]))

    assert music.scan(dirty=read_y) == {"x/a.mp3": "x/a.mp3", "y/b.mp3": "y/b.mp3"}
    assert music.scan(dirty=Dirty(frozenset([music.top + b"/x/"]))) == {"x/a.mp3": "y/b.mp3"}
    assert music.scan(dirty=Dirty(frozenset()), still_ns=0) == {"x/a.mp3": "y/b.mp3", "y/b.mp3": "x/a.mp3"}


def test_no_file_is_found_twice_if_two_files_swapped_names_while_the_folder_of_one_was_missing(
    tmp_path: Path,
) -> None:
    """The returned folder still has the file known before the swap; its other files are being written."""
    music = _Music(tmp_path, "x/a.mp3", "y/b.mp3", "y/c.mp3")
    music.retag("x/a.mp3")
    music.rotate("x/a.mp3", "y/b.mp3")
    music.replace_by_copy("y/c.mp3")
    music.known |= by_path(find([music.top + b"/x"], music.known))
    put(music.top, b"y/new.mp3")

    assert music.scan() == {"x/a.mp3": "y/b.mp3", "y/c.mp3": "y/c.mp3"}
    assert music.growing() == {"y/b.mp3", "y/c.mp3", "y/new.mp3"}


def test_a_file_being_written_stays_listed_at_both_hard_links_though_only_one_folder_is_scanned(
    tmp_path: Path,
) -> None:
    music = _Music(tmp_path, "x/a.mp3", "y/b.mp3")
    music.link("x/a.mp3", "y/link.mp3")
    music.scan()
    music.retag("x/a.mp3")

    found = music.scan(dirty=Dirty(frozenset([music.top + b"/x/"])))

    assert found == {"x/a.mp3": "x/a.mp3", "y/b.mp3": "y/b.mp3", "y/link.mp3": "x/a.mp3"}
    assert [os.path.basename(path) for path in tracks([*music.found.roots.values()])[0].paths] == [
        b"a.mp3",
        b"b.mp3",
    ]


def test_after_two_files_swapped_names_only_a_hard_link_to_a_third_file_is_skipped(tmp_path: Path) -> None:
    """Inodes of two paths are compared, because some folder has hard links."""
    music = _Music(tmp_path, "x/a.mp3", "x/b.mp3", "y/c.mp3")
    music.link("y/c.mp3", "y/link.mp3")
    music.retag("x/b.mp3")
    music.rotate("x/a.mp3", "x/b.mp3")

    music.scan()

    found, skipped, _ = tracks([*music.found.roots.values()])
    assert [os.path.basename(path) for path in found.paths] == [b"b.mp3", b"c.mp3"]
    assert [os.path.basename(path) for path, _ in skipped] == [b"link.mp3"]


def test_a_large_folder_in_which_all_files_were_just_written_is_listed_in_linear_time(tmp_path: Path) -> None:
    """Counted are the calls that split the names of the known folder, each of which takes linear time."""
    top = os.fsencode(tmp_path)
    put(top, *(b"%d.mp3" % number for number in range(200)))
    known = find([top], {})
    counts = Counter[str]()

    class Counting(Folder):
        def file_names(self) -> list[bytes]:
            counts["names"] += 1
            return super().file_names()

    before = {path: Counting(*folder) for path, folder in by_path(known).items()}
    found = find([top], before, still_ns=_STILL_NS, dirty=Dirty(frozenset([top + b"/"])))

    assert next(folder.track_count for folder in first_root(found)) == 200
    assert counts["names"] < 20
