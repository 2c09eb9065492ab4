"""Write and read M3U playlists. Paths are bytes and stay bytes."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import unquote_to_bytes
from zlib import crc32

from playshuffle.library.extinf import one_line
from playshuffle.library.folder import Folder
from playshuffle.playlist.path_map import Back


class PathStyle(StrEnum):
    """How a playlist names its tracks."""

    RELATIVE = "relative"
    ABSOLUTE = "absolute"
    URI = "uri"


class Parsed(NamedTuple):
    """The content of a playlist.

    Attributes:
        paths: absolute and without dot segments, in order.
        comments: playshuffle's own, by key; empty if another program wrote the playlist.
        foreign: number of entries that are not local files: streams, files on other hosts.
    """

    paths: list[bytes]
    comments: dict[str, str]
    foreign: int


_CHUNK = 4096  # tracks: some 500 KB of text
_HEADER = b"#EXTM3U\n"
_OURS = b"#PLAYSHUFFLE-"
TITLE = "PLAYLIST"  # other programs read this comment, too


# No player mistakes such an entry for a comment, a URI, a drive, or something to strip. Others get
# './' in front. Not all do, since MPD before 0.23 drops every entry that begins so.
_is_plain = re.compile(rb"\.\./|[A-Za-z0-9][^/:]*(?:/|\Z)").match

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_ESCAPED = [b"%c" % byte if byte in _UNRESERVED else b"%%%02X" % byte for byte in range(256)]
_URI = rb"(?i)(?P<file>file:(?://(?:localhost)?)?+(?=/))|[a-z][a-z0-9+.-]*://"
_ESCAPE = rb"%[0-9A-Fa-f]{2}"
_SLASH = ord("/")
_HASH = ord("#")


def entries(paths: Sequence[bytes], style: PathStyle, folder: bytes) -> list[bytes]:
    """Return the entries that name these paths in a playlist in a folder.

    Paths and folder are absolute, without dot segments.
    """
    parts = (path.rpartition(b"/") for path in paths)
    return [_entries_in(top + slash, [name], style, folder)[0] for top, slash, name in parts]


def _entries_in(path: bytes, names: Sequence[bytes], style: PathStyle, base: bytes) -> list[bytes]:
    if style is PathStyle.ABSOLUTE:
        return [path + name for name in names]
    if style is PathStyle.URI:
        return [b"file://" + b"".join(map(_ESCAPED.__getitem__, path + name)) for name in names]
    climb, top = b"", base.rstrip(b"/") + b"/"
    while not path.startswith(top):
        top = top[: top.rindex(b"/", 0, -1) + 1]
        climb += b"../"
    path = climb + path[len(top) :]
    # Only the first name of an entry decides whether it is plain.
    return [path + name if _is_plain(path or name) else b"./" + path + name for name in names]


def escaped(line: bytes) -> bytes:
    """Escape '%' and '+' in the path of a track's lines if players that decode URIs would misread the path.

    Some players decode a lone '+' and some do not; both read an escaped one correctly.
    """
    extinf, newline, entry = line.removesuffix(b"\n").rpartition(b"\n")
    if b"+" not in entry and not re.search(_ESCAPE, entry):
        return line
    return extinf + newline + entry.replace(b"%", b"%25").replace(b"+", b"%2B") + b"\n"


def unescaped(line: bytes) -> bytes:
    """Undo `escaped` on a path."""
    return line.replace(b"%2B", b"+").replace(b"%25", b"%") if re.search(_ESCAPE, line) else line


def unwritable(entries: Sequence[bytes], *, may_return: bool = False) -> list[int]:
    """Return the indices of entries that would become two lines, so that another file would be played.

    URIs never do. Paths do if they have a newline, or, unless `may_return`, a carriage return.
    """
    return [row for row, text in enumerate(entries) if b"\n" in text or (b"\r" in text and not may_return)]


class Text:
    """The text of a playlist, as an iterable of pieces.

    Args:
        comments: keys in capitals, and values. Without any, `parse` cannot tell that playshuffle wrote the
            playlist.
    """

    _tail = b""

    def __init__(
        self, lines: Sequence[bytes], order: Sequence[int], comments: Iterable[tuple[str, str]]
    ) -> None:
        headers = [(key, one_line(value)) for key, value in comments]
        self._headers, self._lines, self._order, self._fingerprint = headers, lines, order, ""

    def __iter__(self) -> Iterator[bytes]:
        size = checksum = 0
        for piece in self._pieces():
            size += len(piece)
            checksum = crc32(piece, checksum)
            yield piece
        self._fingerprint = f"{size}-{checksum:08x}"

    @property
    def fingerprint(self) -> str:
        """Size and checksum, known without effort after the text was written."""
        return self._fingerprint or fingerprint_of(self)

    def _pieces(self) -> Iterator[bytes]:
        # Made each time: kept, they would take as much memory as the lines.
        yield self._head(self._headers)
        for start in range(0, len(self._order), _CHUNK):
            # A third faster than `map`. With one index alone it would return no tuple, so 0 is added.
            lines = itemgetter(0, *self._order[start : start + _CHUNK])(self._lines)
            yield b"".join(lines[1:])
        yield self._tail

    @staticmethod
    def lines(folder: Folder, style: PathStyle, base: bytes, *, with_extinf: bool) -> list[bytes]:
        """Return the lines of each file of a folder, for a playlist in the folder `base`."""
        entries_written = _entries_in(folder.path, folder.file_names(), style, base)
        extinfs = folder.extinf_lines() if with_extinf else [b""] * len(entries_written)
        return [extinf + entry + b"\n" for extinf, entry in zip(extinfs, entries_written, strict=True)]

    def _head(self, comments: Sequence[tuple[str, str]]) -> bytes:
        return _HEADER + b"".join(
            (b"#" if key == TITLE else _OURS) + f"{key}:{value}\n".encode(errors="replace")
            for key, value in comments
        )


def fingerprint_of(chunks: Iterable[bytes]) -> str:
    """Return the size and checksum of a playlist that is read piece by piece.

    It shows whether a playlist was edited; it can be forged.
    """
    size = checksum = 0
    for chunk in chunks:
        size += len(chunk)
        checksum = crc32(chunk, checksum)
    return f"{size}-{checksum:08x}"


def parse(content: bytes, folder: bytes) -> Parsed:
    """Parse the content of a playlist in a folder, from any program.

    Entries that a `Text` wrote give their files exactly. `..` after a link is the parent of the target.
    """
    lines = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n")
    return located(lines, folder, comments_in(lines))


def comments_in(lines: Iterable[bytes]) -> dict[str, str]:
    """Return playshuffle's comments at the head of a playlist, by key."""
    # Comments further down came with entries copied from another playlist.
    head = takewhile(lambda line: line.startswith(b"#"), lines)
    own_comments = (
        line.removeprefix(_OURS).rstrip(b"\n").decode(errors="replace")
        for line in head
        if line.startswith(_OURS)
    )
    return {key: value for key, _, value in (comment.partition(":") for comment in own_comments)}


