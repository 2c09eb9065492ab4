"""Find MPD and its folders, from a running MPD on a local socket or from `mpd.conf`."""

import contextlib
import functools
import itertools
import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.system import mpd_conf
from playshuffle.system.mpd_conf import WITHOUT, MpdConf

_TIMEOUT_S = 2
_MOST_BYTES = 1 << 16  # of an answer


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
    """List the possible addresses of MPD: the user's own, or else the configured and the usual ones."""
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
    return Address("localhost" if address in ("any", "0.0.0.0", "::", "[::]") else address, port)  # noqa: S104


def settings(places: Sequence[Address] | None = None) -> MpdConf | None:
    """Return the folders that a running MPD names, or else its configuration; None if neither can be read."""
    for address in addresses(os.environ) if places is None else places:
        if (named := _named(address)) is not None:
            return named
    return mpd_conf.read_if_possible()


def forget_answers() -> None:
    """Forget the answers of all MPDs. Until then, a process asks each MPD only once."""
    _named.cache_clear()


def playlist_folder() -> bytes:
    """Return MPD's playlist_directory.

    Raises:
        PlayshuffleError: neither a running MPD nor a configuration names it.
    """
    conf = settings() or mpd_conf.read()
    if conf is None:
        candidates = ", ".join(map(shown, mpd_conf.places()))
        raise PlayshuffleError(
            f"Cannot find the configuration of MPD ({candidates}). Start MPD, create it, or {WITHOUT}.",
            Exit.NO_INPUT,
        )
    for name, folder in (("music_directory", conf.music), ("playlist_directory", conf.playlists)):
        if folder is None:
            advice = f"Add it there, or {WITHOUT}" if conf.path.startswith(b"/") else WITHOUT.capitalize()
            raise PlayshuffleError(f"{shown(conf.path)} names no {name}. {advice}.", Exit.NO_INPUT)
        if not folder.startswith(b"/"):
            raise OptionError(
                "{conf}: {name} is '{folder}', which is not a local folder. Name the playlist with {}, and"
                " the folder that MPD sees with the key {} of the configuration.",
                "output",
                "relative_to",
                code=Exit.NO_INPUT,
                conf=conf.path,
                name=name,
                folder=folder,
            )
    assert conf.playlists is not None
    return conf.playlists


@functools.cache  # an MPD that does not answer delays a command by only 2 s
def _named(address: Address) -> MpdConf | None:
    """Return the folders that MPD names; None if it names none."""
    answer = _answer(address)
    music, playlists = answer.get(b"music_directory"), answer.get(b"playlist_directory") or None
    if not music:
        return None
    if playlists is None:  # before MPD 0.24, or it has none
        conf = mpd_conf.read_if_possible()
        if conf and conf.music and os.path.realpath(conf.music) == os.path.realpath(music):
            playlists = conf.playlists
    return MpdConf(os.fsencode(f"MPD at {address.text}"), music, playlists)


def _answer(address: Address) -> dict[bytes, bytes]:
    """Ask MPD for its configuration, which it shows on a local socket only."""
    host = os.fsencode(address.host)
    if not (host.startswith(b"@") or (host.startswith(b"/") and os.path.exists(host))):
        return {}
    import socket

    from playshuffle.system.bounded_socket import BoundedSocket

    request = "config\n"
    if address.password is not None:
        quoted = re.sub(r'(["\\])', r"\\\1", address.password)
        request = f'command_list_begin\npassword "{quoted}"\nconfig\ncommand_list_end\n'
    with contextlib.suppress(OSError), BoundedSocket(socket.AF_UNIX) as connection:
        connection.settimeout(_TIMEOUT_S)
        connection.most_bytes = _MOST_BYTES
        connection.connect(re.sub(b"^@", b"\0", host))
        connection.sendall(os.fsencode(request))
        with connection.makefile("rb") as file:
            lines = itertools.takewhile(lambda line: not re.match(rb"OK\n|ACK", line), file)
            return dict(line.rstrip(b"\n").partition(b": ")[::2] for line in lines)
    return {}
