"""Read ignore files: names in a folder that other programs were configured to skip.

`.nomedia` and `.nomusic` exclude a folder, whatever they contain, and so does the mark of `export`, whose
copies would make each track come twice. `.ndignore` (Navidrome) and
`.ignore` (Jellyfin, ripgrep) contain gitignore patterns; without a pattern they exclude the folder.
`.mpdignore` (MPD) contains shell patterns for bare names. All of them apply to the folders below, too.
"""

import contextlib
import errno
import os
import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from playshuffle.errors import shown
from playshuffle.system.regular_file import NotRegularError, open_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

EXPORT_MARK = b".playshuffle-export"
MARKERS = (b".nomedia", b".nomusic", EXPORT_MARK)
_GIT_STYLE = (b".ndignore", b".ignore")
_MPD_STYLE = b".mpdignore"
NAMES = frozenset((*MARKERS, *_GIT_STYLE, _MPD_STYLE))

# A link to nowhere, in each of its forms, or a socket.
_IS_NONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO))

# An ignore file is a few lines; what is larger is something else that has its name.
_LARGEST_BYTES = 1 << 20


class Rules:
    """What one folder's ignore files say, and those of the folders above it."""

    def __init__(
        self,
        folder: bytes,
        git_style: "GitIgnoreSpec | None",
        mpd_style: Sequence[str],
        above: "Rules | None",
    ) -> None:
        self.folder = folder
        self.git_style = git_style
        self.mpd_style = mpd_style
        self.above = above

    def exclude(self, path: bytes, is_folder: bool) -> bool:
        """Return whether a path below the folder is ignored; the nearest rule counts."""
        name = os.fsdecode(path.rpartition(b"/")[2])
        rules: Rules | None = self
        while rules is not None:
            if any(fnmatchcase(name, pattern) for pattern in rules.mpd_style):
                return True
            if rules.git_style is not None:
                below = os.fsdecode(path[len(rules.folder) :]) + "/" * is_folder
                verdict = rules.git_style.check_file(below).include
                if verdict is not None:
                    return verdict
            rules = rules.above
        return False


def read(folder: bytes, names: Collection[bytes], above: Rules | None) -> Rules | None:
    """Read the ignore files of a folder that ends in a slash and holds these names.

    Raises:
        OSError: one of them cannot be read; what it would leave out is then unknown.
    """
    git_style: list[str] = []
    for name in _GIT_STYLE:
        if name in names and (lines := _lines(folder + name)) is not None:
            git_style += [line for line in lines if line.strip() and not line.startswith("#")] or ["*"]
    mpd_lines = _lines(folder + _MPD_STYLE) if _MPD_STYLE in names else None
    mpd_style = [
        line.strip() for line in mpd_lines or () if line.strip() and not line.strip().startswith("#")
    ]
    if not git_style and not mpd_style:
        return above
    return Rules(folder, _spec(git_style) if git_style else None, mpd_style, above)


def _spec(lines: Collection[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # slow to import, and rarely needed

    valid = []
    for line in lines:
        # As with git, a pattern that makes no sense matches nothing.
        with contextlib.suppress(ValueError, re.error):
            GitIgnoreSpec.from_lines([line])
            valid.append(line)
    return GitIgnoreSpec.from_lines(valid)


def _lines(path: bytes) -> list[str] | None:
    """Return the lines of a file; None if it is not a file."""
    try:
        descriptor, _ = open_regular(path)
    except NotRegularError:
        return None
    except OSError as error:
        if error.errno in _IS_NONE:
            return None
        raise
    try:
        text = os.read(descriptor, _LARGEST_BYTES)
    finally:
        os.close(descriptor)
    # Not splitlines(): that knows more line ends than git and MPD do.
    return os.fsdecode(text.removeprefix(b"\xef\xbb\xbf")).split("\n")


def deciding_line(roots: Sequence[bytes], path: bytes) -> str | None:
    """Return file, line and pattern of the ignore file that excludes a path; None if none does.

    path: of a file or folder, whose parent folders are not excluded.
    """
    is_folder, name = os.path.isdir(path), os.fsdecode(os.path.basename(path))
    folder = os.path.dirname(path)
    while any((folder + b"/").startswith(os.path.join(root, b"")) for root in roots):
        for file_name in (*_GIT_STYLE, _MPD_STYLE):
            file = os.path.join(folder, file_name)
            below = os.fsdecode(path[len(folder) + 1 :]) + "/" * is_folder
            lines = _lines(file) or []
            for number, line in reversed(list(enumerate(lines, 1))):
                pattern = line.strip()
                if not pattern or pattern.startswith("#"):
                    continue
                is_match = (
                    fnmatchcase(name, pattern)
                    if file_name == _MPD_STYLE
                    else _spec([line]).check_file(below).include is not None
                )
                if is_match:
                    return f"{shown(file)}, line {number}: {shown(pattern)}"
            if lines and file_name != _MPD_STYLE and not any(line.strip() for line in lines):
                return f"{shown(file)}, which has no pattern and excludes all"
        folder = os.path.dirname(folder)
    return None
