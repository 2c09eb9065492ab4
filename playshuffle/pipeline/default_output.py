"""Find where the playlist of a player is written by default, and its name."""

import os

from playshuffle.errors import OptionError, shown
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.system import mpd_conf

PLAIN = "playshuffle"  # the name of a playlist that has no other


def default_output(player: str, root: bytes, name: str | None = None, plain: str = PLAIN) -> bytes:
    """Return where the playlist of a player is put by default.

    Args:
        player: its name in the table of players.
        root: the first folder of music.
        name: of the file, without a suffix.
        plain: its name if it has none; each player has one of its own, so that the list for one player
            does not replace that for another.

    Raises:
        PlayshuffleError: the name would lead out of the folder, or cannot be shown; or it goes to the
            playlists of MPD, and these cannot be found.
    """
    if name is not None and (not name or "/" in name or name.startswith(".") or shown(name) != name):
        raise OptionError(
            "'{name}' cannot be the name of a file. Choose another name, or name the file with {}.",
            "output",
            name=name,
        )
    folder = mpd_conf.folders()[1] if PLAYERS[player].uses_mpd_conf else root
    file = plain_name(player, plain) if name is None else os.fsencode(name)
    return os.path.join(folder, file + PLAYERS[player].suffix)


def plain_name(player: str, plain: str = PLAIN) -> bytes:
    """Return the default name of a player's playlist, without folder and suffix."""
    has_own_folder = PLAYERS[player].uses_mpd_conf
    return os.fsencode(plain if player == GENERIC or has_own_folder else f"{plain}-{player}")
