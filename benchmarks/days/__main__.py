"""Run the programs of rows.toml, some at the same time, and write docs/hundred-days.md."""

import argparse
import json
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from benchmarks.days import music, page
from benchmarks.days.listener import LISTENERS, ROWS, SHOWN, Program, listen
from benchmarks.days.lists import Listed, Mpv
from benchmarks.days.measures import measure
from benchmarks.days.mpd_queue import Mpd
from benchmarks.days.rules import Ashuffle, MyMpd, Sima

DAYS, SEEDS = 100, (1, 2)
_MEMORY = "/dev/shm"  # so that no program waits for a disk
KINDS: dict[str, type[Program]] = {
    "list": Listed, "mpd": Mpd, "mpv": Mpv, "ashuffle": Ashuffle, "mympd": MyMpd, "sima": Sima,
}  # fmt: skip


def drive(key: str, who: str, seed: int, days: int, source: Path, results: Path) -> str:
    """Run the program of one row, save its days, and return a line about the run."""
    begin_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="days-", dir=source.parent) as folder:
        library = music.Library(source, Path(folder))
        program = KINDS[ROWS[key].kind](ROWS[key], Path(folder), library, LISTENERS[who])
        try:
            played = list(listen(program, seed, days))
        except Exception:  # noqa: BLE001 - the other rows go on
            traceback.print_exc()
            return f"{key} {who} {seed}: FAILED"
        finally:
            program.close()
    (results / f"{key}-{who}-{seed}.json").write_text(json.dumps([asdict(day) for day in played]))
    return f"{key} {who} {seed}: {time.monotonic() - begin_s:.0f} s {measure(played)}"


def main() -> None:
    """Read the options, and run the program of each row with each listener and seed."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    words.add_argument("--listeners", nargs="+", choices=LISTENERS, default=list(LISTENERS))
    words.add_argument("--days", type=int, default=DAYS)
    words.add_argument("--at-once", type=int, default=6, help="number of rows that run at the same time")
    words.add_argument("--results", type=Path, help="folder that keeps what was played each day")
    words.add_argument("--page", action="store_true", help="write the page from the results alone")
    given = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="days-", dir=_MEMORY) as folder:
        results = given.results or Path(folder, "results")
        results.mkdir(parents=True, exist_ok=True)
        if not given.page:
            _run(given, Path(folder), results)
        if given.page or (given.days, given.rows, given.listeners) == (DAYS, list(ROWS), list(LISTENERS)):
            page.write(results)


def _run(given: argparse.Namespace, folder: Path, results: Path) -> None:
    """Run all rows, those of players first, which take longest."""
    source = folder / "library"
    music.make(source)
    with ThreadPoolExecutor(given.at_once) as pool:
        runs = [
            pool.submit(drive, key, who, seed, given.days, source, results)
            for who in given.listeners
            for seed in SEEDS
            for key in sorted(given.rows, key=lambda key: ROWS[key].kind == "list")
            if who == SHOWN or not ROWS[key].is_once
        ]
        for run in runs:
            print(run.result(), flush=True)


if __name__ == "__main__":
    main()
