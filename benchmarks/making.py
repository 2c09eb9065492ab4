"""Measure `playshuffle make` as a whole command, beside find, mutagen, tinytag and MPD, in one run.

    python -m benchmarks.making [--tiny 100000] [--real 10000] [--rounds 3] [--keep FOLDER] [--warm]

Each round runs every command once, so that other work of the machine affects all of them alike. The
tables show medians; ratios are medians over the rounds of a command's ratio to the reference, mutagen
or with `--warm` find. A cold run starts without cache and state. With `--warm` each round runs only the
commands for which nothing has changed. `read` and `written` count the bytes of system calls.
"""

import argparse
import contextlib
import importlib.util
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import make_real, make_tiny
from benchmarks.mpd import Mpd

# Runs a command and prints its counters. Counters of its children are added when they exit.
_MEASURE = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
io = dict(line.split(": ") for line in open("/proc/self/io").read().splitlines())
print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss, io["rchar"], io["wchar"])
"""
_LOOP = "import sys, os; {0}\nfor top, _, names in os.walk(sys.argv[1]):\n for name in names: {1}"
_MUTAGEN = _LOOP.format("import mutagen", "mutagen.File(os.path.join(top, name))")
_TINYTAG = _LOOP.format("from tinytag import TinyTag", "TinyTag.get(os.path.join(top, name))")


class Cost(NamedTuple):
    """The cost of one run of a command."""

    wall_s: float
    cpu_s: float
    peak_kb: float
    read: float
    written: float


def run(command: Sequence[str]) -> Cost:
    """Run a command and return its cost, including its children."""
    output = subprocess.check_output([sys.executable, "-c", _MEASURE, *command], text=True)
    return Cost(*map(float, output.split()))


def find(music: Path) -> Cost:
    """Run `find` over every file, with sizes and times, and return its cost."""
    return run(["find", str(music), "-type", "f", "-printf", "%p %s %T@\n"])


def update_mpd(mpd: Mpd) -> Cost:
    """Update MPD's database and return the cost; bytes of mapped files are not counted."""
    before, start = _process_cost(mpd.pid), time.perf_counter()
    mpd.update()
    wall_s = time.perf_counter() - start
    after = _process_cost(mpd.pid)
    return Cost(
        wall_s,
        after.cpu_s - before.cpu_s,
        after.peak_kb,
        after.read - before.read,
        after.written - before.written,
    )


