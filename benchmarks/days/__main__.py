"""Run the programs of rows.toml, some at the same time, and write docs/hundred-days.md."""

import argparse
import contextlib
import json
import os
import subprocess
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from benchmarks.days import music, page
from benchmarks.days.listener import ROWS, VARIANTS, Program, listen
from benchmarks.days.lists import Listed, Mpv
from benchmarks.days.measures import measure
from benchmarks.days.players import Cmus, Mpd, Mpris

DAYS = 100
KINDS: dict[str, type[Program]] = {
    "list": Listed, "mpd": Mpd, "mpv": Mpv, "cmus": Cmus, "mpris": Mpris,
}  # fmt: skip


def drive(key: str, variant: str, days: int, source: Path, results: Path) -> str:
    """Run the program of one row, save its days, and return a line about the run."""
    begin_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="days-") as folder:
        library = music.Library(source, Path(folder))
        program = KINDS[ROWS[key].kind](ROWS[key], Path(folder), library)
        try:
            played = list(listen(program, library, variant, days))
        except Exception:  # noqa: BLE001 - the other rows go on
            traceback.print_exc()
            return f"{key} {variant}: FAILED"
        finally:
            program.close()
    (results / f"{key}-{variant}.json").write_text(json.dumps([asdict(day) for day in played]))
    return f"{key} {variant}: {time.monotonic() - begin_s:.0f} s {measure(played)}"


@contextlib.contextmanager
def sound(folder: Path) -> Iterator[None]:
    """Run a PulseAudio that plays in real time to no device, for all players that have no such output."""
    folder.mkdir()
    os.environ["PULSE_SERVER"] = f"unix:{folder}/socket"
    modules = ["module-null-sink", f"module-native-protocol-unix auth-anonymous=1 socket={folder}/socket"]
    command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=yes"]
    command += [f"--load={module}" for module in modules]
    own = os.environ | {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    with subprocess.Popen(command, env=own, stderr=subprocess.DEVNULL) as server:
        yield
        server.terminate()


def main() -> None:
    """Read the options, and run the program of each row in both variants."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    words.add_argument("--days", type=int, default=DAYS)
    words.add_argument("--at-once", type=int, default=6, help="number of rows that run at the same time")
    words.add_argument("--results", type=Path, help="folder that keeps what was played each day")
    given = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="days-") as folder:
        results = given.results or Path(folder, "results")
        results.mkdir(parents=True)
        source = Path(folder, "library")
        music.make(source)
        with sound(Path(folder, "sound")), ThreadPoolExecutor(given.at_once) as pool:
            runs = [
                pool.submit(drive, key, variant, given.days, source, results)
                for key in sorted(given.rows, key=lambda key: ROWS[key].kind == "list")  # the slow ones first
                for variant in VARIANTS
            ]  # fmt: skip
            for run in runs:
                print(run.result(), flush=True)
        if (given.days, given.rows) == (DAYS, list(ROWS)):
            page.write(results)


if __name__ == "__main__":
    main()
