"""Measure short commands beside an empty Python process, and commands that read a playlist beside find.

    python -m benchmarks.commands [--tracks 100000] [--rounds 9] [--keep FOLDER]

Rounds, medians and ratios are as in `benchmarks.making`. Peak memory per track is the excess over an empty
Python process.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.corpora import make_tiny
from benchmarks.making import Cost, machine, run

_SMALL = 100  # tracks
_PROGRAM = (sys.executable, "-m", "playshuffle")
_EMPTY = (sys.executable, "-c", "pass")


def main() -> None:
    """Run the benchmark and print two Markdown tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--keep", type=Path, help="make the library here, or use the one that is here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        music, small = options.keep or scratch / "music", scratch / "small"
        if not music.exists():
            make_tiny(music, options.tracks)
        make_tiny(small, _SMALL)
        os.environ |= {"HOME": name, "XDG_CACHE_HOME": f"{name}/c", "XDG_STATE_HOME": f"{name}/s"}
        _measure(music, small, scratch, options.tracks, options.rounds)
    print(f"\n{machine()}")


def _measure(music: Path, small: Path, scratch: Path, tracks: int, rounds: int) -> None:
    of_small = (*_PROGRAM, "make", "-q", str(small), "-o", f"{scratch}/small.m3u")
    playlist = f"{scratch}/all.m3u"
    deal = (*_PROGRAM, "deal", "-q", str(music), "-o", f"{scratch}/today.m3u")
    # In a home of its own: beside no other list.
    alone = ("env", f"XDG_STATE_HOME={scratch}/alone/s", f"XDG_CACHE_HOME={scratch}/alone/c")
    small_deal = (*_PROGRAM, "deal", "-q", str(small), "-o", f"{scratch}/small-today.m3u")
    of_music = (*_PROGRAM, "make", "-q", str(music), "-o", playlist)
    for command in (of_small, of_music, deal, (*alone, *of_small), (*alone, *small_deal)):
        subprocess.run(command, check=True)
    short: dict[str, Sequence[str]] = {
        "`python -c pass`": _EMPTY,
        "`import typer`": (sys.executable, "-c", "import typer"),
        "`--version`": (*_PROGRAM, "--version"),
        "`-h`": (*_PROGRAM, "-h"),
        "`--help`": (*_PROGRAM, "--help"),
        "TAB after `make --ord`": (*_tab("playshuffle make --ord"), *_PROGRAM),
        "TAB after `make sm`, a list": (*alone, *_tab("playshuffle make sm"), *_PROGRAM),
        "`status`": (*alone, *_PROGRAM, "status"),
        f"`make`, {_SMALL} tracks, nothing changed": (*alone, *of_small),
        f"`make`, {_SMALL} tracks beside a list of {tracks:,}": of_small,
        f"`deal`, nothing due, {_SMALL} tracks": (*alone, *small_deal),
        f"`deal`, nothing due, {tracks:,} tracks": deal,
        f"`status today`, {tracks:,} tracks": (*_PROGRAM, "status", "today"),
    }
    print(_table(_costs(short, rounds), tracks), flush=True)
    find = ("find", str(music), "-type", "f", "-printf", "%p %s %T@\n")
    reading: dict[str, Sequence[str]] = {
        "`find`": find,
        "`check FILE`": (*_PROGRAM, "check", playlist),
        "`audit FILE`": (*_PROGRAM, "audit", playlist),
    }
    print(f"\n{_table(_costs(reading, max(3, rounds // 3)), tracks)}", flush=True)


def _tab(line: str) -> Sequence[str]:
    """Return the words that start a program as bash does to complete the third word of a line."""
    return ("env", f"COMP_WORDS={line}", "COMP_CWORD=2", "_PLAYSHUFFLE_COMPLETE=complete_bash")


def _costs(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[Cost]]:
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(run(command))
    return costs


def _table(costs: Mapping[str, Sequence[Cost]], tracks: int) -> str:
    reference = next(iter(costs.values()))
    empty_kb = run(_EMPTY).peak_kb
    lines = [
        "| command | wall s | CPU s | wall ratio | CPU ratio | peak MB | KB per track |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, runs in costs.items():
        wall, cpu, peak = (statistics.median(column) for column in list(zip(*runs, strict=True))[:3])
        ratios = [
            statistics.median(mine[field] / its[field] for mine, its in zip(runs, reference, strict=True))
            for field in (0, 1)
        ]
        lines.append(
            f"| {name} | {wall:.3f} | {cpu:.3f} | {ratios[0]:.2f} | {ratios[1]:.2f} | {peak / 1024:.0f}"
            f" | {max(0, peak - empty_kb) / tracks:.2f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
