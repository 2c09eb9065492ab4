"""Read ignore files, which name files and folders that other programs skip.

`.nomedia` and `.nomusic` exclude a folder. So does a file that the command `export` writes: exported copies
would make each track come twice. `.ndignore` (Navidrome) and `.ignore` (Jellyfin, ripgrep) have gitignore
patterns; if empty, they exclude the folder. `.mpdignore` (MPD) has shell patterns for bare names. All apply
to the folders below, too.
"""

import errno
import os
import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from playshuffle.errors import shown
from playshuffle.system.regular_file import NotRegularError, read_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

EXPORT_MARK = b".playshuffle-export"
MARKERS = (b".nomedia", b".nomusic", EXPORT_MARK)
_GIT_STYLE = (b".ndignore", b".ignore")
_MPD_STYLE = b".mpdignore"
NAMES = frozenset((*MARKERS, *_GIT_STYLE, _MPD_STYLE))

# A broken link, in each of its forms, or a socket.
_IS_NONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO))

# An ignore file has a few lines; a larger file only has the same name.
_LARGEST_BYTES = 1 << 20


class _Line(NamedTuple):
    pattern: str
    where: str


class Rules:
    """The ignore rules of a folder and of the folders above it."""

    def __init__(
        self, folder: bytes, git_style: Sequence[_Line], mpd_style: Sequence[_Line], above: "Rules | None"
    ) -> None:
        self.folder = folder
        self.git_lines = [line for line in git_style if _is_valid(line.pattern)]
        self.git_style = _spec([line.pattern for line in self.git_lines]) if self.git_lines else None
        self.mpd_style = mpd_style
        self.above = above

    def deciding_line(self, path: bytes, is_folder: bool) -> str | None:
        """Return ignore file, line and pattern that exclude a path, if any.

        The nearest matching rule counts.
        """
        name = os.fsdecode(path.rpartition(b"/")[2])
        rules: Rules | None = self
        while rules is not None:
            for line in rules.mpd_style:
                if fnmatchcase(name, line.pattern):
                    return line.where
            if rules.git_style is not None:
                below = os.fsdecode(path[len(rules.folder) :])
                result = rules.git_style.check_file(f"{below}/" if is_folder else below)
                if result.index is not None:
                    return rules.git_lines[result.index].where if result.include else None
            rules = rules.above
        return None

    def exclude(self, path: bytes, is_folder: bool) -> bool:
        return self.deciding_line(path, is_folder) is not None


def read(folder: bytes, names: Collection[bytes], above: Rules | None) -> Rules | None:
    """Read the ignore files in a folder whose path ends in a slash, and whose entries are `names`.

    Raises:
        OSError: an ignore file cannot be read, so it is unknown which files it excludes.
    """
    git_style: list[_Line] = []
    for name in _GIT_STYLE:
        if name in names and (lines := _lines(folder + name)) is not None:
            git_style += lines or [_Line("*", f"{shown(folder + name)} (no pattern, so it excludes all)")]
    mpd_style = _lines(folder + _MPD_STYLE) if _MPD_STYLE in names else None
    return Rules(folder, git_style, mpd_style or (), above) if git_style or mpd_style else above


def _is_valid(pattern: str) -> bool:
    """Return whether git accepts a pattern. Any other matches nothing."""
    try:
        _spec([pattern])
    except (ValueError, re.error):
        return False
    return True


def _spec(lines: Collection[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # slow to import, and rarely needed

    return GitIgnoreSpec.from_lines(lines)


def _lines(path: bytes) -> list[_Line] | None:
    """Return the patterns of an ignore file; None if it is not a regular file."""
    try:
        text = read_regular(path, _LARGEST_BYTES)
    except NotRegularError:
        return None
    except OSError as error:
        if error.errno in _IS_NONE:
            return None
        raise
    # Not splitlines(), which knows more line ends than git and MPD.
    lines = os.fsdecode(text.removeprefix(b"\xef\xbb\xbf")).split("\n")
    if path.endswith(_MPD_STYLE):
        lines = [line.strip() for line in lines]
    return [
        _Line(line, f"{shown(path)}, line {number}: {shown(line.strip())}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    ]


def deciding_line(roots: Sequence[bytes], path: bytes) -> str | None:
    """Return ignore file, line and pattern that exclude a path below some roots, if any.

    No folder above the path may be excluded.
    """
    tops = tuple(os.path.join(root, b"") for root in roots)
    rules = None
    for end, byte in enumerate(path, 1):
        if byte == ord("/") and path[:end].startswith(tops):
            rules = read(path[:end], NAMES, rules)
    return rules.deciding_line(path, os.path.isdir(path)) if rules is not None else None