def located(lines: Iterable[bytes], folder: bytes, comments: Mapping[str, str]) -> Parsed:
    """Find the files that a playlist's lines name. Lines that begin with '#' name none."""
    if "ESCAPES" in comments:
        lines = map(unescaped, lines)
    paths = paths_of(lines, Back.read(comments.get("BASE", ""), folder))
    local = [path for path in paths if path]
    return Parsed(local, dict(comments), len(paths) - len(local))


def paths_of(lines: Iterable[bytes], back: Back) -> list[bytes]:
    """Return the local file that each entry names; empty if it names none."""
    base = back.folder.rstrip(b"/") + b"/"
    paths = []
    for line in map(back.real, lines) if back.swaps else lines:
        if not line or line[0] == _HASH or line.isspace():
            continue
        path = line if line[0] == _SLASH else base + line
        if b":/" in line and (uri := re.match(_URI, line)):
            path = b"" if uri["file"] is None else back.real(unquote_to_bytes(line[uri.end() :]))
        if b"\0" in path:  # no file has such a name
            path = b""
        paths.append(without_dots(path) if b"/." in path or b"//" in path else path)
    return paths


def without_dots(path: bytes) -> bytes:
    """Return an absolute path without dot segments that opens the same file."""
    folder, climbs, rest = (path + b"/").rpartition(b"/../")
    if climbs:
        path = os.path.join(_parent(folder), rest)
    return b"/" + os.path.normpath(path).lstrip(b"/")


@lru_cache(1024)
def _parent(folder: bytes) -> bytes:
    parent = os.path.join(folder, b"..")
    written, real = os.path.normpath(parent), os.path.realpath(parent)
    return written if os.path.realpath(written) == real else real
