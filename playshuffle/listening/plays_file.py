"""Record plays and skips: one file for each machine, to which lines are only added."""

import contextlib
import csv
import io
import os
import re
from collections.abc import Callable, Iterator

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.history.rows import path_of_uri
from playshuffle.listening.passes import Heard
from playshuffle.system import lock
from playshuffle.system.clock import Clock, uptime_s

_COLUMNS = ("last_played", "plays", "skips", "path", "artist", "title", "album", "player")


@contextlib.contextmanager
def opened(path: bytes) -> Iterator[Callable[[Heard, int], int]]:
    """Open a file, and yield a function that adds a line: a play or skip, and its time (Unix seconds).

    The function returns the written time: while the clock is behind the last line, the time of that line.

    If a line cannot be written, the function raises a PlayshuffleError, and writes it with the next one.

    Raises:
        PlayshuffleError: another process writes it, or it cannot be written.
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
        waiting = [] if b"\n" in content else [_line(_COLUMNS)]

        clock = Clock(_last_time(content))

        def add(heard: Heard, now_s: int) -> int:
            nonlocal clock
            clock = clock.at(now_s, uptime_s())
            believed_s = clock.believed(now_s)
            waiting.append(_line(_fields(heard, believed_s)))
            _write(descriptor, path, waiting)
            return believed_s

        try:
            _write(descriptor, path, waiting)
            yield add
            _write(descriptor, path, waiting)
        finally:
            if not os.fstat(descriptor).st_size:  # an empty file is no history
                os.unlink(path)


def _last_time(content: bytes) -> int:
    found = re.search(rb"\n(\d{1,12}),[^\n]*\n?$", content)
    return int(found[1]) if found else 0


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


def _line(fields: tuple[object, ...]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([" ".join(str(field).splitlines()) for field in fields])
    return line.getvalue().encode("utf-8", "surrogateescape")


def _write(descriptor: int, path: bytes, lines: list[bytes]) -> None:
    """Add the lines, and empty the list; if there is no room for all, add none."""
    size, rest = os.fstat(descriptor).st_size, b"".join(lines)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        os.ftruncate(descriptor, size)
        raise PlayshuffleError(
            f"Cannot write {shown(path)}: {error.strerror}. Make room on its disk.", Exit.CANNOT_CREATE
        ) from error
    lines.clear()
