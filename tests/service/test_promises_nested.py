"""Lists over nested, hidden and ignored folders are the truth, whatever changes, and after any kill."""

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support import damage
from tests.support.program import DATA, listed
from tests.support.service import PATIENCE_S, Service, left

pytestmark = pytest.mark.process

# Folders with files: the second line is left out by a list over Music, unless it does without ignore files.
_PLAIN = ("Music", "Music/a", "Music/a/b", "Drive", "Drive/c")
_IGNORED = ("Music/xmas", "Music/spoken/tales")
_HIDDEN = ("Music/.dot", "Music/@eaDir")

# The folders of each list, its settings, and what it leaves out of them.
_LISTS = {
    "all": (("Music", "Drive"), "", (*_IGNORED, *_HIDDEN)),
    "music": (("Music",), "", (*_IGNORED, *_HIDDEN)),
    "sattolo": (("Music", "Drive"), 'order = "sattolo"', (*_IGNORED, *_HIDDEN)),
    "whole": (("Music",), "ignore_files = false", _HIDDEN),
    **{Path(folder).name: ((folder,), "", ()) for folder in ("Music/a", *_IGNORED, *_HIDDEN)},
}
_LEAST = 8  # files in a folder; of most of a list it could be thought that a drive was taken away


class Model:
    """A library, and the service that keeps the lists over it.

    tracks: by path, a number that a file keeps if it is renamed. done: what was changed, for a failure.
    """

    def __init__(self, top: Path, seed: int) -> None:
        self._top = top
        self._chance = random.Random(seed)
        self.tracks: dict[Path, int] = {}
        self.done: list[str] = []
        self._count = 0
        self._orders: dict[str, list[str]] = {}
        self._frame = (DATA / "none.mp3").read_bytes()[-72:]
        for folder in (*_PLAIN, *_IGNORED, *_HIDDEN):
            (top / folder).mkdir(parents=True, exist_ok=True)
            for _ in range(_LEAST + 4):
                self._create(top / folder)
        (top / "Music/.ignore").write_text("xmas\n")
        (top / "Music/spoken/.nomedia").touch()
        self.service = Service(top, self._config())

    def _config(self) -> str:
        text = ""
        for name, (folders, settings, _) in _LISTS.items():
            roots = json.dumps([str(self._top / folder) for folder in folders])
            text += f'[playlist."{name}"]\nfolders = {roots}\n{settings}\n'
            text += f'paths = "absolute"\noutput = "{self._file(name)}"\n'
        return text

    def _file(self, name: str) -> Path:
        return self._top / "Lists" / f"{name}.m3u"

    @property
    def is_drive_here(self) -> bool:
        return (self._top / "Drive").exists()

    def play(self, steps: int) -> None:
        (self._top / "Lists").mkdir()
        with self.service:
            self._check()
            while steps > 0:
                self.done = []
                for _ in range(count := self._chance.randrange(1, 12)):
                    self._act()
                steps -= count
                self._check()
            assert self.service.stop() == 0

    def _act(self) -> None:
        acts: tuple[Callable[[], object], ...] = (
            self.create, self.create, self.remove, self.remove, self.rename, self.rename, self.rename,
            self.swap, self.replace, self.rename_folder,
        )  # fmt: skip
        if self._chance.random() < 0.04:
            acts = (self.kill, self.kill_and_change, self.take_drive_away_or_bring_it_back)
        self._do(acts)
        if self._chance.random() < 0.2:  # so that some changes come while an update runs
            time.sleep(self._chance.random() * 2)

    def _do(self, acts: Sequence[Callable[[], object]]) -> None:
        """Do one of these; a track that leaves a list may be at any position if it returns."""
        self._chance.choice(acts)()
        for name, order in self._orders.items():
            still = {str(number) for number in self._wanted(name).values()}
            self._orders[name] = [track for track in order if track in still]

    def create(self) -> None:
        self._create(self._folder())

    def remove(self) -> None:
        if path := self._spare():
            self.done.append(f"remove {path}")
            path.unlink()
            del self.tracks[path]

    def rename(self) -> None:
        if old := self._spare():
            new = self._folder() / f"renamed {self._next()}.mp3"
            self.done.append(f"rename {old} {new}")
            old.rename(new)
            self.tracks[new] = self.tracks.pop(old)

    def swap(self) -> None:
        one, other = self._chance.sample(sorted(filter(Path.exists, self.tracks)), 2)
        if one.parts[len(self._top.parts)] != other.parts[len(self._top.parts)]:
            return  # another drive
        self.done.append(f"swap {one} {other}")
        between = one.with_name("between.mp3")
        one.rename(between)
        other.rename(one)
        between.rename(other)
        self.tracks[one], self.tracks[other] = self.tracks[other], self.tracks[one]

    def replace(self) -> None:
        """Write another file under the name of one that was just removed."""
        if path := self._spare():
            self.done.append(f"replace {path}")
            path.unlink()
            self._write(path)

    def rename_folder(self) -> None:
        """Rename a folder with a few files, perhaps to where a list does not look."""
        old = next((path for path in self._top.glob("Music/**/folder *") if path.is_dir()), None)
        new = self._chance.choice([self._top / each for each in ("Music", "Music/a", *_IGNORED, *_HIDDEN)])
        new = new / f"folder {self._next()}"
        if old is None:
            new.mkdir()
            for _ in range(3):
                self._create(new)
            return
        self.done.append(f"rename folder {old} {new}")
        old.rename(new)
        for path in [path for path in self.tracks if path.parent == old]:
            self.tracks[new / path.name] = self.tracks.pop(path)

    def kill(self) -> None:
        self.done.append("kill")
        self.service.kill()
        self.service.start()

    def kill_and_change(self) -> None:
        self.done.append("kill and change")
        self.service.kill()
        for _ in range(3):
            self._do((self.create, self.remove, self.rename, self.rename_folder))
        self.service.start()

    def take_drive_away_or_bring_it_back(self) -> None:
        here, away = self._top / "Drive", self._top / "Away"
        self.done.append(f"drive is here: {self.is_drive_here}")
        if self.is_drive_here:
            self._check()  # a change that the service does not see before the drive is gone is not known
            here.rename(away)
        else:
            away.rename(here)

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _folder(self) -> Path:
        folders = [self._top / each for each in (*_PLAIN, *_IGNORED, *_HIDDEN)]
        return self._chance.choice([folder for folder in folders if folder.exists()])

    def _create(self, folder: Path) -> None:
        path = folder / f"{self._next()}.mp3"
        self.done.append(f"create {path}")
        self._write(path)

    def _write(self, path: Path) -> None:
        path.write_bytes(self._frame * (20 + self._next() % 5000))
        stamp = (
            time.time() - 100
        )  # as copied ones have it, so that no update waits for the file to be settled
        os.utime(path, (stamp, stamp))
        self.tracks[path] = self._next()

    def _spare(self) -> Path | None:
        folder = self._folder()
        files = sorted(path for path in self.tracks if path.parent == folder)
        return self._chance.choice(files) if len(files) > _LEAST else None

    def _wanted(self, name: str) -> dict[str, int]:
        roots, _, left_out = _LISTS[name]
        return {
            str(path): number
            for path, number in self.tracks.items()
            if any(path.is_relative_to(self._top / root) for root in roots)
            and not any(path.is_relative_to(self._top / folder) for folder in left_out)
        }

    def _entries(self, name: str) -> list[str]:
        file = self._file(name)
        return listed(file) if file.exists() else []

    def _order(self, name: str) -> list[str] | None:
        """Return the tracks of a list, None as long as it is not what it should be."""
        wanted, entries = self._wanted(name), self._entries(name)
        if sorted(entries) != sorted(wanted):
            return None
        order = [str(wanted[entry]) for entry in entries]
        before = self._orders.get(name, order)
        # The order of a cycle may change where tracks come and go.
        return order if name == "sattolo" or left(before, order) == left(order, before) else None

    def _check(self) -> None:
        """Rename a file of each list and wait until its new name is in it: then all before is in it, too."""
        for (folder, *_), *_ in _LISTS.values():
            for path in [path for path in self.tracks if path.parent == self._top / folder][:1]:
                new = path.with_name(f"{self._next()}.mp3")
                path.rename(new)
                self.tracks[new] = self.tracks.pop(path)
        for name in _LISTS:
            found: list[str] | None = None
            until_s = time.monotonic() + PATIENCE_S
            while found is None and time.monotonic() < until_s:
                time.sleep(0.02)
                found = self._order(name)
            if found is None:
                wrong = sorted({*self._entries(name)} ^ {*self._wanted(name)})
                pytest.fail(f"{name}: {wrong or 'order'} {self.done} {self.service.log[-3000:]}")
            self._orders[name] = found
        lines = self.service.log.splitlines()
        assert not [line for line in lines if damage.STATE_DAMAGED in line or "Traceback" in line]


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("steps", [40, pytest.param(5000, marks=pytest.mark.slow)])
def test_lists_over_nested_folders_are_the_truth_after_any_changes(tmp_path: Path, steps: int) -> None:
    model = Model(tmp_path, seed := int(os.environ.get("CHAOS_SEED", "1")))
    print(f"seed {seed}")
    model.play(steps)
    assert not damage.traces([Path(os.environ["XDG_STATE_HOME"], "playshuffle")])
