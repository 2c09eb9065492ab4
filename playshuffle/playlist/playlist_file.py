"""Find and read the file of a playlist, or the parts of a long one."""

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.listing import is_audio_name
from playshuffle.playlist.formats import FORMATS, Format, format_of
from playshuffle.playlist.m3u import Parsed, fingerprint_of
from playshuffle.playlist.names import Names
from playshuffle.system import atomic_file, mounts
from playshuffle.system.mounts import Mount
from playshuffle.system.regular_file import read_regular

_PART_MARK = rb'#PLAYSHUFFLE-PART:|rel="playshuffle:PART"'  # in M3U and in XSPF
_HEAD_BYTES = 4096  # comments of playshuffle are at the top
_CHUNK_BYTES = 1 << 18  # read at a time: a playlist of 100,000 tracks has 15 MB
_SUFFIXES = tuple(FORMATS)
# Names by Syncthing, by Nextcloud, Dropbox and Seafile, and by old versions of ownCloud.
_CONFLICT = rb"(?i:\.sync-conflict-.+| \(.*conflict.*\)|_conflict-.+)"


class PlaylistFile(NamedTuple):
    """The file of a playlist, or its parts.

    Attributes:
        path: the real path, without a part number.
        is_link: the user named a link to the playlist.
        folder: as the user named it; if `is_link`, the real folder.
        files: the file, or else the existing parts.
    """

    path: bytes
    is_link: bool
    folder: bytes
    files: Sequence[bytes]
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
        return cls(real_path, is_link, real_folder if is_link else folder, _files(real_path), on)

    @contextlib.contextmanager
    def locked(self) -> Iterator[Self]:
        """Keep other users from writing this playlist; the lock of the state stops the user's own.

        Yields the file as it is under the lock.

        Raises:
            PlayshuffleError: as `atomic_file.held` does.
        """
        folder, name = os.path.split(self.path)
        with atomic_file.held(folder, name):
            for litter in (name, *map(os.path.basename, existing_parts(self.path))):
                atomic_file.sweep(folder, litter)
            yield self._replace(files=_files(self.path))

    @property
    def format(self) -> Format:
        return format_of(self.path)

    def has_mark(self) -> bool:
        return all(re.match(self.format.mark, head) for head in self._contents(_HEAD_BYTES))

    def is_file(self, file: bytes | None) -> bool:
        try:
            return file is not None and any(os.path.samefile(file, part) for part in self.files)
        except OSError:
            return False

    def written(self) -> list[bytes]:
        return [path for read in self._parsed() for path in read.paths]

    def entries(self) -> list[bytes]:
        names = Names()
        found = (path if os.path.lexists(path) else names.find(path) or path for path in self.written())
        return list(dict.fromkeys(found))

    def comments(self) -> dict[str, str]:
        head = self._parsed(-1 if self.format.is_uri else _HEAD_BYTES)
        return head[0].comments if head else {}

    def conflict_copies(self) -> list[Self]:
        """Return the conflict copies that a synchroniser keeps if two computers wrote the file."""
        folder, name = os.path.split(self.path)
        stem, suffix = map(re.escape, os.path.splitext(name))
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return []
        names = [each for each in names if re.fullmatch(stem + _CONFLICT + suffix, each)]
        paths = [os.path.join(folder, each) for each in names]
        readable = [path for path in paths if os.path.isfile(path) and os.access(path, os.R_OK)]
        copies = [self._replace(path=path, files=[path]) for path in readable]
        return [copy for copy in copies if copy.has_mark()]

    def stamp(self) -> str:
        try:
            return " ".join(map(atomic_file.stamp, self.files))
        except OSError:
            return ""

    def fingerprint(self) -> str:
        try:
            return " ".join(fingerprint_of(_chunks(file)) for file in self.files)
        except OSError as error:
            raise self._unreadable(error) from error

    def _parsed(self, size: int = -1) -> list[Parsed]:
        try:
            return [self.format.read(content, self.folder) for content in self._contents(size)]
        except ValueError:
            return []

    def _contents(self, size: int = -1) -> list[bytes]:
        try:
            return [next(_chunks(file, size), b"") for file in self.files]
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> PlayshuffleError:
        return PlayshuffleError(
            f"{shown(self.path)} cannot be read: {error.strerror}. It was not changed. Choose another name.",
            Exit.CANNOT_CREATE,
        )


def _files(path: bytes) -> list[bytes]:
    return [path] if _has_content(path) else existing_parts(path)


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


def part_name(path: bytes, number: int) -> bytes:
    """Return the path of part `number`, from 1, of a playlist."""
    stem, suffix = os.path.splitext(path)
    return b"%b-%d%b" % (stem, number, suffix)


def existing_parts(path: bytes) -> list[bytes]:
    """Return the existing parts that playshuffle wrote, in order."""
    parts: list[bytes] = []
    while is_our_part(part := part_name(path, len(parts) + 1)):
        parts.append(part)
    return parts


def is_our_part(path: bytes) -> bool:
    """Return whether a file is a part of a split playlist of playshuffle."""
    try:
        head = read_regular(path, _HEAD_BYTES, follow_links=False)
    except OSError:
        return False
    return bool(re.search(_PART_MARK, head))


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
