"""Replace the queue of MPD in one command list around the playing song.

MPD loads the playlist itself, so the file must be where MPD reads playlists: in its playlist folder, or
in its music folder.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import mpd

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.players.mpd_names import load_name
from playshuffle.system import mpd_conf
from playshuffle.telling.queue import ChangedError, Plan, merged

_TIMEOUT_S = 60
_MOST_UPDATES = 20  # of single files; an update of everything is faster for more
_UPDATE_S = 600  # MPD's database may be on a slow drive
_LAST_S = 1.5  # a song with less time left may end before the queue is replaced
_WAIT_S = 0.1


class Address(NamedTuple):
    """A possible address of MPD: a socket, or a host and its port."""

    host: str
    port: int
    password: str | None = None

    @property
    def text(self) -> str:
        """Return the address without the password."""
        return self.host if self.host[:1] in ("/", "@") else f"{self.host}:{self.port}"


def addresses(environment: Mapping[str, str], socket: str | None = None) -> list[Address]:
    """List the possible addresses of MPD: from the user, or else from its configuration and its defaults."""
    port = environment.get("MPD_PORT", "")
    number = int(port) if port.isdecimal() else 6600
    if socket is not None:
        return [Address(socket, number)]
    host = environment.get("MPD_HOST", "")
    if host:
        password, _, rest = host.rpartition("@") if host[:1] not in ("/", "@") else ("", "", host)
        return [Address(rest, number, password or None)]
    conf = mpd_conf.read_if_possible()
    own = [] if conf is None else [_bound(os.fsdecode(address), conf.port) for address in conf.addresses]
    runtime = environment.get("XDG_RUNTIME_DIR")
    usual = [Address(os.path.join(runtime, "mpd/socket"), number)] if runtime else []
    usual += [Address("/run/mpd/socket", number), Address("localhost", number if conf is None else conf.port)]
    # A socket first: MPD knows the user there, and needs no password.
    return list(dict.fromkeys(sorted([*own, *usual], key=lambda address: address.host[:1] not in "/@")))


def _bound(address: str, port: int) -> Address:
    """Return the address for an entry of bind_to_address."""
    return Address("localhost" if address in ("any", "0.0.0.0", "::", "[::]") else address, port)  # noqa: S104


class _Client(mpd.MPDClient):  # type: ignore[misc]
    """A client that decodes names that are not UTF-8 as Python does file names."""

    def _read_line(self) -> Any:
        try:
            return super()._read_line()
        except UnicodeDecodeError as error:
            return os.fsdecode(error.object.rstrip(b"\n"))


class MpdQueue:
    """The queue of an MPD."""

    def __init__(self, client: mpd.MPDClient, address: Address) -> None:
        self.title = f"MPD ({address.text})"
        self._client = client

    def entries(self) -> list[str]:
        """Return the URIs in the queue."""
        return [str(song).removeprefix("file: ") for song in self._client.playlist()]

    def plan(self, playlist: bytes) -> Plan:
        """Plan the replacement; new files are added to MPD's database first.

        Raises:
            PlayshuffleError: MPD cannot read the playlist, or knows none of its tracks.
        """
        name = self._name(playlist)
        songs = self._songs(name, playlist)
        missing = [song["file"] for song in songs if not _is_known(song)]
        if missing := [uri for uri in missing if uri.isprintable()]:  # MPD finds only UTF-8 names
            self._update(missing)
            songs = self._songs(name, playlist)
        tracks = [song["file"] for song in songs if _is_known(song)]
        if not tracks:
            raise PlayshuffleError(
                f"{self.title} has none of the tracks of {shown(playlist)} in its database. Does it use the"
                " same music folder?",
                Exit.NO_INPUT,
            )
        status = self._status()
        unknown = len(songs) - len(tracks)
        if status["state"] == "stop":
            return Plan(name, (tuple(tracks),), None, None, status["playlist"], unknown)
        position, queue = merged(self._client.currentsong()["file"], tracks)
        if position is not None:  # MPD counts all lines of the playlist, even unknown ones
            position = [song["file"] for song in songs].index(tracks[position])
        return Plan(name, (queue,), position, status["songid"], status["playlist"], unknown)

    def replace(self, plan: Plan) -> None:
        """Carry out a plan in one command list."""
        status = self._status()
        if status["playlist"] != plan.version or status.get("songid" if plan.song else "") != plan.song:
            raise ChangedError
        client = self._client
        client.command_list_ok_begin()
        # In its random mode MPD ignores the order of the queue.
        client.random(0)
        if plan.song is None:
            client.clear()
            client.load(plan.name)
        else:
            position, length = int(status["song"]), int(status["playlistlength"])
            if position + 1 < length:
                client.delete(f"{position + 1}:")
            if position:
                client.delete(f"0:{position}")
            if plan.position:
                client.load(plan.name, f"0:{plan.position}", "0")
            client.load(plan.name, *([] if plan.position is None else [f"{plan.position + 1}:"]))
        client.command_list_end()

    def _status(self) -> dict[str, str]:
        """Return the status, but not near the end of a song, when another one would soon be playing."""
        while True:
            status: dict[str, str] = self._client.status()
            left_s = float(status.get("duration", "inf")) - float(status.get("elapsed", 0))
            is_ending = left_s < _LAST_S + float(status.get("xfade", 0))
            # No song follows the last one of the queue.
            if status["state"] != "play" or not is_ending or "nextsong" not in status:
                return status
            time.sleep(_WAIT_S)

    def _songs(self, name: str, playlist: bytes) -> list[dict[str, str]]:
        try:
            return list(self._client.listplaylistinfo(name))
        except mpd.CommandError as error:
            raise PlayshuffleError(
                f"{self.title} cannot read {shown(playlist)}: {shown(str(error))}.", Exit.NO_INPUT
            ) from error

    def _name(self, playlist: bytes) -> str:
        """Return MPD's name of a playlist."""
        name = load_name(playlist)
        if name is not None and mpd_conf.read_if_possible() is None:
            name = os.path.splitext(name)[0]
            stored = {listed["playlist"] for listed in self._client.listplaylists()}
            name = name if os.fsdecode(name) in stored else None
        with contextlib.suppress(AttributeError, UnicodeDecodeError):
            return name.decode()  # type: ignore[union-attr]
        raise PlayshuffleError(
            f"MPD cannot read {shown(playlist)}, which is in neither its music nor its playlist folder."
            " Write the playlist with --for mpd.",
            Exit.NO_INPUT,
        )

    def _update(self, missing: list[str]) -> None:
        """Let MPD scan for files that it does not know, and wait until it has finished."""
        places = sorted({self._place(uri) for uri in missing})
        for place in places if len(places) <= _MOST_UPDATES else [""]:
            self._client.update(place)
        until_s = time.monotonic() + _UPDATE_S
        while "updating_db" in self._client.status() and time.monotonic() < until_s:
            time.sleep(_WAIT_S)

    def _place(self, uri: str) -> str:
        """Return the folder of a file, or its topmost folder that MPD does not know."""
        parts = uri.split("/")[:-1]
        for end in range(1, len(parts) + 1):
            folder = "/".join(parts[:end])
            try:
                self._client.lsinfo(folder)
            except mpd.CommandError:
                return folder
        return "/".join(parts) or uri


