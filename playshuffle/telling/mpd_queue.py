"""Replace the queue of MPD around the playing song.

MPD itself loads a playlist that is in its playlist folder or music folder. Tracks of other playlists are
added by their URIs, in several command lists if there are many.
"""

import contextlib
import os
import re
import select
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import mpd

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.playlist.playlist_reader import read
from playshuffle.system import mpd_server
from playshuffle.system.bounded_socket import BoundedSocket
from playshuffle.system.mpd_conf import load_name
from playshuffle.system.mpd_server import Address
from playshuffle.telling.queue import CONTACT_S, LAST_S, TIMEOUT_S, WAIT_S, ChangedError, Plan, merged
from playshuffle.text import any_of, is_utf8

_MOST_UPDATES = 20  # of single files; an update of everything is faster for more
_UPDATE_S = 600  # MPD's database may be on a slow drive
_PIECE = 500  # URIs that MPD is asked for at once
_LIST_BYTES = 1 << 20  # of a command list, half of what MPD takes by default


CommandError = mpd.CommandError


class _Client(mpd.MPDClient):  # type: ignore[misc]
    """A client that decodes names that are not UTF-8 as Python decodes file names."""

    def wait(self, subsystems: Sequence[str], other: int, seconds: float | None) -> list[str]:
        """Wait until a subsystem changes, another descriptor can be read, or time is over; return changes."""
        self._write_command("idle", subsystems)
        if self.fileno() not in select.select([self.fileno(), other], [], [], seconds)[0]:
            self._write_line("noidle")
        return [line.removeprefix("changed: ") for line in self._read_lines()]

    def _read_line(self) -> Any:
        try:
            return super()._read_line()
        except UnicodeDecodeError as error:
            return os.fsdecode(error.object.rstrip(b"\n"))

    def _connect_unix(self, path: str) -> socket.socket:
        with contextlib.ExitStack() as stack:  # the method of python-mpd2 does not close a refused socket
            connection = stack.enter_context(BoundedSocket(socket.AF_UNIX))
            connection.settimeout(self.timeout)
            connection.connect(path)
            stack.pop_all()
            return connection

    def _connect_tcp(self, host: str, port: int) -> socket.socket:
        connection = BoundedSocket(fileno=super()._connect_tcp(host, port).detach())
        connection.settimeout(self.timeout)
        return connection


class MpdQueue:
    """The queue of an MPD."""

    def __init__(self, client: mpd.MPDClient, address: Address) -> None:
        self.title = f"MPD ({address.text})"
        self.client = client
        self.address = address

    def entries(self) -> list[str]:
        return [str(song).removeprefix("file: ") for song in self.client.playlist()]

    def plan(self, playlist: bytes) -> Plan:
        """Plan the new queue; MPD adds new files to its database first."""
        name, listed = self._listed(playlist)
        missing = [uri for uri, is_known in listed if not is_known]
        # MPD finds only UTF-8 names, and what is in its music folder.
        if missing := [uri for uri in missing if uri.isprintable() and not uri.startswith("/")]:
            self._update(missing)
            name, listed = self._listed(playlist)
        tracks = [uri for uri, is_known in listed if is_known]
        if not tracks:
            raise PlayshuffleError(
                f"{self.title} has none of the tracks of {shown(playlist)} in its database. Does it use the"
                " same music folder?",
                Exit.NO_INPUT,
            )
        status = self._status()
        unknown = len(listed) - len(tracks)
        song = None if status["state"] == "stop" else self.client.currentsong()["file"]
        position, queue = (None, tuple(tracks)) if song is None else merged(song, tracks)
        steps = [queue]
        if not name:
            steps = [step for step, _ in _steps(queue, song)] + steps
        elif position is not None:  # MPD counts all lines of the playlist, even unknown ones
            position = [uri for uri, _ in listed].index(tracks[position])
        song_id = None if song is None else status["songid"]
        return Plan(name, tuple(steps), position, song_id, status["playlist"], unknown)

    def replace(self, plan: Plan) -> None:
        status = self._status()
        if status["playlist"] != plan.version or status.get("songid" if plan.song else "") != plan.song:
            raise ChangedError
        client = self.client
        client.command_list_ok_begin()
        # In its random mode MPD ignores the order of the queue.
        client.random(0)
        if plan.song is None:
            client.clear()
        else:
            position, length = int(status["song"]), int(status["playlistlength"])
            if position + 1 < length:
                client.delete(f"{position + 1}:")
            if position:
                client.delete(f"0:{position}")
        if plan.name:
            if plan.position:
                client.load(plan.name, f"0:{plan.position}", "0")
            client.load(plan.name, *([] if plan.position is None else [f"{plan.position + 1}:"]))
        else:
            song = None if plan.song is None else plan.queues[-1][plan.position or 0]
            for _, added in _steps(plan.queues[-1], song):
                for uri in added:
                    client.add(uri)
                client.command_list_end()
                client.command_list_ok_begin()
            if plan.position:
                client.move(0, plan.position)
        client.command_list_end()

    def play(self, index: int) -> None:
        self.client.play(index)

    def _status(self) -> dict[str, str]:
        """Return the status; near the end of a song, wait until the next one plays."""
        until_s = time.monotonic() + TIMEOUT_S
        while True:
            status: dict[str, str] = self.client.status()
            left_s = float(status.get("duration", "inf")) - float(status.get("elapsed", 0))
            is_ending = left_s < LAST_S + float(status.get("xfade", 0))
            # No song follows the last one of the queue.
            is_last = "nextsong" not in status
            if status["state"] != "play" or not is_ending or is_last or time.monotonic() > until_s:
                return status
            time.sleep(WAIT_S)

    def _listed(self, playlist: bytes) -> tuple[str, list[tuple[str, bool]]]:
        """Return MPD's name of a playlist, if any, and the URI of each track and whether MPD knows it."""
        conf = mpd_server.settings([self.address])
        name = load_name(playlist, conf)
        if name is not None and conf is None:
            name = os.path.splitext(name)[0]
            stored = {listed["playlist"] for listed in self.client.listplaylists()}
            name = name if os.fsdecode(name) in stored else None
        if name is None or not is_utf8(name):
            if conf is None or conf.music is None:
                raise PlayshuffleError(
                    f"{self.title} does not say where its music is, so it can only load a playlist in its"
                    " playlist folder. Write the playlist there.",
                    Exit.NO_INPUT,
                )
            return "", self._known(_uris(playlist, conf.music))
        try:
            songs = self.client.listplaylistinfo(name.decode())
        except mpd.CommandError as error:
            raise PlayshuffleError(
                f"{self.title} cannot read {shown(playlist)}: {shown(str(error))}.", Exit.NO_INPUT
            ) from error
        return name.decode(), [(song["file"], _is_known(song)) for song in songs]

    def _known(self, uris: list[str]) -> list[tuple[str, bool]]:
        self.client.tagtypes("clear")  # answers without tags: there may be 100,000
        are_known, start = [True] * len(uris), 0
        while start < len(uris):
            piece = uris[start : start + _PIECE]
            self.client.command_list_ok_begin()
            for uri in piece:
                self.client.lsinfo(uri)
            try:
                self.client.command_list_end()
            except mpd.CommandError as error:  # it ends at the first one that is not known
                match = re.match(r"\[\d+@(\d+)\]", str(error))
                start += int(match[1]) if match else 0
                are_known[start] = False
                piece = piece[:1]
            start += len(piece)
        return list(zip(uris, are_known, strict=True))

    def _update(self, missing: list[str]) -> None:
        places = sorted({self._place(uri) for uri in missing})
        for place in places if len(places) <= _MOST_UPDATES else [""]:
            self.client.update(place)
        until_s = time.monotonic() + _UPDATE_S
        while "updating_db" in self.client.status() and time.monotonic() < until_s:
            time.sleep(WAIT_S)

    def _place(self, uri: str) -> str:
        """Return the path that MPD must update to find a file: the topmost unknown folder, or its own."""
        parts = uri.split("/")[:-1]
        for folder in accumulate(parts, "{}/{}".format):
            try:
                self.client.lsinfo(folder)
            except mpd.CommandError:
                return folder
        return "/".join(parts) or uri


