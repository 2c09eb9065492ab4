"""Read texts and audio properties of WAV files (RF64 and W64, too) and AIFF files, from their chunks.

The length is computed from the size of the file: the header is wrong if the file was written into a pipe, or
cut off.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from struct import unpack_from
from typing import Literal

from playshuffle.tags.head_file import DeclinedError, HeadFile, audio_mark
from playshuffle.tags.tag_frames import Stream, TagValues

_MOST_CHUNKS = 1000
_LONGEST_TEXT = 64 * 1024  # bytes to read from a chunk
_PIECE_BYTES = 4096  # bytes of audio that the audio mark is made from
_PIPED = 0xFFFFFFFF  # in place of a size

# Names in the file, and the names of the same tags in Vorbis comments.
_IN_WAV = {
    b"INAM": "title", b"IART": "artist", b"IPRD": "album", b"IGNR": "genre", b"ICRD": "date",
    b"ITRK": "tracknumber", b"IPRT": "tracknumber", b"ICMT": "comment",
}  # fmt: skip
_IN_AIFF = {b"NAME": "title", b"AUTH": "artist", b"ANNO": "comment"}

_MAGICS_OF_WAV = frozenset((b"RIFF", b"RF64", b"BW64", b"riff"))
_PCM_IN_WAV = frozenset((1, 3))  # integers and floating point
_BYTES_IN_WAV = frozenset((6, 7))  # A-law and µ-law
_BLOCKS_IN_WAV = frozenset((2, 0x11, 0x31))  # kinds of ADPCM, and GSM: the header has the samples of a block
_NAMED_LATER = 0xFFFE  # the kind of audio is in a longer header
_PCM_IN_AIFF = frozenset(b"NONE sowt twos in24 in32 42ni 23ni fl32 FL32 fl64 FL64".split())
_BYTES_IN_AIFF = frozenset(b"ulaw ULAW alaw ALAW".split())  # a byte for each sample

_Chunk = tuple[bytes, int, int]  # name, start and size of the content


def read_chunks(file: HeadFile) -> tuple[TagValues, Stream, bytes]:
    """Return texts, audio properties and the ID3 tag of a WAV or AIFF file; no bytes without a tag.

    Raises:
        DeclinedError: it is neither WAV nor AIFF, or does not describe its audio.
    """
    magic = file.up_to(0, 4)
    is_aiff = magic == b"FORM"
    if not is_aiff and magic not in _MAGICS_OF_WAV:
        raise DeclinedError
    chunks = list(_chunks(file))
    first: dict[bytes, _Chunk] = {}
    for chunk in chunks:
        first.setdefault(chunk[0].upper(), chunk)
    if is_aiff and b"COMM" in first:
        stream = _aiff_stream(file, first[b"COMM"], first.get(b"SSND"))
    elif b"FMT " in first:
        stream = _wav_stream(file, first[b"FMT "], first.get(b"DATA"))
    else:
        raise DeclinedError
    encodings = (
        ("utf-8", "mac_roman") if is_aiff else (_code_page(file, first.get(b"CSET")), "utf-8", "cp1252")
    )
    values: TagValues = {}
    for name, text in _aiff_texts(file, chunks) if is_aiff else _wav_texts(file, chunks):
        if text := text.partition(b"\0")[0]:
            values.setdefault(name, []).append(_decoded(text, encodings))
    return values, stream, file.up_to(*first.get(b"ID3 ", (b"", 0, 0))[1:])


def _chunks(file: HeadFile) -> Iterator[_Chunk]:
    """Yield the chunks of a file; no audio chunk extends beyond the end of the file."""
    is_wide = file.up_to(0, 4) == b"riff"  # W64: its chunks are named by 16 bytes, and aligned to 8
    order: Literal["big", "little"] = "big" if file.up_to(0, 4) == b"FORM" else "little"
    place, header_bytes, even = (40, 24, 8) if is_wide else (12, 8, 2)
    long_size = 0
    for _ in range(_MOST_CHUNKS):
        header = file.up_to(place, header_bytes)
        if len(header) < header_bytes:
            return
        start = place + header_bytes
        size = (
            int.from_bytes(header[16:], "little") - header_bytes
            if is_wide
            else int.from_bytes(header[4:], order)
        )
        name = header[:4]
        if name == b"ds64":
            long_size = int.from_bytes(file.up_to(start + 8, 8), "little")
        elif name in (b"data", b"SSND"):
            size = long_size if size == _PIPED and long_size else size
            is_known = size > (8 if name == b"SSND" else 0)
            size = min(size if is_known else file.size, file.size - start)
        if size < 0:
            return
        yield name, start, size
        place = start + size + -size % even


def _wav_stream(file: HeadFile, form: _Chunk, data: _Chunk | None) -> Stream:
    header = file.up_to(form[1], min(form[2], 40))
    kind, channels, hertz, second_bytes, align, bits = unpack_from("<2H2I2H", header)
    if kind == _NAMED_LATER and len(header) >= 26:
        kind = unpack_from("<H", header, 24)[0]
    start, size = data[1:] if data is not None else (0, 0)
    if not align or not hertz:
        return Stream(0, 0, hertz, lossless=False)
    if kind not in _PCM_IN_WAV | _BYTES_IN_WAV:
        if kind in _BLOCKS_IN_WAV and (samples := int.from_bytes(header[18:20], "little")):
            second_bytes = round(align * hertz / samples)
        return Stream(size / second_bytes if second_bytes else 0, 8 * second_bytes, hertz, lossless=False)
    return Stream(
        size // align / hertz,
        channels * bits * hertz,
        hertz,
        kind in _PCM_IN_WAV,
        _mark(file, start, size, align),
    )


def _aiff_stream(file: HeadFile, common: _Chunk, sound: _Chunk | None) -> Stream:
    header = file.up_to(common[1], min(common[2], 22))
    channels, frames, bits, exponent, mantissa = unpack_from(">HIHHQ", header)
    if not 16383 <= exponent < 16383 + 32:
        raise DeclinedError
    hertz = mantissa / 2 ** (16383 + 63 - exponent)
    codec = header[18:22] or b"NONE"
    sample_bytes = (bits + 7) // 8 if codec in _PCM_IN_AIFF else codec in _BYTES_IN_AIFF
    align = channels * sample_bytes
    if not align or not hertz:
        return Stream(0, 0, hertz, lossless=False)
    # The audio begins after two numbers of four bytes.
    start, size = (sound[1] + 8, max(0, sound[2] - 8)) if sound is not None else (0, 0)
    length_s = min(frames or size, size // align) / hertz
    is_lossless = codec in _PCM_IN_AIFF
    return Stream(length_s, channels * bits * hertz, hertz, is_lossless, _mark(file, start, size, align))


def _mark(file: HeadFile, start: int, size: int, align: int) -> int:
    piece = file.up_to(start, min(size, _PIECE_BYTES))
    return audio_mark(b"%d %b" % (size, piece)) if audio_mark(piece, align) else 0


def _wav_texts(file: HeadFile, chunks: list[_Chunk]) -> Iterator[tuple[str, bytes]]:
    for name, start, size in chunks:
        if name != b"LIST":
            continue
        content = file.up_to(start, min(size, _LONGEST_TEXT))
        place = 4 if content.startswith(b"INFO") else len(content)
        while place + 8 <= len(content):
            length = int.from_bytes(content[place + 4 : place + 8], "little")
            if field := _IN_WAV.get(content[place : place + 4]):
                yield field, content[place + 8 : place + 8 + length]
            place += 8 + length + length % 2


def _aiff_texts(file: HeadFile, chunks: list[_Chunk]) -> Iterator[tuple[str, bytes]]:
    for name, start, size in chunks:
        if field := _IN_AIFF.get(name):
            yield field, file.up_to(start, min(size, _LONGEST_TEXT))


def _code_page(file: HeadFile, chunk: _Chunk | None) -> str:
    number = int.from_bytes(file.up_to(chunk[1], 2), "little") if chunk is not None else 0
    return f"cp{number}" if number else "utf-8"


def _decoded(text: bytes, encodings: Sequence[str]) -> str:
    for encoding in encodings:
        with suppress(LookupError, UnicodeError):
            return text.decode(encoding)
    return text.decode("cp1252", "replace")
