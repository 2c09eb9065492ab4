"""Check a playlist for missing, duplicate and unreadable entries, and for losses in players."""

import enum
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from playshuffle.errors import PlayshuffleError, shown
from playshuffle.library.listing import is_audio_name
from playshuffle.players.losses import twins
from playshuffle.players.player import Player
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.players.quirks import LIST_QUIRKS, QUIRKS, Quirk, odd_in
from playshuffle.playlist.formats import FORMATS
from playshuffle.playlist.playlist_reader import Entry, Listed, content_of, read_content
from playshuffle.system.regular_file import status_of
from playshuffle.text import any_of

# Which programs find the file of an entry that does not name it exactly.
_TAKERS = {
    "percent": {"vlc", "jellyfin"},
    "windows": {"strawberry", "lms", "rockbox"},
    "latin1": {"vlc"},
    "form": {"navidrome"},
    "case": {"navidrome"},
    "blank": {name for name, player in PLAYERS.items() if "blank" in player.loses},
}


# Oddities at the start of a line that begins with the path.
_BARE: dict[str, Callable[[bytes], bool]] = {
    "colon": lambda line: b":" in line.partition(b"/")[0],
    "blank": lambda line: line[:1].isspace() or line.startswith((b"\xc2\xa0", b"\xef\xbb\xbf")),
    "tilde": lambda line: line.startswith(b"~/"),
    "angle": lambda line: line.startswith(b"<"),
    "letter": lambda line: line[1:2] == b":",
    "drive": lambda line: line[1:3] == b":\\" or line.startswith(b"\\\\"),
}
_REPORT_EVERY = 64  # entries


class FaultKind(enum.StrEnum):
    """What is wrong with an entry, whatever the player."""

    MISSING = "missing"
    FOLDER = "a folder"
    NOT_REGULAR = "not a regular file"
    PLAYLIST = "a playlist itself"
    OTHER_SUFFIX = "not named like audio"
    TWICE = "twice"


class EntryFault(NamedTuple):
    """A broken entry. `first`: if an earlier entry has the same file, the line of that entry."""

    entry: Entry
    what: FaultKind
    first: int = 0


class Trouble(NamedTuple):
    """A problem that some versions of a player have with an entry, or with all entries if `entry` is None."""

    entry: Entry | None
    what: str
    versions: str
    cure: str
    plays_another: bool


class Checked(NamedTuple):
    """The result of checking a playlist.

    Attributes:
        streams: number of entries that are not local files.
    """

    path: bytes
    entries: int
    streams: int
    faults: list[EntryFault]
    troubles: dict[str, list[Trouble]]


def check_playlist(
    path: bytes,
    names: Sequence[str] | None,
    content: bytes | None = None,
    report: Callable[[int, int], None] = lambda *_: None,
) -> Checked:
    """Check each entry of a playlist as the players `names` would read it.

    `names` is None for the player that the playlist was written for, and empty for all players.

    Raises:
        PlayshuffleError: players were named, and the playlist is not M3U.
    """
    playlist = read_content(content_of(path) if content is None else content, path)
    if names is None:
        names = [playlist.player if playlist.player in PLAYERS else GENERIC]
    is_generic = [*names] == [GENERIC]
    if names and not is_generic and not playlist.is_m3u:
        raise PlayshuffleError(
            f"--for checks only M3U playlists, and {shown(path)} has another format. Remove --for."
        )
    local = [entry for entry in playlist.entries if entry.form]
    faults, playable = _faults(local, report)
    all_players = [name for name in PLAYERS if name != GENERIC] if playlist.is_m3u else []
    player_names = [] if is_generic else names or all_players
    troubles = {}
    if player_names:
        plain = [entry for entry in playable if not entry.taken]
        keys = _keys(path, playlist, plain, faults)
        troubles = {name: _troubles(name, path, playlist, playable, faults, keys) for name in player_names}
    return Checked(path, len(playlist.entries), len(playlist.entries) - len(local), faults, troubles)


def _faults(
    entries: Sequence[Entry], report: Callable[[int, int], None]
) -> tuple[list[EntryFault], list[Entry]]:
    faults = []
    playable = []
    first: dict[int, dict[int, int]] = defaultdict(dict)  # lines by inode, by device
    for done, entry in enumerate(entries):
        if not done % _REPORT_EVERY:
            report(done, len(entries))
        status = status_of(entry.path)
        if status is None:
            faults.append(EntryFault(entry, FaultKind.MISSING))
        elif (kind := _wrong_kind(status, entry.path)) is not None:
            faults.append(EntryFault(entry, kind))
        elif (line := first[status.st_dev].setdefault(status.st_ino, entry.line)) != entry.line:
            faults.append(EntryFault(entry, FaultKind.TWICE, line))
        else:
            playable.append(entry)
    return faults, playable


def _wrong_kind(status: os.stat_result, path: bytes) -> FaultKind | None:
    if stat.S_ISREG(status.st_mode):
        if is_audio_name(path[path.rfind(b"/") + 1 :]):
            return None
        is_playlist = os.path.splitext(path)[1].lower() in FORMATS
        return FaultKind.PLAYLIST if is_playlist else FaultKind.OTHER_SUFFIX
    return FaultKind.FOLDER if stat.S_ISDIR(status.st_mode) else FaultKind.NOT_REGULAR


