"""`playshuffle check`: a playlist -> what is wrong with it, and what each player would lose of it."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playshuffle.cli.streams import write_out
from playshuffle.errors import Exit, PlayshuffleError, shown

if TYPE_CHECKING:
    from playshuffle.players.check import Checked, Trouble

_SCHEMA = 1
_Group = tuple[str, str, tuple[int, ...]]  # what is odd, its cure, the lines
_NAMES = 20  # of one kind that are shown

EXAMPLES = """\b
Examples:
  playshuffle check ~/Music/playshuffle.m3u             # dead and double entries, and all players
  playshuffle check today.m3u --for mopidy --for kodi   # exit code 1 if one of them loses a track
"""


def check(
    playlist: Annotated[
        str, typer.Argument(metavar="FILE.m3u", show_default=False, help="A playlist of any hand.")
    ],
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--for", metavar="PLAYER", help="What reads it: see `playshuffle players`. Default: all."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Say what was found as JSON.")] = False,
) -> None:
    """Check each entry of a playlist: is its file there, once, and does each player find it?

    Exit code 1 for a dead or double entry, and for what a player that was named would lose.
    """
    import json

    from playshuffle.players.check import check as checked
    from playshuffle.players.profiles import GENERIC, PLAYERS
    from playshuffle.text import known

    names = list(dict.fromkeys(known("player", name, PLAYERS) for name in player or ()))
    if GENERIC in names:
        raise PlayshuffleError(f"--for {GENERIC} is no player; leave it away for all of them.", Exit.USAGE)
    if not playlist:
        raise PlayshuffleError("An empty name was given; is a variable of the shell not set?", Exit.USAGE)
    found = checked(os.path.abspath(os.fsencode(playlist)), names)
    said = [json.dumps(_as_json(found), indent=2)] if as_json else _lines(found)
    write_out(f"{line}\n".encode(errors="replace") for line in said)
    if found.faults or (names and any(found.troubles.values())):
        raise typer.Exit(Exit.LOSSES)


def _lines(found: "Checked") -> Iterator[str]:
    from playshuffle.players.profiles import PLAYERS

    streams = f", {found.streams:,} of them no local files" if found.streams else ""
    yield f"{shown(found.path)}: {found.entries:,} {'entry' if found.entries == 1 else 'entries'}{streams}"
    for what in dict.fromkeys(fault.what for fault in found.faults):
        faults = [fault for fault in found.faults if fault.what == what]
        yield f"{what}: {len(faults):,}"
        for fault in faults[:_NAMES]:
            first = f" (as in line {fault.first})" if fault.first else ""
            yield f"  line {fault.entry.line}: {shown(fault.entry.text)}{first}"
        yield from _more(len(faults))
    for (what, cure, _), by in _grouped(found).items():
        some = next(iter(by.values()))
        who = [f"{PLAYERS[name].title} {theirs[0].versions}".rstrip() for name, theirs in by.items()]
        also = "; for these another file may be played" if some[0].plays_another else ""
        much = "all" if some[0].entry is None else f"{len(some):,}"
        yield f"{what}: {much} that {_listed(who)} may lose{also}; {cure}"
        lines = [trouble.entry for trouble in some if trouble.entry is not None]
        yield from (f"  line {entry.line}: {shown(entry.text)}" for entry in lines[:_NAMES])
        yield from _more(len(lines))
    good = [PLAYERS[name].title for name, troubles in found.troubles.items() if not troubles]
    if good:
        yield f"nothing is lost by {', '.join(good)}"


def _grouped(found: "Checked") -> "dict[_Group, dict[str, list[Trouble]]]":
    """What befalls the same entries for the same reason, by player."""
    groups: dict[_Group, dict[str, list[Trouble]]] = {}
    for name, troubles in found.troubles.items():
        mine: dict[str, list[Trouble]] = {}
        for trouble in troubles:
            mine.setdefault(trouble.what, []).append(trouble)
        for what, some in mine.items():
            lines = tuple(trouble.entry.line for trouble in some if trouble.entry is not None)
            groups.setdefault((what, some[0].cure, lines), {})[name] = some
    return groups


def _listed(who: list[str]) -> str:
    return who[0] if len(who) == 1 else f"{', '.join(who[:-1])} or {who[-1]}"


def _more(count: int) -> Iterator[str]:
    if count > _NAMES:
        yield f"  … and {count - _NAMES:,} more"


def _as_json(found: "Checked") -> dict[str, Any]:
    return {
        "schema": _SCHEMA,
        "playlist": os.fsdecode(found.path),
        "entries": found.entries,
        "streams": found.streams,
        "faults": [
            {
                "line": fault.entry.line,
                "entry": os.fsdecode(fault.entry.text),
                "path": os.fsdecode(fault.entry.path),
                "what": fault.what,
                "first": fault.first or None,
            }
            for fault in found.faults
        ],
        "players": {name: [_trouble(trouble) for trouble in some] for name, some in found.troubles.items()},
    }


def _trouble(trouble: "Trouble") -> dict[str, Any]:
    entry = trouble.entry
    return {
        "line": entry and entry.line,
        "entry": entry and os.fsdecode(entry.text),
        "path": entry and os.fsdecode(entry.path),
        "what": trouble.what,
        "versions": trouble.versions,
        "cure": trouble.cure,
        "plays_another": trouble.plays_another,
    }
