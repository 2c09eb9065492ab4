"""Replace the queue of a running player with a playlist: `playshuffle tell`."""

import os
from typing import Annotated, Any

from playshuffle.cli import completion
from playshuffle.cli.common_options import ConfigFile, Quiet, argument, option
from playshuffle.cli.screen import home_path
from playshuffle.cli.streams import say_error, say_wrapped
from playshuffle.config.configuration import load_if_any, load_named
from playshuffle.config.load import all_lists
from playshuffle.config.model import Config, QueuePlayer
from playshuffle.config.words import find_file, track_names
from playshuffle.errors import Exit, PlayshuffleError, of_all, shown
from playshuffle.playlist.playlist_reader import read
from playshuffle.store import to_tell
from playshuffle.store.records import last_made
from playshuffle.store.state import State
from playshuffle.telling.queue import ForeignQueueError
from playshuffle.telling.tell_player import WHILE_STARTING, tell_player
from playshuffle.text import any_of, counted, known

EXAMPLES = """\b
Examples:
  playshuffle tell mpd                     # with tell = ["mpd"], or last
  playshuffle tell mpd today --replace     # even a queue of your own
  playshuffle tell mpv ~/Music/playshuffle.m3u
  playshuffle tell mpd today --at "Blue Train"   # go on there
  playshuffle tell mpd ~/Music --endless   # music that never ends
"""
_PLAYERS = tuple(player for player in QueuePlayer if player is not QueuePlayer.COMMANDS)


def tell(
    player: Annotated[str | None, argument("mpd|mpv", "The running player", lambda: [*_PLAYERS])] = None,
    playlist: Annotated[
        str | None, argument("[PLAYLIST]", "Name of a list, or its file", completion.lists)
    ] = None,
    replace: Annotated[bool, option("--replace", "Replace a queue of your own, too")] = False,
    at: Annotated[str | None, option("--at TRACK", "Play from this track or number, as 12")] = None,
    socket: Annotated[str | None, option("--socket PATH", "Socket of the player")] = None,
    endless: Annotated[bool, option("--endless", "Add tracks for ever, each once in a round")] = False,
    written: Annotated[
        bool, option("--written", "All playlists the service wrote (used by systemd)")
    ] = False,
    config: ConfigFile = None,
    quiet: Quiet = False,
) -> int:
    """Replace the queue of a running player.

    The current track continues. A queue that playshuffle did not make is not changed.
    """
    if written:
        if player is not None or replace or at is not None or socket is not None:
            raise PlayshuffleError("--written does not work with other arguments.")
        return _tell_written(config, quiet=quiet)
    if endless:
        if player != QueuePlayer.MPD or replace or at is not None:
            raise PlayshuffleError("--endless is for MPD: playshuffle tell mpd LIST --endless")
        from playshuffle.cli.feed_mpd import feed_mpd  # it deals

        feed_mpd(playlist, config, socket, quiet=quiet)
        return Exit.DONE
    if player is None:
        raise PlayshuffleError("Name a player: playshuffle tell mpd, or playshuffle tell mpv.")
    queue_player = QueuePlayer(known("player with a queue", player, _PLAYERS))
    path = _path(queue_player, playlist, config)
    track = None if at is None else _track(path, at)
    text = _tell(queue_player, path, socket=socket, replace=replace, any_playlist=True, track=track)
    if not quiet:
        say_wrapped([text])
    return Exit.DONE


def _path(player: QueuePlayer, playlist: str | None, config: str | None) -> bytes:
    if playlist is not None:
        return find_file(playlist, all_lists(config), player)
    config_file = load_if_any(config)
    if config_file is None:
        return _last_made()
    playlists = config_file.playlists
    candidates = [candidate for candidate in playlists if player in candidate.tell] or playlists
    if len(candidates) > 1:
        choices = any_of([shown(candidate.name) for candidate in candidates])
        raise PlayshuffleError(f"Several playlists are for {player}. Name one: {choices}.")
    if not candidates:
        raise PlayshuffleError(
            "The configuration has no valid playlist. See: playshuffle config check", Exit.CONFIG
        )
    return candidates[0].output


def _track(playlist: bytes, word: str) -> bytes:
    names = track_names([entry.path for entry in read(os.path.realpath(playlist)).entries if entry.path])
    is_number = word.isdecimal() and 0 < int(word) <= len(names.paths)
    index = int(word) - 1 if is_number else names.find(word)
    if index is None:
        count = f" of {len(names.paths):,}" if word.isdecimal() else ""
        text = f"{home_path(playlist)} has no track '{shown(word)}'{count}.{names.near(word)}"
        raise PlayshuffleError(text, Exit.NO_INPUT)
    return names.paths[index]


def _last_made() -> bytes:
    with State(writes=False) as state:
        last = last_made(state)
    if last is None:
        raise PlayshuffleError("No list was made or dealt yet. Name a file.")
    return last


def _tell_written(config: str | None, *, quiet: bool) -> int:
    entries = to_tell.take()
    codes: list[Exit] = []
    try:
        known_config = load_named(config)
    except PlayshuffleError:
        for entry in entries:  # otherwise systemd would start the unit again and again
            to_tell.finish(entry)
        raise
    for entry in entries:
        codes += _tell_entry(known_config, entry, quiet=quiet)
        to_tell.finish(entry)
    return Exit.MISSING if set(codes) == {Exit.MISSING} else of_all(codes)


def _tell_entry(config: Config, entry: bytes, *, quiet: bool) -> list[Exit]:
    codes = []
    written = [playlist for playlist in config.playlists if to_tell.entry_of(playlist.output) == entry]
    for playlist, player in ((wanted, player) for wanted in written for player in wanted.tell):
        if player is QueuePlayer.COMMANDS:
            continue
        try:
            text = _tell(player, playlist.output, any_playlist=False, pauses_s=WHILE_STARTING)
        except ForeignQueueError as error:
            text = str(error)
        except PlayshuffleError as error:
            say_error(f"{playlist.name}: {error}")
            codes.append(error.code)
            continue
        if not quiet:
            say_wrapped([f"{playlist.name}: {text}"])
    return codes


def _tell(player: QueuePlayer, path: bytes, *, any_playlist: bool, **options: Any) -> str:
    result = tell_player(player, path, any_playlist=any_playlist, **options)
    unknown = f"; {counted(result.unknown, 'track')} not in its database" if result.unknown else ""
    if not result.is_changed:
        return f"{player}: the queue is up to date, {counted(result.tracks, 'track')}{unknown}"
    goes_on = ", the current track continues" if result.is_playing and options.get("track") is None else ""
    return f"{player}: the queue now has {counted(result.tracks, 'track')}{goes_on}{unknown}"
