"""Find and read the file of a playlist."""

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.listing import is_audio_name, original_name
from playshuffle.playlist.formats import FORMATS, Format, format_of
from playshuffle.playlist.m3u import Parsed, fingerprint_of
from playshuffle.playlist.names import Names
from playshuffle.system import atomic_file, mounts
from playshuffle.system.mounts import Mount
from playshuffle.system.regular_file import names_in

_HEAD_BYTES = 4096  # comments of playshuffle are at the top
_CHUNK_BYTES = 1 << 18  # read at a time: a playlist of 100,000 tracks has 15 MB
_SUFFIXES = tuple(FORMATS)


class PlaylistFile(NamedTuple):
    """The file of a playlist.

    Attributes:
        path: the real path.
        is_link: the user named a link to the playlist.
        folder: as the user named it; if `is_link`, the real folder.
        exists: the file has content.
    """

    path: bytes
    is_link: bool
    folder: bytes
    exists: bool
    mounts: Sequence[Mount]

    @classmethod
    def find(cls, path: bytes) -> Self:
        """Find the file of a playlist, which need not exist yet.

        Raises:
            PlayshuffleError: a playlist cannot have this path.
        """
        check_name(path)
        real_path = atomic_file.resolved(path)
        folder, name = os.path.split(path)
        is_link = real_path != os.path.join(os.path.realpath(folder), name)
        real_folder = os.path.dirname(real_path)
        on = mounts.at(os.path.realpath(real_folder), mounts.table())
        return cls(real_path, is_link, real_folder if is_link else folder, _has_content(real_path), on)

    @contextlib.contextmanager
    def locked(self) -> Iterator[Self]:
        """Keep other users from writing this playlist; the lock of the state stops the user's own.

        Yields the file as it is under the lock.

        Raises:
            PlayshuffleError: as `atomic_file.held` does.
        """
        folder, name = os.path.split(self.path)
        with atomic_file.held(folder, name):
            atomic_file.sweep(folder, name)
            yield self._replace(exists=_has_content(self.path))

    @property
    def format(self) -> Format:
        return format_of(self.path)

    def has_mark(self) -> bool:
        return not self.exists or bool(re.match(self.format.mark, self._content(_HEAD_BYTES)))

    def is_file(self, file: bytes | None) -> bool:
        try:
            return file is not None and self.exists and os.path.samefile(file, self.path)
        except OSError:
            return False

    def written(self) -> list[bytes]:
        return self._parsed().paths

    def entries(self) -> list[bytes]:
        names = Names()
        paths = (path if os.path.lexists(path) else names.find(path) or path for path in self.written())
        return list(dict.fromkeys(paths))

    def comments(self) -> dict[str, str]:
        """Return playshuffle's comments, without the tracks of a round, which follow all others."""
        return self._parsed(-1 if self.format.is_uri else _HEAD_BYTES).comments

    def all_comments(self) -> dict[str, str]:
        return self._parsed().comments

    def conflict_copies(self) -> list[Self]:
        """Return the conflict copies that a synchroniser keeps if two computers wrote the file."""
        folder, name = os.path.split(self.path)
        others = [other for other in sorted(names_in(folder)) if original_name(other) == name]
        paths = [os.path.join(folder, other) for other in others]
        readable = [path for path in paths if os.path.isfile(path) and os.access(path, os.R_OK)]
        copies = [self._replace(path=path, exists=True) for path in readable]
        return [copy for copy in copies if copy.has_mark()]

    def stamp(self) -> str:
        try:
            return atomic_file.stamp(self.path) if self.exists else ""
        except OSError:
            return ""

    def fingerprint(self) -> str:
        try:
            return fingerprint_of(_chunks(self.path)) if self.exists else ""
        except OSError as error:
            raise self._unreadable(error) from error

    def _parsed(self, size: int = -1) -> Parsed:
        try:
            return self.format.read(self._content(size), self.folder)
        except ValueError:
            return Parsed([], {}, 0)

    def _content(self, size: int = -1) -> bytes:
        if not self.exists:
            return b""
        try:
            return next(_chunks(self.path, size), b"")
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> PlayshuffleError:
        return PlayshuffleError(
            f"{shown(self.path)} cannot be read: {error.strerror}. It was not changed. Choose another name.",
            Exit.CANNOT_CREATE,
        )


def _chunks(path: bytes, size: int = _CHUNK_BYTES) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(size):
            yield chunk


def _has_content(path: bytes) -> bool:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise PlayshuffleError(
            f"{shown(path)} cannot be written: {error.strerror}. Choose another name.", Exit.CANNOT_CREATE
        ) from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise PlayshuffleError(f"{shown(path)} is {kind}. Choose another name.", Exit.CANNOT_CREATE)
    return status.st_size > 0


def not_ours(path: bytes) -> PlayshuffleError:
    """Return the error for a file from another program."""
    return OptionError(
        "{path} was not written by playshuffle, so it was not changed. Choose another name with {}, or add"
        " {} to replace it.",
        "output",
        "force = true",
        code=Exit.CANNOT_CREATE,
        path=path,
    )


def check_name(path: bytes) -> None:
    """Raise PlayshuffleError if players would not recognise the name of a playlist."""
    name = os.path.basename(path)
    if name.lower().endswith(_SUFFIXES) and name.lower() not in _SUFFIXES:
        return
    if os.path.isdir(path):
        raise OptionError("{path} is a folder. Name the file, such as {path}/NAME.m3u.", "output", path=path)
    problem = (
        "is the name of an audio file" if is_audio_name(name) else "does not end in .m3u, .m3u8 or .xspf"
    )
    like = os.path.splitext(name)[0].lstrip(b".") or b"music"
    raise OptionError(
        "{path} {problem}. Use a name like {like}.m3u.", "output", path=path, problem=problem, like=like
    )
