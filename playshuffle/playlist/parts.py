"""A long list -> several files, name-1.m3u8 and on, each whole and each replaced in one step.

They are one playlist: the name without a number stands for all of them, and what was left
of a longer list, or of a time when it fitted into one file, goes once the new files are there.
"""

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from zlib import crc32

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.playlist.m3u import Text
from playshuffle.system import atomic_file as output

_MARK = re.compile(rb'#PLAYSHUFFLE-PART:|"playshuffle:PART"')  # as each format writes it
HEAD_BYTES = 4096  # our own comments stand at the top


class Parts:
    """The text of a playlist in several files; one after the other when it is gone through.

    fingerprint: of all together, once they were gone through.
    """

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = texts
        self.fingerprint = ""

    def __iter__(self) -> Iterator[bytes]:
        size = checksum = 0
        for text in self.texts:
            for chunk in text:
                size += len(chunk)
                checksum = crc32(chunk, checksum)
                yield chunk
        self.fingerprint = f"{size}-{checksum:08x}"


def made(
    kind: Callable[[Sequence[bytes], Sequence[int], Sequence[tuple[str, str]]], Text],
    lines: Sequence[bytes],
    order: Sequence[int],
    comments: Sequence[tuple[str, str]],
    most: int | None,
) -> Text | Parts:
    """Make the text of a playlist, in parts if it has more entries than a file may have."""
    if most is None or len(order) <= most:
        return kind(lines, order, comments)
    starts = range(0, len(order), most)
    return Parts(
        [
            kind(lines, order[start : start + most], [*comments, ("PART", f"{number}/{len(starts)}")])
            for number, start in enumerate(starts, 1)
        ]
    )


def name_of(path: bytes, number: int) -> bytes:
    """The file of one part, from 1, of the playlist at this path."""
    stem, suffix = os.path.splitext(path)
    return b"%b-%d%b" % (stem, number, suffix)


def files_of(path: bytes, text: Text | Parts) -> list[bytes]:
    """The files in which the text of the playlist at this path is."""
    if isinstance(text, Text):
        return [path]
    return [name_of(path, number) for number in range(1, len(text.texts) + 1)]


def existing(path: bytes) -> list[bytes]:
    """The parts of this playlist that are there, in order; ours alone."""
    found: list[bytes] = []
    while _is_ours(part := name_of(path, len(found) + 1)):
        found.append(part)
    return found


def write(path: bytes, text: Text | Parts, commit: Callable[[], object], *, force: bool) -> bool:
    """Make this the content of the playlist: of its one file, or of its parts.

    Each file is replaced in one step, all of them one after the other.

    Args:
        path: of the playlist.
        text: of it.
        commit: as for `output.write`; called once, before the first file is replaced.
        force: replace parts that are not ours, too.

    Returns:
        False if all was so already; then nothing was touched.

    Raises:
        PlayshuffleError: it could not be done; each file is as it was, or new.
    """
    if isinstance(text, Text):
        is_changed = output.write(path, text, commit)
        return _removed(existing(path)) or is_changed
    files = files_of(path, text)
    for file in files:
        if not force and os.path.lexists(file) and not _is_ours(file):
            raise not_ours(file)
    for _ in text:  # its fingerprint is to be remembered before the first file is replaced
        pass
    is_changed = False
    for file, part in zip(files, text.texts, strict=True):
        is_changed |= output.write(file, part, commit)
        commit = _nothing
    surplus = existing(path)[len(files) :]
    return _removed([*surplus, *([path] if os.path.lexists(path) else [])]) or is_changed


def not_ours(path: bytes) -> PlayshuffleError:
    """The error for a file of another hand."""
    return PlayshuffleError(
        f"{shown(path)} was not written by playshuffle, so it is left as it is;"
        " choose another name with -o, or say --force to replace it.",
        Exit.CANNOT_CREATE,
    )


def _nothing() -> None:
    pass


def _removed(files: Sequence[bytes]) -> bool:
    for file in files:
        with contextlib.suppress(OSError):  # an old part left behind does less harm than an error now
            os.unlink(file)
    return bool(files)


def _is_ours(path: bytes) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(fd, "rb") as file:
        return stat.S_ISREG(os.fstat(fd).st_mode) and bool(_MARK.search(file.read(HEAD_BYTES)))
