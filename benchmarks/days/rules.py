"""Simulate the rules of players that no package at hand has, or that need too long: they keep no list."""

import random

from benchmarks.days.listener import Program
from benchmarks.days.music import TRACKS, artist_of


class Rule(Program):
    """A player that chooses each track by a rule. Its memory is by path, so a new name is a new track."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self._last: dict[str, int] = {}  # path, and day of its last play
        self._recent: list[str] = []

    def start(self, day: int) -> None:
        self._day = day
        self._files = sorted(str(path) for path in self.music.rglob("*.ogg"))

    def playing(self) -> str:
        track = random.choice(self.candidates(self._files))
        self._recent.append(track)
        return track

    def candidates(self, files: list[str]) -> list[str]:
        """Return the files from which the rule draws."""
        raise NotImplementedError

    def _artist(self, path: str) -> str:
        return artist_of(self.library.number[path])

    def _rested(self, files: list[str]) -> list[str]:
        """Return the files not played in the days of nine tenths of a round."""
        days = 9 * TRACKS // (10 * self.who.plays)
        return [path for path in files if self._day - self._last.get(path, -days) >= days]

    def next(self) -> None:
        """Do nothing: `playing` chooses the next track."""

    def stop(self, day: int) -> None:
        """Do nothing: the player stays on."""

    def kill(self) -> None:
        """Lose what is in memory alone."""
        self._recent.clear()

    def heard(self, path: str, day: int, *, is_skipped: bool) -> None:
        if not is_skipped:
            self._last[path] = day


class Ashuffle(Rule):
    """Of all tracks but the last seven chosen."""

    def candidates(self, files: list[str]) -> list[str]:
        return [path for path in files if path not in self._recent[-7:]]


class MyMpd(Rule):
    """Of all tracks not played in the last days, by another artist than the last two; see rows.toml."""

    def candidates(self, files: list[str]) -> list[str]:
        artists = {self._artist(path) for path in self._recent[-2:]}
        rested = self._rested(files)
        return [path for path in rested if self._artist(path) not in artists] or rested or files


class Sima(Rule):
    """Of the artist who was not heard for longest, all tracks not played in the last days."""

    def candidates(self, files: list[str]) -> list[str]:
        latest = {self._artist(path): at for at, path in enumerate(self._recent)}
        rested = self._rested(files) or files
        artists = {self._artist(path) for path in rested}
        artist = min(artists, key=lambda artist: (latest.get(artist, -1), random.random()))
        return [path for path in rested if self._artist(path) == artist]

    def kill(self) -> None:
        """Lose nothing: it has a database."""
