"""Make the music library of the run, and change it as the days go by."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import mutagen.oggvorbis

ARTISTS, TRACKS, NEW, ALBUM = 60, 1000, 50, 12
# Of the number of tracks by the rank of the artist: the first has 145 of 1,000, the last has 5.
_SKEW = 0.8
LARGEST, RENAMED = "Artist 01", 100
# The day of each event. Day 0 is a Monday, and each event is followed by a day of the week, too.
EVENTS = {"new": 10, "missing": 30, "back": 35, "killed": 45, "renamed": 59, "deleted": 80}


def _counts() -> list[int]:
    """Return the number of tracks of each artist."""
    weights = [1 / rank**_SKEW for rank in range(1, ARTISTS + 1)]
    counts = [max(1, int(TRACKS * weight / sum(weights))) for weight in weights]
    for rank in range(TRACKS - sum(counts)):
        counts[rank % ARTISTS] += 1
    return counts


def _tracks() -> list[tuple[str, str, int]]:
    """Return artist, album and number of each track, the new ones last: an album each of five artists."""
    tracks = [
        (f"Artist {rank:02}", f"Album {track // ALBUM + 1:02}", track % ALBUM + 1)
        for rank, count in enumerate(_counts(), 1)
        for track in range(count)
    ]
    return tracks + [(f"Artist {2 + 12 * (n // 10):02}", "New Album", n % 10 + 1) for n in range(NEW)]


def make(folder: Path) -> None:
    """Write `TRACKS` tagged files of 3 s below folder/music, and the new ones below folder/new."""
    parts = folder / "parts"
    parts.mkdir(parents=True)
    subprocess.run(
        [
            "ffmpeg", "-v", "error", "-bitexact", "-f", "lavfi",
            "-i", f"anoisesrc=r=8000:seed=1:amplitude=0.1:d={3 * (TRACKS + NEW) + 2}",
            "-c:a", "libvorbis", "-q:a", "0", "-f", "segment", "-segment_time", "3",
            "-reset_timestamps", "1", parts / "%04d.ogg",
        ],
        check=True,
    )  # fmt: skip
    for number, (artist, album, place) in enumerate(_tracks()):
        top = folder / ("music" if number < TRACKS else "new")
        path = top / artist / album / f"{place:02} Track {number:04}.ogg"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(parts / f"{number:04}.ogg", path)
        tags = mutagen.oggvorbis.OggVorbis(path)
        tags.update(
            {"artist": artist, "album": album, "title": f"Track {number:04}", "tracknumber": str(place)}
        )
        tags.save()
    shutil.rmtree(parts)


class Library:
    """The music folder of one program, with the number of each file. It changes on given days."""

    def __init__(self, source: Path, home: Path) -> None:
        self.folder = home / "music"
        self._new, self._away = source / "new", home / "away"
        shutil.copytree(source / "music", self.folder, copy_function=os.link)
        self.number: dict[str, int] = {}
        self._notice()

    def _notice(self) -> None:
        """Number the files that have none. A file of the run is named by its number."""
        for path in self.folder.rglob("*.ogg"):
            self.number.setdefault(str(path), int(path.stem[-4:]))

    def change(self, day: int, seed: int) -> tuple[list[Path], bool]:
        """Make the changes of a day. Return the files that are new at their paths, and if any has changed."""
        if day not in {*EVENTS.values()}:
            return [], False
        before = set(self.folder.rglob("*.ogg"))
        chance = random.Random(f"{seed} {day}")
        settled = sorted(path for path in before if path.parts[-3] != LARGEST)
        if day == EVENTS["new"]:
            shutil.copytree(self._new, self.folder, dirs_exist_ok=True, copy_function=os.link)
        elif day == EVENTS["missing"]:
            os.rename(self.folder / LARGEST, self._away)
        elif day == EVENTS["back"]:
            os.rename(self._away, self.folder / LARGEST)
        elif day == EVENTS["renamed"]:
            for path in chance.sample(settled, RENAMED):
                path.rename(path.with_name(f"Renamed {path.stem[-4:]}.ogg"))
        elif day == EVENTS["deleted"]:
            for path in chance.sample(settled, 20):
                path.unlink()
        self._notice()
        return sorted(set(self.folder.rglob("*.ogg")) - before), True

    def present(self) -> set[int]:
        """Return the numbers of all tracks, also of tracks in the missing folder."""
        files = [*self.folder.rglob("*.ogg"), *self._away.rglob("*.ogg")]
        return {int(path.stem[-4:]) for path in files}


def artist_of(number: int) -> str:
    """Return the artist of a track."""
    return _ARTISTS[number]


_ARTISTS = [artist for artist, _, _ in _tracks()]
