"""Shuffle the songs in Quod Libet in orders of playshuffle that survive a restart.

`playshuffle plugin install quodlibet` copies this file, which runs in the Python of Quod Libet, and imports
only the package `shuffle` of playshuffle.
"""

import importlib.util
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quodlibet import app, get_user_dir
from quodlibet.plugins.playorder import ShufflePlugin

_PACKAGE = ""  # the folder of the package playshuffle: set when this file is installed

if _PACKAGE and "playshuffle" not in sys.modules:
    # Not through sys.path, which would show Quod Libet the other packages of that folder.
    _spec = importlib.util.spec_from_file_location(
        "playshuffle", os.path.join(_PACKAGE, "__init__.py"), submodule_search_locations=[_PACKAGE]
    )
    if _spec is None or _spec.loader is None or not os.path.isdir(_PACKAGE):
        raise ImportError(f"{_PACKAGE} does not exist. Run: playshuffle plugin install quodlibet")
    sys.modules["playshuffle"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["playshuffle"])

from playshuffle import shuffle  # noqa: E402

__all__ = ["AlbumsOrder", "RandomOrder", "SattoloOrder", "SpreadOrder"]

Song = Any
Songs = Mapping[str, Song]
# (song keys in the order of the list, songs by key, song keys as last played) -> new order.
Draw = Callable[[Sequence[str], Songs, Sequence[str]], list[str]]


