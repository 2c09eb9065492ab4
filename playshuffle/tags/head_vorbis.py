"""Read FLAC, Ogg Vorbis and Opus files from their heads: Vorbis comments and properties of the audio."""

from collections.abc import Callable
from functools import lru_cache
from struct import unpack_from

from playshuffle.tags.head_file import DeclinedError, HeadFile, audio_mark
from playshuffle.tags.tag_frames import KNOWN_NAMES, Stream, TagValues

_LONGEST_VALUE = 4096  # bytes; a longer comment is a cover, lyrics, or left to the reference reader
_TAIL_BYTES = (16 * 1024, 64 * 1024)  # bytes at the end with the last page: mostly, always
_LONG_PAGE_S = 10  # no page of audio is longer

# A shorter packet is silence, the end of every fourth song. At a constant bit rate, bytes or packets repeat.
_SILENT_BYTES = 8
_SOUND_BYTES = 64  # bytes of packets that differ in any two songs

_PICTURES = frozenset(("metadata_block_picture", "coverart", "lyrics", "unsyncedlyrics"))

_STREAM_INFO, _COMMENT = 0, 4


def read_flac(file: HeadFile) -> tuple[TagValues, Stream]:
    """Return the comments of a FLAC file by name, and its `Stream`."""
    comments: TagValues | None = None
    hertz = samples = 0
    mark = flac_mark(file)
    place = 4
    while True:
        header = int.from_bytes(file.at(place, 4), "big")
        kind, length = header >> 24 & 127, header & 0xFFFFFF
        if place + 4 + length > file.size or (kind == _STREAM_INFO) != (place == 4):
            raise DeclinedError
        if kind == _STREAM_INFO:
            numbers = int.from_bytes(file.at(place + 4, 34)[10:18], "big") if length >= 34 else 0
            hertz, samples = numbers >> 44, numbers & (1 << 36) - 1
        elif kind == _COMMENT:
            if comments is not None:
                raise DeclinedError
            comments = _flac_comments(file, place + 4, length)
        place += 4 + length
        if header >> 31:
            break
    if not hertz or not samples:
        raise DeclinedError
    length_s = samples / float(hertz)
    bitrate = int(float(file.size - place) * 8 / length_s)
    return comments or {}, Stream(length_s, bitrate, hertz, True, mark)


def flac_mark(file: HeadFile) -> int:
    """Return the audio mark of a FLAC file, from the MD5 in its header; 0 without one."""
    header = file.at(0, 42)
    return audio_mark(header[26:], 1) if header[4] & 127 == _STREAM_INFO else 0


def _flac_comments(file: HeadFile, block: int, length: int) -> TagValues:
    def read(start: int, least: int) -> bytes:
        if start + least > length:
            raise DeclinedError
        return file.at_least(block + start, least)[: length - start]

    comments, end = _comments(read)
    if end != length:
        raise DeclinedError
    return comments


def _comments(read: Callable[[int, int], bytes]) -> tuple[TagValues, int]:
    """Return the values of the comments that playshuffle uses, by name in lower case.

    Also return the offset behind the last comment. `read` works like `HeadFile.at_least`.
    """
    comments: TagValues = {}
    place = 4 + unpack_from("<I", read(0, 4))[0]
    count = unpack_from("<I", read(place, 4))[0]
    place += 4
    start, data = place, b""
    for _ in range(count):
        if place + 4 > start + len(data):
            start, data = place, read(place, 4)
        length = unpack_from("<I", data, place - start)[0]
        place += 4
        if length > _LONGEST_VALUE:
            if _name(read(place, 64).partition(b"=")[0]) not in _PICTURES:
                raise DeclinedError
            read(place + length - 1, 1)
        else:
            if place + length > start + len(data):
                start, data = place, read(place, length)
            raw_name, sign, value = data[place - start : place - start + length].partition(b"=")
            name = _name(raw_name)
            if not sign:
                raise DeclinedError
            if name in KNOWN_NAMES:
                comments.setdefault(name, []).append(value.decode())
        place += length
    return comments, place


@lru_cache(maxsize=1024)
def _name(raw: bytes) -> str:
    name = raw.decode("ascii").lower()
    # A colon: Quod Libet adds a user's name to the rating and play count.
    if not name or ":" in name or min(name) < " " or max(name) > "}":
        raise DeclinedError
    return name


def read_ogg(file: HeadFile) -> tuple[TagValues, Stream]:
    """Return the comments of an Ogg Vorbis or Opus file by name, and its `Stream`."""
    head = file.at(0, 28)
    serial, length = head[14:18], head[27]
    # The stream begins with one page of one packet.
    if head[:6] != b"OggS\0\2" or head[26] != 1 or length == 255:
        raise DeclinedError
    packet = file.at(28, length)
    if packet.startswith(b"\x01vorbis") and length >= 28:
        magic, skipped = b"\x03vorbis", 0
        hertz, *bitrates = unpack_from("<I3i", packet, 12)
    elif packet.startswith(b"OpusHead") and length >= 19 and not packet[8] >> 4:
        magic, skipped = b"OpusTags", int.from_bytes(packet[10:12], "little")
        hertz, bitrates = 48000, []
    else:
        raise DeclinedError
    sequence = int.from_bytes(head[18:22], "little")
    comments = _Packet(file, 28 + length, serial, sequence + 1)
    if not comments.read(0, len(magic)).startswith(magic):
        raise DeclinedError
    values, end = _comments(lambda start, least: comments.read(len(magic) + start, least))
    if bitrates and not comments.read(len(magic) + end, 1)[0] & 1:  # the framing bit of Vorbis
        raise DeclinedError
    first = first_audio(file, comments.end)  # read before the end of the file: it is loaded
    position, mark = _last_page(file, serial)
    length_s = ogg_length_s((position - skipped) / float(hertz), hertz, first)
    if bitrates:
        return values, Stream(length_s, _nominal(*bitrates), hertz, False, mark)
    bitrate = round((file.size - comments.end) * 8 / length_s) if length_s else 0
    return values, Stream(length_s, bitrate, 0, False, mark)


