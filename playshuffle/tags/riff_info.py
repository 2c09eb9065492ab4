"""Read the INFO tags of a WAV file, which mutagen leaves out."""

from collections.abc import Iterator
from typing import BinaryIO

_MOST_CHUNKS = 1000
_LONGEST_LIST = 64 * 1024  # bytes that are read of it

# The names in the file, and those of the same tags in Vorbis comments.
_NAMES = {
    b"INAM": "title",
    b"IART": "artist",
    b"IPRD": "album",
    b"IGNR": "genre",
    b"ICRD": "date",
    b"ITRK": "tracknumber",
    b"IPRT": "tracknumber",
    b"ICMT": "comment",
}


def read_info_texts(file: BinaryIO) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each INFO tag of a WAV file."""
    place = 12
    for _ in range(_MOST_CHUNKS):
        file.seek(place)
        header = file.read(8)
        if len(header) < 8:
            return
        size = int.from_bytes(header[4:], "little")
        if header[:4] == b"LIST":
            content = file.read(min(size, _LONGEST_LIST))
            if content.startswith(b"INFO"):
                yield from _texts(content[4:])
        place += 8 + size + size % 2


def _texts(content: bytes) -> Iterator[tuple[str, str]]:
    place = 0
    while place + 8 <= len(content):
        size = int.from_bytes(content[place + 4 : place + 8], "little")
        name = _NAMES.get(content[place : place + 4])
        text = content[place + 8 : place + 8 + size].partition(b"\0")[0]
        if name is not None and text:
            yield name, _decoded(text)
        place += 8 + size + size % 2


def _decoded(text: bytes) -> str:
    """Decode a text without a declared encoding: UTF-8, or that of Western Windows."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")
