"""Measure the cost of a query or a play history in `playshuffle make` without any change, in one run.

    python -m benchmarks.selecting [--tracks 100000] [--rounds 7] [--keep FOLDER]

The table shows medians of CPU time, and of its ratio to the run without a query in the same round.
"""

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.corpora import make_tiny
from benchmarks.making import Cost, machine, run

QUERIES = {
    "without a query": "",
    "one term": "genre:folk",
    "five terms, most match": "genre:folk -title:night length:..10:00 track:1..99 -artist:zzz",
    "five terms, few match": "title:night artist:moon -album:river genre:folk track:1..8",
    "five terms, any of them": "title:night OR artist:moon OR album:river OR genre:jazz OR track:3",
    "five words without a field": "night -river -stone moon -winter",
}
CSV, ONE_VALUE, THREE_VALUES = (
    "a CSV file of plays",
    "stickers of MPD, one a track",
    "stickers, three a track",
)
UNCHANGED = "the same, unchanged"


def write_histories(folder: Path, music: Path) -> dict[str, Path]:
    """Write histories with a row or more for each track."""
    files = list(music.rglob("*.mp3"))
    log = folder / "plays.csv"
    log.write_text("path,last_played\n" + "".join(f"{file},1700000000\n" for file in files))
    written = {CSV: log}
    values = (("playCount", 3), ("lastPlayed", 1_700_000_000), ("skipCount", 1))
    for name, count in ((ONE_VALUE, 1), (THREE_VALUES, 3)):
        written[name] = folder / f"sticker{count}.sql"
        with sqlite3.connect(written[name]) as database:
            database.execute("CREATE TABLE sticker (type TEXT, uri TEXT, name TEXT, value TEXT)")
            for sticker, value in values[:count]:
                rows = (("song", str(file.relative_to(music)), sticker, str(value)) for file in files)
                database.executemany("INSERT INTO sticker VALUES (?, ?, ?, ?)", rows)
            database.execute("CREATE UNIQUE INDEX sticker_value ON sticker(type, uri, name)")
        database.close()
    return written


def play(history: Path) -> None:
    """Add plays of a few tracks: 20 of 100,000."""
    if history.suffix == ".csv":
        lines = history.read_text().splitlines(keepends=True)
        history.write_text("".join([*lines, *lines[1::5000]]))
        return
    with sqlite3.connect(history) as database:
        plays = "name = 'playCount' AND rowid % 5000 = 1"
        database.execute(f"UPDATE sticker SET value = value + 1 WHERE {plays}")
    database.close()


def measure(music: Path, scratch: Path, rounds: int) -> dict[str, list[Cost]]:
    """Run each query once a round and return the costs by its name."""
    os.environ |= {"HOME": str(scratch), "XDG_CACHE_HOME": f"{scratch}/c", "XDG_STATE_HOME": f"{scratch}/s"}
    program = [sys.executable, "-m", "playshuffle", "make", "-q", str(music), "-o"]
    commands = {
        name: [*program, f"{scratch}/{number}.m3u", *(["--where", query] if query else [])]
        for number, (name, query) in enumerate(QUERIES.items())
    }
    histories = write_histories(scratch, music)
    for name, history in {**histories, UNCHANGED: histories[THREE_VALUES]}.items():
        commands[name] = [*program, f"{scratch}/{history.stem}.m3u", "--history", str(history)]
    for command in commands.values():
        run(command)  # the first reads the tags, and each writes its playlist for the first time
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            if name in histories:
                play(histories[name])
            costs[name].append(run(command))
    return costs


def table(costs: dict[str, list[Cost]]) -> str:
    """Return a Markdown table of medians."""
    first = next(iter(costs.values()))
    lines = ["| query or history | CPU s | ratio | peak MB |", "|---|---|---|---|"]
    for name, runs in costs.items():
        cpu_s = statistics.median(cost.cpu_s for cost in runs)
        ratio = statistics.median(mine.cpu_s / its.cpu_s for mine, its in zip(runs, first, strict=True))
        peak_mb = statistics.median(cost.peak_kb for cost in runs) / 1024
        lines.append(f"| {name} | {cpu_s:.2f} | {ratio:.2f} | {peak_mb:.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Run the benchmark and print its table as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", type=Path, help="make the music in this folder, or use the music in it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        music = (options.keep or Path(name)) / f"tiny{options.tracks}"
        if not music.exists():
            music.parent.mkdir(parents=True, exist_ok=True)
            make_tiny(music, options.tracks)
        costs = measure(music, Path(name), options.rounds)
    print(f"\n### {options.tracks:,} tracks, medians of {options.rounds} rounds\n")
    print(table(costs))
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