@contextlib.contextmanager
def connected(places: Sequence[Address]) -> Iterator[MpdQueue]:
    """Connect to the first MPD that answers.

    Raises:
        OSError: none answers.
        PlayshuffleError: MPD refuses a command.
    """
    client = _Client()
    client.timeout = CONTACT_S
    address = _connect(client, places)
    try:
        client.ping()
        client.timeout = TIMEOUT_S
        if address.password is not None:
            client.password(address.password)
        yield MpdQueue(client, address)
    except mpd.CommandError as error:
        raise PlayshuffleError(
            f"MPD ({address.text}) refused the command: {shown(str(error))}.", Exit.LOSSES
        ) from error
    except mpd.MPDError as error:
        raise ConnectionError(str(error)) from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise PlayshuffleError(
            f"MPD ({address.text}) sent an answer that cannot be read: {shown(str(error))}.", Exit.LOSSES
        ) from error
    finally:
        client.disconnect()


def _connect(client: Any, places: Sequence[Address]) -> Address:
    failures = []
    for address in places:
        try:
            client.connect(address.host, address.port)
        except (FileNotFoundError, ConnectionRefusedError):  # it does not run, or not there
            continue
        except (OSError, mpd.MPDError, ValueError) as error:
            failures.append(f"{address.text}: {getattr(error, 'strerror', None) or error}")
        else:
            return address
    raise ConnectionError(
        failures[0] if failures else f"no answer at {any_of([each.text for each in places])}"
    )


def _uris(playlist: bytes, music: bytes) -> list[str]:
    real, top = cache(os.path.realpath), os.path.join(os.path.realpath(music), b"")
    split = [os.path.split(entry.path) for entry in read(os.path.realpath(playlist)).entries if entry.path]
    paths = [os.path.join(real(folder), name) for folder, name in split]
    return [os.fsdecode(path.removeprefix(top)) for path in paths]


def _steps(queue: Sequence[str], song: str | None) -> Iterator[tuple[tuple[str, ...], Sequence[str]]]:
    """Yield, for each command list, the queue after it, and the tracks that it adds."""
    others = list(queue)
    before = () if song is None else (others.pop(others.index(song)),)
    end = 0
    while end < len(others):
        start, size = end, 0
        while end < len(others) and size < _LIST_BYTES:
            size += 2 * len(os.fsencode(others[end])) + 10  # with quotes and escapes
            end += 1
        yield (*before, *others[:end]), others[start:end]


def _is_known(song: Mapping[str, str]) -> bool:
    """Return whether MPD can load a song: it is in the database, or a stream."""
    return "last-modified" in song or "://" in song["file"]
