"""Load the configuration: the playlists that it asks for, and what is wrong with the others."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playshuffle import duration
from playshuffle.config import keys
from playshuffle.config.build_request import build_request
from playshuffle.config.options import Options
from playshuffle.config.own_players import TABLE as PLAYER_TABLE
from playshuffle.config.own_players import OwnPlayers, read_players
from playshuffle.config.skip_circles import in_circles
from playshuffle.config.toml_file import Document, read
from playshuffle.dealing.amount import Amount
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.mpd_place import default_output
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.target import check_name
from playshuffle.players.profiles import GENERIC, PLAYERS, set_own_players
from playshuffle.system import atomic_file
from playshuffle.text import known
from playshuffle.watch.debounce import SETTLE_S
from playshuffle.watch.schedule import POLL_S

SETTLE, POLL = f"{SETTLE_S:g}s", f"{POLL_S / 60:g}m"

# What the values of a key name, as in `text.known`.
_NAMED = {"for": "player", "every": "period"}


class Reshuffle(StrEnum):
    """When a playlist is shuffled anew, unless it is told to."""

    NEVER = "never"
    ON_START = "on-start"
    DAILY = "daily"
    WEEKLY = "weekly"


class QueuePlayer(StrEnum):
    """Who is told that a playlist was written: players with a queue, and commands of the user."""

    MPD = "mpd"
    MPV = "mpv"
    COMMANDS = "commands"


@dataclass(frozen=True, slots=True)
class DealSettings:
    """How much is dealt, and how often."""

    amount: Amount
    every: Every


@dataclass(frozen=True, slots=True)
class ConfiguredPlaylist:
    """A playlist of the configuration. Its request has an output."""

    name: str
    options: Options
    request: Request
    reshuffle: Reshuffle = Reshuffle.NEVER
    deal: DealSettings | None = None
    tell: tuple[QueuePlayer, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokenPlaylist:
    """A fault in one playlist, said with file and line; a playlist may have several."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Config:
    """What is wanted.

    path: None if it is from no file. playlists: in the order of the file.
    """

    path: bytes | None
    playlists: tuple[ConfiguredPlaylist, ...]
    broken: tuple[BrokenPlaylist, ...] = ()
    settle_s: float = SETTLE_S
    poll_s: float = POLL_S


def load(path: bytes) -> Config:
    """Read a configuration. What is wrong inside a playlist breaks only that one.

    Raises:
        PlayshuffleError: it cannot be read, or something is wrong outside of the playlists.
    """
    return understand(read(path))


def understand(document: Document) -> Config:
    """Make a configuration of what its file says.

    Raises:
        PlayshuffleError: something is wrong outside of the playlists.
    """
    table = {name: value for name, value in document.table.items() if name not in ("playlist", PLAYER_TABLE)}
    for fault in keys.faults(document, (), table, keys.TOP):
        raise PlayshuffleError(fault, Exit.CONFIG)
    tables = document.table.get("playlist", {})
    if not isinstance(tables, dict):
        raise PlayshuffleError(
            f"{document.at('playlist')}: a playlist is written [playlist.NAME], with its keys below.",
            Exit.CONFIG,
        )
    if not tables:
        raise PlayshuffleError(
            f"{document.at()}: there is no playlist in it; begin one with a line [playlist.NAME].",
            Exit.CONFIG,
        )
    folders = _folders(document, (), table)
    own = read_players(document)
    set_own_players(own.players)
    playlists: dict[bytes, ConfiguredPlaylist] = {}
    broken = [
        BrokenPlaylist(f"{PLAYER_TABLE}.{name}", fault)
        for name, faults in own.faults.items()
        for fault in faults
    ]
    for name, content in tables.items():
        faults = _faults_of(document, name, content)
        if not faults:
            try:
                playlist = _playlist(document, name, content, folders, own)
                assert playlist.request.output is not None
                _add(document, playlists, atomic_file.resolved(playlist.request.output), playlist)
            except PlayshuffleError as error:
                faults = [str(error)]
        broken += [BrokenPlaylist(name, fault) for fault in faults]
    broken += _circles(document, playlists)
    return Config(
        document.path,
        tuple(playlists.values()),
        tuple(broken),
        _seconds(document, table, "settle", SETTLE),
        _seconds(document, table, "poll", POLL),
    )


def _add(
    document: Document, playlists: dict[bytes, ConfiguredPlaylist], path: bytes, playlist: ConfiguredPlaylist
) -> None:
    """Add a playlist to those of before, by the file that it really is written to."""
    first = playlists.setdefault(path, playlist)
    if first is not playlist:
        at = document.at("playlist", playlist.name, "output")
        raise PlayshuffleError(
            f"{at}: playlist '{shown(playlist.name)}' is written to {shown(path)}, as is playlist"
            f" '{shown(first.name)}'; give one of them another output.",
            Exit.CONFIG,
        )


def _circles(document: Document, playlists: dict[bytes, ConfiguredPlaylist]) -> list[BrokenPlaylist]:
    """Remove playlists that omit each other's tracks in a circle."""
    if not any(playlist.request.without for playlist in playlists.values()):
        return []
    circles = in_circles({path: playlist.request for path, playlist in playlists.items()})
    broken = []
    for path, named in circles.items():
        name = playlists.pop(path).name
        at = document.at("playlist", name, "without")
        text = f"{at}: without: {shown(named)} omits the tracks of this playlist, too. Remove one of them."
        broken.append(BrokenPlaylist(name, text))
    return broken


