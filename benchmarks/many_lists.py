"""Measure the cost of an update if many managed playlists share one folder, beside `find`.

    python -m benchmarks.many_lists [--tracks 100000] [--lists 1 5 20] [--keep FOLDER]

A warm start is a full scan without any change. CPU is the time of the whole update, in multiples of
one `find` over the same files; `read` counts the bytes of system calls.
"""

import os
import resource
import shutil
import statistics
import subprocess
from pathlib import Path

from benchmarks.updating import parser, tiny_library, update_lists
from playshuffle.watch.debounce import Batch

_RUNS = 3


def main() -> None:
    """Run the benchmark and print a Markdown table."""
    words = parser(__doc__)
    words.add_argument("--lists", type=int, nargs="+", default=[1, 5, 20])
    with tiny_library(words) as (options, music, scratch):
        print("| lists | change | CPU s | CPU ÷ find | peak MB | MB read | MB written |")
        print("|---|---|---|---|---|---|---|")
        for count in options.lists:
            _measure(music, [scratch / f"{number}.m3u" for number in range(count)])


def _measure(music: Path, playlists: list[Path]) -> None:
    whole = Batch(is_full_scan=True)
    update_lists(music, playlists, whole)  # reads all tags, and writes the playlists
    album = min(path.parent for path in music.rglob("01 - *.mp3"))
    new, model = album / "00 - New.mp3", next(album.glob("*.mp3"))
    for name, batch in (
        ("none, full scan", whole),
        ("a new file", Batch(frozenset([os.fsencode(album) + b"/"]))),
    ):
        results, finds = [], []
        for _ in range(_RUNS):
            if name == "a new file":
                shutil.copyfile(model, new)
            finds.append(_find_cpu_s(music))
            results.append(update_lists(music, playlists, batch))
            if name == "a new file":
                new.unlink()
                update_lists(music, playlists, batch)
        cpu_s = statistics.median(result.cpu_s for result in results)
        ratio = statistics.median(
            result.cpu_s / find_s for result, find_s in zip(results, finds, strict=True)
        )
        last = results[-1]
        print(
            f"| {len(playlists)} | {name} | {cpu_s:.2f} | {ratio:.1f} | {last.peak_kb / 1024:.0f}"
            f" | {last.read / 1e6:.1f} | {last.written / 1e6:.1f} |",
            flush=True,
        )


def _find_cpu_s(folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["find", os.fspath(folder), "-type", "f", "-printf", "%p %s %T@\n"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
