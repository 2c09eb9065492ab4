"""Read the list of files that `--from` names: lines, names ended by NUL, or a playlist of any format."""

import os
import stat
import sys
from typing import BinaryIO, NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.playlist.formats import FORMATS
from playshuffle.playlist.m3u import without_dots
from playshuffle.playlist.reading import read_content

STDIN = "-"
_STDIN_FILE = b"/proc/self/fd/0"
_MOST = 256 << 20  # bytes; a million paths have some 100 MB
_STARTS = {b"<?xml": b".xspf", b"<playlist": b".xspf", b"[playlist]": b".pls", b"{": b".jspf"}


class FileList(NamedTuple):
    """A list of files.

    files: absolute paths, each once. others: entries that are not files, such as radio stations.
    source: the file that the list is in, None for standard input from a pipe.
    """

    files: tuple[bytes, ...]
    others: tuple[bytes, ...] = ()
    source: bytes | None = None


def read_file_list(source: str) -> FileList:
    """Read the files that a list names.

    Relative names start at the folder of the list; on standard input, at the current folder.

    Args:
        source: path of the list, or `STDIN`.

    Raises:
        PlayshuffleError: it cannot be read, or is not a list of files.
    """
    path = os.path.abspath(os.fsencode("-.m3u" if source == STDIN else source))
    content = _content(source, path)
    file = path if source != STDIN else _STDIN_FILE if os.path.isfile(_STDIN_FILE) else None
    others: tuple[bytes, ...] = ()
    if b"\0" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        folder = os.path.dirname(path)
        names = [without_dots(os.path.join(folder, name)) for name in content.split(b"\0") if name]
    else:
        if os.path.splitext(path)[1].lower() not in FORMATS or source == STDIN:
            path += next(
                (end for start, end in _STARTS.items() if content.lstrip().startswith(start)), b".m3u"
            )
        entries = read_content(content, path).entries
        names = [os.path.normpath(entry.path) for entry in entries if entry.path]
        others = tuple(entry.text for entry in entries if not entry.path)
    return FileList(tuple(dict.fromkeys(names)), others, file)


def _content(source: str, path: bytes) -> bytes:
    if source == STDIN:
        if sys.stdin is None:
            raise PlayshuffleError("Standard input is closed, so - reads nothing.", Exit.NO_INPUT)
        return _bounded(sys.stdin.buffer, "Standard input")
    try:
        # Without O_NONBLOCK a FIFO that nobody writes would hold us for ever.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            kind = os.fstat(file.fileno()).st_mode
            if stat.S_ISFIFO(kind):  # as a shell gives for <(find …)
                os.set_blocking(file.fileno(), True)
            if stat.S_ISREG(kind) or stat.S_ISFIFO(kind):
                return _bounded(file, shown(path))
            reason = "Not a regular file"
    except OSError as error:
        reason = error.strerror or "unreadable"
    raise PlayshuffleError(
        f"{shown(path)} cannot be read: {reason}. Name a playlist or a list of files.", Exit.NO_INPUT
    )


def _bounded(file: BinaryIO, name: str) -> bytes:
    content = file.read(_MOST + 1)
    if len(content) > _MOST:
        raise PlayshuffleError(
            f"{name} is not a list of files: it is larger than {_MOST >> 20} MB.", Exit.NO_INPUT
        )
    return content
