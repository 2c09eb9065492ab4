"""Find where the playlist of a player is written by default, and its name."""

import os

from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.system import mpd_conf

_NAME = b"playshuffle"


def default_output(player: str, root: bytes, name: bytes | None = None) -> bytes:
    """Return where the playlist of a player is put by default.

    Args:
        player: its name in the table of players.
        root: the first folder of music.
        name: of the file, without a suffix; else each player has one of its own, so that the list
            for one player does not replace that for another.

    Raises:
        PlayshuffleError: it goes to the playlists of MPD, and these cannot be found.
    """
    folder = root
    if PLAYERS[player].uses_mpd_conf:
        folder = mpd_conf.folders()[1]
    return os.path.join(folder, (plain_name(player) if name is None else name) + PLAYERS[player].suffix)


def plain_name(player: str, name: bytes = _NAME) -> bytes:
    """Return the default name of a player's playlist, without folder and suffix."""
    if player == GENERIC or PLAYERS[player].uses_mpd_conf:
        return name
    return b"%b-%b" % (name, player.encode())