def _keys(
    path: bytes, playlist: Listed, playable: Sequence[Entry], faults: Sequence[EntryFault]
) -> dict[str, list[Entry]]:
    keys: dict[str, list[Entry]] = defaultdict(list)
    names = list(map(_path_text, playable))
    for key in QUIRKS:
        keys[key] = [playable[index] for index in odd_in(names, key)]
    name = os.path.basename(path)
    for entry in playable:
        for key in _line_keys(entry, name):
            keys[key].append(entry)
    keys["folder"] = [fault.entry for fault in faults if fault.what is FaultKind.FOLDER]
    if "headless" in playlist.odd:
        keys["headless"] = [entry for entry in playlist.entries[:1] if entry in playable]
    if "spoilt" in playlist.odd:
        keys["spoilt"] = [entry for entry in playable if not entry.text.isascii()]
    return keys


def _path_text(entry: Entry) -> bytes:
    if entry.form == "U":
        return entry.path
    if entry.form == "A" and not entry.text.startswith(b"/"):  # a drive or a share
        return entry.text.replace(b"\\", b"/")
    return b"./" + entry.text if entry.form == "R" else entry.text


def _line_keys(entry: Entry, playlist: bytes) -> Iterable[str]:
    line = entry.text
    if entry.form == "R":
        yield from (key for key, is_so in _BARE.items() if is_so(line))
    if entry.form in ("R", "D"):
        yield "music"
        if line.removeprefix(b"./") == playlist:
            yield "itself"
    if entry.form != "U" and b"//" in line:
        yield "doubled"
    if entry.form == "U":
        yield "uri"
    if entry.form == "A" and entry.path in (line, os.path.normpath(line)):  # a path of this machine
        yield "device"


def _troubles(
    name: str,
    path: bytes,
    playlist: Listed,
    playable: Sequence[Entry],
    faults: Sequence[EntryFault],
    keys: dict[str, list[Entry]],
) -> list[Trouble]:
    player = PLAYERS[name]
    troubles = [*_lost_as_a_whole(player, path, playlist, faults), *_lost_by_key(player, keys)]
    troubles += [
        _trouble(entry, LIST_QUIRKS[entry.taken])
        for entry in playable
        if entry.taken and (player.like or name) not in _TAKERS[entry.taken]
    ]
    troubles += _lost_at_limits(player, path, playlist, playable)
    others, quirk = not_played(name, [entry.path for entry in playable])
    return [*troubles, *(_trouble(entry, quirk) for entry in playable if entry.path in others)]


def _trouble(
    entry: Entry | None, quirk: Quirk, versions: str = "", *, plays_another: bool = False
) -> Trouble:
    return Trouble(entry, quirk.what, versions, quirk.cure, plays_another)


def _lost_as_a_whole(
    player: Player, path: bytes, playlist: Listed, faults: Sequence[EntryFault]
) -> Iterator[Trouble]:
    list_keys = playlist.odd & {"utf16", "mac", "hls", "empty"}
    if any(fault.what is FaultKind.MISSING for fault in faults):
        list_keys |= {"dead"}
    suffix = os.path.splitext(path)[1]
    if suffix.lower() not in player.loads:
        yield _trouble(None, LIST_QUIRKS["suffix"])
    elif suffix not in player.loads:
        list_keys |= {"capitals"}
    for key in sorted(list_keys):
        if key in player.loses:
            yield _trouble(None, LIST_QUIRKS[key], player.loses[key].versions)


def _lost_by_key(player: Player, keys: dict[str, list[Entry]]) -> Iterator[Trouble]:
    for key, quirk in (QUIRKS | LIST_QUIRKS).items():
        if (lost := player.loses.get(key)) is None:
            continue
        for entry in keys[key]:
            plays_another = lost.plays_another(entry.form)
            # A player that does not unescape loses only the URIs with escapes.
            is_misread = key != "uri" or not plays_another or b"%" in entry.text
            if lost.has(entry.form) and is_misread:
                yield _trouble(entry, quirk, lost.versions, plays_another=plays_another)


def _lost_at_limits(
    player: Player, path: bytes, playlist: Listed, playable: Sequence[Entry]
) -> Iterator[Trouble]:
    is_latin1 = os.path.splitext(path)[1].lower() in player.latin1
    for entry in playable:
        if is_latin1 and not entry.text.isascii():
            yield _trouble(entry, LIST_QUIRKS["codepage"], plays_another=True)
        if player.longest is not None and len(entry.text) > player.longest:
            yield _trouble(entry, Quirk(f"a line of more than {player.longest} bytes", "shorten it"))
    if player.most is not None and len(playlist.entries) > player.most:
        yield _trouble(None, Quirk(f"it reads the first {player.most:,} entries", player.more))
    if player.has_twins:
        for index, twin in twins([entry.path for entry in playable]).items():
            quirk = Quirk(f"only case or Unicode form differs from {shown(twin)}")
            yield _trouble(playable[index], quirk, plays_another=True)


def not_played(name: str, paths: Iterable[bytes]) -> tuple[frozenset[bytes], Quirk]:
    """Return the files whose format a player does not play, and the problem."""
    plays = PLAYERS[name].plays
    others = [path for path in paths if plays and _suffix(path) not in plays]
    if not others:
        return frozenset(), Quirk("")
    counts = Counter(_suffix(path).decode(errors="replace")[1:].upper() for path in others)
    suffixes = ", ".join(f"{count:,} {suffix}" for suffix, count in counts.most_common())
    wanted = any_of([suffix.decode()[1:] for suffix in plays])
    cure = f"make it with --for {name} --where format:{wanted}"
    return frozenset(others), Quirk(f"not {wanted.upper()}, which many need ({suffixes})", cure)


def _suffix(path: bytes) -> bytes:
    return os.path.splitext(path)[1].lower()
