"""Make a folder of real audio files of different sizes, which identify them under any name."""

import os
import time
from pathlib import Path
from typing import Any

from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.request import Request
from tests.support.library import entries
from tests.support.program import DATA

_AUDIO = (DATA / "v24.mp3").read_bytes()


class SizedMusic:
    """Tracks with the numbers 1, 2 and so on, and playlists beside their folder."""

    def __init__(self, top: Path, count: int = 0) -> None:
        self.top = top
        self.folder = top / "Music"
        self.folder.mkdir()
        self._count = 0
        for number in range(1, count + 1):
            self.add(f"{number:03}.mp3")

    def add(self, name: str) -> Path:
        self._count += 1
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_AUDIO + bytes(100 * self._count))
        return path

    def track(self, path: Path) -> int:
        """Return the number of a track; retagging adds less than 100 bytes."""
        return (path.stat().st_size - len(_AUDIO)) // 100

    def retag(self, path: Path) -> None:
        """Edit a file in place, just now, as taggers do."""
        with path.open("ab") as file:
            file.write(b"x")
        os.utime(path, ns=(0, time.time_ns()))

    def request(self, name: str, recipe: Recipe | None = None, **options: Any) -> Request:
        file = os.fsencode(self.top / f"{name}.m3u")
        return Request((os.fsencode(self.folder),), file, recipe or Recipe(), **options)

    def listed(self, name: str) -> list[Path]:
        return [self.top / entry for entry in entries(self.request(name))]

    def tracks(self, name: str) -> list[int]:
        return [self.track(path) for path in self.listed(name)]


def age(path: Path) -> Path:
    """Make a file look as if it was written an hour ago."""
    os.utime(path, (time.time() - 3600, time.time() - 3600))
    return path


def rotate(*paths: Path | bytes) -> None:
    """Rename each file to the name of the next one, and the last one to the name of the first."""
    names = [*map(os.fsencode, paths)]
    between = names[-1] + b".between"
    os.rename(names[-1], between)
    for source, target in zip(names[-2::-1], names[:0:-1], strict=True):
        os.rename(source, target)
    os.rename(between, names[0])
