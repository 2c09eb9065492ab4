"""Measure `playshuffle make` on a file system that waits before each answer, beside find and MPD.

    python -m benchmarks.latency [--tiny 6000] [--wait-us 1000] [--rounds 1] [--music FOLDER]

`slow_disk.c` is compiled and shows a folder of tiny files. It waits before each answer as a share on a
network does, however many are requested at once. Needs gcc, pkg-config, fuse3 and libfuse3-dev; also mpd
and mpc if they are installed. Each command starts after a second, when the kernel's caches have expired.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.corpora import make_tiny
from benchmarks.making import Cost, find, machine, make_rows, update_mpd
from benchmarks.mpd import Mpd

_FORGOTTEN_S = 1.2
_FIRST = "MPD, first update"
_SOURCE = Path(__file__).with_name("slow_disk.c")


@contextmanager
def slow_disk(music: Path, scratch: Path, wait_us: int) -> Iterator[Path]:
    """Mount a folder so that each answer takes this much longer."""
    program, seen = scratch / "slow_disk", scratch / "slow"
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "fuse3"], text=True).split()
    subprocess.run(["gcc", "-O2", "-o", program, _SOURCE, *flags], check=True)
    seen.mkdir()
    with subprocess.Popen([program, music, seen, str(wait_us)]) as process:
        try:
            while not os.path.ismount(seen):
                if process.poll() is not None:
                    raise SystemExit("The file system could not be mounted.")
                time.sleep(0.05)
            yield seen
        finally:
            subprocess.run(["fusermount3", "-uz", seen], check=True)


def measure(seen: Path, scratch: Path, rounds: int) -> dict[str, list[Cost]]:
    """Run every command once a round, and return the costs by the name of the row."""
    costs: dict[str, list[Cost]] = {}
    for number in range(rounds):
        home = scratch / f"home{number}"
        home.mkdir()
        rows: dict[str, Callable[[], Cost]] = {"find": partial(find, seen), **make_rows(seen, home)}
        for name, work in rows.items():
            time.sleep(_FORGOTTEN_S)
            costs.setdefault(name, []).append(work())
        if shutil.which("mpd") and shutil.which("mpc"):
            mpd = Mpd(seen, home / "mpd", 'auto_update "no"\n')
            for name in (_FIRST, "MPD, second update"):
                time.sleep(_FORGOTTEN_S)
                costs.setdefault(name, []).append(update_mpd(mpd))
            mpd.stop()
    return costs


def table(costs: dict[str, list[Cost]]) -> str:
    """Return a Markdown table: medians, and ratios of wall time to find and to MPD's first update."""
    lines = ["| command | wall s | CPU s | wall / find | wall / MPD, first update |", "|---|---|---|---|---|"]
    wall_s = {name: statistics.median(cost.wall_s for cost in runs) for name, runs in costs.items()}
    for name, runs in costs.items():
        cpu_s = statistics.median(cost.cpu_s for cost in runs)
        ratios = [f"{wall_s[name] / wall_s[other]:.2f}" for other in ("find", _FIRST) if other in wall_s]
        lines.append(f"| {name} | {wall_s[name]:.2f} | {cpu_s:.2f} | {' | '.join(ratios)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the benchmark and print its table as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tiny", type=int, default=6000, help="number of files")
    parser.add_argument("--wait-us", type=int, default=1000, help="microseconds before each answer")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--music", type=Path, help="use this folder instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        music = options.music
        if music is None:
            music = scratch / "tiny"
            make_tiny(music, options.tiny)
        with slow_disk(music, scratch, options.wait_us) as seen:
            print(f"\n### {options.wait_us} microseconds for each answer, {options.rounds} rounds\n")
            print(table(measure(seen, scratch, options.rounds)))
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
