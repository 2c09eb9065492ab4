"""Change a music library at random, as people and programs do, and know which file is which track."""

import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mutagen.id3 import ID3, TALB, TCON, TIT2, TPE1, TRCK, TXXX

from tests.support.program import DATA

ANCHOR = "Anchor.mp3"
_FRAME_BYTES, _FRAME_MS = 72, 72
_FRAME = (DATA / "none.mp3").read_bytes()[-_FRAME_BYTES:]
_LENGTHS = 20_000  # number of different lengths; more than the tracks of any run


@dataclass(frozen=True, slots=True)
class Track:
    """A track as it is now: its file, and its tags."""

    path: Path
    artist: str
    album: str
    position: int
    genre: str
    length_ms: int = 0


def own_audio(number: int, frames: int) -> bytes:
    """Return MP3 frames with audio that no other number has."""
    return b"".join(_FRAME[:-8] + number.to_bytes(4) + frame.to_bytes(4) for frame in range(frames))


class Music:
    """A library with two roots, and folders beside it for files that will return.

    Attributes:
        tracks: tracks in the library, by number.
        outside: tracks that were moved out of it, by number.
        besides: folders for `outside`; they may be below the roots, if the lists omit them.
        roots: in the order of the configuration.
        moves: renames (from, to), in order.
        gone: old paths, in order.
    """

    def __init__(
        self, top: Path, chance: random.Random, count: int, besides: Sequence[str] = ("Beside",)
    ) -> None:
        self._chance = chance
        self.besides = [top / name for name in besides]
        for folder in self.besides:
            folder.mkdir(parents=True)
        self.roots = (top / "Music", top / "Drive")
        self._incoming = self.roots[0] / "Incoming"
        self._incoming.mkdir(parents=True)
        self.roots[1].mkdir()
        self.tracks: dict[int, Track] = {}
        self.outside: dict[int, Track] = {}
        self.done: list[str] = []
        self.moves: list[tuple[bytes, bytes]] = []
        self.gone: list[bytes] = []
        self._count = 0
        self._write(self.roots[0] / ANCHOR, self._new_track())
        for _ in range(count - 1):
            self.add_album_track()

    @property
    def paths(self) -> dict[Path, int]:
        """Return the number of each track by its path."""
        return {track.path: number for number, track in self.tracks.items()}

    def act(self) -> None:
        acts: Sequence[Callable[[], object]] = (
            self.import_files, self.import_files, self.drop, self.retag, self.retag, self.retag_by_copy,
            self.swap, self.swap, self.chain, self.renumber, self.rename_folder, self.rename_files,
            self.replace, self.replace, self.remove, self.move_out, self.bring_back, self.bring_back,
            self.retag_and_swap,
        )  # fmt: skip
        act = self._chance.choice(acts)
        self.done.append(act.__name__)
        act()

    # New files

    def add_album_track(self) -> None:
        """Add a file to some folder of an artist and album."""
        track = self._new_track()
        self._write(self._home(track), track)

    def drop(self) -> None:
        """Add some files outside of artist folders, as a download does."""
        for _ in range(self._some()):
            self._write(self._incoming / f"rip {self._count}.mp3", self._new_track())

    def replace(self) -> None:
        for number in self._sample():
            self._remove(number)
            self.add_album_track()

    def exchange_one(self, root: Path) -> tuple[Path, Path]:
        """Remove a track below a root, and add one there; return both paths."""
        self.done.append("exchange_one")
        number = self._chance.choice(
            [number for number in self._movable() if self.tracks[number].path.is_relative_to(root)]
        )
        old = self.tracks[number].path
        self._remove(number)
        new = self._free(root / f"new {self._count}.mp3")
        self._write(new, self._new_track())
        return old, self.tracks[self._count].path

    # Tags

    def retag(self) -> None:
        """Edit tags in place, as mutagen does."""
        for number in self._sample():
            self._tag(number, self._retagged(self.tracks[number]))

    def retag_by_copy(self) -> None:
        """Write a new file and rename it over the old one, as some editors do."""
        for number in self._sample():
            track = self._retagged(self.tracks[number])
            copy = track.path.with_name(f".{track.path.name}.tmp")
            shutil.copyfile(track.path, copy)
            _write_tags(copy, track)
            copy.rename(track.path)
            self.tracks[number] = track

    # Names

    def import_files(self) -> None:
        """Retag files and move each to the folder of its new artist and album, as beets does."""
        waiting = [number for number, track in self.tracks.items() if track.path.parent == self._incoming]
        for number in (waiting or self._sample())[:100]:
            self._tag(number, self._retagged(self.tracks[number]))
            self._move(number, self._home(self.tracks[number]))

    def swap(self) -> None:
        """Exchange the names of two files, several times."""
        for _ in range(self._some()):
            self._exchange(*self._chance.sample(self._movable(), 2))

    def retag_and_swap(self) -> None:
        """Edit two files and exchange their names; usually one of them gets an old modification time."""
        for _ in range(self._some()):
            two = self._chance.sample(self._movable(), 2)
            for number in two:
                self._tag(number, self._retagged(self.tracks[number]))
            if self._chance.random() < 0.7:
                self._age(self._chance.choice(two))
            self._exchange(*two)

    def chain(self) -> None:
        """Rename each file to the former name of the next; the last one gets a new name."""
        numbers = self._sample(2)
        target = self._free(self.tracks[numbers[0]].path)
        for number in numbers:
            left = self.tracks[number].path
            self._move(number, target)
            target = left

    def renumber(self) -> None:
        """Rename the files of a folder in a cycle, so that each name belongs to another track."""
        folder = self._folder()
        numbers = [number for number in self._movable() if self.tracks[number].path.parent == folder]
        paths = [self.tracks[number].path for number in numbers]
        for number in numbers:
            self._move(number, self._free(self.tracks[number].path.with_name(f"moving {number}.mp3")))
        for number, path in zip(numbers, paths[1:] + paths[:1], strict=True):
            self._move(number, path)

    def rename_folder(self) -> None:
        folder = self._folder()
        target = self._free(folder.with_name(f"Renamed {self._chance.randrange(10**6)}"))
        folder.rename(target)
        self._follow(folder, target)

    def rename_files(self) -> None:
        for folder in sorted({self._folder() for _ in range(3)}):
            for number in self._movable():
                path = self.tracks[number].path
                if path.parent == folder:
                    self._move(
                        number, self._free(path.with_name(f"{self._chance.randrange(100):02} {number}.mp3"))
                    )

    # In and out

    def remove(self) -> None:
        for number in self._sample()[: max(0, len(self.tracks) - 50)]:
            self._remove(number)

    def move_out(self) -> None:
        for number in self._sample():
            track = self.tracks.pop(number)
            track.path.rename(self.beside(number))
            self.gone.append(bytes(track.path))
            self.outside[number] = track

    def bring_back(self) -> None:
        """Move some tracks back to their old paths, or elsewhere if those are taken."""
        for number in [*self.outside][: min(self._some(), 20)]:
            track = self.outside.pop(number)
            path = self._free(track.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            self.beside(number).rename(path)
            self.tracks[number] = replace(track, path=path)

    def beside(self, number: int) -> Path:
        """Return the path of a track while it is not in the library."""
        return self.besides[number % len(self.besides)] / f"{number}.mp3"

    def add_marker(self) -> Path:
        """Add a file that is not among the tracks."""
        path = self._incoming / "marker.mp3"
        path.write_bytes(_FRAME * 10)
        return path

    # Steps

    def _movable(self) -> list[int]:
        return [number for number, track in self.tracks.items() if track.path.name != ANCHOR]

    def _some(self) -> int:
        return self._chance.choice([1, 2, 3, 5, 8, max(8, len(self.tracks) // 30)])

    def _sample(self, least: int = 1) -> list[int]:
        return self._chance.sample(self._movable(), max(least, self._some()))

    def _folder(self) -> Path:
        """Return a folder of tracks, but not a root or the folder for new files."""
        fixed = {*self.roots, self._incoming}
        return self._chance.choice(
            sorted({track.path.parent for track in self.tracks.values()} - fixed) or [self._incoming]
        )

    def _retagged(self, track: Track) -> Track:
        """Return a track with some new tags; artists with many tracks stay the most likely ones."""
        artist, album, genre = self._labels()
        return replace(
            track,
            artist=self._chance.choice([artist, track.artist]),
            album=self._chance.choice([album, track.album]),
            position=self._chance.randrange(1, 20),
            genre=self._chance.choice([genre, track.genre]),
        )

    def _labels(self) -> tuple[str, str, str]:
        artist = min(self._chance.randrange(60), self._chance.randrange(60))
        return f"Artist {artist}", f"Album {self._chance.randrange(3)} of {artist}", f"Genre {artist % 9}"

    def _new_track(self) -> Track:
        self._count += 1
        artist, album, genre = self._labels()
        if self._count % 40 == 0:
            artist = ""
        return Track(Path(), artist, album, self._chance.randrange(1, 20), genre)

    def _home(self, track: Track) -> Path:
        root = self.roots[hash_of(track.album) % 4 == 0]
        folder = root / (track.artist or "Unknown") / track.album
        return self._free(folder / f"{track.position:02} {self._count}.mp3")

    def _free(self, path: Path) -> Path:
        while path.exists():
            path = path.with_name(f"{self._chance.randrange(10**6)} {path.name}"[-60:])
        return path

    def _write(self, path: Path, track: Track) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = self._count
        frames = 20 + number % _LENGTHS
        path.write_bytes(own_audio(number, frames))
        self.tracks[number] = replace(track, path=path, length_ms=frames * _FRAME_MS)
        self._tag(number, self.tracks[number])

    def _tag(self, number: int, track: Track) -> None:
        _write_tags(track.path, track)
        self.tracks[number] = track

    def _age(self, number: int) -> None:
        """Set the modification time of a file back by hours."""
        mtime_s = time.time() - 3600 * self._chance.randrange(1, 1000)
        os.utime(self.tracks[number].path, (mtime_s, mtime_s))

    def _remove(self, number: int) -> None:
        path = self.tracks.pop(number).path
        path.unlink()
        self.gone.append(bytes(path))

    def _move(self, number: int, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        assert not target.exists()
        source = self.tracks[number].path
        source.rename(target)
        self._note_move(source, target)
        self.tracks[number] = replace(self.tracks[number], path=target)

    def _exchange(self, one: int, other: int) -> None:
        first, second = self.tracks[one].path, self.tracks[other].path
        self._move(one, self._free(first.with_name("between.mp3")))
        self._move(other, first)
        self._move(one, second)

    def _note_move(self, source: Path, target: Path) -> None:
        self.moves.append((bytes(source), bytes(target)))
        self.gone.append(bytes(source))

    def _follow(self, old: Path, new: Path) -> None:
        self._note_move(old, new)
        for tracks in (self.tracks, self.outside):
            for number, track in tracks.items():
                if track.path.is_relative_to(old):
                    tracks[number] = replace(track, path=new / track.path.relative_to(old))


def hash_of(text: str) -> int:
    """Return a number that is the same in every process."""
    return sum(text.encode())


def _write_tags(path: Path, track: Track) -> None:
    try:
        tags = ID3(path)
    except Exception:  # noqa: BLE001 - a new file has none
        tags = ID3()
    tags.setall("TPE1", [TPE1(text=track.artist)] if track.artist else [])
    tags.setall("TALB", [TALB(text=track.album)])
    tags.setall("TIT2", [TIT2(text=f"Title {os.path.splitext(path.name)[0]}")])
    tags.setall("TRCK", [TRCK(text=str(track.position))])
    tags.setall("TCON", [TCON(text=track.genre)])
    tags.setall("TXXX", [TXXX(desc="FMPS_RATING", text=str(track.position / 20))])
    tags.save(path)
