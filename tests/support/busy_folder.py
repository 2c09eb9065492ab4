"""Change a music folder at random, and check a playlist of it after any change."""

import os
import random
import shutil
from itertools import combinations
from pathlib import Path

from tests.support.program import DATA, listed

_LONG_AGO = 1_700_000_000


class Changing:
    """A folder whose files are added, removed and renamed; no name is ever used twice.

    A file that is moved away or renamed keeps its inode number, and so its position among the others.

    Args:
        top: parent of the folder, and of another one beside it.
        seed: decides the changes.
        staying: number of files that never change.
        others: number of files that are added and removed.
    """

    def __init__(self, top: Path, seed: int, staying: int = 5, others: int = 7) -> None:
        self.music = top / "Music"
        self.outside = top / "Outside"
        self._chance = random.Random(seed)
        self._file_of: dict[str, int] = {}
        self._pairs: set[tuple[int, int]] = set()
        self._count = 0
        for folder in ("1", "2", "1/3"):
            (self.music / folder).mkdir(parents=True)
        self.outside.mkdir()
        self._staying = [self._make() for _ in range(staying)]
        for _ in range(others):
            self._make()

    def act(self) -> None:
        here = sorted({*self.names()}.difference(self._staying))
        away = sorted(self.outside.iterdir())
        match self._chance.randrange(5):
            case 0 | 1 if here:
                self._come(self.music / self._chance.choice(here))
            case 2 if here:
                self._count += 1
                (self.music / self._chance.choice(here)).rename(self.outside / str(self._count))
            case 3 if away:
                self._come(self._chance.choice(away))
            case _ if len(here) + len(away) < 20:
                self._make()

    def names(self) -> list[str]:
        return sorted(str(path.relative_to(self.music)) for path in self.music.rglob("*.mp3"))

    def check(self, playlist: Path) -> list[str]:
        """Check that a playlist has all unchanged files, and their earlier order. Return its names."""
        text = playlist.read_bytes()
        names = [entry.removeprefix(f"{self.music}/") for entry in listed(playlist)]
        assert text.count(b"#EXTM3U\n") == 1
        assert {*names} <= self._file_of.keys(), "a torn name"
        assert {*self._staying} <= {*names}, "a track is lost"
        files = [self._file_of[name] for name in names]
        # A file that is renamed during a scan may be found under both names, until the next scan.
        twice = {file for file in files if files.count(file) > 1}
        for file in twice:
            there = [name for name in names if self._file_of[name] == file and (self.music / name).exists()]
            assert len(there) <= 1, "a track is there twice"
        self._pairs = {pair for pair in self._pairs if twice.isdisjoint(pair)}
        pairs = {pair for pair in combinations(files, 2) if twice.isdisjoint(pair)}
        assert not {(second, first) for first, second in pairs} & self._pairs, "another order"
        self._pairs |= pairs
        return names

    def _make(self) -> str:
        self._count += 1
        path = self.outside / str(self._count)
        shutil.copyfile(DATA / "v24.mp3", path)
        os.utime(path, (_LONG_AGO, _LONG_AGO + self._count))
        return self._come(path)

    def _come(self, path: Path) -> str:
        self._count += 1
        name = f"{self._chance.choice(['', '1/', '2/', '1/3/'])}{self._count}.mp3"
        self._file_of[name] = path.stat().st_ino
        path.rename(self.music / name)
        return name
