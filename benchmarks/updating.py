"""Measure one update of a managed playlist, as the service runs it, for each kind of change.

    python -m benchmarks.updating [--tracks 100000] [--keep FOLDER]

Each update runs in a separate process. `read` and `written` count the bytes of system calls for cache,
state and playlist together; the last column is in sizes of the playlist.
"""

import argparse
import gc
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import make_tiny
from benchmarks.making import machine
from playshuffle.config.build_request import build_request
from playshuffle.config.model import Config, ConfiguredPlaylist
from playshuffle.options.table import Options
from playshuffle.service.update import update
from playshuffle.service.update_protocol import Message, PlaylistUpdated, UpdateRequest
from playshuffle.system.clock import Began
from playshuffle.watch.debounce import Batch


def main() -> None:
    """Run the benchmark and print a Markdown table."""
    with tiny_library(parser(__doc__)) as (_, music, scratch):
        print("| change | CPU s | peak MB | MB read | MB written | written / playlist |")
        print("|---|---|---|---|---|---|")
        _measure(music, scratch / "all.m3u")


def parser(text: str) -> argparse.ArgumentParser:
    """Return a parser that shows this text as its help."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


@contextmanager
def tiny_library(words: argparse.ArgumentParser) -> Iterator[tuple[argparse.Namespace, Path, Path]]:
    """Parse the command line, print the machine, and yield the options, a library and an empty folder.

    The environment has a separate home. Options of the library are added to the parser.
    """
    words.add_argument("--tracks", type=int, default=100_000)
    words.add_argument("--keep", type=Path, help="make the library here, or use the one that is here")
    options = words.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        music = options.keep or Path(scratch, "music")
        if not music.exists():
            make_tiny(music, options.tracks)
        os.environ |= {"HOME": scratch, "XDG_CACHE_HOME": f"{scratch}/c", "XDG_STATE_HOME": f"{scratch}/s"}
        print(machine())
        print(f"load {os.getloadavg()[0]:.1f}\n")
        yield options, music, Path(scratch)


def _measure(music: Path, playlist: Path) -> None:
    update_lists(music, [playlist], Batch(is_full_scan=True))  # reads all tags
    first, *others, last = sorted(path.parent for path in music.rglob("01 - *.mp3"))
    album, model, other = others[len(others) // 2], *(next(one.glob("*.mp3")) for one in (first, last))
    cover, new, renamed = album / "cover.jpg", album / "00 - New.mp3", album / "99 - Renamed.mp3"
    changes: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "a cover added": lambda: cover.write_bytes(b"x"),
        "a new file": lambda: shutil.copyfile(model, new),
        "a file touched": new.touch,
        "other tags": lambda: new.write_bytes(other.read_bytes() + bytes(417)),
        "a file renamed": lambda: new.rename(renamed),
        "a file deleted": renamed.unlink,
        "the cover removed": cover.unlink,
    }
    batch = Batch(frozenset([os.fsencode(album) + b"/"]))
    for name, change in changes.items():
        change()
        time.sleep(0.05)  # longer than the clock of a file system takes to tick
        measured = update_lists(music, [playlist], batch)
        size = playlist.stat().st_size
        print(
            f"| {name} | {measured.cpu_s:.2f} | {measured.peak_kb / 1024:.0f} | {measured.read / 1e6:.1f}"
            f" | {measured.written / 1e6:.2f} | {measured.written / size:.2f} |",
            flush=True,
        )


class Measured(NamedTuple):
    """The cost of one update: CPU seconds, KB at the peak, bytes read and written."""

    cpu_s: float
    peak_kb: float
    read: float
    written: float


def update_lists(music: Path, playlists: Sequence[Path], batch: Batch) -> Measured:
    """Run one update of all these playlists over one folder in a child process."""
    configured = []
    for playlist in playlists:
        options = Options(folders=(str(music),), output=str(playlist))
        configured.append(ConfiguredPlaylist(playlist.stem, build_request(options)))
    names = [playlist.stem for playlist in playlists]
    config = Config(None, tuple(configured), settle_s=0)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        gc.disable()  # as the service does
        messages: list[Message] = []
        before = _io()
        update(config, Began(0), UpdateRequest(frozenset(names), batch), messages.append)
        after = _io()
        assert sum(isinstance(message, PlaylistUpdated) for message in messages) == len(playlists), messages
        os.write(writer, f"{after[0] - before[0]} {after[1] - before[1]}\n".encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        read, written = map(float, answer.readline().split())
    _, _, used = os.wait4(child, 0)
    return Measured(_cpu_s(used), used.ru_maxrss, read, written)


def _cpu_s(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def _io() -> tuple[int, int]:
    lines = Path("/proc/self/io").read_text().splitlines()
    counts = dict(line.split(": ") for line in lines)
    return int(counts["rchar"]), int(counts["wchar"])


if __name__ == "__main__":
    main()
