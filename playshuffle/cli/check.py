"""Find broken entries of playlists, and entries that players cannot play: `playshuffle check`."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any

from playshuffle.cli import completion
from playshuffle.cli.common_options import ConfigFile, Json, argument, option
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import Mark, Screen, home_path, screen_of
from playshuffle.cli.streams import print_json, print_lines
from playshuffle.config.known_list import KnownList
from playshuffle.config.load import all_lists
from playshuffle.config.never import follow_tracks
from playshuffle.config.own_players import known_player, value_names
from playshuffle.config.places import never_list
from playshuffle.config.words import find_file
from playshuffle.errors import Exit, shown
from playshuffle.players.check import Checked, FaultKind, Trouble, check_playlist
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist.playlist_reader import Entry
from playshuffle.store.state import State
from playshuffle.system.near_file import near_file
from playshuffle.text import any_of, counted, short, shortened

_ALL = "all"
_Group = tuple[str, str, tuple[int, ...]]  # oddity, cure, lines
_NAMES = 20  # shown names for each oddity

EXAMPLES = """\b
Examples:
  playshuffle check today                             # missing files
  playshuffle check today.m3u --for mopidy --for kodi # what they can't play
  playshuffle check *.m3u --for all                   # all players
"""


def check(
    playlists: Annotated[
        list[str], argument("LIST...", "Names or files; - is standard input", completion.lists)
    ],
    player: Annotated[
        list[str] | None,
        option(
            "--for PLAYER|all",
            "Player to check for. Default: its own",
            complete=lambda: [*value_names("player"), "all"],
        ),
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> Exit:
    """Check that the entries of a playlist work.

    Exit code 1 if an entry is missing or double, or the player cannot play it.
    """
    if not player or _ALL in player:
        value_names("player")  # adds the players of the configuration
    asked = _players(player or ())
    lists = all_lists(config)
    first = asked[0] if asked else GENERIC
    sources = [_source(playlist, lists, first) for playlist in playlists]
    if never_list() in [path for path, _ in sources]:
        with State(writes=False) as state:
            follow_tracks(state)
    with progress_bar(quiet=False) as progress:
        report = partial(progress.report, "Checking entries")
        checked = [check_playlist(path, asked, content, report) for path, content in sources]
    if as_json:
        print_json(*map(_as_json, checked))
    else:
        for result in checked:
            print_lines(_lines(result, screen_of(sys.stdout)))
    has_losses = any(result.faults or (player and any(result.troubles.values())) for result in checked)
    return Exit.LOSSES if has_losses else Exit.DONE


def _players(names: Sequence[str]) -> list[str] | None:
    """Return the players to check for: none for all players, None for the player of each playlist."""
    players = [known_player(name) for name in names if name != _ALL]
    if _ALL in names:
        return []
    return list(dict.fromkeys(players)) or None


def _source(playlist: str, lists: Sequence[KnownList], player: str) -> tuple[bytes, bytes | None]:
    if playlist == "-":
        content = b"" if sys.stdin is None else sys.stdin.buffer.read()
        return os.path.abspath(b"standard-input.m3u"), content
    return find_file(playlist, lists, player), None


def _lines(result: Checked, screen: Screen) -> Iterator[str]:
    number = counted(result.entries, "entry", "entries")
    streams = f", {result.streams:,} of them no local files" if result.streams else ""
    place = home_path(result.path)
    good = [PLAYERS[name].title for name, troubles in result.troubles.items() if not troubles]
    lossy = [PLAYERS[name].title for name, troubles in result.troubles.items() if troubles]
    if result.faults:
        verb = "is" if len(result.faults) == 1 else "are"
        others = ""
        if result.streams:
            others = ", 1 other is not a local file"
        if result.streams > 1:
            others = f", {result.streams:,} others are not local files"
        yield screen.verdict(Mark.BAD, f"{place}: {len(result.faults):,} of {number} {verb} broken{others}")
    elif lossy:
        players = any_of(lossy) if len(lossy) < 4 else counted(len(lossy), "player")
        yield screen.verdict(
            Mark.WARNING, f"{place}: {number}{streams}. {players[0].upper()}{players[1:]} may not play all"
        )
    else:
        works = f". Its paths work with {', '.join(good)}" if good else ""
        exists = "its file exists" if result.entries == 1 else "each file exists once"
        yield screen.verdict(Mark.GOOD, f"{place}: {number}{streams}, {exists}{works}")
    for line in _faults(result):
        yield from screen.hanging(line.lstrip(), "  ")
    missing = [fault.entry.path for fault in result.faults if fault.what is FaultKind.MISSING]
    if len(missing) > 1 and not os.path.lexists(folder := os.path.commonpath(map(os.path.dirname, missing))):
        yield from screen.detail("Problem", f"{home_path(folder)} does not exist. Is its drive mounted?")
    for (what, cure, _), troubles_of in _grouped(result).items():
        first_troubles = next(iter(troubles_of.values()))
        players = any_of(
            [f"{PLAYERS[name].title} {losses[0].versions}".rstrip() for name, losses in troubles_of.items()]
        )
        also = ", or play another file instead" if first_troubles[0].plays_another else ""
        is_whole = first_troubles[0].entry is None
        much = "all entries" if is_whole else f"{len(first_troubles):,} of {result.entries:,}"
        yield from screen.detail("Problem", f"{players} may not play {much}{also}: {what}. To fix: {cure}")
        lines = [trouble.entry for trouble in first_troubles if trouble.entry is not None]
        yield from _indented(f"line {entry.line}: {short(entry.text)}" for entry in lines)
    if good and lossy and not result.faults:
        yield from screen.detail("Works", f"with {', '.join(good)}")


def _faults(result: Checked) -> Iterator[str]:
    for kind in dict.fromkeys(fault.what for fault in result.faults):
        lines: list[str] = []
        for fault in [fault for fault in result.faults if fault.what == kind]:
            remark = f" as in line {fault.first}" if fault.first else ""
            if kind is FaultKind.MISSING and len(lines) < _NAMES:
                remark = _hint(fault.entry)
            lines.append(f"line {fault.entry.line}: {short(fault.entry.text)}: {kind}{remark}")
        yield from _indented(lines)


def _hint(entry: Entry) -> str:
    if entry.text[1:3] == b":\\" or entry.text.startswith(b"\\\\"):
        return " (a Windows path)"
    near = near_file(entry.path)
    if near is None:
        return ""
    if entry.form == "R":
        above = entry.path.removesuffix(os.path.normpath(entry.text))
        near = near.removeprefix(above)
    return f", did you mean {shown(near)}?"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in shortened(list(lines), _NAMES))


def _grouped(result: Checked) -> dict[_Group, dict[str, list[Trouble]]]:
    groups: dict[_Group, dict[str, list[Trouble]]] = {}
    for name, troubles in result.troubles.items():
        by_kind: dict[str, list[Trouble]] = {}
        for trouble in troubles:
            by_kind.setdefault(trouble.what, []).append(trouble)
        for kind, group in by_kind.items():
            lines = tuple(trouble.entry.line for trouble in group if trouble.entry is not None)
            groups.setdefault((kind, group[0].cure, lines), {})[name] = group
    return groups


def _as_json(result: Checked) -> dict[str, Any]:
    return {
        "playlist": os.fsdecode(result.path),
        "entries": result.entries,
        "streams": result.streams,
        "faults": [
            _facts(fault.entry, what=fault.what, first=fault.first or None) for fault in result.faults
        ],
        "players": {
            name: [_facts(**row._asdict()) for row in rows] for name, rows in result.troubles.items()
        },
    }


def _facts(entry: Entry | None, **others: Any) -> dict[str, Any]:
    place = None if entry is None else (entry.line, os.fsdecode(entry.text), os.fsdecode(entry.path))
    return dict(zip(("line", "entry", "path"), place or (None, None, None), strict=True)) | others
