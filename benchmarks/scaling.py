"""Measure how the costs of `playshuffle make` grow when the library has ten times as many files.

    python -m benchmarks.scaling [--tracks 100000] [--rounds 3] [--keep FOLDER]

Makes the tiny libraries of `benchmarks.corpora` with TRACKS files and with ten times as many. Each round
runs every command over the smaller one and then over the larger one. Prints medians of CPU time, bytes
written and peak memory, and how many times as much the larger library takes.
"""

import argparse
import shutil
import statistics
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.corpora import make_tiny
from benchmarks.making import Cost, find, machine, make_rows

_TIMES = 10


def main() -> None:
    """Run the benchmark and print a Markdown table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="make the libraries here, or use those that are here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        libraries = []
        for tracks in (options.tracks, _TIMES * options.tracks):
            music = (options.keep or scratch) / f"tiny{tracks}"
            if not music.exists():
                make_tiny(music, tracks)
            libraries.append(music)
        costs: dict[str, tuple[list[Cost], list[Cost]]] = {}
        for _ in range(options.rounds):
            for number, music in enumerate(libraries):
                home = scratch / "home"
                home.mkdir()
                for row, work in ({"find": partial(find, music)} | make_rows(music, home)).items():
                    costs.setdefault(row, ([], []))[number].append(work())
                shutil.rmtree(home)
    print(
        f"| command | CPU s, {options.tracks:,} | CPU s, {_TIMES * options.tracks:,} | times as much CPU"
        " | MB written | times as much | peak MB | times as much |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for row, (small, large) in costs.items():
        cells = []
        for unit, field in ((1.0, "cpu_s"), (1e6, "written"), (1024.0, "peak_kb")):
            one, other = (
                statistics.median(getattr(cost, field) for cost in each) / unit for each in (small, large)
            )
            if field == "cpu_s":
                cells.append(f"{one:.2f}")
            cells += [f"{other:.2f}", f"{other / one:.1f}"]
        print(f"| {row} | {' | '.join(cells)} |")
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
