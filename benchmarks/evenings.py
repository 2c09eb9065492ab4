"""Deal for 100 days to a listener of MPD whose plays `playshuffle listen` alone counts.

    python -m benchmarks.evenings [--days 100]

The library has 500 files of 2 s, a deal has 10. Each morning `playshuffle deal --count played --history
listen` deals. Each evening a real MPD plays the first 3 to 10 tracks of the deal, and another one chosen by
hand, in real time: about half an hour for 100 days. On each seventh day nothing is heard. MPD and `listen`
are ended each night, and killed on day 40.
"""

import argparse
import contextlib
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import wave
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import mpd

from benchmarks.days.lists import clear_faketime

TRACKS, LENGTH_S, SIZE, LEAST, BY_HAND, CRASH = 500, 2, 10, 3, 1, 40
_FIRST_DAY = datetime(2027, 1, 1)  # noqa: DTZ001 - local time, as faketime takes it
_CONF = """
music_directory "{home}/library/music"
db_file "{home}/db"
state_file "{home}/state"
bind_to_address "{home}/socket"
audio_output {{
  type "null"
  name "null"
}}
"""


def _make(folder: Path, chance: random.Random) -> None:
    """Write noise into files whose length MPD knows before they play."""
    folder.mkdir(parents=True)
    for number in range(TRACKS):
        with wave.open(str(folder / f"{number:03}.wav"), "wb") as file:
            file.setparams((1, 1, 8000, 0, "NONE", ""))
            file.writeframes(chance.randbytes(LENGTH_S * 8000))


def until(is_so: Callable[[], object], patience_s: float = 120) -> None:
    """Wait for a condition."""
    end_s = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > end_s:
            raise TimeoutError
        time.sleep(0.05)


class House:
    """A home with music, a list, MPD and `listen`."""

    def __init__(self, home: Path) -> None:
        self.home, self.list = home, home / "library/list.m3u"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "NO_FAKE_STAT": "1",
            "LC_ALL": "C.UTF-8",
        }
        (home / "mpd.conf").write_text(_CONF.format(home=home))
        _make(home / "library/music", random.Random(0))
        self.plays = home / ".local/share/playshuffle/plays"
        self.plays.mkdir(parents=True)
        self.missed = 0  # plays that `listen` did not count

    def start(self, at: datetime, *words: str) -> subprocess.Popen[str]:
        """Start playshuffle at a time."""
        # faketime breaks one way of waiting with this, and another without.
        own = {"FAKETIME_DONT_FAKE_MONOTONIC": "1"} if words[0] == "listen" else {}
        return subprocess.Popen(
            ["faketime", str(at), "playshuffle", *words], env=self.env | own, cwd=self.home, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def deal(self, at: datetime) -> tuple[int, list[str]]:
        """Deal; return the round, and the paths below the music folder."""
        words = ["deal", "library/music", "-o", str(self.list), "-n", str(SIZE)]
        with self.start(at, *words, "--count", "played", "--history", "listen") as process:
            said, _ = process.communicate()
        assert process.returncode == 0, said
        text = self.list.read_text()
        return int(re.findall(r"round=(\d+)", text)[0]), re.findall(r"^music/(.*)", text, re.MULTILINE)

    def counted(self, at: datetime) -> set[str]:
        """Return the tracks that `listen` has counted as played since a time."""
        lines = [
            line.split(",") for path in self.plays.glob("*.csv") for line in path.read_text().splitlines()[1:]
        ]
        return {
            path for when_s, plays, _, path, *_ in lines if int(when_s) >= at.timestamp() and plays == "1"
        }

    def play(self, at: datetime, paths: list[str], *, is_killed: bool) -> None:
        """Play tracks in the evening."""
        client = mpd.MPDClient()
        daemon = subprocess.Popen(
            ["mpd", "--no-daemon", self.home / "mpd.conf"],
            env=self.env, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        until(lambda: _connects(client, f"{self.home}/socket"))
        until(lambda: "updating_db" not in client.status())
        listener = self.start(at, "listen", "--socket", f"{self.home}/socket")
        assert listener.stdout is not None
        while "Listening to MPD" not in listener.stdout.readline():
            assert listener.poll() is None
        client.clear()
        for path in paths:
            client.add(path)
        client.play(0)
        until(lambda: client.status()["state"] == "stop")
        with contextlib.suppress(TimeoutError):
            until(lambda: set(paths) <= self.counted(at), 5)
        self.missed += len(set(paths) - self.counted(at))
        for process in (listener, daemon):
            os.killpg(process.pid, signal.SIGKILL if is_killed else signal.SIGTERM)
            process.wait()
        listener.stdout.close()
        clear_faketime(listener.pid)


def _connects(client: mpd.MPDClient, socket: str) -> bool:
    try:
        client.connect(socket)
    except OSError:
        return False
    return True


def evenings(home: Path, days: int) -> list[tuple[int, int, int]]:
    """Return for each day the round, and the numbers of tracks dealt and heard so far."""
    house, chance = House(home), random.Random(1)
    (house.plays / "none.csv").write_text("last_played,plays,skips,path,artist,title,album,player\n")
    files = [
        str(path.relative_to(home / "library/music")) for path in (home / "library/music").rglob("*.wav")
    ]
    dealt: set[str] = set()
    heard: set[str] = set()
    result = []
    for day in range(days):
        morning = _FIRST_DAY + timedelta(days=day, hours=8)
        number, deal = house.deal(morning)
        dealt.update(deal)
        if day % 7 != 6:
            played = deal[: chance.randint(LEAST, SIZE)]
            played += chance.sample(sorted(set(files).difference(played)), BY_HAND)
            house.play(morning + timedelta(hours=12), played, is_killed=day == CRASH)
            heard.update(played)
        result.append((number, len(dealt), len(heard)))
        print(
            f"day {day + 1}: round {number}, dealt {len(dealt)}, heard {len(heard)}, missed {house.missed}",
            flush=True,
        )
    return result


def main() -> None:
    """Print the share heard at the end of each round, and three days later."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--days", type=int, default=100)
    with tempfile.TemporaryDirectory(prefix="evenings-") as folder:
        days = evenings(Path(folder), words.parse_args().days)
    print("| round | its days | heard at its end | three days later |")
    print("|---:|---:|---:|---:|")
    rounds = [number for number, _, _ in days]
    for number in sorted(set(rounds)):
        last = len(rounds) - 1 - rounds[::-1].index(number)
        later = days[min(last + 3, len(days) - 1)][2]
        print(f"| {number} | {rounds.count(number)} | {days[last][2] / TRACKS:.1%} | {later / TRACKS:.1%} |")


if __name__ == "__main__":
    main()
