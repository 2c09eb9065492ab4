"""Replace the playlist of mpv around the playing file, through its JSON interface."""

import contextlib
import json
import os
import socket
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.playlist.playlist_reader import read
from playshuffle.system.bounded_socket import BoundedSocket
from playshuffle.telling.queue import CONTACT_S, LAST_S, TIMEOUT_S, WAIT_S, ChangedError, Plan, merged

_SHOWN = 60  # characters of an answer in an error


def addresses(path: str | None = None) -> list[str]:
    """List the possible sockets of mpv; mpv itself has no default."""
    if path is not None:
        return [path]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    usual = [os.path.join(runtime, "mpv.sock"), os.path.join(runtime, "mpv/socket")] if runtime else []
    return [*usual, os.path.expanduser("~/.config/mpv/socket")]


class MpvQueue:
    """The playlist of an mpv."""

    def __init__(self, connection: socket.socket, path: str) -> None:
        self.title = f"mpv ({path})"
        self._connection = connection
        self._answers = connection.makefile("rb")
        self._number = 0

    def entries(self) -> list[str]:
        return [path for path, _ in self._playlist()]

    def plan(self, playlist: bytes) -> Plan:
        """Plan the new queue.

        Raises:
            PlayshuffleError: the playlist cannot be read, or is in a format that mpv does not read.
        """
        if not playlist.endswith((b".m3u", b".m3u8")):
            raise PlayshuffleError(
                f"mpv cannot read {shown(playlist)}. Write an .m3u playlist for it.", Exit.NO_INPUT
            )
        tracks = tuple(
            _path(os.fsdecode(entry.path or entry.text)) for entry in read(os.path.realpath(playlist)).entries
        )
        song = self._song()
        name = os.fsdecode(playlist)
        if song is None:
            return Plan(name, (tracks,), None, None)
        position, queue = merged(song, tracks)
        steps: list[tuple[str, ...]] = [(song,), (song, *tracks)]
        if position is not None:
            steps += [(song, *tracks[:position], *tracks[position + 1 :]), queue]
        return Plan(name, tuple(steps), position, song)

    def replace(self, plan: Plan) -> None:
        """Replace the playlist around the playing file, which is never removed."""
        if self._song() != plan.song:
            raise ChangedError
        if plan.song is None:
            self._ask("stop")
        else:
            self._ask("playlist-clear")
        self._ask("loadlist", plan.name, "append")
        if plan.song is not None and plan.position is not None:
            self._ask("playlist-remove", plan.position + 1)
            # It moves before the entry that is at this index now.
            self._ask("playlist-move", 0, plan.position + 1)

    def play(self, index: int) -> None:
        self._ask("playlist-play-index", index)

    def _song(self) -> str | None:
        """Return the playing file, if any; near the end of a file, wait until the next one plays."""
        until_s = time.monotonic() + TIMEOUT_S
        while True:
            playlist = self._playlist()
            song = next((path for path, is_current in playlist if is_current), None)
            left_s = self._property("time-remaining")
            is_ending = isinstance(left_s, int | float) and left_s <= LAST_S
            is_held = playlist[-1:] == [(song, True)] or self._property("pause") is True
            if song is None or not is_ending or is_held or time.monotonic() > until_s:
                return song
            time.sleep(WAIT_S)

    def _playlist(self) -> list[tuple[str, bool]]:
        """Return the path of each entry, and whether it is the current one."""
        answer = self._ask("get_property", "playlist")
        try:
            entries = [(_path(entry["filename"]), bool(entry.get("current"))) for entry in answer]
            os.fsencode("".join(path for path, _ in entries))  # a path must be one that a file can have
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self._unreadable(answer) from error
        return entries

    def _unreadable(self, answer: object) -> PlayshuffleError:
        text = shown(str(answer)[:_SHOWN])
        return PlayshuffleError(f"{self.title} sent an answer that cannot be read: {text}.", Exit.LOSSES)

    def _property(self, name: str) -> Any:
        with contextlib.suppress(PlayshuffleError):
            return self._ask("get_property", name)
        return None

    def _ask(self, *words: object) -> Any:
        self._number += 1
        request = json.dumps({"command": words, "request_id": self._number}, ensure_ascii=False)
        self._connection.sendall(request.encode("utf-8", "surrogateescape") + b"\n")
        for line in self._answers:  # events come in between
            try:
                answer = json.loads(line.decode("utf-8", "surrogateescape"))
            except (ValueError, RecursionError) as error:
                raise self._unreadable(os.fsdecode(line)) from error
            if not isinstance(answer, dict):
                raise self._unreadable(answer)
            if answer.get("request_id") == self._number and "error" in answer:
                if answer["error"] != "success":
                    raise PlayshuffleError(
                        f"{self.title} refused the command: {shown(str(answer['error']))}.", Exit.LOSSES
                    )
                return answer.get("data")
        raise ConnectionError("mpv closed the connection")


@contextlib.contextmanager
def connected(places: list[str]) -> Iterator[MpvQueue]:
    """Connect to the first mpv that answers.

    Raises:
        OSError: none answers.
        PlayshuffleError: mpv refuses a command.
    """
    failures: defaultdict[str, list[str]] = defaultdict(list)
    with BoundedSocket(socket.AF_UNIX) as connection:
        connection.settimeout(CONTACT_S)
        for path in places:
            try:
                connection.connect(path)
            except OSError as error:
                failures[error.strerror or str(error)].append(path)
            else:
                queue = MpvQueue(connection, path)
                queue.entries()
                connection.settimeout(TIMEOUT_S)
                yield queue
                return
    raise ConnectionError("; ".join(f"{', '.join(paths)}: {why}" for why, paths in failures.items()))


def _path(name: str) -> str:
    if name.startswith("file://"):
        name = os.fsdecode(unquote_to_bytes(name.removeprefix("file://")))
    return name if "://" in name else os.path.normpath(name)
