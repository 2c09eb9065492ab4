"""Find the default place of a playlist, and the music folder as playlists stored by MPD see it."""

import contextlib
import os
from collections.abc import Sequence

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.target import Target
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist.path_map import Base

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
        from playshuffle.system import mpd_conf

        folder = mpd_conf.folders()[1]
    return os.path.join(folder, (plain_name(player) if name is None else name) + PLAYERS[player].suffix)


def plain_name(player: str, name: bytes = _NAME) -> bytes:
    """Return the default name of a player's playlist, without folder and suffix."""
    if player == GENERIC or PLAYERS[player].uses_mpd_conf:
        return name
    return b"%b-%b" % (name, player.encode())


def base_of_mpd(roots: Sequence[bytes], target: Target, *, is_absolute: bool) -> Base | None:
    """Its music folder as these roots reach it, for a playlist that lies with those it has stored."""
    from playshuffle.system import mpd_conf  # for this player alone

    conf = mpd_conf.read()
    if conf is None or conf.music is None or conf.playlists is None or not conf.music.startswith(b"/"):
        return None
    if os.path.realpath(conf.playlists) != os.path.dirname(target.path):
        return None
    music = os.path.join(os.path.realpath(conf.music), b"")
    pairs = [pair for root in roots if (pair := _in_music(root, music)) is not None]
    if not pairs:
        raise PlayshuffleError(
            f"MPD cannot play this music, since it is outside of its music folder, {shown(conf.music)}"
            f" ({shown(conf.path)}). Name the playlist with -o, and the folder as MPD sees it with"
            " --replace-prefix FROM=TO.",
            Exit.NO_INPUT,
        )
    within = tuple(root_part for root_part, _ in pairs)
    if is_absolute:  # it compares them, as they stand, with what it was told
        music_folder = os.path.join(conf.music, b"")
        swaps = [(root_part, music_folder + music_part[len(music) :]) for root_part, music_part in pairs]
        return Base(target.folder, tuple(pair for pair in swaps if pair[0] != pair[1]), within)
    if len(roots) == 1:  # by this name or another, the end of the path is mostly the same
        ((root_part, music_part),) = pairs
        below_music = music_part[len(music) :]
        if root_part.endswith(b"/" + below_music):
            return Base(root_part.removesuffix(below_music), (), within)
    return Base(music, tuple(pair for pair in pairs if pair[0] != pair[1]), within)


def _in_music(root: bytes, music: bytes) -> tuple[bytes, bytes] | None:
    """What of a root is in the music of MPD: its path here, and its real path there."""
    root_path, real = os.path.join(root, b""), os.path.join(os.path.realpath(root), b"")
    if music.startswith(real):
        return root_path + music[len(real) :], music
    if real.startswith(music):
        return root_path, real
    with contextlib.suppress(OSError), os.scandir(music) as entries:  # many link their music there
        for entry in entries:
            linked = os.path.join(os.path.realpath(entry.path), b"") if entry.is_symlink() else b""
            if linked and real.startswith(linked):
                return root_path, os.path.join(entry.path, b"") + real[len(linked) :]
    return None
