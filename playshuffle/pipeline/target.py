"""Examine the playlist to be replaced: whether that is allowed, and its last order."""

import os
import re
import stat
from collections.abc import Iterator

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.listing import is_audio_name
from playshuffle.library.missing import check_output
from playshuffle.playlist import parts
from playshuffle.playlist.formats import FORMATS, format_of
from playshuffle.playlist.m3u import Parsed, fingerprint_of
from playshuffle.store.state import SavedOrder, State
from playshuffle.system import atomic_file, mounts
from playshuffle.system.mounts import Mount

_SUFFIXES = tuple(FORMATS)
_CHUNK_BYTES = 1 << 18  # read at a time: a playlist of 100,000 tracks has 15 MB


class Target:
    """A playlist file that may exist already; or several, the `parts` of a list that is too long.

    path: the real path, of the list as one file. is_link: the path that was named is a link to it; else
    `folder` is its folder as it was named, which may be reached over links, too.
    exists: whether there is a file with any content.
    last: its last order, None if none is saved; set by `find_last_order`.
    mounts: those that its folder is on; set by `check_drive`. notes: for the user.

    Raises:
        PlayshuffleError: it must not, or cannot be written.
    """

    def __init__(self, path: bytes, state: State, *, force: bool) -> None:
        check_name(path)
        self.path = atomic_file.resolved(path)
        folder, name = os.path.split(path)
        self.is_link = self.path != os.path.join(os.path.realpath(folder), name)
        self.folder = os.path.dirname(self.path) if self.is_link else folder
        self._files: list[bytes] = []
        self.exists = self._look()
        self.last: SavedOrder | None = None
        self.mounts: list[Mount] = []
        self.notes: list[str] = []
        self.state = state
        if self.exists and not (force or self._is_ours()):
            raise parts.not_ours(path)

    def check_drive(self, *, accepts_loss: bool) -> None:
        """Check that the playlist is not written to the mount point of its missing drive.

        Raises:
            MissingError: its drive is missing.
        """
        folder = os.path.dirname(self.path)
        self.mounts = mounts.under(os.path.realpath(folder), mounts.table())[:1]
        if not accepts_loss:
            check_output(folder, self.state.output_mounts(self.path), self.mounts)

    def find_last_order(self) -> None:
        """Find which of the saved orders the file has. The playlist must be locked."""
        self.exists = self._look()
        orders = self.state.orders(self.path)
        self.last = orders[0] if orders else None
        if self.exists and orders:
            # A large playlist is not read if nobody has written to it since.
            content = orders[0].content if self._stamp() == orders[0].stamp else self._fingerprint()
            self.last = next((order for order in orders if order.content == content), orders[0])
            if self.last.content != content:
                self.notes.append(
                    f"Another program changed {shown(self.path)}. It is replaced, and its last order is"
                    " the saved one."
                )

    def is_file(self, file: bytes | None) -> bool:
        """Return whether a file is the playlist, or a part of it."""
        try:
            return file is not None and any(os.path.samefile(file, part) for part in self._files)
        except OSError:
            return False

    def entries(self) -> list[bytes]:
        """Return the paths in the playlist as it is, in order, each once."""
        return list(dict.fromkeys(path for read in self._parsed() for path in read.paths))

    @property
    def order(self) -> str | None:
        """Return the name of the order in the file's comments; None without such a comment."""
        head = self._parsed(-1 if format_of(self.path).is_uri else parts.HEAD_BYTES)
        return head[0].comments.get("ORDER") if head else None

    @property
    def content(self) -> str:
        """Return the fingerprint of the playlist's present content."""
        self.exists = self._look()
        return self._fingerprint()

    def _parsed(self, size: int = -1) -> list[Parsed]:
        """Return the parsed files of the playlist; an empty list if one is damaged."""
        read = format_of(self.path).read
        try:
            return [read(content, self.folder) for content in self._contents(size)]
        except ValueError:
            return []

    def _look(self) -> bool:
        self._files = [self.path] if _exists(self.path) else parts.existing(self.path)
        return bool(self._files)

    def _contents(self, size: int = -1) -> list[bytes]:
        try:
            return [_content(file, size) for file in self._files]
        except OSError as error:
            raise self._unreadable(error) from error

    def _stamp(self) -> str:
        try:
            return " ".join(map(atomic_file.stamp, self._files))
        except OSError:
            return ""

    def _fingerprint(self) -> str:
        """Return the fingerprint of all files together."""
        try:
            return fingerprint_of(chunk for file in self._files for chunk in _chunks(file))
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> PlayshuffleError:
        return PlayshuffleError(
            f"{shown(self.path)} cannot be read: {error.strerror}. It was not changed. Choose another name.",
            Exit.CANNOT_CREATE,
        )

    def _is_ours(self) -> bool:
        mark = format_of(self.path).mark
        if all(re.match(mark, head) for head in self._contents(parts.HEAD_BYTES)):
            return True
        orders = self.state.orders(self.path)
        return bool(orders) and self._fingerprint() in [order.content for order in orders]


def _content(path: bytes, size: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(size)


def _chunks(path: bytes) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def _exists(path: bytes) -> bool:
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


def check_name(path: bytes) -> None:
    """Refuse a name that players would not take for a playlist.

    Raises:
        PlayshuffleError: it is such a name.
    """
    name = os.path.basename(path)
    if name.lower().endswith(_SUFFIXES) and name.lower() not in _SUFFIXES:
        return
    problem = (
        "is the name of an audio file"
        if is_audio_name(name)
        else "does not end in .m3u, .m3u8, .xspf, .jspf or .pls"
    )
    like = shown(os.path.splitext(name)[0].lstrip(b".") or b"music")
    raise OptionError(
        "{path} {problem}. Use a name like {like}.m3u.",
        "output",
        path=shown(path),
        problem=problem,
        like=like,
    )
