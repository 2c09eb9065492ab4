"""Make `Folder` objects of the files that a playlist names, without a walk."""

import os
import stat
from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.library.folder import NOT_LISTED, Folder, Odd, Skipped
from playshuffle.library.listing import file_stamp, fits, is_audio_name
from playshuffle.system.workers import Workers
from playshuffle.tags.cause import FOLDER, NO_FILE, NOT_AUDIO_NAME, NOT_REGULAR, SYSTEM_ERROR, Cause


class _ListedFile(NamedTuple):
    device: int
    is_link: bool
    has_hard_links: bool
    stamp: bytes


def listed_folders(paths: Sequence[bytes], workers: Workers) -> tuple[list[Folder], list[Skipped]]:
    """Return the folders of these files, each with only these files, and the skipped files."""
    by_folder: defaultdict[bytes, dict[bytes, _ListedFile]] = defaultdict(dict)
    skipped = []
    for path, status, is_link in workers.each(_stat, paths):
        if isinstance(status, OSError):
            is_gone = isinstance(status, (FileNotFoundError, NotADirectoryError))
            reason = Cause(NO_FILE) if is_gone else Cause(SYSTEM_ERROR, os.strerror(status.errno or 0))
            skipped.append(Skipped(path, reason))
            continue
        folder, name = os.path.split(path)
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            skipped.append(Skipped(path, Cause(FOLDER if is_folder else NOT_REGULAR)))
        elif not is_audio_name(name):
            skipped.append(Skipped(path, Cause(NOT_AUDIO_NAME)))
        else:
            stamp = array("q", map(fits, file_stamp(status))).tobytes()
            file = _ListedFile(status.st_dev, is_link, status.st_nlink > 1, stamp)
            by_folder[os.path.join(folder, b"")][name] = file
    return [_folder(path, files) for path, files in by_folder.items()], skipped


def _stat(path: bytes) -> tuple[bytes, os.stat_result | OSError, bool]:
    try:
        status = os.lstat(path)
        is_link = stat.S_ISLNK(status.st_mode)
        return path, os.stat(path) if is_link else status, is_link
    except OSError as error:
        return path, error, False


def _folder(path: bytes, files: dict[bytes, _ListedFile]) -> Folder:
    names = sorted(files)
    device = files[names[0]].device
    linked = {
        name: files[name].device for name in names if files[name].device != device or files[name].is_link
    }
    return NOT_LISTED._replace(
        path=path,
        device=device,
        has_hard_links=any(file.has_hard_links for file in files.values()),
        names=b"/".join(names),
        stamps=b"".join([files[name].stamp for name in names]),
        odd=Odd([], linked, [], {}, {}),
    )