@contextlib.contextmanager
def connected(places: list[Address]) -> Iterator[MpdQueue]:
    """Connect to the first MPD that answers.

    Raises:
        OSError: none answers.
        PlayshuffleError: MPD refuses a command.
    """
    with client_of(places) as (client, address):
        yield MpdQueue(client, address)


@contextlib.contextmanager
def client_of(places: Sequence[Address]) -> Iterator[tuple[mpd.MPDClient, Address]]:
    """Connect to the first MPD that answers; errors of its commands become those of `connected`."""
    client = _Client()
    client.timeout = _TIMEOUT_S
    address = _connect(client, places)
    try:
        if address.password is not None:
            client.password(address.password)
        yield client, address
    except mpd.CommandError as error:
        raise PlayshuffleError(
            f"MPD ({address.text}) refused the command: {shown(str(error))}.", Exit.LOSSES
        ) from error
    except mpd.ConnectionError as error:
        raise ConnectionError(str(error)) from error
    finally:
        client.disconnect()


def _connect(client: Any, places: Sequence[Address]) -> Address:
    failures = []
    for address in places:
        try:
            client.connect(address.host, address.port)
        except (OSError, mpd.ConnectionError) as error:
            failures.append(f"{address.text}: {getattr(error, 'strerror', None) or error}")
        else:
            return address
    raise ConnectionError("; ".join(failures))


def _is_known(song: Mapping[str, str]) -> bool:
    """Return whether a song of a playlist is in the database, or a stream: MPD loads no other."""
    return "last-modified" in song or "://" in song["file"]
