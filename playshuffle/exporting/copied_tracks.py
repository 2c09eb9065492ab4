"""Find the files of a playlist that can be copied, and name their copies."""

import errno
import os
import stat
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from playshuffle.library.extinf import extinf, one_line
from playshuffle.library.folder import Skipped
from playshuffle.library.listing import is_audio_name
from playshuffle.tags.cause import Cause
from playshuffle.tags.reading import ReadAll, Tags

NAME_MAX = 255  # bytes of a name, on most file systems
_FORBIDDEN = frozenset('<>:"/\\|?*')  # not allowed on FAT
_MOST_BYTES = 180  # of a name without number and suffix
_SPARE_BYTES = 32  # for number, suffix and the names of unfinished folders

# Letters that Unicode does not decompose into a plain letter and an accent.
_PLAIN = "ß=ss ẞ=SS æ=ae Æ=AE œ=oe Œ=OE ø=o Ø=O ł=l Ł=L đ=d Đ=D ð=d Ð=D þ=th Þ=Th \u0131=i"
_LETTERS = str.maketrans(
    {letter: plain for letter, _, plain in (pair.partition("=") for pair in _PLAIN.split())}
    | dict.fromkeys("\u2010\u2013\u2014", "-")
    | dict.fromkeys("\u2018\u2019\u201c\u201d", "'")
)


class CopiedTrack(NamedTuple):
    """A track to copy.

    Attributes:
        name: name of the copy, without its number.
    """

    source: bytes
    name: str
    size: int
    mtime_ns: int
    extinf: bytes


def find_tracks(
    paths: Sequence[bytes],
    read_all: ReadAll,
    working: Callable[[str, int, int], object],
    *,
    is_ascii: bool,
    kept_below: Sequence[bytes] | None = None,
    longest: int = NAME_MAX,
) -> tuple[list[CopiedTrack], list[Skipped]]:
    """Return the audio files among paths as tracks, in order, and each other path with a reason.

    A file without an audio suffix is never copied: a playlist may come from anybody. Copies are named by
    artist and title; with `kept_below`, by the path below one of these folders. No name is longer than
    `longest` bytes.
    """
    files: list[tuple[bytes, os.stat_result]] = []
    skipped = []
    for path in paths:
        try:
            status = os.stat(path)
            if not (stat.S_ISREG(status.st_mode) and is_audio_name(path)):
                reason = "not an audio file"
            else:
                reason = "" if os.access(path, os.R_OK) else "this user may not read it"
        except (OSError, ValueError):
            reason = "missing"
        if reason:
            skipped.append(Skipped(path, Cause("not_copied", reason)))
        else:
            files.append((path, status))
    tags = [Tags()] * len(files)
    for count, (index, reading) in enumerate(read_all([path for path, _ in files]), 1):
        tags[index] = reading.tags or Tags()
        working("Reading tags", count, len(files))
    tracks = []
    for (path, status), tag in zip(files, tags, strict=True):
        line = extinf(tag._replace(duration_ms=tag.duration_ms or 0), os.path.basename(path))
        title = line.decode(errors="replace").partition(",")[2]
        parts = [title] if kept_below is None else _below(path, kept_below)
        suffix = os.fsdecode(path[path.rindex(b".") :])
        name = "/".join(safe_name(part, is_ascii=is_ascii, longest=longest) for part in parts) + suffix
        tracks.append(CopiedTrack(path, name, status.st_size, status.st_mtime_ns, line))
    return tracks, skipped


def safe_name(text: str, *, is_ascii: bool, longest: int = NAME_MAX) -> str:
    """Turn a text into a file name that all file systems accept.

    With `is_ascii`, for simple devices, accents are dropped and other letters become `_`.
    """
    text = unicodedata.normalize("NFC", one_line(text))
    if is_ascii:
        parts = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        plain = "".join(letter for letter in parts if not unicodedata.combining(letter))
        text = one_line(plain.encode("ascii", "replace").decode())  # an accent alone becomes a space
    text = "".join("_" if letter in _FORBIDDEN or not letter.isprintable() else letter for letter in text)
    most_bytes = min(_MOST_BYTES, longest - _SPARE_BYTES)
    return text.encode()[:most_bytes].decode(errors="ignore").strip(" .") or "_"


def longest_name(folder: bytes) -> int:
    """Return how many bytes a name in a folder may have: encrypted folders allow fewer than they report."""

    def is_too_long(size: int) -> bool:
        try:
            os.lstat(os.path.join(folder, b"x" * size))
        except OSError as error:
            return error.errno == errno.ENAMETOOLONG
        return False

    return bisect_left(range(NAME_MAX + 1), True, lo=_SPARE_BYTES * 2, key=is_too_long) - 1


def plain(name: str) -> str:
    """Return the name of a copy without each `~` that distinguishes it from copies with the same name."""
    stem, suffix = os.path.splitext(name)
    return stem.rstrip("~") + suffix


def _below(path: bytes, roots: Sequence[bytes]) -> list[str]:
    root = min((root for root in roots if path.startswith(os.path.join(root, b""))), key=len, default=None)
    parts = os.fsdecode(path if root is None else path[len(root) :]).strip("/").split("/")
    parts = parts[-3:] if root is None else parts
    return [*parts[:-1], os.path.splitext(parts[-1])[0].rstrip("~")]
