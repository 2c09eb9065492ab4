"""Run `playshuffle tell mpd LIST --endless` with a real MPD. MPD's own log says what was played."""

import contextlib
import itertools
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.players.drivers.mpd import Mpd
from tests.players.drivers.process import environment, listens, short_home, until
from tests.support.needs import need
from tests.support.processes import cpu_s
from tests.support.program import mpd_conf

pytestmark = [pytest.mark.process, pytest.mark.players]

_TRACKS = 100
_STARTED = re.compile(
    r'playlist: (?:play|queue song) \d+:"(?P<next>.*)"$|player: played "(?P<played>.*)"$'
    r"|(?P<stop>playlist: stop)$"
)
_RATE = 44_100  # MPD counts the position in steps of 4 KiB


class Fed:
    """A home with music, an MPD and a process that feeds it; both can be killed and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env = environment(home, MPD_HOST=str(home / "socket"))
        mpd_conf(
            home, home / "Music", home, db_file=home / "db", state_file=home / "state", state_file_interval=1,
            bind_to_address=home / "socket", log_file=home / "log", log_level="verbose",
        )  # fmt: skip
        with (home / "mpd/mpd.conf").open("a") as conf:
            conf.write('audio_output {\n type "null"\n name "none"\n}\n')
        self.start_mpd()
        self.mpd.say("update")
        until(self._is_updated)

    def _is_updated(self) -> bool:
        for thread in os.listdir(f"/proc/{self.server.pid}/task"):  # MPD updates only on an idle processor
            with contextlib.suppress(OSError):
                os.sched_setscheduler(int(thread), os.SCHED_OTHER, os.sched_param(0))
        return "updating_db" not in self.status()

    def start_mpd(self) -> None:
        (self.home / "socket").unlink(missing_ok=True)
        words: list[str | Path] = ["mpd", "--no-daemon", self.home / "mpd/mpd.conf"]
        quiet = subprocess.DEVNULL
        self.server = subprocess.Popen(words, env=self.env, stdout=quiet, stderr=quiet)
        until(lambda: listens(self.home / "socket"), self.server)
        self.mpd = Mpd(self.home / "socket", self.home / "Music", self.home)

    def run(self, *words: str | Path) -> subprocess.Popen[bytes]:
        command: list[str | Path] = [sys.executable, "-m", "playshuffle", *words]
        with (self.home / "messages").open("ab") as messages:
            return subprocess.Popen(command, env=self.env, cwd=self.home, stdout=messages, stderr=messages)

    def start_feeder(self) -> None:
        self.feeder = self.run("tell", "mpd", self.home / "Music/lib", "--endless")

    def kill(self, process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGKILL) -> None:
        process.send_signal(number)
        process.wait(300)

    def messages(self) -> str:
        return (self.home / "messages").read_text()

    def status(self) -> dict[str, str]:
        return dict(line.decode().split(": ", 1) for line in self.mpd.say("status"))

    def queue(self) -> list[str]:
        return [line.decode().partition("file: ")[2] for line in self.mpd.say("playlist")]

    def song(self) -> str | None:
        number, queue = int(self.status().get("song", -1)), self.queue()
        return queue[number] if 0 <= number < len(queue) else None  # it may change in between

    def ahead(self) -> list[str]:
        return self.queue()[int(self.status().get("song", -1)) + 1 :]

    def is_filled(self) -> bool:
        return len(self.ahead()) >= 2

    def finish(self) -> None:
        """Play the current track to its end."""
        until(lambda: float(self.status().get("elapsed", 0)) > 0)
        self.change_song("seekcur 59.9")

    def change_song(self, command: str) -> None:
        before = self.status().get("songid")
        self.mpd.say(command)
        until(lambda: self.status().get("songid") != before)

    def starts(self) -> list[str]:
        """Return each track that MPD has begun to play, in order."""
        return starts_in((self.home / "log").read_text())

    def played(self) -> list[str]:
        """Return each track of the list that MPD has played to its end, in order.

        A busy MPD plays a short track again at once if its queue noticed too late that the track had ended.
        """
        log = (self.home / "log").read_text()
        return [uri for uri, _ in itertools.groupby(re.findall(r'player: played "(lib/.*)"', log))]

    def close(self) -> None:
        for process in (self.feeder, self.server):
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait(300)
        self.mpd.close()


def write_silence(path: Path, seconds: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    size = int(seconds * _RATE)
    parts = (b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, 1, _RATE, _RATE, 1, 8, b"data", size)
    path.write_bytes(struct.pack("<4sI4s4sIHHIIHH4sI", *parts))
    os.truncate(path, 44 + size)  # a hole, which needs no space


def starts_in(log: str) -> list[str]:
    """Return the tracks that were begun: by a command, or because the one before them has ended."""
    starts: list[str] = []
    following = None
    for match in filter(None, map(_STARTED.search, log.splitlines())):
        if match["stop"]:
            following = None
        elif match["played"] is not None:
            starts += [] if following is None else [following]
            following = None
        elif "queue song" in match[0]:
            following = match["next"]
        else:
            starts.append(match["next"])
            following = None
    return starts


@contextlib.contextmanager
def fed(count: int = _TRACKS, seconds: float = 60, *options: str) -> Iterator[Fed]:
    """Feed an MPD from tracks of this length, in a deck with these options."""
    need("mpd")
    with short_home() as home:
        for folder, number in [
            *itertools.product(["lib"], range(count)),
            *itertools.product(["mine"], range(60)),
        ]:
            write_silence(home / "Music" / folder / f"{number:03}.wav", seconds)
        fed = Fed(home)
        with contextlib.closing(fed):
            (home / "plays.csv").write_text("path\n")
            if options:
                fed.feeder = fed.run("deal", home / "Music/lib", *options)
                assert fed.feeder.wait(300) == 0, fed.messages()
            fed.start_feeder()
            until(fed.is_filled, fed.feeder)
            yield fed


def two_rounds(count: int) -> None:
    with fed(count, 0.6) as it:
        it.mpd.say("play")
        for number in range(20, 2 * count + 1, 20):
            until(lambda: len(it.played()) >= number, it.feeder)  # noqa: B023
        played = it.played()
    assert [len({*played[:count]}), len({*played[count : 2 * count]})] == [count, count]


def test_each_track_is_played_once_in_each_of_two_rounds() -> None:
    two_rounds(60)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_each_of_300_tracks_is_played_once_in_each_of_two_rounds() -> None:
    two_rounds(300)


def test_nothing_uses_the_processor_while_a_track_plays_and_memory_is_low() -> None:
    with fed() as it:
        it.mpd.say("play")
        until(lambda: it.song() is not None and it.is_filled())
        process = Path(f"/proc/{it.feeder.pid}")

        def figures() -> tuple[float, list[str]]:
            status = (process / "status").read_text()
            return cpu_s(it.feeder.pid), re.findall(r"ctxt_switches:\t(\d+)", status)[:1]

        def rests_for(seconds: float) -> bool:
            before = figures()
            time.sleep(seconds)
            return figures() == before

        until(lambda: rests_for(0.5))
        assert rests_for(3)
        (memory,) = re.findall(r"VmRSS:\s+(\d+) kB", (process / "status").read_text())
        assert int(memory) < 45_000


def test_playback_starts_only_by_the_person_and_goes_on_after_the_queue_ran_out() -> None:
    with fed(12) as it:
        assert it.status()["state"] == "stop"
        it.mpd.say("play")
        (saved,) = it.home.glob("xdg_state_home/playshuffle/endless-*.json")
        until(lambda: '"play"' in saved.read_text())
        os.kill(it.feeder.pid, signal.SIGSTOP)
        for _ in range(3):
            it.finish()
        assert it.status()["state"] == "stop"
        os.kill(it.feeder.pid, signal.SIGCONT)
        until(lambda: it.status()["state"] == "play")
        assert len({*it.starts()}) == 4
        it.mpd.say("stop")
        it.mpd.say("clear")
        until(it.is_filled)
        assert it.status()["state"] == "stop"


def test_the_other_commands_know_a_list_that_feeds_mpd() -> None:
    with fed() as it:
        it.mpd.say("play")
        until(lambda: it.song() is not None and it.is_filled())
        playlist = it.home / "Music/lib/today.m3u"

        def say(*words: str | Path, code: int = 0, **changes: str) -> str:
            command = [sys.executable, "-m", "playshuffle", *words]
            done = subprocess.run(command, env=it.env | changes, capture_output=True, text=True, check=False)
            assert done.returncode == code, done.stderr
            return done.stdout + done.stderr

        second = ("tell", "mpd", it.home / "Music/lib", "--endless")
        assert f"Process {it.feeder.pid} already feeds MPD" in say(*second, code=73)
        assert f"Process {it.feeder.pid} on " in say(*second, code=73, XDG_STATE_HOME=str(it.home / "other"))
        assert f"track 1 of {_TRACKS} in round 1, next: {Path(it.ahead()[0]).name}" in say("status")
        (status,) = json.loads(say("status", "--json"))["endless"]
        assert (status["process"], status["tracks"]) == (it.feeder.pid, _TRACKS)
        assert status["next"] == str(it.home / "Music" / it.ahead()[0])
        assert say("deal", playlist, "--peek").splitlines()[1].split(" (")[0].endswith(it.ahead()[0])
        assert "no deal to take back" in say("undo", playlist, code=2)
        assert "Stop it to deal by hand" in say("deal", playlist, "--now", code=73)
        unwanted = it.ahead()[1]
        say("never", it.home / "Music" / unwanted)
        until(lambda: unwanted not in it.queue() and it.is_filled())
        it.kill(it.feeder, signal.SIGTERM)
        assert "Dealt 40 tracks" in say("deal", playlist, "--now")


@pytest.mark.parametrize("mode", ["consume", "random", "repeat", "single"])
def test_in_each_mode_of_mpd_no_track_comes_twice_and_a_message_says_what_the_mode_does(mode: str) -> None:
    with fed() as it:
        it.mpd.say(f"{mode} 1")
        it.mpd.say("play")
        for _ in range(6):
            until(lambda: it.song() is not None and len(it.queue()) >= 3)
            until(lambda: it.status()["state"] == "play")
            it.finish()
            if mode == "single":
                until(lambda: it.status()["state"] == "pause")
                it.mpd.say("pause 0")
        starts = it.starts()
        assert len(starts) == len({*starts}) == 7
        assert (f"mpc {mode} off" in it.messages()) == (mode in ("random", "single"))
        assert ("MPD repeats its queue" in it.messages()) == (mode == "repeat")
        if mode in ("consume", "random"):
            until(lambda: len(it.queue()) == 3)


def test_in_a_deck_that_counts_plays_a_skipped_track_comes_again_in_its_round() -> None:
    with fed(6, 3, "--count=played", "--history=plays.csv") as it:
        it.mpd.say("play")
        until(lambda: it.song() is not None)
        skipped = it.song()
        it.change_song("next")
        until(lambda: len(it.played()) >= 6, it.feeder)
        played = it.played()[:6]
    assert (len({*played}), skipped in played) == (6, True)


class Person:
    """A person who uses MPD at random, and counts the tracks of ours that are done."""

    def __init__(self, it: Fed, seed: int) -> None:
        self.it, self.random = it, random.Random(seed)
        self.mine = iter(range(60))
        self.added: set[str] = set()
        self.removed: set[str] = set()
        self.count: Counter[str] = Counter()  # of plays and skips of each track of ours
        self.read = 0
        self.last: list[str] = []  # the tracks of ours that were begun last
        self.twice: set[str] = set()  # those that a kill may begin again
        self.late: set[str] = set()  # removed at the end of a round: they may be missing in it

    def look(self) -> None:
        """Count what has begun since the last look."""
        starts = self.it.starts()
        for uri in starts[self.read :]:
            if not uri.startswith("lib/") or uri in self.last[-1:] or uri in self.twice:
                self.twice.discard(uri)
                continue
            self.done(uri)
        self.read = len(starts)

    def done(self, uri: str) -> None:
        self.last.append(uri)
        self.count[uri] += 1
        if uri in self.late:
            self.late.remove(uri)
            self.count[uri] = self.least() + 1
        assert self.count[uri] - self.least() <= 1, f"{uri} came again too soon"

    def left(self) -> list[int]:
        """Return how often each track that is not late was done."""
        uris = (f"lib/{number:03}.wav" for number in range(_TRACKS))
        return [self.count[uri] for uri in uris if uri not in self.late]

    def least(self) -> int:
        return min(self.left())

    def act(self) -> None:
        kinds = (
            "finish",
            "finish",
            "next",
            "add",
            "insert",
            "remove",
            "move",
            "jump",
            "stop",
            "clear",
            "kill",
        )
        getattr(self, self.random.choice(kinds))()
        if self.it.status()["state"] != "play":
            until(self.it.is_filled if self.it.song() is None else lambda: True)
            self.it.mpd.say("play")
        until(self.it.is_filled)
        until(lambda: self.it.status()["state"] == "play")
        self.look()

    def finish(self) -> None:
        self.it.finish()

    def next(self) -> None:
        self.it.change_song("next")

    def _own(self) -> str:
        uri = f"mine/{next(self.mine):03}.wav"
        self.added.add(uri)
        return uri

    def add(self) -> None:
        self.it.mpd.say(f'add "{self._own()}"')

    def insert(self) -> None:
        self.it.mpd.say(f'addid "{self._own()}" +0')

    def remove(self) -> None:
        position = self.random.randrange(int(self.it.status()["song"]) + 1, len(self.it.queue()))
        self.give_back([self.it.queue()[position]])
        self.it.mpd.say(f"delete {position}")

    def give_back(self, uris: list[str]) -> None:
        """Note what was removed, and what may come in the next round, which is dealt already."""
        self.removed.update(uris)
        if self.left().count(self.least()) <= 50:
            self.late.update(uri for uri in uris if uri.startswith("lib/"))

    def move(self) -> None:
        first = int(self.it.status()["song"]) + 1
        source, target = (self.random.randrange(first, len(self.it.queue())) for _ in range(2))
        self.it.mpd.say(f"move {source} {target}")

    def jump(self) -> None:
        """Jump to a track; entries of ours before another one of ours are skipped."""
        self.look()
        ahead = self.it.ahead()
        steps = self.random.randrange(len(ahead))
        if ahead[steps].startswith("lib/"):
            for uri in ahead[:steps]:
                if uri.startswith("lib/"):
                    self.done(uri)
        self.removed.update(ahead[:steps])
        first = int(self.it.status()["song"]) + 1
        self.it.change_song(f"play {first + steps}")

    def stop(self) -> None:
        self.it.mpd.say("stop")

    def clear(self) -> None:
        self.look()
        self.give_back(self.it.ahead())
        self.it.mpd.say("clear")

    def kill(self) -> None:
        """Kill MPD, the feeder or both, at any step of theirs."""
        self.look()
        it, what = self.it, self.random.choice(("mpd", "feeder", "both"))
        times = it.messages().count("Feeding")
        queued = {*it.queue()}
        if what != "mpd":
            it.kill(it.feeder)
        if what != "feeder":
            self.twice = {*self.last[-2:]}
            it.kill(it.server)
            it.mpd.close()
            it.start_mpd()
            self.removed.update(queued.difference(it.queue()))  # its state file may be older
            self.read = len(it.starts())
        if what != "mpd":
            it.start_feeder()
        until(lambda: it.messages().count("Feeding") > times)
        if what != "feeder":  # until the feeder is back, MPD plays on in its older queue
            starts = it.starts()
            for uri in starts[self.read :]:
                if uri.startswith("lib/") and uri not in self.last[-1:] and self.count[uri] == self.least():
                    self.done(uri)
            self.read = len(starts)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 7))]
)
def test_whatever_a_person_does_and_whatever_is_killed_each_track_comes_once_in_a_round(seed: int) -> None:
    with fed() as it:
        person = Person(it, seed)
        it.mpd.say("play")
        for _ in range(40 if seed < 3 else 250):
            person.act()
        heard = {*it.starts()}
        assert person.added.difference(heard, person.removed, it.queue()) == set()
