"""Connect to a player, and replace its queue."""

import os
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager

from playshuffle.config.model import QueuePlayer
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system import mpd_server
from playshuffle.telling import mpd_queue, mpv_queue, queue_record
from playshuffle.telling.queue import Queue, Told, play, tell
from playshuffle.text import shell_word

_PATIENCE_S = 10  # for the last try to begin
AT_ONCE = (0.0,)
WHILE_STARTING = (0.0, 2.0, 5.0)  # seconds before each try: a player that is starting is ready by then


def tell_player(
    player: QueuePlayer,
    playlist: bytes,
    *,
    socket: str | None = None,
    replace: bool = False,
    any_playlist: bool = True,
    track: bytes | None = None,
    pauses_s: Sequence[float] = AT_ONCE,
) -> Told:
    """Replace the queue of a player with a playlist.

    Args:
        replace: also replace a queue that playshuffle did not make.
        any_playlist: also replace a queue of another playlist.
        pauses_s: before each try to connect.

    Raises:
        PlayshuffleError: the player cannot be reached, or its queue cannot be replaced.
    """
    playlist = os.path.abspath(playlist)
    failure, until_s = "", time.monotonic() + _PATIENCE_S
    with queue_record.only_process(player):
        for pause_s in pauses_s:
            if time.monotonic() + pause_s > until_s:
                break
            time.sleep(pause_s)
            try:
                with _connected(player, socket) as queue:
                    result = tell(player, queue, playlist, replace=replace, any_playlist=any_playlist)
                    if track is not None:
                        play(queue, track)
                    return result
            except OSError as error:
                failure = str(error)
    hint = "Is it running?"
    if player is QueuePlayer.MPV:
        place = mpv_queue.addresses(socket)[0]
        hint = f"Start it with a socket: mpv --idle --input-ipc-server={shell_word(place)}"
    raise PlayshuffleError(f"{player} cannot be reached ({shown(failure)}). {hint}", Exit.MISSING)


def _connected(player: QueuePlayer, socket: str | None) -> AbstractContextManager[Queue]:
    if player is QueuePlayer.MPD:
        return mpd_queue.connected(mpd_server.addresses(os.environ, socket))
    return mpv_queue.connected(mpv_queue.addresses(socket))
