"""Show how to write and play a playlist for a player, and the limits of the player."""

import os
from collections.abc import Iterator

from playshuffle.cli.screen import Screen, shell_path, unbroken
from playshuffle.config.build_request import default_output, plain_name
from playshuffle.errors import PlayshuffleError
from playshuffle.players.player import Player
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.system import mpd_server
from playshuffle.system.mpd_conf import load_name
from playshuffle.text import shell_word


def play_command(player: Player, file: bytes) -> str:
    """Return the shell command that plays a file, or an empty text."""
    mpd_name = b""
    if player.uses_mpd_conf:
        name = load_name(file, mpd_server.settings())
        if name is None:
            return ""
        mpd_name = name
    return player.play.format(
        file=shell_path(file),
        path=shell_word(file),  # the shell does not expand `~` behind =
        mpd=shell_word(mpd_name),
    )


def profile(name: str, screen: Screen) -> Iterator[str]:
    """Return the help on a player."""
    player = PLAYERS[name]
    music = os.path.join(os.path.expanduser(b"~"), b"Music")
    command = f"playshuffle make ~/Music{'' if name == GENERIC else f' --for {name}'}"
    try:
        file = default_output(name, music)
    except PlayshuffleError:  # the folders of MPD are unknown
        file = os.path.join(music, plain_name(name) + player.suffix)
        command += f" -o {shell_path(file)}"
    yield player.title
    yield from screen.detail("Write", command)
    if command := play_command(player, file):
        yield from screen.detail("Play", unbroken(command))
    if player.use:
        yield from screen.detail("Tip", player.use)
    yield from screen.detail("Writes", player.writes_words())
    yield from screen.detail("Problems", ", ".join(player.loses_words()) or "none")
    yield from screen.detail("Known", player.proof)
