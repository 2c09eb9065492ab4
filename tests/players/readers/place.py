"""Define what the model of a player knows besides the text of a playlist: folders, files and tracks."""

import os
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

BOM = b"\xef\xbb\xbf"
AUDIO = (b".mp3", b".flac", b".ogg", b".opus", b".m4a")


class Place(NamedTuple):
    """What the model of a player knows besides the text of a playlist.

    playlist: path of the playlist.
    exists: returns whether a path is a file or folder.
    music: the player's music folder, or the top folder of a device.
    tracks: all tracks in the library of a server.
    """

    playlist: bytes
    exists: Callable[[bytes], bool]
    music: bytes = b"/"
    tracks: Iterable[bytes] = ()

    @property
    def folder(self) -> bytes:
        """Return the playlist's folder."""
        return os.path.dirname(self.playlist)

    def is_named(self, *suffixes: bytes) -> bool:
        """Return whether the playlist has one of these suffixes, in this letter case."""
        return self.playlist.endswith(suffixes)

    def found(self, *paths: bytes) -> list[bytes]:
        """Return those of the paths that exist, without dot segments."""
        plain = (os.path.normpath(b"/" + path.lstrip(b"/")) for path in paths if b"\0" not in path)
        return [path for path in plain if self.exists(path)]

    def relative(self, entry: bytes, folder: bytes | None = None) -> list[bytes]:
        """Return the existing file of an entry, which may be relative to `folder`, usually the playlist's."""
        return self.found(os.path.join(self.folder if folder is None else folder, entry))


Reader = Callable[[bytes, Place], list[bytes]]

_FILE_URI = re.compile(rb"file://(?:localhost)?(/.*)", re.DOTALL | re.IGNORECASE)


def from_uri(uri: bytes) -> bytes | None:
    """Return the path of a file:// URI; None for any other text."""
    match = _FILE_URI.fullmatch(uri)
    return None if match is None else unquote_to_bytes(match[1])


def as_text(line: bytes) -> str | None:
    """Return a line decoded from UTF-8; None if it is not UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None
