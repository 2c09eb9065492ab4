"""Recognise files of an earlier scan under any path, where the file system has birth times."""

from array import array
from collections.abc import Collection
from functools import cached_property

from playshuffle.library.folder import Folder
from playshuffle.library.marks import file_id
from playshuffle.system.birth_time import birth_of


class KnownFiles:
    """The files of the folders of an earlier scan."""

    def __init__(self, folders: Collection[Folder] = ()) -> None:
        self._folders = folders

    def has(self, path: bytes) -> bool:
        """Return whether the file at a path is one of them, also if it was written to or renamed since."""
        birth = birth_of(path)
        return birth is not None and file_id(birth) in self._ids

    @cached_property
    def _ids(self) -> set[int]:
        return {number for folder in self._folders for number in array("q", folder.file_ids)}
