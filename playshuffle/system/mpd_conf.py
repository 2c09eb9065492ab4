"""Read MPD's music and playlist folders from its configuration, and name playlists as MPD loads them."""

import os
import pwd
import re
from collections.abc import Iterator
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system.xdg import config_home, desktop_music

_SYSTEM = b"/etc/mpd.conf"
_PORT = 6600
WITHOUT = "name the playlist to write"
_LONGEST = 1 << 20  # bytes of a configuration; the example that comes with MPD has 15 KB

# A name, and a value with or without quotes; within quotes, a backslash escapes the next character.
_LINE = (
    rb'(?s)\s*(?P<name>[A-Za-z_]\w*)\s+(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s"\'{#]+))\s*(?:#.*)?$'
)


class MpdConf(NamedTuple):
    """The settings of MPD; None for a folder or file that is not set."""

    path: bytes
    music: bytes | None
    playlists: bytes | None
    stickers: bytes | None = None
    addresses: tuple[bytes, ...] = ()
    port: int = _PORT


def read() -> MpdConf | None:
    """Read the configuration that MPD itself would use; None if none exists."""
    path = next(filter(os.path.exists, places()), None)
    if path is None:
        return None
    settings: dict[bytes, bytes] = {}
    addresses: list[bytes] = []
    for name, value in _settings(path, set()):
        settings.setdefault(name, value)
        if name == b"bind_to_address":
            addresses.append(value)
    user = os.fsdecode(settings[b"user"]) if b"user" in settings else None
    music, playlists, stickers = (
        _expanded(settings[name], user, path) if name in settings else None
        for name in (b"music_directory", b"playlist_directory", b"sticker_file")
    )
    port = settings.get(b"port", b"")
    return MpdConf(
        path,
        _user_music(user, path) if music is None else music,
        playlists,
        stickers,
        tuple(_expanded(address, user, path) for address in addresses),
        int(port) if port.isdigit() else _PORT,
    )


def read_if_possible() -> MpdConf | None:
    """Return the configuration, if this user can read one."""
    try:
        return read()
    except PlayshuffleError:
        return None


def places() -> list[bytes]:
    """Return the paths where MPD looks for its configuration."""
    home = os.path.expanduser(b"~")
    return [
        os.path.join(config_home(), b"mpd/mpd.conf"),
        os.path.join(home, b".mpdconf"),
        os.path.join(home, b".mpd/mpd.conf"),
        _SYSTEM,
    ]


def _settings(path: bytes, seen: set[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the settings outside of blocks, in order, with included files in their place.

    A file in `seen` adds nothing: the first setting of a name counts.
    """
    seen.add(os.path.realpath(path))
    is_block = False
    for line in _content(path).split(b"\n"):
        bare = line.strip()
        if is_block:
            is_block = not bare.startswith(b"}")
        elif re.match(rb"\w+\s*\{", bare):
            is_block = True
        elif (match := re.match(_LINE, line)) is not None:
            name = match["name"].lower()
            value = match["bare"] or re.sub(rb"\\(.)", rb"\1", match["quoted"] or b"", flags=re.DOTALL)
            if name not in (b"include", b"include_optional"):
                yield name, value
                continue
            included = os.path.join(os.path.dirname(path), value)
            is_new = os.path.realpath(included) not in seen
            if is_new and (name == b"include" or os.path.exists(included)):
                yield from _settings(included, seen)


def _content(path: bytes) -> bytes:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(_LONGEST)
    except OSError as error:
        raise PlayshuffleError(
            f"The configuration of MPD, {shown(path)}, cannot be read: {error.strerror}."
            f" Make it readable, or {WITHOUT}.",
            Exit.NO_INPUT,
        ) from error


def _expanded(value: bytes, user: str | None, path: bytes) -> bytes:
    """Expand '~' and '$HOME' as MPD does, to the home of the user that MPD runs as."""
    first, slash, rest = value.partition(b"/")
    if first.startswith(b"~"):
        base = _home(os.fsdecode(first[1:]) or user, path)
    elif first == b"$HOME":
        base = _home(user, path)
    elif first == b"$XDG_MUSIC_DIR":
        base = _user_music(user, path) or value
    elif first == b"$XDG_CONFIG_HOME":
        base = os.environb.get(b"XDG_CONFIG_HOME") or os.path.join(_home(user, path), b".config")
    elif value.startswith(b"/"):
        return os.path.normpath(b"/" + value.lstrip(b"/"))
    else:
        return value  # a URL, or a value that MPD would refuse, too
    return os.path.normpath(os.path.join(base, rest)) if slash else base


def _home(user: str | None, path: bytes) -> bytes:
    if user is None:
        return os.fsencode(os.path.expanduser("~"))
    try:
        return os.fsencode(pwd.getpwnam(user).pw_dir)
    except KeyError:
        raise PlayshuffleError(
            f"{shown(path)} names the user '{shown(user)}', who does not exist here. Correct it, or"
            f" {WITHOUT}.",
            Exit.NO_INPUT,
        ) from None


def _user_music(user: str | None, path: bytes) -> bytes | None:
    home = _home(user, path)
    config = os.environb.get(b"XDG_CONFIG_HOME") if user is None else None
    return desktop_music(config or os.path.join(home, b".config"), home)


def load_name(playlist: bytes, conf: MpdConf | None) -> bytes | None:
    """Return the argument of `mpc load` for a playlist; None if it is outside MPD's folders.

    A stored playlist, always an .m3u, is loaded by its name without suffix; one in the music folder by its
    path there. Without `conf`, the playlist's folder counts as the music folder.
    """
    folder, name = os.path.split(os.path.realpath(playlist))
    if conf is not None and conf.playlists is not None and os.path.realpath(conf.playlists) == folder:
        stem, suffix = os.path.splitext(name)
        return stem if suffix == b".m3u" else None
    if conf is None or conf.music is None:
        return name
    path, music = os.path.join(folder, name), os.path.join(os.path.realpath(conf.music), b"")
    return path.removeprefix(music) if path.startswith(music) else None
