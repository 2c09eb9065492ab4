"""Read what mutagen leaves out of a WAV file: the length of compressed audio, and LIST/INFO tags."""

from collections.abc import Iterator
from struct import unpack_from
from typing import BinaryIO, NamedTuple

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_SUBFORMAT_OFFSET = 24
_MOST_CHUNKS = 1000
_LONGEST_CHUNK = 64 * 1024  # bytes; of a chunk that is read
_WHOLE_CHUNKS = (b"fmt ", b"fact", b"LIST")

_INFO_NAMES = {
    b"INAM": "title",
    b"IART": "artist",
    b"IPRD": "album",
    b"IGNR": "genre",
    b"ICRD": "date",
    b"ITRK": "tracknumber",
    b"IPRT": "tracknumber",
    b"ICMT": "comment",
}


Named = tuple[str, str, list[str]]


class WaveChunks(NamedTuple):
    """length_s, bitrate: of compressed audio; None and 0 for PCM.

    named: the INFO tags: name in the file, name as in Vorbis comments, values.
    """

    length_s: float | None
    bitrate: int
    named: list[Named]


def read_wave_chunks(file: BinaryIO) -> WaveChunks:
    """Read the chunks of a WAV file that begins at the position of the file."""
    chunks: dict[bytes, bytes] = {}
    data_bytes = 0
    values: list[Named] = []
    for name, size, content in _chunks(file):
        if name == b"data":
            data_bytes = data_bytes or size
        elif content.startswith(b"INFO") and name == b"LIST":
            values += _info(content[4:])
        else:
            chunks.setdefault(name, content)
    form = chunks.get(b"fmt ", b"")
    if len(form) < 16:
        return WaveChunks(None, 0, values)
    tag, _, sample_rate, byte_rate = unpack_from("<HHLL", form)
    if tag == _EXTENSIBLE and len(form) >= _SUBFORMAT_OFFSET + 2:
        (tag,) = unpack_from("<H", form, _SUBFORMAT_OFFSET)
    if tag in (_PCM, _FLOAT) or not byte_rate or not sample_rate:
        return WaveChunks(None, 0, values)
    length_s = data_bytes / byte_rate
    if len(fact := chunks.get(b"fact", b"")) >= 4:
        exact_s = unpack_from("<L", fact)[0] / sample_rate
        if length_s / 2 < exact_s < length_s * 2:  # some encoders write any number
            length_s = exact_s
    return WaveChunks(length_s, 8 * byte_rate, values)


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield name, size and content of each chunk; the content of few kinds is read."""
    place = file.tell() + 12
    for _ in range(_MOST_CHUNKS):
        file.seek(place)
        header = file.read(8)
        if len(header) < 8:
            return
        size = int.from_bytes(header[4:], "little")
        content = file.read(min(size, _LONGEST_CHUNK)) if header[:4] in _WHOLE_CHUNKS else b""
        yield header[:4], size, content
        place += 8 + size + size % 2


def _info(content: bytes) -> Iterator[Named]:
    place = 0
    while place + 8 <= len(content):
        size = int.from_bytes(content[place + 4 : place + 8], "little")
        key = content[place : place + 4]
        name = _INFO_NAMES.get(key)
        text = content[place + 8 : place + 8 + size].partition(b"\0")[0]
        if name is not None and text:
            yield key.decode(), name, [_decoded(text)]
        place += 8 + size + size % 2


def _decoded(text: bytes) -> str:
    """Decode a text without a declared encoding: UTF-8, or that of Western Windows."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")
