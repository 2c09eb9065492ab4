"""Real files that are moved, copied, retagged, deleted and hidden: each track keeps its number."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from playshuffle.library.recognition import recognise
from playshuffle.library.track_table import TrackTable
from playshuffle.library.tracks import tracks
from playshuffle.system.birth_time import birth_of
from playshuffle.tags.reading import Reading, Tags
from tests.library.scans import Scans
from tests.support.needs import unmet

DAY_S = 86_400
FOLDERS = 3  # in each root
WHICH = st.integers(0, 99)


class Music(RuleBasedStateMachine):
    """Two roots with folders. The model knows which track is at each path, and the number of each track.

    A path is used for another file only if two files swap names, or a new file takes the path of a moved one.
    """

    @initialize()
    def begin(self) -> None:
        self.top = os.fsencode(tempfile.mkdtemp())
        if birth_of(self.top) is None:
            unmet("the file system of the temporary folder has no birth times")
        self.table = TrackTable()
        self.now_s = 1_000_000_000
        self.scans = Scans()
        self.tracks: dict[bytes, int] = {}  # by path
        self.numbers: dict[int, int] = {}  # by track
        self.copies: dict[int, set[int]] = {}  # by track, the track and all its copies; if there are any
        self.made = 0
        self.hidden: set[bytes] = set()
        self.is_missing = False  # the second root
        # Folders that were scanned, and in which nothing has happened since.
        self.untouched: set[bytes] = set()
        self.roots = [self.top + b"/a", self.top + b"/b"]
        for root in self.roots:
            for number in range(FOLDERS):
                os.makedirs(b"%b/%d" % (root, number))
        for which in range(6):
            self.create(which)
        self.scan(0)

    def teardown(self) -> None:
        shutil.rmtree(self.top)

    # What happens to files

    @rule(folder=WHICH)
    def create(self, folder: int) -> None:
        path = self.new_path(folder)
        self.made += 1
        self.write(path, b"%d" % self.made)
        self.tracks[path] = self.made

    @precondition(lambda self: self.reachable())
    @rule(which=WHICH)
    def delete(self, which: int) -> None:
        """On ext4, the next new file gets the inode number of the deleted one."""
        path = self.path(which)
        os.unlink(path)
        self.touch(path)
        del self.tracks[path]

    @precondition(lambda self: self.reachable())
    @rule(which=WHICH, folder=WHICH)
    def move(self, which: int, folder: int) -> None:
        """Rename a file, also to another folder or root, or into a hidden folder."""
        path, target = self.path(which), self.new_path(folder)
        self.touch(path)
        os.rename(path, target)
        self.tracks[target] = self.tracks.pop(path)

    @precondition(lambda self: len(self.reachable()) > 1)
    @rule(which=WHICH, step=st.integers(1, 99))
    def swap(self, which: int, step: int) -> None:
        """Swap two scanned files. A file that no scan has found would count as a new version of the other."""
        count = len(self.reachable())
        one, other = self.path(which), self.path(which % count + 1 + step % (count - 1))
        if not {self.tracks[one], self.tracks[other]} <= self.numbers.keys():
            return
        self.touch(one)
        self.touch(other)
        os.rename(one, one + b".tmp")
        os.rename(other, one)
        os.rename(one + b".tmp", other)
        self.tracks[one], self.tracks[other] = self.tracks[other], self.tracks[one]

    @precondition(lambda self: not self.is_missing and not self.hidden and self.tracks)
    @rule(which=WHICH, folder=WHICH, is_part_scanned=st.booleans())
    def take_the_path(self, which: int, folder: int, is_part_scanned: bool) -> None:
        """Move a file and write a new one at its path: another track, if a scan sees both.

        At the last path of a vanished track it would count as a new version of that track. In a scan of one
        root it counts as a new version of the moved file, until the other root is scanned.
        """
        self.scan(0)
        path = self.path(which)
        if path in {each.path for each in self.table.vanished.values()}:
            return
        self.move(which, folder)
        self.made += 1
        self.write(path, b"%d" % self.made)
        self.tracks[path] = self.made
        if is_part_scanned:
            self.recognise([root for root in self.roots if path.startswith(root)], [])
        self.scan(0)

    @precondition(lambda self: self.reachable())
    @rule(which=WHICH, folder=WHICH, is_moved=st.booleans())
    def retag(self, which: int, folder: int, is_moved: bool) -> None:
        """Write other tags into a file. Some programs also move it."""
        path = self.path(which)
        self.touch(path)
        self.write(path, track_in(path))
        if is_moved:
            self.move(self.reachable().index(path), folder)

    @precondition(lambda self: not self.is_missing and not self.hidden and self.tracks)
    @rule(which=WHICH)
    def replace_by_a_retagged_copy(self, which: int) -> None:
        """Audio and path identify the copy, so a scan comes before and after."""
        self.scan(0)
        path = self.path(which)
        self.touch(path)
        self.write(path + b".new", track_in(path))
        os.replace(path + b".new", path)
        self.scan(0)

    @precondition(lambda self: not self.is_missing and not self.hidden and self.tracks)
    @rule(which=WHICH, folder=WHICH)
    def copy(self, which: int, folder: int) -> None:
        """Copy a file with its times: another track, if a scan sees both, and no copy of it has vanished."""
        self.scan(0)
        path = self.path(which)
        copies = self.copies.setdefault(self.tracks[path], {self.tracks[path]})
        if not copies <= {*self.tracks.values()}:
            return
        target = self.new_path(folder)
        shutil.copy2(path, target)
        self.made += 1
        self.tracks[target] = self.made
        copies.add(self.made)
        self.copies[self.made] = copies
        self.scan(0)

    # What scans can see

    @rule(folder=WHICH)
    def hide_or_show(self, folder: int) -> None:
        path = self.folder(folder)
        if path in self.hidden:
            os.unlink(path + b".nomedia")
        else:
            with open(path + b".nomedia", "w"):
                pass
        self.hidden ^= {path}

    @rule()
    def disconnect_or_connect(self) -> None:
        root = self.roots[1]
        away = root + b".away"
        os.rename(*((away, root) if self.is_missing else (root, away)))
        self.is_missing = not self.is_missing

    @rule(which=st.sampled_from([0, 0, 0, 1, 2]))
    def scan(self, which: int) -> None:
        """Scan both roots, or one of them."""
        there = self.roots[:1] if self.is_missing else self.roots
        missing = self.roots[len(there) :]
        roots = [root for at, root in enumerate(there, 1) if which in (0, at)]
        before = self.table
        self.recognise(roots, missing)
        seen = {path for path in self.all_folders() if path.startswith(tuple(roots))} - self.hidden
        known = self.numbers_now()
        assert len({*known.values()}) == len(known), "two files have the same number"
        for path, track in self.tracks.items():
            if os.path.dirname(path) + b"/" in seen:
                assert self.numbers.setdefault(track, known[path]) == known[path]
        assert len({*self.numbers.values()}) == len(self.numbers)
        new = {*self.numbers.values()} - {*range(1, before.next_number)}
        assert new == {*range(before.next_number, self.table.next_number)}
        for folder in self.untouched:
            assert self.table.folders.get(folder) is before.folders.get(folder)
        self.untouched |= seen

    @invariant()
    def each_file_that_was_not_touched_keeps_path_and_number(self) -> None:
        """Also if its folder is hidden, missing or not scanned: the table has path and number of the file."""
        known = self.numbers_now()
        for path, track in self.tracks.items():
            if os.path.dirname(path) + b"/" in self.untouched:
                assert known[path] == self.numbers[track]

    # Helpers

    def recognise(self, roots: Sequence[bytes], missing: Sequence[bytes]) -> None:
        """Scan some roots. Then each number is in one folder, or among the vanished tracks."""
        self.now_s += DAY_S
        library, _, _ = tracks([self.scans.scan(roots, read_all)])
        self.table = recognise(self.table, [library], (), scanned=roots, missing=missing, now_s=self.now_s)
        present = [*self.numbers_now().values()]
        assert sorted([*present, *self.table.vanished]) == [*range(1, self.table.next_number)]
        assert self.table.replaced.keys() <= {*present}

    def numbers_now(self) -> dict[bytes, int]:
        return {
            path + name: number
            for path, row in self.table.folders.items()
            for name, number in row.numbers_by_name().items()
        }

    def all_folders(self) -> list[bytes]:
        return [b"%b/%d/" % (root, number) for root in self.roots for number in range(FOLDERS)]

    def reachable(self) -> list[bytes]:
        return sorted(
            path for path in self.tracks if not (self.is_missing and path.startswith(self.roots[1]))
        )

    def path(self, which: int) -> bytes:
        paths = self.reachable()
        return paths[which % len(paths)]

    def folder(self, which: int) -> bytes:
        folders = self.all_folders()[: FOLDERS if self.is_missing else None]
        return folders[which % len(folders)]

    def new_path(self, folder: int) -> bytes:
        self.made += 1
        path = b"%b%d.mp3" % (self.folder(folder), self.made)
        self.touch(path)
        return path

    def touch(self, path: bytes) -> None:
        self.untouched.discard(os.path.dirname(path) + b"/")

    def write(self, path: bytes, track: bytes) -> None:
        """Write a file with a size and time that no other file has had."""
        self.made += 1
        with open(path, "ab") as file:
            file.truncate(0)
            file.write(track + b" " * self.made)
        os.utime(path, ns=(self.made, self.made))


def track_in(path: bytes) -> bytes:
    """Return the track that a file is."""
    with open(path, "rb") as file:
        return file.read().split()[0]


def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    for number, path in enumerate(paths):
        with open(path, "rb") as file:
            content = file.read()
        title = str(content.count(b" "))
        yield number, Reading(Tags(title=title, duration_ms=1000 * int(content), bitrate=128_000))


TestMusic = Music.TestCase
TestMusic.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
