"""Real files that are made, deleted, retagged and moved: none is ever taken for another one."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.library.folder import Folder
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.identity import Remembered, identify
from playshuffle.library.tag_columns import TagRows, unpack
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.library.walk import find
from playshuffle.system.birth_time import birth_of
from playshuffle.tags.reading import Reading, Tags
from tests.support.needs import unmet
from tests.support.tree import by_path


class _Music:
    """A folder of files; `files`: by path, which file it is, whatever happened to it."""

    def __init__(self, top: bytes) -> None:
        self.top = top
        self.files: dict[bytes, int] = {}
        self._number = 0
        self._known: dict[bytes, Folder] = {}
        self._fields: dict[bytes, TagRows] = {}

    def create(self, _: int) -> None:
        path = self._new_path()
        self._write(path)
        self.files[path] = self._number

    def delete(self, which: int) -> None:
        if self.files:
            path = self._path(which)
            os.unlink(path)
            del self.files[path]

    def replace(self, which: int) -> None:
        """Delete a file and create another one, which on ext4 gets its inode number."""
        self.delete(which)
        self.create(which)

    def retag_and_move(self, which: int) -> None:
        if self.files:
            path = self._path(which)
            self._write(path)
            os.rename(path, other := self._new_path())
            self.files[other] = self.files.pop(path)

    def library(self) -> Tracks:
        folders = by_path(find([self.top], self._known))
        fresh = list(
            with_readings(
                list(folders.values()),
                self._known,
                lambda folder: self._fields.get(folder.path, []),
                _read_all,
            )
        )
        self._fields |= {folder.path: unpack(text.encode()) for folder, text in fresh}
        self._known = folders | {folder.path: folder for folder, _ in fresh}
        return tracks([list(self._known.values())])[0]

    def _path(self, which: int) -> bytes:
        return sorted(self.files)[which % len(self.files)]

    def _new_path(self) -> bytes:
        self._number += 1
        path = b"%b/%d/%d.mp3" % (self.top, self._number % 3, self._number)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def _write(self, path: bytes) -> None:
        """Write what no other file has had in size and time."""
        self._number += 1
        with open(path, "ab") as file:
            file.truncate(self._number)
        os.utime(path, ns=(self._number, self._number))


def _read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    return ((number, Reading(Tags(title="x"))) for number in range(len(paths)))


_CHANGES = st.tuples(
    st.sampled_from([_Music.create, _Music.delete, _Music.replace, _Music.retag_and_move]), st.integers(0, 9)
)


@settings(max_examples=50)
@given(st.lists(st.lists(_CHANGES, min_size=1, max_size=6), min_size=2, max_size=5))
def test_a_retagged_and_moved_file_is_itself_and_a_reused_inode_inherits_nothing(passes: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as top:
        if birth_of(os.fsencode(top)) is None:
            unmet("the file system of the temporary folder has no birth times")
        music = _Music(os.fsencode(top))
        for _ in range(4):
            music.create(0)
        for changes in passes:
            before, files_before = music.library(), dict(music.files)
            for change, which in changes:
                change(music, which)
            now = music.library()

            identity = identify(
                Remembered(before.paths, before.marks, range(len(before)), {}), now.paths, now.marks
            )

            path_now = {file: path for path, file in music.files.items()}
            expected = [path_now.get(files_before[path]) for path in before.paths]
            assert [None if index is None else now.paths[index] for index in identity.now] == expected