def _process_cost(pid: int) -> Cost:
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    cpu_s = (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")
    io, status = (
        dict(line.split(":", 1) for line in Path(f"/proc/{pid}/{name}").read_text().splitlines())
        for name in ("io", "status")
    )
    return Cost(0, cpu_s, float(status["VmHWM"].split()[0]), float(io["rchar"]), float(io["wchar"]))


def measure(music: Path, scratch: Path, rounds: int) -> dict[str, list[Cost]]:
    """Run every command once a round and return the costs by the name of the row."""
    costs: dict[str, list[Cost]] = {}
    for number in range(rounds):
        home = scratch / f"{music.name}{number}"
        home.mkdir()
        for name, work in _rows(music, home).items():
            costs.setdefault(name, []).append(work())
        shutil.rmtree(home)
    return costs


def measure_warm(music: Path, scratch: Path, rounds: int) -> dict[str, list[Cost]]:
    """Run once what reads all tags, and then in each round every command that finds nothing changed."""
    home = scratch / f"{music.name}warm"
    home.mkdir()
    rows = {"find": lambda: find(music), **make_rows(music, home)}
    rows.pop("make, cold")()
    with contextlib.ExitStack() as stack:
        if shutil.which("mpd") and shutil.which("mpc"):
            mpd = Mpd(music, home / "mpd", 'auto_update "no"\n')
            stack.callback(mpd.stop)
            mpd.update()
            rows["MPD, second update"] = lambda: update_mpd(mpd)
        costs: dict[str, list[Cost]] = {name: [] for name in rows}
        for _ in range(rounds):
            for name, work in rows.items():
                costs[name].append(work())
        return costs


def _rows(music: Path, home: Path) -> dict[str, Callable[[], Cost]]:
    rows: dict[str, Callable[[], Cost]] = {
        "find": lambda: find(music),
        "mutagen.File of each": lambda: run([sys.executable, "-c", _MUTAGEN, str(music)]),
    }
    if importlib.util.find_spec("tinytag") is not None:
        rows["TinyTag.get of each"] = lambda: run([sys.executable, "-c", _TINYTAG, str(music)])
    rows |= make_rows(music, home)
    if shutil.which("mpd") and shutil.which("mpc"):
        rows["MPD, first update"] = lambda: _update_twice(music, home)[0]
        rows["MPD, second update"] = lambda: _update_twice(music, home)[1]
    return rows


def make_rows(music: Path, home: Path) -> dict[str, Callable[[], Cost]]:
    """Return the runs of `make` by the name of the row: without a cache, with one, and without tags.

    Sets the environment so that these runs, and all later ones, have their home in `home`.
    """
    program = [sys.executable, "-m", "playshuffle", "make", "-q", str(music), "-o"]
    os.environ |= {"HOME": str(home), "XDG_CACHE_HOME": f"{home}/c", "XDG_STATE_HOME": f"{home}/s"}
    return {
        "make, cold": lambda: run([*program, f"{home}/all.m3u"]),
        "make, nothing changed": lambda: run([*program, f"{home}/all.m3u"]),
        "make --no-tags": lambda: run([*program, f"{home}/bare.m3u", "--no-tags"]),
    }


_updates: dict[Path, tuple[Cost, Cost]] = {}


def _update_twice(music: Path, home: Path) -> tuple[Cost, Cost]:
    if home not in _updates:
        mpd = Mpd(music, home / "mpd", 'auto_update "no"\n')
        try:
            _updates[home] = update_mpd(mpd), update_mpd(mpd)
        finally:
            mpd.stop()
    return _updates[home]


def table(costs: Mapping[str, Sequence[Cost]], files: int) -> str:
    """Return a Markdown table: medians, and ratios of wall and CPU time to mutagen's or else to find's."""
    name = "mutagen.File of each" if "mutagen.File of each" in costs else "find"
    reference, short = costs[name], name.partition(".")[0]
    lines = [
        f"| command | wall s | CPU s | wall / {short} | CPU / {short} | KB read a file | MB written | peak MB |",  # noqa: E501 - one row
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, runs in costs.items():
        wall, cpu, peak, read, written = (statistics.median(column) for column in zip(*runs, strict=True))
        ratios = [
            statistics.median(mine[field] / its[field] for mine, its in zip(runs, reference, strict=True))
            for field in (0, 1)
        ]
        lines.append(
            f"| {name} | {wall:.2f} | {cpu:.2f} | {ratios[0]:.2f} | {ratios[1]:.2f} "
            f"| {read / files / 1000:.1f} | {written / 1e6:.1f} | {peak / 1024:.0f} |"
        )
    return "\n".join(lines)


def machine() -> str:
    """Return the machine and the commit in one line."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
    commit = subprocess.check_output(["git", "describe", "--always", "--dirty"], text=True).strip()
    load = os.getloadavg()[0]
    return (
        f"{len(os.sched_getaffinity(0))} cores of {model or platform.machine()}, Python"
        f" {platform.python_version()}, commit {commit}, load {load:.1f} at the end"
    )


def main() -> None:
    """Run the benchmark and print its tables as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tiny", type=int, default=100_000, help="tiny files, 0 for none")
    parser.add_argument("--real", type=int, default=10_000, help="files as real music has them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="make the music here, or use the music there")
    parser.add_argument("--warm", action="store_true", help="only runs that find nothing changed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for kind, make, count in (("real", make_real, options.real), ("tiny", make_tiny, options.tiny)):
            if not count:
                continue
            music = (options.keep or scratch) / f"{kind}{count}"
            if not music.exists():
                music.parent.mkdir(parents=True, exist_ok=True)
                make(music, count)
            costs = (measure_warm if options.warm else measure)(music, scratch, options.rounds)
            print(f"\n### {count:,} {kind} files, medians of {options.rounds} rounds\n")
            print(table(costs, count), flush=True)
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
