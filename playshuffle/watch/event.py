"""Decide which file-system events may change a playlist."""

import os
import re
from typing import NamedTuple

from playshuffle.library import ignore_files
from playshuffle.library.listing import is_audio_name, why_not

_SUFFIX = rb"\.[^.\s]{1,12}\Z|~\Z"


class Hint(NamedTuple):
    """The paths of an event: two for a move. By now, another file may be at a path."""

    gone: bytes | None
    present: bytes | None
    is_folder: bool = False


def relevant_part(hint: Hint, root: bytes) -> Hint | None:
    """Return a hint without paths that a scan of the root skips; None if no path is left."""
    prefix = root.rstrip(b"/") + b"/"
    gone = hint.gone if _is_relevant(hint.gone, prefix, hint.is_folder, is_present=False) else None
    present = hint.present if _is_relevant(hint.present, prefix, hint.is_folder, is_present=True) else None
    return None if gone is None and present is None else Hint(gone, present, hint.is_folder)


def _is_relevant(path: bytes | None, prefix: bytes, is_folder: bool, *, is_present: bool) -> bool:
    if path is None or not path.startswith(prefix):
        return False
    *folders, name = path[len(prefix) :].split(b"/")
    if any(why_not(folder, True) for folder in folders):
        return False
    if is_folder:
        return why_not(name, True) is None
    if name in ignore_files.NAMES:
        return True
    if is_audio_name(name):
        return why_not(name, False) is None
    # inotify reports a link to a folder as a file. Of a deleted link only the name is known, and
    # folders rarely have a suffix.
    return os.path.islink(path) if is_present else not name.startswith(b".") and not re.search(_SUFFIX, name)
