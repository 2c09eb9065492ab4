"""Show the players: how to use each one, the form of its playlists, and what it cannot play."""

import json
import os
import shlex
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from playshuffle.cli import completion
from playshuffle.cli.screen import Screen, screen_of, shell_path
from playshuffle.cli.streams import say, write_out
from playshuffle.config.own_players import add_own_players, known_player
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.pipeline.default_output import default_output, plain_name
from playshuffle.players.mpd_names import load_name
from playshuffle.players.player import Player
from playshuffle.players.profiles import GENERIC, PLAYERS

_SCHEMA = 1
_WIDTH = 80

EXAMPLES = """\b
Examples:
  playshuffle players vlc                # how to use VLC
  playshuffle make ~/Music --for vlc
  playshuffle make ~/Music --for mpd     # into MPD's playlist folder
  playshuffle make ~/Music --for rockbox --map ~/Music=/Music -o /ipod/all.m3u8
  playshuffle check all.m3u --for mopidy # what it cannot play
"""


def players(
    player: Annotated[
        str | None,
        typer.Argument(
            metavar="[PLAYER]",
            help="Only this player, such as vlc",
            autocompletion=completion.players,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON")] = False,
) -> None:
    """Show how to use each player."""
    if player is None:
        say(fault.text for faults in add_own_players().values() for fault in faults)
    rows = PLAYERS if player is None else {name: PLAYERS[name] for name in [known_player(player)]}
    if as_json:
        lines = iter([_json(rows)])
    elif player is None:
        lines = _table(screen_of(sys.stdout).width or _WIDTH)
    else:
        ((name, row),) = rows.items()
        lines = _profile(name, row, screen_of(sys.stdout))
    write_out([f"{line}\n".encode() for line in lines])


def play_command(player: Player, file: bytes) -> str:
    """Return the shell command with which a player plays a file; empty if it has none."""
    mpd_name = b""
    if player.uses_mpd_conf:
        found = load_name(file)
        if found is None:
            return ""
        mpd_name = found
    return player.play.format(
        file=shell_path(file),
        path=shlex.quote(shown(file)),  # no shell expands `~` behind =
        mpd=shlex.quote(shown(mpd_name)),
    )


def _table(width: int) -> Iterator[str]:
    column = max(map(len, PLAYERS)) + 2
    for name, player in PLAYERS.items():
        for label, text in (
            (name, f"{player.title}: {player.writes_words()}"),
            ("", f"problems: {_problems(player)}"),
            ("", player.proof),
        ):
            yield from textwrap.wrap(
                text, width, initial_indent=f"{label:{column}}", subsequent_indent=" " * (column + 2)
            )


def _profile(name: str, player: Player, screen: Screen) -> Iterator[str]:
    """Show how to write a playlist for a player and how to play it, then what it cannot play."""
    music = os.path.join(os.path.expanduser(b"~"), b"Music")
    command = f"playshuffle make ~/Music{'' if name == GENERIC else f' --for {name}'}"
    try:
        file = default_output(name, music)
    except PlayshuffleError:  # the folders of MPD are not known
        file = os.path.join(music, plain_name(name) + player.suffix)
        command += f" -o {shell_path(file)}"
    yield player.title
    yield from screen.detail("Write", command)
    if command := play_command(player, file):
        yield from screen.detail("Play", command)
    if player.use:
        yield from screen.detail("Use", player.use)
    yield from screen.detail("Form", player.writes_words())
    yield from screen.detail("Problems", _problems(player))
    yield from screen.detail("Known", player.proof)


def _problems(player: Player) -> str:
    return ", ".join(player.loses_words()) or "none"


def _json(players: Mapping[str, Player]) -> str:
    rows = [
        {
            "name": name,
            "title": player.title,
            "suffix": player.suffix.decode(),
            "paths": player.style and player.style.value,
            "extinf": player.extinf,
            "max_per_file": player.part,
            "most_tracks": player.most,
            "longest_line": player.longest,
            "loses": player.loses_words(),
            "is_measured": bool(player.measured),
            "known_from": player.measured or player.source,
        }
        for name, player in players.items()
    ]
    return json.dumps({"schema": _SCHEMA, "players": rows}, indent=2)
