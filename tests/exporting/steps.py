"""Export files, also in a child process that is killed before a chosen system call, and compare folders."""

import builtins
import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.exporting import copying
from playshuffle.exporting import export as module
from playshuffle.exporting.copied_tracks import CopiedTrack, find_tracks
from playshuffle.tags.reading import Reading, Tags

_STEPS = ("mkdir", "rename", "unlink", "rmdir", "utime", "fsync")
CHUNK = 4096  # bytes that are copied at once, so that each copy takes several steps


def music(folder: Path, names: Sequence[str | bytes], size: int = 3 * CHUNK) -> list[CopiedTrack]:
    """Write files with different contents and times, and return them as tracks without tags."""
    return tracks_of(written(folder, *names, size=size))


def written(folder: Path, *names: str | bytes, size: int = 6) -> list[Path]:
    """Write files with different contents and times."""
    paths = [folder / os.fsdecode(name) for name in names]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%06d" % number * (size // 6))
        os.utime(path, (1_700_000_000 + 7 * number,) * 2)
    return paths


def tracks_of(files: Sequence[bytes | Path], *roots: Path, is_ascii: bool = False) -> list[CopiedTrack]:
    """Return files as tracks without tags; with `roots`, the copies keep their paths below these folders."""
    paths = [os.fsencode(file) for file in files]
    kept_below = [bytes(root) for root in roots] or None
    tracks, skipped = find_tracks(
        paths, read_no_tags, lambda *_: None, is_ascii=is_ascii, kept_below=kept_below
    )
    assert skipped == []
    return tracks


def read_no_tags(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    return ((index, Reading(Tags(1000))) for index in range(len(paths)))


def export(tracks: Sequence[CopiedTrack], stick: Path, **options: Any) -> copying.Exported:
    stick.mkdir(exist_ok=True)
    working = options.pop("working", lambda *_: None)
    return module.export(tracks, os.fsencode(stick), "list", "~/list.m3u of ann", working, **options)


@contextlib.contextmanager
def refused(message: str, folder: Path) -> Iterator[None]:
    """Check that the block fails with this message, and that no file in the folder changes."""
    before = content(folder)
    with pytest.raises(PlayshuffleError, match=message):
        yield
    assert content(folder) == before


def is_killed(act: Callable[[], object], step: int) -> bool:
    """Act in a child that is killed before a step, counted from 0; return False if it has fewer steps."""
    return is_disturbed(act, {step: kill})


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def is_disturbed(act: Callable[[], object], others: Mapping[int, Callable[[], object]]) -> bool:
    """Act in a child that calls each of `others` before the step of that number; return if it was killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _disturb(others)
            act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), status
    return status == signal.SIGKILL


def leave_notes(stick: Path, name: str) -> None:
    """Write a file of this name into each folder of an export, as a user may; list them in `notes` above."""
    with os.fdopen(os.open(stick.parent / "notes", os.O_WRONLY | os.O_APPEND | os.O_CREAT), "w") as notes:
        for folder in [*stick.glob("list*"), *stick.glob("list*/0?")]:
            text = f"{name} in {folder.relative_to(stick)}"
            with contextlib.suppress(FileExistsError):
                descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                os.write(descriptor, text.encode())
                os.close(descriptor)
                notes.write(f"{text}\n")


def lost_notes(stick: Path) -> set[str]:
    """Return the files that `leave_notes` wrote and that do not exist any more."""
    notes = stick.parent / "notes"
    left = set(notes.read_text().splitlines()) if notes.exists() else set()
    return left - {data.decode(errors="replace") for data in content(stick).values()}


def _disturb(others: Mapping[int, Callable[[], object]]) -> None:
    """Make each function that changes a folder or file call `others` by the number of its step."""
    step = -1

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            nonlocal step
            step += 1
            others.get(step, int)()
            return function(*args, **options)

        return call

    for name in _STEPS:
        setattr(os, name, counted(getattr(os, name)))
    builtins.open = counted(builtins.open)
    copying._CHUNK = CHUNK
    chunks, tick = copying._chunks, counted(lambda: None)

    def some_chunks(source: bytes) -> Iterator[bytes]:
        for chunk in chunks(source):
            tick()
            yield chunk

    copying._chunks = some_chunks


def content(folder: Path) -> dict[str, bytes]:
    """Return the content of each file below a folder, by its path there."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def numbered(tracks: Sequence[CopiedTrack]) -> dict[str, bytes]:
    """Return the copies that an export of these tracks should have, by name."""
    return {
        f"{number:04} {track.name}": Path(os.fsdecode(track.source)).read_bytes()
        for number, track in enumerate(tracks, 1)
    }


def copies(stick: Path) -> dict[str, bytes]:
    """Return the copies of an export by their path, without its playlists and its mark."""
    return {
        name: data for name, data in content(stick / "list").items() if not name.endswith((".m3u", "-export"))
    }
