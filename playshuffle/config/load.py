"""The configuration: TOML -> which playlists are wanted, and which of them are broken."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playshuffle import duration
from playshuffle.config import keys
from playshuffle.config.options import Options, request
from playshuffle.config.toml_file import Document, read
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.mpd_place import default_output
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.target import check_name
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.system import atomic_file as output
from playshuffle.text import known

QUIET, POLL = "2s", "5m"


class Reshuffle(StrEnum):
    """When a playlist is shuffled anew, unless it is told to."""

    NEVER = "never"
    ON_START = "on-start"
    DAILY = "daily"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True)
class Deal:
    """How much is dealt: so many tracks, or so much time; and how often: day, week or run."""

    size: int | None
    time_ms: int | None
    every: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A playlist of the configuration. Its request has an output."""

    name: str
    options: Options
    request: Request
    reshuffle: Reshuffle = Reshuffle.NEVER
    deal: Deal | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """A fault in one playlist, said with file and line; a playlist may have several."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Config:
    """What is wanted.

    path: None if it is from no file. playlists: in the order of the file.
    """

    path: bytes | None
    playlists: tuple[Wanted, ...]
    broken: tuple[Broken, ...] = ()
    quiet_s: float = duration.parse(QUIET) / 1000
    poll_s: float = duration.parse(POLL) / 1000


def places(named: str | None = None) -> list[bytes]:
    """Where the configuration is looked for; where it was named, only there."""
    named = named or os.environ.get("PLAYSHUFFLE_CONFIG") or None
    if named is not None:
        return [os.path.abspath(os.fsencode(named))]
    home = os.fsencode(os.environ.get("XDG_CONFIG_HOME", ""))
    if not os.path.isabs(home):  # counts as unset, says the standard
        home = os.path.expanduser(b"~/.config")
    return [os.path.join(home, b"playshuffle/config.toml"), b"/etc/playshuffle/config.toml"]


def find(named: str | None = None) -> bytes:
    """Find the file of the configuration.

    Args:
        named: what --config said.

    Raises:
        PlayshuffleError: there is none.
    """
    looked = places(named)
    for path in looked:
        if os.path.lexists(path):
            return path
    where = " or ".join(map(shown, looked))
    raise PlayshuffleError(
        f"There is no configuration: {where} does not exist; `playshuffle config init` writes one.",
        Exit.CONFIG,
    )


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
    table = {name: value for name, value in document.table.items() if name != "playlist"}
    for fault in _faults(document, (), table, keys.TOP):
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
    playlists: dict[bytes, Wanted] = {}
    broken = []
    for name, content in tables.items():
        faults = _faults_of(document, name, content)
        if not faults:
            try:
                wanted = _wanted(document, name, content, folders)
                assert wanted.request.output is not None
                _add(document, playlists, output.resolved(wanted.request.output), wanted)
            except PlayshuffleError as error:
                faults = [str(error)]
        broken += [Broken(name, fault) for fault in faults]
    return Config(
        document.path,
        tuple(playlists.values()),
        tuple(broken),
        _seconds(document, table, "quiet", QUIET),
        _seconds(document, table, "poll", POLL),
    )


def _add(document: Document, playlists: dict[bytes, Wanted], path: bytes, wanted: Wanted) -> None:
    """Add a playlist to those of before, by the file that it really is written to."""
    first = playlists.setdefault(path, wanted)
    if first is not wanted:
        at = document.at("playlist", wanted.name, "output")
        raise PlayshuffleError(
            f"{at}: playlist '{shown(wanted.name)}' is written to {shown(path)}, as is playlist"
            f" '{shown(first.name)}'; give one of them another output.",
            Exit.CONFIG,
        )


def _faults(
    document: Document, above: Sequence[str], table: Mapping[str, Any], known_keys: Mapping[str, keys.Key]
) -> list[str]:
    """What is wrong with the names and types of a table."""
    faults = []
    for name, value in table.items():
        key = known_keys.get(name)
        said = keys.unknown(name, known_keys) if key is None else keys.wrong(name, value, key)
        if said is not None:
            faults.append(f"{document.at(*above, name)}: {said}")
    return faults


def _faults_of(document: Document, name: str, content: object) -> list[str]:
    if not isinstance(content, dict):
        at = document.at("playlist", name)
        return [f"{at}: '{shown(name)}' is no playlist; begin one with [playlist.NAME], its keys below."]
    return _faults(document, ("playlist", name), content, keys.PLAYLIST)


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


def _wanted(document: Document, name: str, content: Mapping[str, Any], folders: tuple[bytes, ...]) -> Wanted:
    here = ("playlist", name)
    if "folders" in content:
        folders = _folders(document, here, content)
    if not folders:
        raise PlayshuffleError(
            f"{document.at(*here)}: playlist '{shown(name)}' has no folders; give it some, or write folders"
            " at the top, for all playlists.",
            Exit.CONFIG,
        )
    if "output" in content:
        path = _path(document, (*here, "output"), content["output"])
        try:
            check_name(path)
        except PlayshuffleError as error:
            at = document.at(*here, "output")
            raise PlayshuffleError(f"{at}: output: {keys.in_keys(str(error))}", Exit.CONFIG) from error
    else:
        path = b""

    stem = _file_name(document, name) if not path else b""
    base = {}
    if "relative_to" in content:
        base["relative_to"] = os.fsdecode(_path(document, (*here, "relative_to"), content["relative_to"]))

    def made(given: Mapping[str, Any]) -> Wanted:
        fields = keys.options_of({**given, **{key: base[key] for key in base.keys() & given.keys()}})
        whole = path or default_output(
            known("player", fields.get("player", GENERIC), PLAYERS), folders[0], stem
        )
        options = Options(folders=tuple(map(os.fsdecode, folders)), output=os.fsdecode(whole), **fields)
        word = given.get("reshuffle", Reshuffle.NEVER)
        return Wanted(
            name, options, request(options), Reshuffle(known("reshuffle", word, Reshuffle)), _deal(given)
        )

    try:
        return made(content)
    except PlayshuffleError as error:
        text = str(error)
        # To blame is the last key without which all is right, or at least something else is wrong.
        without = {key: _said(made, content, key) for key in reversed(list(content))}
        blamed = [key for key, said in without.items() if said is None]
        blamed += [key for key, said in without.items() if said not in (None, text)]
        to_blame = blamed[0] if blamed else None
        at = document.at(*here) if to_blame is None else document.at(*here, to_blame)
        said = keys.in_keys(text)
        what = "" if to_blame is None or to_blame in said else f"{to_blame}: "
        raise PlayshuffleError(f"{at}: {what}{said}", Exit.CONFIG) from error


def _said(
    made: Callable[[Mapping[str, Any]], Wanted], content: Mapping[str, Any], without: str
) -> str | None:
    """What is said of a playlist without one of its keys."""
    try:
        made({key: value for key, value in content.items() if key != without})
    except PlayshuffleError as error:
        return str(error)
    return None


def _deal(given: Mapping[str, Any]) -> Deal | None:
    if "deal" not in given:
        if "every" in given:
            raise PlayshuffleError(
                "every says how often a new hand is dealt; it needs a deal, like deal = 40.", Exit.CONFIG
            )
        return None
    for other in ("reshuffle", "limit", "time"):
        if other in given:
            raise PlayshuffleError(
                f"{other} does not go with deal, which is dealt anew, as much as deal says.", Exit.CONFIG
            )
    size = given["deal"]
    every = known("every", given.get("every", "day"), keys.EVERY)
    if isinstance(size, str):
        return Deal(None, duration.parse(size), every)
    if size < 1:
        raise PlayshuffleError("deal takes a number from 1.", Exit.CONFIG)
    return Deal(size, None, every)


def _file_name(document: Document, name: str) -> bytes:
    """The file of a playlist that says nothing of it: it must not lead out of the folder."""
    if not name or "/" in name or name.startswith(".") or shown(name) != name:
        raise PlayshuffleError(
            f"{document.at('playlist', name)}: '{shown(name)}' cannot be the name of a file; rename the"
            " playlist, or give it an output.",
            Exit.CONFIG,
        )
    return name.encode()
