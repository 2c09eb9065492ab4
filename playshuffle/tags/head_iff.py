"""Read WAV and AIFF files from their heads: an ID3 tag in a chunk, and properties of the audio."""

from struct import unpack_from

from playshuffle.tags.head_file import DeclinedError, HeadFile
from playshuffle.tags.head_id3 import has_v1_tag, is_plain_date, read_tag
from playshuffle.tags.tag_frames import Stream, TagValues

_UNCOMPRESSED = frozenset((1, 3))  # integers, floating point
_MOST_CHUNKS = 1000
_DATES = frozenset(("TDRC", "TDOR"))


def read_wave(file: HeadFile) -> tuple[TagValues, Stream]:
    """Return the ID3 tag of an uncompressed WAV file by name, and its stream.

    Raises:
        DeclinedError: the file is unusual.
    """
    chunks, content = _chunks(file, "little", b"RIFF", b"fmt ")
    if b"data" not in chunks or b"LIST" in chunks:
        raise DeclinedError
    kind, channels, hertz, _, block, bits = unpack_from("<HHLLHH", content)
    if kind not in _UNCOMPRESSED or not block or not hertz:
        raise DeclinedError
    length_s = chunks[b"data"][1] / block / hertz
    values = _id3(file, chunks.get(b"id3 ") or chunks.get(b"ID3 "))
    return values, Stream(length_s, channels * bits * hertz, hertz, lossless=True)


def read_aiff(file: HeadFile) -> tuple[TagValues, Stream]:
    """Return the ID3 tag of an AIFF file by name, and its stream.

    Raises:
        DeclinedError: the file is unusual.
    """
    chunks, content = _chunks(file, "big", b"FORM", b"COMM")
    channels, count, bits, exponent, mantissa = unpack_from(">hLhHQ", content)
    if not 0x3FFF <= exponent < 0x3FFF + 32 or channels < 1 or bits < 1:
        raise DeclinedError
    hertz = mantissa >> (63 - (exponent - 0x3FFF))
    if not hertz:
        raise DeclinedError
    values = _id3(file, chunks.get(b"ID3 "))
    return values, Stream(count / float(hertz), channels * bits * hertz, hertz, lossless=True)


def _chunks(
    file: HeadFile, order: str, root: bytes, content_name: bytes
) -> tuple[dict[bytes, tuple[int, int]], bytes]:
    """Return place and size of each chunk by name, and the content of the wanted one."""
    size_format = "<I" if order == "little" else ">I"
    head = file.at(0, 12)
    end = 8 + unpack_from(size_format, head, 4)[0]
    if head[:4] != root or not file.size - 1 <= end <= file.size:
        raise DeclinedError
    chunks: dict[bytes, tuple[int, int]] = {}
    content = b""
    place = 12
    while place < end:
        header = file.at(place, 8)
        name, size = header[:4], unpack_from(size_format, header, 4)[0]
        if name in chunks or name == root or place + 8 + size > end or len(chunks) > _MOST_CHUNKS:
            raise DeclinedError
        if not name.isascii() or not name.decode().isprintable() or not name.strip():
            raise DeclinedError
        chunks[name] = place + 8, size
        if name == content_name:
            content = file.at(place + 8, min(size, 64))
        place += 8 + size + size % 2
    return chunks, content


def _id3(file: HeadFile, chunk: tuple[int, int] | None) -> TagValues:
    if chunk is None:
        return {}
    start, size = chunk
    tag = read_tag(file, start)
    if tag is None or not tag.named or tag.size > size:
        raise DeclinedError
    if has_v1_tag(file):
        raise DeclinedError
    values_of: TagValues = {}
    names = set()
    for name, values in tag.named:
        # Mutagen merges frames of one name, and drops what it cannot decode.
        if name in names or any(isinstance(value, str) and "\ufffd" in value for value in values):
            raise DeclinedError
        if name in _DATES and not all(map(is_plain_date, values)):
            raise DeclinedError
        names.add(name)
        values_of.setdefault(name.lower(), []).extend(values)
    return values_of
