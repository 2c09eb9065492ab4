"""Make `Folder` objects of the files that a playlist names, without a walk."""

import os
import stat
from array import array
from collections import defaultdict
from collections.abc import Sequence

from playshuffle.library.folder import NOT_LISTED, Folder, Odd, Skipped
from playshuffle.library.listing import file_stamp, fits, is_audio_name
from playshuffle.system.workers import Workers
from playshuffle.tags.cause import FOLDER, NO_FILE, NOT_AUDIO_NAME, NOT_REGULAR, SYSTEM_ERROR, Cause


def listed_folders(paths: Sequence[bytes], workers: Workers) -> tuple[list[Folder], list[Skipped]]:
    """Return the folders of these files, each with only these files, and the skipped files."""
    by_folder: defaultdict[bytes, dict[bytes, os.stat_result]] = defaultdict(dict)
    skipped = []
    for path, status in zip(paths, workers.each(_stat, paths), strict=True):
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
            by_folder[os.path.join(folder, b"")][name] = status
    return [_folder(path, files) for path, files in by_folder.items()], skipped


def _stat(path: bytes) -> os.stat_result | OSError:
    try:
        return os.stat(path)
    except OSError as error:
        return error


def _folder(path: bytes, files: dict[bytes, os.stat_result]) -> Folder:
    names = sorted(files)
    stamps = array("q", [fits(number) for name in names for number in file_stamp(files[name])])
    device = files[names[0]].st_dev
    linked = {
        name: files[name].st_dev
        for name in names
        if files[name].st_dev != device or os.path.islink(path + name)
    }
    return NOT_LISTED._replace(
        path=path,
        device=device,
        has_hard_links=any(status.st_nlink > 1 for status in files.values()),
        names=b"/".join(names),
        stamps=stamps.tobytes(),
        odd=Odd([], linked, [], {}, {}),
    )