def _faults_of(document: Document, name: str, content: object) -> list[str]:
    if not isinstance(content, dict):
        at = document.at("playlist", name)
        return [f"{at}: '{shown(name)}' is no playlist; begin one with [playlist.NAME], its keys below."]
    return keys.faults(document, ("playlist", name), content, keys.PLAYLIST)


def _seconds(document: Document, table: Mapping[str, Any], name: str, default: str) -> float:
    try:
        return duration.parse(table.get(name, default)) / 1000
    except PlayshuffleError as error:
        raise PlayshuffleError(f"{document.at(name)}: {name}: {error}", Exit.CONFIG) from error


def _folders(document: Document, above: Sequence[str], table: Mapping[str, Any]) -> tuple[bytes, ...]:
    return tuple(_path(document, (*above, "folders"), folder) for folder in table.get("folders", ()))


def _path(document: Document, where: Sequence[str], path: str) -> bytes:
    try:
        return keys.expanded(path, os.path.dirname(document.path))
    except PlayshuffleError as error:
        raise PlayshuffleError(f"{document.at(*where)}: {where[-1]}: {error}", Exit.CONFIG) from error


def _playlist(
    document: Document, name: str, content: Mapping[str, Any], folders: tuple[bytes, ...], own: OwnPlayers
) -> ConfiguredPlaylist:
    table_path = ("playlist", name)
    if "folders" in content:
        folders = _folders(document, table_path, content)
    if not folders:
        raise PlayshuffleError(
            f"{document.at(*table_path)}: playlist '{shown(name)}' has no folders; give it some, or write"
            " folders at the top, for all playlists.",
            Exit.CONFIG,
        )
    if "output" in content:
        path = _path(document, (*table_path, "output"), content["output"])
        try:
            check_name(path)
        except PlayshuffleError as error:
            at = document.at(*table_path, "output")
            raise PlayshuffleError(f"{at}: output: {keys.in_keys(str(error))}", Exit.CONFIG) from error
    else:
        path = b""

    stem = _file_name(document, name) if not path else b""
    base: dict[str, Any] = {}
    if "relative_to" in content:
        base["relative_to"] = os.fsdecode(
            _path(document, (*table_path, "relative_to"), content["relative_to"])
        )
    if "without" in content:
        texts = content["without"]
        lists = [texts] if isinstance(texts, str) else texts
        base["without"] = [os.fsdecode(_path(document, (*table_path, "without"), text)) for text in lists]

    try:
        fields = keys.options_of({**content, **base})
        player = _player(fields.get("player", GENERIC), own)
        if not path:
            path = default_output(player, folders[0], stem)
        options = Options(folders=tuple(map(os.fsdecode, folders)), output=os.fsdecode(path), **fields)
        reshuffle = _known_value("reshuffle", content.get("reshuffle", Reshuffle.NEVER), Reshuffle)
        tell = tuple(
            QueuePlayer(_known_value("tell", player, QueuePlayer)) for player in content.get("tell", ())
        )
        return ConfiguredPlaylist(
            name, options, build_request(options), Reshuffle(reshuffle), _deal(content), tell
        )
    except PlayshuffleError as error:
        text = keys.in_keys(str(error))
        key = next((key for key in map(keys.key_of, error.options) if key in content), None)
        at = document.at(*table_path) if key is None else document.at(*table_path, key)
        prefix = "" if key is None or key in text else f"{key}: "
        raise PlayshuffleError(f"{at}: {prefix}{text}", Exit.CONFIG) from error


def _player(name: str, own: OwnPlayers) -> str:
    if name in own.faults:
        raise PlayshuffleError(f"the player '{shown(name)}' has a mistake.", Exit.CONFIG, ["for"])
    return _known_value("for", name, PLAYERS)


def _known_value(key: str, value: str, values: Iterable[str]) -> str:
    """Return the value of a key if it is one of these.

    Raises:
        PlayshuffleError: it is not; names the key.
    """
    try:
        return known(_NAMED.get(key, key), value, values)
    except PlayshuffleError as error:
        raise PlayshuffleError(str(error), error.code, [key]) from error


def _deal(table: Mapping[str, Any]) -> DealSettings | None:
    if "deal" not in table:
        if "every" in table:
            raise PlayshuffleError(
                "every says how often a new hand is dealt; it needs a deal, like deal = 40.",
                Exit.CONFIG,
                ["every"],
            )
        return None
    for key in ("reshuffle", "limit", "time"):
        if key in table:
            raise PlayshuffleError(
                f"{key} does not go with deal, which is dealt anew, as much as deal says.",
                Exit.CONFIG,
                [key, "deal"],
            )
    size = table["deal"]
    every = Every(_known_value("every", table.get("every", Every.DAY), Every))
    if isinstance(size, str):
        try:
            return DealSettings(Amount(time_ms=duration.parse(size)), every)
        except PlayshuffleError as error:
            raise PlayshuffleError(str(error), error.code, ["deal"]) from error
    if size < 1:
        raise PlayshuffleError("deal takes a number from 1.", Exit.CONFIG, ["deal"])
    return DealSettings(Amount(count=size), every)


def _file_name(document: Document, name: str) -> bytes:
    """The file of a playlist that says nothing of it: it must not lead out of the folder."""
    if not name or "/" in name or name.startswith(".") or shown(name) != name:
        raise PlayshuffleError(
            f"{document.at('playlist', name)}: '{shown(name)}' cannot be the name of a file; rename the"
            " playlist, or give it an output.",
            Exit.CONFIG,
        )
    return name.encode()
