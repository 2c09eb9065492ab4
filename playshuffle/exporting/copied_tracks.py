"""Find the files of a playlist that can be copied, and name their copies."""

import os
import stat
from collections.abc import Callable, Sequence
from typing import NamedTuple

from playshuffle.exporting.copy_names import safe_name
from playshuffle.library.extinf import extinf
from playshuffle.library.folder import Skipped
from playshuffle.library.listing import is_audio_name
from playshuffle.tags.cause import Cause
from playshuffle.tags.reading import ReadAll, Tags


class CopiedTrack(NamedTuple):
    """A track to copy.

    Attributes:
        source: path of the file.
        name: name of the copy, without its number.
        size: bytes of the file.
        mtime_ns: modification time of the file.
        extinf: its line in a playlist.
    """

    source: bytes
    name: str
    size: int
    mtime_ns: int
    extinf: bytes


def find_tracks(
    paths: Sequence[bytes], read_all: ReadAll, working: Callable[[str, int, int], object], *, is_ascii: bool
) -> tuple[list[CopiedTrack], list[Skipped]]:
    """Return the audio files among some paths, in their order, and the others with a reason.

    A playlist may come from anybody: a file without an audio suffix is never copied to a stick.
    """
    found: list[tuple[bytes, os.stat_result]] = []
    skipped = []
    for path in paths:
        try:
            status = os.stat(path)
            reason = "" if stat.S_ISREG(status.st_mode) and is_audio_name(path) else "not an audio file"
        except (OSError, ValueError):
            reason = "missing"
        if reason:
            skipped.append(Skipped(path, Cause("not_copied", reason)))
        else:
            found.append((path, status))
    tags = [Tags()] * len(found)
    for count, (index, reading) in enumerate(read_all([path for path, _ in found]), 1):
        tags[index] = reading.tags or Tags()
        working("Reading tags", count, len(found))
    tracks = []
    for (path, status), tag in zip(found, tags, strict=True):
        line = extinf(tag._replace(duration_ms=tag.duration_ms or 0), os.path.basename(path))
        title = line.decode(errors="replace").partition(",")[2]
        suffix = os.fsdecode(path[path.rindex(b".") :])
        tracks.append(
            CopiedTrack(
                path, safe_name(title, is_ascii=is_ascii) + suffix, status.st_size, status.st_mtime_ns, line
            )
        )
    return tracks, skipped
