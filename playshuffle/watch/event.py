"""Decide which file-system events may change a playlist."""

import os
import re
from typing import NamedTuple

from playshuffle.library import ignore_files
from playshuffle.library.listing import is_audio_name, why_not

_SUFFIX = re.compile(rb"\.[^.\s]{1,12}\Z|~\Z")


class Hint(NamedTuple):
    """The paths of an event: one that vanished, one that appeared, or both for a move.

    It is only a hint: by now the path may be another file, or may always have been.
    """

    gone: bytes | None
    come: bytes | None
    is_folder: bool = False


def meant(hint: Hint, root: bytes) -> Hint | None:
    """Return a hint without the paths that no walk would look at; None if nothing is left."""
    top = root.rstrip(b"/") + b"/"
    gone_path = (
        hint.gone if hint.gone is not None and _matters(hint.gone, top, hint.is_folder, False) else None
    )
    come_path = (
        hint.come if hint.come is not None and _matters(hint.come, top, hint.is_folder, True) else None
    )
    return None if gone_path is None and come_path is None else Hint(gone_path, come_path, hint.is_folder)


def _matters(path: bytes, top: bytes, is_folder: bool, is_there: bool) -> bool:
    if not path.startswith(top):
        return False
    *above, name = path[len(top) :].split(b"/")
    if any(why_not(folder, True) for folder in above):
        return False
    if is_folder:
        return why_not(name, True) is None
    if name in ignore_files.NAMES:
        return True
    if is_audio_name(name):
        return why_not(name, False) is None
    # A link to a folder comes as a file. Of one that is gone only the name is left, and
    # folders rarely have a suffix.
    return os.path.islink(path) if is_there else not name.startswith(b".") and not _SUFFIX.search(name)
