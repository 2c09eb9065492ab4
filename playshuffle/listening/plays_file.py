"""Record plays and skips: one file for each machine, to which lines are only added."""

import contextlib
import csv
import io
import os
from collections.abc import Callable, Iterator

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.history.rows import path_of_uri
from playshuffle.listening.passes import Heard
from playshuffle.system import lock

_COLUMNS = ("last_played", "plays", "skips", "path", "artist", "title", "album", "player")


@contextlib.contextmanager
def opened(path: bytes) -> Iterator[Callable[[Heard, int], None]]:
    """Open a file, and yield a function that adds a line: a play or skip, and its time (Unix seconds).

    Raises:
        PlayshuffleError: another process writes it.
    """
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise PlayshuffleError(
            f"Cannot write {shown(path)}: {error.strerror}.", Exit.CANNOT_CREATE
        ) from error
    with lock.held_descriptor(descriptor, 0) as is_free:
        if not is_free:
            raise PlayshuffleError("Another playshuffle listens already.", Exit.CANNOT_CREATE)
        content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
        os.ftruncate(descriptor, content.rfind(b"\n") + 1)  # the power may have failed in the last line
        if b"\n" not in content:
            _add(descriptor, _COLUMNS)
        yield lambda heard, now_s: _add(descriptor, _fields(heard, now_s))


def path_of(heard: Heard) -> str | None:
    """Return the path of a track; empty if only its tags are known, None for a stream."""
    uri = heard.track.uri
    if "://" not in uri:
        return uri
    return os.fsdecode(path_of_uri(os.fsencode(uri))) or None


def _fields(heard: Heard, now_s: int) -> tuple[object, ...]:
    path = path_of(heard)
    names = ("", "", "") if path else heard.track[1:]
    return now_s, int(heard.is_play), int(not heard.is_play), path, *names, heard.player


def _add(descriptor: int, fields: tuple[object, ...]) -> None:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([" ".join(str(each).splitlines()) for each in fields])
    os.write(descriptor, line.getvalue().encode("utf-8", "surrogateescape"))
