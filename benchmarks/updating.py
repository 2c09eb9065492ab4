"""Measure one update of a managed playlist, as the service runs it, for each kind of change.

    python -m benchmarks.updating [--tracks 100000] [--keep FOLDER]

Each update runs in a process of its own. `read` and `written` count the bytes of system calls, those of
cache, state and playlist together; the last column is in sizes of the playlist.
"""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.corpora import make_tiny
from benchmarks.making import machine
from playshuffle.config.build_request import build_request
from playshuffle.config.options import Options
from playshuffle.library.reader_pool import read_all
from playshuffle.library.scan import Progress
from playshuffle.library.walk import EVERYWHERE, Changes, Dirty
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.sources import Tools
from playshuffle.shuffle import System


def main() -> None:
    """Run the benchmark and print a Markdown table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="make the library here, or use the one that is here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        music = options.keep or Path(scratch, "music")
        if not music.exists():
            make_tiny(music, options.tracks)
        os.environ |= {"HOME": scratch, "XDG_CACHE_HOME": f"{scratch}/c", "XDG_STATE_HOME": f"{scratch}/s"}
        print(machine())
        print(f"load {os.getloadavg()[0]:.1f}\n")
        print("| change | CPU s | peak MB | MB read | MB written | written / playlist |")
        print("|---|---|---|---|---|---|")
        _measure(music, Path(scratch, "all.m3u"))


def _measure(music: Path, playlist: Path) -> None:
    _update(music, playlist, EVERYWHERE)  # reads all tags
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
    dirty = Dirty(frozenset([os.fsencode(album) + b"/"]))
    for name, change in changes.items():
        change()
        time.sleep(0.05)  # longer than the clock of a file system takes to tick
        cpu_s, peak_kb, read, written = _update(music, playlist, Changes(dirty))
        size = playlist.stat().st_size
        print(
            f"| {name} | {cpu_s:.2f} | {peak_kb / 1024:.0f} | {read / 1e6:.1f} | {written / 1e6:.2f}"
            f" | {written / size:.2f} |",
            flush=True,
        )


def _update(music: Path, playlist: Path, changes: Changes) -> tuple[float, float, float, float]:
    """Run an update in a child process; return CPU seconds, peak KB, bytes read and written."""
    request = build_request(Options(folders=(str(music),), output=str(playlist)))
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        before = _io()
        keep(request, Tools(read_all, System(), Progress()), changes)
        after = _io()
        os.write(writer, f"{after[0] - before[0]} {after[1] - before[1]}".encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        read, written = map(float, answer.read().split())
    _, _, used = os.wait4(child, 0)
    return _cpu_s(used), used.ru_maxrss, read, written


def _cpu_s(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def _io() -> tuple[int, int]:
    lines = Path("/proc/self/io").read_text().splitlines()
    counts = dict(line.split(": ") for line in lines)
    return int(counts["rchar"]), int(counts["wchar"])


if __name__ == "__main__":
    main()
