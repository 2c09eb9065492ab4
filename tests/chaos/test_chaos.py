"""Check the guarantees of orders and decks while a library changes at random.

A service updates seven playlists of different orders over one library, and two decks are dealt from. Other
playlists are over subfolders that those seven omit: tracks move there and back. Each round changes files
while the service runs, kills the service, or takes a folder away.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import pytest

from tests.support import damage
from tests.support.forked import forked
from tests.support.music import ANCHOR, Music
from tests.support.program import DATA, PROGRAM, environment, listed, run
from tests.support.promises import CHECKS, Round
from tests.support.service import Service, left, wait_for

pytestmark = pytest.mark.process

_KEYS = {
    "random": f'order = "random"\npin = ["{ANCHOR}@5"]',
    "sattolo": 'order = "sattolo"',
    "spread": 'order = "spread"',
    "albums": 'order = "albums"',
    "folders": 'order = "folders"',
    "genres": 'order = "groups"\ngroup_by = "genre"',
    "sorted": 'order = "sorted"',
}
_WHOLE = "whole"  # the list that does not obey ignore files
# Folders that the lists over the library omit. Each has a list of its own.
_LEFT_OUT = ("Music/xmas", "Music/spoken/tales", "Music/.dot", "Music/@eaDir")
_STAYING = 10  # unchanged files in each of them: if most files went, a missing drive would be assumed
_MISSING = {"missing"}
_SERVICE, _UPDATE = 0, 2  # processes, the oldest first
_KINDS = "plain " * 6 + "kill down missing missing full reshuffle"  # of rounds


class Chaos:
    """A service, its library, and the expected state of its playlists.

    Attributes:
        rounds_of: by deck, the round as its deals show it.
        _known: by deck, the tracks of its last deal, including those of a missing root.
        _unsure: by deck, the new tracks that may count as dealt in this round. Each has been at the path of
            another track that had left it, and may pass for a new version of that track, or for its return.
        counts: number of actions of each kind.
        faults: broken guarantees.
    """

    def __init__(self, top: Path, seed: int, tracks: int, deal: int) -> None:
        self._top = top
        self._chance = random.Random(seed)
        self._deal_size = deal
        self.music = Music(top, self._chance, tracks, _LEFT_OUT)
        (top / "Music/.ignore").write_text("xmas\n")
        (top / "Music/spoken/.nomedia").touch()
        self._nested = {folder.name: folder for folder in self.music.besides} | {_WHOLE: top / "Music"}
        for folder in self.music.besides:
            for number in range(_STAYING):
                shutil.copyfile(DATA / "v24.mp3", folder / f"stays {number}.mp3")
        self._nested_orders: dict[str, list[str]] = {}
        self._lists = top / "Lists"
        self._orders: dict[str, list[int]] = {}
        self.rounds_of = {"morning": Round(), "evening": Round()}
        self._known: dict[str, set[int]] = {name: set() for name in self.rounds_of}
        self._unsure: dict[str, set[int]] = {name: set() for name in self.rounds_of}
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.service = Service(top, self._config())

    def _config(self) -> str:
        folders = json.dumps([str(root) for root in self.music.roots])
        lists = [
            f'[playlist.{name}]\n{keys}\npaths = "absolute"\noutput = "{self._file(name)}"\n'
            for name, keys in _KEYS.items()
        ]
        lists += [
            f'[playlist."{name}"]\nfolders = [{json.dumps(str(folder))}]\npaths = "absolute"\n'
            f'ignore_files = {json.dumps(name != _WHOLE)}\noutput = "{self._file(name)}"\n'
            for name, folder in self._nested.items()
        ]
        # One deck is known to the service, which follows its tracks; the other one is not.
        deck = f'[playlist.morning]\nlimit = {self._deal_size}\nevery = "week"\npaths = "absolute"\n'
        return f'folders = {folders}\n{"".join(lists)}{deck}output = "{self._file("morning")}"\n'

    def play(self, until_s: float, most_rounds: int) -> None:
        with self.service:
            wait_for(lambda: self._listed("morning"), 120)  # or the marker may be dealt
            self._check_after_settling()
            assert "error:" not in self.service.log
            first_deal = self._numbers("morning")
            assert len(first_deal) == self._deal_size
            self._note_deal("morning", first_deal)
            week = datetime.now().astimezone().isocalendar().week
            # A new week lets the service deal by itself.
            while (
                time.monotonic() < until_s
                and self.counts["rounds"] < most_rounds
                and datetime.now().astimezone().isocalendar().week == week
            ):
                self.counts["rounds"] += 1
                self._play_round()
            assert self.service.stop() == 0

    def _play_round(self) -> None:
        kind = self._chance.choice(os.environ.get("CHAOS_KINDS", _KINDS).split())
        self.music.done = [f"({kind})"]
        self.counts[kind] += 1
        match kind:
            case "plain":
                self._act()
            case "kill":
                self._act(kills=True)
            case "down":
                self.service.kill()
                self._act()
                self.service.start()
            case "missing":
                self._take_away_and_bring_back()
            case "full":
                self._fill_a_disk()
            case "reshuffle":
                name = self._chance.choice(["random", "sattolo", "spread"])
                assert run("make", name, env=self.service.env).code == 0
                self._orders.pop(name)
        if self._chance.random() < 0.5:
            self._deal(self._chance.choice([*self.rounds_of]))
        self._check_after_settling()
        for name in self.rounds_of:
            if self._chance.random() < 0.6:
                self._deal(name)

    def _act(self, *, kills: bool = False) -> None:
        for _ in range(self._chance.randrange(1, 5)):
            self.music.act()
            self._note_unsure()
            self.counts["changes"] += 1
            if kills and self._chance.random() < 0.7:
                self._await_anything()
                which = self._chance.choice([None, None, _SERVICE, _UPDATE])
                self.service.kill(which)
                if which != _UPDATE:
                    self.service.start()
            elif self._chance.random() < 0.3:
                self._await_anything()

    def _note_unsure(self) -> None:
        left = {*self.music.gone}
        at_left_path = {number for number, track in self.music.tracks.items() if bytes(track.path) in left}
        for name, known in self._known.items():
            self._unsure[name] |= at_left_path - known

    def _await_anything(self) -> None:
        """Wait until the service writes a playlist, or for up to two seconds."""
        before = self._stamps()
        until_s = time.monotonic() + self._chance.random() * 2
        while self._stamps() == before and time.monotonic() < until_s:
            time.sleep(0.02)

    def _stamps(self) -> list[int]:
        stamps = []
        for name in _KEYS:
            with suppress(FileNotFoundError):
                stamps.append(os.stat(self._file(name)).st_mtime_ns)
        return stamps

    def _take_away_and_bring_back(self) -> None:
        """While a root is missing, its tracks stay in all playlists, and a deck deals the present tracks.

        Tracks of the other root come and go.
        """
        root, other = self._chance.sample(self.music.roots, 2)
        before = {name: self._listed(name) for name in _KEYS}
        hidden = root.with_name("Hidden")
        root.rename(hidden)
        wait_for(lambda: self._is_missing(root))
        if self._chance.random() < 0.5:
            self._deal(self._chance.choice([*self.rounds_of]), missing=root)
        old, new = map(str, self.music.exchange_one(other))
        self._note_unsure()
        wait_for(lambda: all(new in self._listed(name) for name in _KEYS), 120)
        wait_for(lambda: all(old not in self._listed(name) for name in _KEYS), 120)
        for name, entries in before.items():
            after = self._listed(name)
            assert {*after} == {*entries, new} - {old}, "wrong set while a folder was missing"
            if name == "sattolo":
                assert left(entries, after) == [entry for entry in entries if entry != old]
        hidden.rename(root)
        if self._chance.random() < 0.5:
            self._act()

    def _is_missing(self, root: Path) -> bool:
        roots = self.service.status()["roots"]
        return any(row["root"] == str(root) and row["state"] in _MISSING for row in roots)

    def _fill_a_disk(self) -> None:
        """Change files while the disk of the playlists, or that of the state, is full."""
        with _full(self._chance.choice([self._lists, _state()])):
            self.music.replace()
            self._note_unsure()
            self._act()
            wait_for(lambda: any(row["last_error"] for row in self.service.status()["playlists"]))

    def _deal(self, name: str, *, missing: Path | None = None) -> None:
        """Deal by the command; perhaps kill a deal first.

        No deal of the deck that the service updates is killed: the service would write the dealt tracks, and
        the next deal would replace them before this test reads them.
        """
        words: list[str | Path] = ["deal", *self.music.roots, "-n", str(self._deal_size), "--every", "run"]
        words += ["-o", self._file(name)]
        if name == "evening" and self._chance.random() < 0.4:
            before = self._numbers(name)
            process = subprocess.Popen(
                [*PROGRAM, *words], env=environment(**self.service.env), stderr=subprocess.DEVNULL
            )
            with suppress(subprocess.TimeoutExpired):
                process.wait(self._chance.random())
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.counts["deals killed"] += process.returncode != 0
            if not {*(after := self._numbers(name))} <= {*before}:
                self._note_deal(name, after, missing)
        done = run(*words, env=self.service.env)
        if missing is not None and done.code == 75:
            self.counts["deals that wait"] += 1
            return
        assert done.code == 0, done.err
        self._note_deal(name, self._numbers(name), missing)

    def _note_deal(self, name: str, deal: Sequence[int], missing: Path | None = None) -> None:
        """Note a deal. A deck does not know tracks of a missing root that were added after its last deal."""
        tracks, known, deck = self.music.tracks, self._known[name], self.rounds_of[name]
        self._known[name] = {
            number
            for number, track in tracks.items()
            if missing is None or number in known or not track.path.is_relative_to(missing)
        }
        rounds = deck.rounds
        self._note(name, deck.add(deal, [*self._known[name] - self._unsure[name]]))
        if deck.rounds != rounds:
            self.counts["unsure"] += len(self._unsure[name])
            self._unsure[name].clear()

    def _check_after_settling(self) -> None:
        """Wait until the service has seen everything, then check each list."""
        marker = self.music.add_marker()
        wait_for(lambda: all(str(marker) in self._listed(name) for name in _KEYS), 120)
        marker.unlink()
        wait_for(lambda: all(str(marker) not in self._listed(name) for name in _KEYS), 120)
        for name, check in CHECKS.items():
            entries = self._listed(name)
            wanted = {str(path): number for path, number in self.music.paths.items()}
            if sorted(entries) != sorted(wanted):
                wrong = {*entries} ^ {*wanted}
                self._note(name, [f"wrong set: {sorted(wrong)[:3]} of {len(wrong)}"])
                self._orders.pop(name, None)
                continue
            order = [wanted[entry] for entry in entries]
            self.counts["checks"] += 1
            self._note(name, check(self.music, self._orders.get(name, order), order))
            self._orders[name] = order
        for name in self._nested:
            self._check_nested(name)
        lines = self.service.log.splitlines()
        self._note("log", [line for line in lines if damage.STATE_DAMAGED in line or "Traceback" in line])
        self._note("state", damage.traces([_state()]))

    def _check_nested(self, name: str) -> None:
        """Wait until the list of a subfolder has the files on the disk, then check its order."""
        wait_for(lambda: sorted(self._listed(name)) == self._on_disk(name), 120)
        numbers = self.music.paths
        order = [str(numbers.get(Path(entry), entry)) for entry in self._listed(name)]
        before = self._nested_orders.get(name, order)
        self._note(name, [] if left(before, order) == left(order, before) else ["survivors changed places"])
        self._nested_orders[name] = order

    def _on_disk(self, name: str) -> list[str]:
        folder = self._nested[name]
        files = (path for path in folder.rglob("*.mp3") if path.is_file())
        return sorted(str(path) for path in files if path.relative_to(folder).parts[0][0] not in ".@")

    def _note(self, name: str, faults: Sequence[str]) -> None:
        self.faults += [
            f"round {self.counts['rounds']} {self.music.done}: {name}: {fault}" for fault in faults[:3]
        ]

    def _numbers(self, name: str) -> list[int]:
        """Return the numbers of the tracks in a playlist that still exist."""
        known = {str(path): number for path, number in self.music.paths.items()}
        return [known[entry] for entry in self._listed(name) if entry in known]

    def _listed(self, name: str) -> list[str]:
        with suppress(FileNotFoundError):
            return [os.path.normpath(self._lists / entry) for entry in listed(self._file(name))]
        return []

    def _file(self, name: str) -> Path:
        return self._lists / f"{name}.m3u"

    def summary(self) -> str:
        decks = [
            f"{name}: {deck.deals} deals, {deck.dealt} tracks, {deck.rounds} rounds ended"
            for name, deck in self.rounds_of.items()
        ]
        return "\n".join([str(dict(self.counts)), *decks, f"{len(self.faults)} faults", *self.faults[:40]])


@contextmanager
def _full(folder: Path) -> Iterator[None]:
    """Fill the disk of a folder; if it is not a mount point, make the folder read-only."""
    if not os.path.ismount(folder):
        folder.chmod(0o500)
        yield
        folder.chmod(0o700)
        return
    filler = folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    yield
    filler.unlink()


def _run(top: Path, seed: int, tracks: int, deal: int, minutes: float, rounds: int) -> None:
    """Change the library until the time is over, or for a number of rounds; as root, on small disks."""

    def play() -> str:
        folders = (top / "Lists", _state())
        for folder in folders:
            folder.mkdir(parents=True)
            if os.geteuid() == 0:
                subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=True)
        chaos = Chaos(top, seed, tracks, deal)
        try:
            chaos.play(time.monotonic() + 60 * minutes, rounds)
        finally:
            print(f"seed {seed}", chaos.summary(), sep="\n", flush=True)
            shutil.copyfile(chaos.service.log_file, top / "log.txt")
        return "\n".join(chaos.faults)

    assert forked(play, own_mounts=os.geteuid() == 0) == ""


def _state() -> Path:
    return Path(os.environ["XDG_STATE_HOME"]) / "playshuffle"


def test_orders_and_decks_keep_their_guarantees_through_twelve_rounds_of_changes(tmp_path: Path) -> None:
    _run(tmp_path, int(os.environ.get("CHAOS_SEED", "1")), 200, 25, 1.5, 12)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_orders_and_decks_keep_their_guarantees_through_35_minutes_of_changes(tmp_path: Path) -> None:
    seed = int(os.environ.get("CHAOS_SEED") or time.time())
    _run(tmp_path, seed, 3000, 150, float(os.environ.get("CHAOS_MINUTES", "35")), 10**6)