def ogg_mark(file: HeadFile) -> int:
    """Return the audio mark of an Ogg file with one stream."""
    return _last_page(file, file.at(14, 4))[1]


def first_audio(file: HeadFile, place: int = 0) -> tuple[int, float]:
    """Return the end position of the first audio page, and all audio bytes ÷ the bytes after that page."""
    begin, end, position = place, place, 0
    while position <= 0:  # headers, or a page without the end of a packet
        begin, head = end, file.at(end, 27)
        if head[:4] != b"OggS":
            raise DeclinedError
        position = unpack_from("<q", head, 6)[0]
        end += 27 + head[26] + sum(file.at(end + 27, head[26]))
    return position, (file.size - begin) / (file.size - end) if end < file.size else 0.0


def ogg_length_s(length_s: float, hertz: int, first: tuple[int, float]) -> float:
    """Return the length of a stream whose last position is `length_s`; 0 if unknown.

    A piece cut from a stream, such as a radio recording, keeps the positions of the whole stream.
    """
    first_s, ratio = first[0] / hertz, first[1]
    if first_s < _LONG_PAGE_S or first_s > length_s + 1:  # positions of another stream, or that began again
        return length_s
    return (length_s - first_s) * ratio


def _nominal(highest: int, nominal: int, lowest: int) -> int:
    """Return the bit rate within the declared limits: the nominal one may be wrong."""
    highest, nominal, lowest = max(0, highest), max(0, nominal), max(0, lowest)
    if nominal == 0:
        return (highest + lowest) // 2
    if highest and highest < nominal:
        return highest
    return max(lowest, nominal)


class _Packet:
    """An Ogg packet that begins with a page, and may continue in further pages up to the offset `end`."""

    def __init__(self, file: HeadFile, place: int, serial: bytes, sequence: int) -> None:
        self._file = file
        self._parts: list[tuple[int, int, int]] = []  # offset in the packet, offset in the file, length
        length = 0
        is_complete = False
        while not is_complete:
            # If the loaded piece ends here, the page's header is loaded together with its content.
            head = file.at(place, 27)
            lacing = file.at(place + 27, head[26])
            is_continued = bool(self._parts)
            if (
                head[:5] != b"OggS\0"
                or head[5] & 3 != is_continued
                or head[14:18] != serial
                or int.from_bytes(head[18:22], "little") != sequence
                or not lacing
                or place + 27 + len(lacing) + sum(lacing) > file.size
            ):
                raise DeclinedError
            rest = lacing.lstrip(b"\xff")  # the packet ends with the first part of less than 255 bytes
            is_complete = bool(rest)
            packet_bytes = 255 * (len(lacing) - len(rest)) + sum(rest[:1])
            self._parts.append((length, place + 27 + len(lacing), packet_bytes))
            length += packet_bytes
            sequence += 1
            place += 27 + len(lacing) + sum(lacing)
        self.end = place

    def read(self, start: int, least: int) -> bytes:
        data = b""
        for place, offset, size in self._parts:
            inside = start + len(data) - place
            if len(data) < least and 0 <= inside < size:
                count = min(least - len(data), size - inside)
                data += self._file.at_least(offset + inside, count)[: size - inside]
        if len(data) < least:
            raise DeclinedError
        return data


def _last_page(file: HeadFile, serial: bytes) -> tuple[int, int]:
    """Return the position of the last page, which must end the file, and the audio mark.

    The mark is made from the position and the last packets: programs may move other packets to other pages.
    """
    for length in _TAIL_BYTES:
        start = max(0, file.size - length)
        tail = file.at(start, file.size - start)
        page = tail.rfind(b"OggS")
        if page >= 0:
            break
    else:
        raise DeclinedError
    head = tail[page : page + 27]
    if len(head) < 27 or head[4] != 0 or not head[5] & 4 or head[14:18] != serial:
        raise DeclinedError
    lacing = tail[page + 27 : page + 27 + head[26]]
    position: int = unpack_from("<q", head, 6)[0]
    if page + 27 + head[26] + sum(lacing) != len(tail) or position < 0:
        raise DeclinedError
    sound = _last_sound(lacing, tail[page + 27 + head[26] :], is_continued=bool(head[5] & 1))
    return position, audio_mark(b"%d %b" % (position, sound)) if sound else 0


def _last_sound(lacing: bytes, content: bytes, *, is_continued: bool) -> bytes:
    """Return the last whole packets of a page that are not silent; empty if they have too few bytes."""
    sound, place = b"", len(content)
    while lacing and len(sound) < _SOUND_BYTES:
        before = lacing[:-1].rstrip(b"\xff")  # a long packet has several parts
        if is_continued and not before:
            break
        start = place - sum(lacing[len(before) :])
        packet = content[start:place]
        if len(packet.rstrip(packet[-1:])) >= _SILENT_BYTES and content.count(packet) == 1:
            sound = packet + sound
        lacing, place = before, start
    return sound if len(sound) >= _SOUND_BYTES else b""
