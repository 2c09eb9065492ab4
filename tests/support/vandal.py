"""Change a music folder at random, and return the events."""

import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from playshuffle.watch.debounce import Batch, BatchCollector
from playshuffle.watch.event import Hint, relevant_part
from tests.support.program import DATA


class Vandal:
    """Changes a music folder at random, as people and programs do, and knows which track is which.

    `track_of` maps a path to the number of its track. A renamed file stays the same track, and so does a file
    that replaces another one under its name. A copy is a new track.
    """

    def __init__(self, top: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.music, self.outside = top / "Music", top / "Outside"
        self.music.mkdir()
        self.outside.mkdir()
        self.track_of: dict[Path, int] = {}
        self.collector = BatchCollector(0, 0)
        self.done: list[str] = []
        self.written: set[Path] = set()
        self.renamed: set[Path] = set()
        self.linked: set[Path] = set()  # or were; of several names the first one is listed
        self._count = 0
        for _ in range(6):
            self.create()

    def acts(self) -> list[Callable[[], object]]:
        return [
            self.create, self.create, self.write, self.rename, self.rename, self.change_case, self.replace,
            self.link, self.make_folders, self.move_folder, self.move_out, self.move_in, self.move_in,
            self.remove, self.remove_folder, self.touch, self.copy, self.swap,
        ]  # fmt: skip

    def act(self) -> None:
        act = self.chance.choice(self.acts())
        self.done.append(act.__name__)
        act()

    def files(self) -> list[Path]:
        return sorted(path for path in self.music.rglob("*") if path.is_file() and path.suffix != ".m3u")

    def batch(self, *, is_lost: bool) -> Batch:
        """Return a batch of the events since the last one, or a full scan if the events were lost."""
        # If such a file was written under another name, nobody can know that it is the same.
        several = {path for path in self.track_of if path.exists() and path.stat().st_nlink > 1}
        unknown = self.written & (self.linked | several | (self.renamed if is_lost else {*()}))
        for track in {self.track_of[path] for path in unknown & self.track_of.keys()}:
            new = self._new()
            self.track_of.update({path: new for path, old in self.track_of.items() if old == track})
        if is_lost:
            self.collector = BatchCollector(0, 0)
        for paths in (self.written, self.renamed, self.linked):
            paths.clear()
        batch = None if is_lost else self.collector.take(1)
        return batch or Batch(is_full_scan=True, why="lost" if is_lost else "hourly")

    # Changes

    def create(self) -> None:
        self._put(self._name())

    def write(self) -> None:
        path = self._file()
        with path.open("ab") as file:
            file.write(b"more")
        self._wrote(path)

    def touch(self) -> None:
        path = self._file()
        self._wrote(path)
        mtime_ns = 10**9 * self.chance.choice([0, 1, 8_583_926_400, -5]) + self._new()
        os.utime(path, ns=(0, mtime_ns))

    def close(self) -> None:
        self._hint(None, self._file())

    def rename(self) -> None:
        self._rename(self._file(), self._name())

    def change_case(self) -> None:
        path = self._file()
        self._rename(path, path.with_name(path.name.swapcase()))

    def replace(self) -> None:
        """Replace a file as tag editors do."""
        path = self._file()
        hidden = path.with_name("." + path.name)
        shutil.copyfile(path, hidden)
        if len(links := self._links(path)) > 1:
            self.linked |= links
            self.track_of[path] = self._new()
        hidden.rename(path)
        self._hint(hidden, path)
        self._wrote(path)

    def swap(self) -> None:
        one, other = self._file(), self._file()
        if one != other and not one.samefile(other):
            between = one.with_name("between.mp3")
            for source, target in ((one, between), (other, one), (between, other)):
                self._rename(source, target)

    def copy(self) -> None:
        source, target = self._file(), self._name()
        if not target.exists():
            shutil.copy2(source, target)
            self.track_of[target] = self._new()
            self._hint(None, target)

    def link(self) -> None:
        source, target = self._file(), self._name()
        if not target.exists():
            os.link(source, target)
            self.track_of[target] = self.track_of[source]
            self.linked |= self._links(target)
            self._hint(None, target)

    def make_folders(self) -> None:
        path = self._folder() / f"{self.chance.randrange(4)}/{self.chance.randrange(4)}"
        first = next((one for one in (path.parent, path) if not one.exists()), None)
        path.mkdir(parents=True, exist_ok=True)
        if first is not None:
            self._hint(None, first, is_folder=True)
        self._put(path / f"{self.chance.randrange(4)}.mp3")

    def move_folder(self) -> None:
        source, target = self._folder(), self._folder() / self._new_name()
        if source != self.music and not target.is_relative_to(source):
            self._move(source, target)
            self._hint(source, target, is_folder=True)

    def move_out(self) -> None:
        source = self.chance.choice([self._folder(), self._file()])
        if source != self.music:
            is_folder = source.is_dir()
            # It may come back under another name, without an event.
            self.linked |= {path for path in self.track_of if path == source or path.is_relative_to(source)}
            self._move(source, self.outside / (self._new_name() + source.suffix))
            self._hint(source, None, is_folder=is_folder)

    def move_in(self) -> None:
        away = sorted(self.outside.iterdir())
        if away:
            source = self.chance.choice(away)
            target = self._folder() / (self._new_name() + source.suffix)
            self._move(source, target)
            self._hint(None, target, is_folder=target.is_dir())

    def remove(self) -> None:
        path = self._file()
        self.linked |= self._links(path)
        path.unlink()
        del self.track_of[path]
        self._hint(path, None)

    def remove_folder(self) -> None:
        path = self._folder()
        if path == self.music:
            return
        for file in sorted(path.rglob("*"), reverse=True):
            is_folder = file.is_dir()
            self.linked |= self._links(file)
            file.rmdir() if is_folder else file.unlink()
            self.track_of.pop(file, None)
            self._hint(file, None, is_folder=is_folder)
        path.rmdir()
        self._hint(path, None, is_folder=True)

    # Steps of a change

    def _new(self) -> int:
        self._count += 1
        return self._count

    def _new_name(self) -> str:
        return f"new{self._new()}"

    def _folder(self) -> Path:
        return self.chance.choice([self.music, *sorted(filter(Path.is_dir, self.music.rglob("*")))])

    def _name(self) -> Path:
        return self._folder() / f"{self.chance.choice('aBcDeF')}.mp3"

    def _file(self) -> Path:
        files = self.files()
        return self.chance.choice(files) if files else self._put(self._name())

    def _put(self, path: Path) -> Path:
        if path not in self.track_of:
            self.track_of[path] = self._new()
        shutil.copyfile(DATA / "v24.mp3", path)
        self._wrote(path)
        return path

    def _wrote(self, path: Path) -> None:
        """Report a change of a file. It changes all hard links, but the event has only one name."""
        self.written |= self._links(path)
        os.utime(path, ns=(0, time.time_ns()))  # the kernel's own clock would give two files one time
        self._hint(None, path)

    def _links(self, path: Path) -> set[Path]:
        """Return all names of a file."""
        return {file for file in self.track_of if file.exists() and file.samefile(path)}

    def _rename(self, source: Path, target: Path) -> None:
        if source == target or (target.exists() and source.samefile(target)):
            return  # POSIX: rename() between two links to one file removes neither
        self._move(source, target)
        self._hint(source, target)

    def _move(self, source: Path, target: Path) -> None:
        if len(links := self._links(source)) > 1:
            self.linked |= links
        source.rename(target)
        for path in [path for path in self.track_of if path == source or path.is_relative_to(source)]:
            to = target / path.relative_to(source) if path != source else target
            self.track_of[to] = self.track_of.pop(path)
            self.renamed.add(to)
            for paths in (self.written, self.linked):
                if path in paths:
                    paths.add(to)

    def _hint(self, gone: Path | None, come: Path | None, *, is_folder: bool = False) -> None:
        hint = Hint(_bytes(gone), _bytes(come), is_folder)
        if (matters := relevant_part(hint, os.fsencode(self.music))) is not None:
            self.collector.add(matters, 0)


def _bytes(path: Path | None) -> bytes | None:
    return None if path is None else os.fsencode(path)
