"""`playshuffle players`: the table of players -> what is written for each, and what it loses."""

import textwrap
from collections.abc import Iterator
from typing import Annotated

import typer

from playshuffle.cli.streams import write_out

_SCHEMA = 1
_WIDTH = 80

EXAMPLES = """\b
Examples:
  playshuffle make ~/Music --for vlc
  playshuffle make ~/Music --for mpd               # into the playlists of MPD
  playshuffle make ~/Music --for rockbox --root-as /Music -o /media/ipod/all.m3u8
  playshuffle check all.m3u --for mopidy           # which entries would it lose?
"""


def players(
    as_json: Annotated[bool, typer.Option("--json", help="Say it as JSON.")] = False,
) -> None:
    """Say what is written for each player, what it loses, and how that is known."""
    write_out([f"{line}\n".encode() for line in ([_json()] if as_json else _lines())])


def _lines() -> Iterator[str]:
    from playshuffle.players.profiles import PLAYERS

    column = max(map(len, PLAYERS)) + 2
    for name, player in PLAYERS.items():
        loses = player.loses_words()
        for label, text in (
            (name, f"{player.title}: {player.writes_words()}"),
            ("", f"loses {', '.join(loses) if loses else 'nothing'}"),
            ("", player.proof),
        ):
            yield from textwrap.wrap(
                text, _WIDTH, initial_indent=f"{label:{column}}", subsequent_indent=" " * (column + 2)
            )


def _json() -> str:
    import json

    from playshuffle.players.profiles import PLAYERS

    rows = [
        {
            "name": name,
            "title": player.title,
            "suffix": player.suffix.decode(),
            "paths": player.style and player.style.value,
            "extinf": player.extinf,
            "part_size": player.part,
            "most_tracks": player.most,
            "longest_line": player.longest,
            "loses": player.loses_words(),
            "is_measured": bool(player.measured),
            "known_from": player.measured or player.source,
        }
        for name, player in PLAYERS.items()
    ]
    return json.dumps({"schema": _SCHEMA, "players": rows}, indent=2)
