"""Where a player finds a playlist and the files that it names."""

import os
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

BOM = b"\xef\xbb\xbf"
AUDIO = (b".mp3", b".flac", b".ogg", b".opus", b".m4a")


class Place(NamedTuple):
    """What a player knows besides the text of a playlist.

    playlist: its path.
    exists: whether there is a file or folder.
    music: the player's own music folder, or the top of a device.
    tracks: all that a server has found in its library.
    """

    playlist: bytes
    exists: Callable[[bytes], bool]
    music: bytes = b"/"
    tracks: Iterable[bytes] = ()

    @property
    def folder(self) -> bytes:
        """Where the playlist lies."""
        return os.path.dirname(self.playlist)

    def is_named(self, *suffixes: bytes) -> bool:
        """Whether the playlist has one of these suffixes, as they are."""
        return self.playlist.endswith(suffixes)

    def found(self, *paths: bytes) -> list[bytes]:
        """Those that are there, without dot segments."""
        plain = (os.path.normpath(b"/" + path.lstrip(b"/")) for path in paths if b"\0" not in path)
        return [path for path in plain if self.exists(path)]

    def relative(self, entry: bytes, folder: bytes | None = None) -> list[bytes]:
        """The file that an entry names, absolute or relative to the playlist, as it stands."""
        return self.found(os.path.join(self.folder if folder is None else folder, entry))


Reader = Callable[[bytes, Place], list[bytes]]

_FILE_URI = re.compile(rb"file://(?:localhost)?(/.*)", re.DOTALL | re.IGNORECASE)


def from_uri(uri: bytes) -> bytes | None:
    """The path of a file:// URI."""
    match = _FILE_URI.fullmatch(uri)
    return None if match is None else unquote_to_bytes(match[1])


def as_text(line: bytes) -> str | None:
    """A line as UTF-8, if it is."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None