class Memory:
    """The played and the next songs of this round, saved in a file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.order = ""
        self.played: list[str] = []
        self.upcoming: list[str] = []
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            order, played, upcoming = content["order"], content["played"], content["upcoming"]
            if all(isinstance(key, str) for key in (order, *played, *upcoming)):
                self.order, self.played, self.upcoming = order, played, upcoming
        except (OSError, ValueError, KeyError, TypeError):
            pass  # no file yet, or a damaged one: start a new round

    def save(self) -> None:
        """Replace the file in one step. If that fails, music plays on."""
        content = {"order": self.order, "played": self.played, "upcoming": self.upcoming}
        new = f"{self._path}.new"
        try:
            with open(new, "w", encoding="utf-8") as file:
                file.write(json.dumps(content))
            os.replace(new, self._path)
        except OSError as error:
            print(f"playshuffle: {self._path} can't be written: {error.strerror}", file=sys.stderr)  # noqa: T201

    def visit(self, key: str) -> None:
        for keys in (self.upcoming, self.played):
            if key in keys:
                keys.remove(key)
        self.played.append(key)


class _ShuffleOrder(ShufflePlugin):  # type: ignore[misc]
    """Base class of the orders, which draw an order and insert new songs.

    The underscore in a title is before the letter that selects the order in the menu.
    """

    priority = 210

    def __init_subclass__(cls, *, order: str, title: str) -> None:
        cls.PLUGIN_ID = cls.name = f"playshuffle-{order.lower()}"
        cls.PLUGIN_NAME = f"playshuffle: {order}"
        cls.PLUGIN_DESC += " The order is kept when Quod Libet restarts."
        cls.accelerated_name = f"{title} (playshuffle)"
        cls.display_name = cls.accelerated_name.replace("_", "")

    def __init__(self) -> None:
        super().__init__()
        self._memory = Memory(os.path.join(get_user_dir(), "playshuffle.json"))
        self._playlist: Any = None
        self._rows: dict[str, int] | None = None
        self._songs: dict[str, Song] = {}

    def next(self, playlist: Any, iter: Any) -> Any:  # noqa: A002 - as Quod Libet calls it
        """Return the row of the next song; None at the end of a round."""
        rows = self._update(playlist)
        if iter is not None:
            self._memory.visit(playlist.get_value(iter).key)
        key = next((key for key in self._memory.upcoming if key in rows), None)
        if key is None:
            self._start_round()
        else:
            self._memory.visit(key)
        self._memory.save()
        return None if key is None else playlist.get_iter((rows[key],))

    def previous(self, playlist: Any, iter: Any) -> Any:  # noqa: A002
        """Return the row of the previous song; the current song comes next."""
        rows, played = self._update(playlist), self._memory.played
        if iter is not None and played and played[-1] == playlist.get_value(iter).key:
            self._memory.upcoming.insert(0, played.pop())
        key = next((key for key in reversed(played) if key in rows), None)
        if key is not None:
            self._memory.visit(key)
        self._memory.save()
        return None if key is None else playlist.get_iter((rows[key],))

    def set(self, playlist: Any, iter: Any) -> Any:  # noqa: A002
        if iter is not None:
            self._update(playlist)
            self._memory.visit(playlist.get_value(iter).key)
            self._memory.save()
        return iter

    def reset(self, *_: object) -> None:
        self._rows = None

    def draw(self, keys: list[str], played: list[str]) -> list[str]:
        """Draw a new order; `played` are the songs of the last round."""
        raise NotImplementedError

    def admit(self, order: list[str], new: list[str], first: int) -> list[str]:
        keys, count = [*order, *new], len(order)
        return _permute(keys, shuffle.insert(range(count), range(count, len(keys)), _RANDBELOW, first))

    def repair(self, order: list[str], _first: int) -> list[str]:
        return order

    def _update(self, playlist: Any) -> dict[str, int]:
        if playlist is not self._playlist:  # since 4.6 no reset reports an added or removed row
            self._playlist, self._rows = playlist, None
            for signal in ("row-inserted", "row-deleted", "rows-reordered"):
                playlist.connect(signal, self.reset)
        if self._rows is None:
            songs = playlist.get()
            self._songs = {song.key: song for song in reversed(songs)}
            self._rows = {song.key: row for row, song in reversed(list(enumerate(songs)))}
            self._renew(list(dict.fromkeys(song.key for song in songs)))
        return self._rows

    def _renew(self, keys: list[str]) -> None:
        memory = self._memory
        if memory.order != self.name:  # songs that were played in another order stay played
            memory.order, memory.upcoming = self.name, []
        former = {*memory.played, *memory.upcoming}
        new = [key for key in keys if key not in former]
        upcoming = [key for key in memory.upcoming if key in self._songs]
        hidden = [key for key in memory.upcoming if key not in self._songs]
        last = [key for key in memory.played if key in self._songs][-1:]
        if not upcoming:
            order = [*last, *self.draw(new, [])]
        elif new:
            order = self.admit([*last, *upcoming], new, len(last))
        else:
            order = [*last, *upcoming]
        memory.upcoming = self.repair(order, len(last))[len(last) :] + hidden

    def _start_round(self) -> None:
        memory, songs = self._memory, self._songs
        library = app.library or ()
        played = [key for key in memory.played if key in songs]
        upcoming = self.draw(list(songs), played)
        memory.upcoming = [*upcoming, *(key for key in memory.upcoming if key in library)]
        memory.played = [key for key in memory.played if key not in songs and key in library]


def _permute(keys: Sequence[str], order: Sequence[int]) -> list[str]:
    return [keys[index] for index in order]


def _usual_gap(songs: int) -> int:
    return min(songs // 4, 280)


def _numbers(names: Sequence[str]) -> list[int]:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return [numbers[name] if name else ~index for index, name in enumerate(names)]


def _folded(text: str) -> str:
    """Return the text as `text.folded` does, without differences of case and of Unicode form."""
    composed = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFC", composed.casefold())


class RandomOrder(_ShuffleOrder, order="random", title="Random, _kept"):
    """Every order is equally likely; a new round does not begin with the songs played last."""

    PLUGIN_DESC = "Plays every song once in random order."

    def draw(self, keys: list[str], played: list[str]) -> list[str]:
        index_of = {key: index for index, key in enumerate(keys)}
        soonest = shuffle.soonest_after([index_of[key] for key in played], _usual_gap(len(keys)))
        return _permute(keys, shuffle.not_before(range(len(keys)), soonest, _RANDBELOW))


class SpreadOrder(_ShuffleOrder, order="spread", title="Artists _apart"):
    """Songs by the same artist are far apart."""

    PLUGIN_DESC = "Plays every song once, with the songs of each artist far apart."

    def _artists(self, keys: Sequence[str]) -> list[int]:
        return _numbers([_folded(self._songs[key]("artist").partition("\n")[0].strip()) for key in keys])

    def draw(self, keys: list[str], _played: list[str]) -> list[str]:
        albums = _numbers([_folded(str(self._songs[key].album_key)) for key in keys])
        return _permute(keys, shuffle.spread(range(len(keys)), self._artists(keys), _RANDBELOW, albums))

    def admit(self, order: list[str], new: list[str], first: int) -> list[str]:
        keys, count, artists = [*order, *new], len(order), self._artists([*order, *new])
        added = shuffle.insert_apart(range(count), range(count, len(keys)), artists, _RANDBELOW, first)
        return _permute(keys, added)

    def repair(self, order: list[str], first: int) -> list[str]:
        moved = shuffle.move_apart(range(len(order)), self._artists(order), _RANDBELOW, first)
        return _permute(order, moved)


class AlbumsOrder(_ShuffleOrder, order="albums", title="Al_bums"):
    """Albums in random order, each from its first song to its last."""

    PLUGIN_DESC = "Plays every album once, in random order, each from its first song to its last."
    replaygain_profiles = ("album", "track")

    def _sorted(self, keys: Sequence[str]) -> tuple[list[str], list[int]]:

        def place(key: str) -> tuple[str, int, int, str]:
            song = self._songs[key]
            return album(key), song("~#disc", 0), song("~#track", 0), key

        def album(key: str) -> str:
            song = self._songs[key]
            return _folded(str(song.album_key)) if song("album") else song("~dirname")

        ordered = sorted(keys, key=place)
        return ordered, _numbers([album(key) for key in ordered])

    def draw(self, keys: list[str], _played: list[str]) -> list[str]:
        ordered, albums = self._sorted(keys)
        return _permute(ordered, shuffle.blocks(range(len(ordered)), albums, _RANDBELOW))

    def admit(self, order: list[str], new: list[str], first: int) -> list[str]:
        ordered, albums = self._sorted([*order, *new])
        rank = {key: index for index, key in enumerate(ordered)}
        running, added = ([rank[key] for key in keys] for keys in (order, new))
        return _permute(ordered, shuffle.insert_in_block(running, sorted(added), albums, _RANDBELOW, first))


class SattoloOrder(_ShuffleOrder, order="Sattolo", title="No song at its old _position"):
    """No song has the position that it had in the last round."""

    PLUGIN_DESC = "Plays every song once, and no song at the position that it had in the last round."

    def draw(self, keys: list[str], played: list[str]) -> list[str]:
        """Move every song from its position in the last round; in the first round, in the list."""
        base = played if len(played) == len(keys) else keys
        return _permute(base, shuffle.sattolo(range(len(base)), _RANDBELOW))


_RANDBELOW = shuffle.System()
