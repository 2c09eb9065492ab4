"""Read the length and bit rate of an MP3 from its first frames.

The result is as from `mutagen.mp3`, except for two kinds of files: a file that was cut off has the length of
its bytes, and frames of several bit rates are counted. A file is declined if one read finds no frames.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from struct import unpack_from
from typing import NamedTuple

from playshuffle.tags.head_file import DeclinedError, HeadFile, audio_mark
from playshuffle.tags.tag_frames import Stream

_KBPS = {
    1: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_KBPS_OF_LAYER_1 = (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256)  # of MPEG 2
_LAYER_1, _LAYER_2 = 3, 2
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_MONO = 3
_ENOUGH_FRAMES = 4  # this number of frames in a row is MPEG audio
_MIN_FRAMES = 2  # enough if no four are in a row
_SAMPLE_BYTES = 3072  # bytes that show whether the bit rate is constant; mostly loaded already
_MOST_FRAMES = 20_000  # of different bit rates: nine minutes give a good mean
_MAX_SYNCS = 1499  # offsets that mutagen tries
_LONGEST_HEADER = 36 + 120 + 36  # a frame's start with the headers of Xing and LAME
_ENOUGH_BYTES = _ENOUGH_FRAMES * 1500 + _LONGEST_HEADER


class _Frame(NamedTuple):
    """A decoded frame header. `samples` are per channel."""

    bitrate: int
    rate: int
    length: int
    samples: int
    xing_offset: int


class _Vbr(NamedTuple):
    """A decoded Xing header.

    Attributes:
        bitrate: bits per second.
        size: bytes of audio; 0 if unknown.
        is_unique: no other audio has the same header.
    """

    length_s: float
    bitrate: int
    size: int
    is_unique: bool


def stream(file: HeadFile, offset: int) -> Stream:
    """Return length, bit rate and sample rate of the audio that begins at an offset."""
    if file.up_to(offset, 3) == b"ID3":
        raise DeclinedError
    at_hand = file.around(offset)
    if offset + len(at_hand) < file.size:
        try:
            return _search(at_hand, offset, file)
        except DeclinedError:  # it may need more bytes
            at_hand = file.up_to(offset, _ENOUGH_BYTES)
    return _search(at_hand, offset, file)


def _search(data: bytes, offset: int, file: HeadFile) -> Stream:
    """Return the `Stream` of the first series of frames that is long enough, or has a Xing header."""
    is_end = offset + len(data) >= file.size
    few: list[tuple[int, _Frame]] = []
    place = -1
    for _ in range(_MAX_SYNCS):
        place = data.find(b"\xff", place + 1)
        while place >= 0 and place + 1 < len(data) and data[place + 1] < 0xE0:
            place = data.find(b"\xff", place + 1)
        if place < 0 or place + 1 >= len(data):
            break
        frames, vbr = _row_of_frames(data, place, is_end=is_end)
        if vbr is not None or len(frames) >= _ENOUGH_FRAMES:
            return _described(frames, vbr, offset, file)._replace(mark=_mark(data, frames, vbr))
        if len(frames) >= _MIN_FRAMES and not few:
            few = frames
    if not few or not is_end:
        raise DeclinedError
    return _described(few, None, offset, file)


def _mark(data: bytes, frames: list[tuple[int, _Frame]], vbr: _Vbr | None) -> int:
    """Return the audio mark, from the Xing header or else the first frames; 0 if uncertain."""
    places = [place for place, _ in frames]
    if vbr is not None:
        return audio_mark(data[places[-1] : places[-1] + _LONGEST_HEADER]) if vbr.is_unique else 0
    one, other = (data[place + 4 : place + 100] for place in places[1:3])
    return 0 if one == other else audio_mark(data[places[0] : places[-1]])


def _described(frames: list[tuple[int, _Frame]], vbr: _Vbr | None, offset: int, file: HeadFile) -> Stream:
    place, frame = frames[-1 if vbr is not None else 0]
    size = file.size - offset - place
    if vbr is not None:
        present = min(1, size / vbr.size) if vbr.size else 1  # the file may be cut off
        return Stream(vbr.length_s * present, vbr.bitrate, frame.rate, lossless=False)
    start = offset + place
    first = _frames(file, start, min(start + _SAMPLE_BYTES, file.size))
    if any(other.bitrate != frame.bitrate for other in first):  # without a header that counts them
        counted = list(islice(_frames(file, start, file.size), _MOST_FRAMES))
        counted_s = sum(other.samples / other.rate for other in counted)
        bitrate = 8 * sum(other.length for other in counted) / counted_s
    else:
        bitrate = frame.bitrate
    return Stream(8 * size / bitrate, bitrate, frame.rate, lossless=False)


def _frames(file: HeadFile, place: int, end: int) -> Iterator[_Frame]:
    while place + 4 <= end:
        header = file.at(place, 4)
        frame = _frame(int.from_bytes(header[:3], "big"), header[3] >> 6)
        if frame is None:
            return
        yield frame
        place += frame.length


def _row_of_frames(data: bytes, place: int, *, is_end: bool) -> tuple[list[tuple[int, _Frame]], _Vbr | None]:
    """Return up to four successive frames with their offsets, and the Xing header of the last one, if any."""
    frames: list[tuple[int, _Frame]] = []
    while len(frames) < _ENOUGH_FRAMES:
        if place + 4 > len(data):
            if not is_end:
                raise DeclinedError
            break
        frame = _frame(int.from_bytes(data[place : place + 3], "big"), data[place + 3] >> 6)
        if frame is None:
            break
        frames.append((place, frame))
        vbr = _vbr(data, place, frame, is_end=is_end)
        if vbr is not None:
            return frames, vbr
        place += frame.length
    return frames, None


@lru_cache(maxsize=4096)
def _frame(start: int, mode: int) -> _Frame | None:
    version, layer = start >> 11 & 3, start >> 9 & 3
    kbps, rate, padding = start >> 4 & 15, start >> 2 & 3, start >> 1 & 1
    if start >> 13 != 0x7FF or version == 1 or layer == 0 or rate == 3 or kbps in (0, 15):
        return None
    if layer == _LAYER_2:
        raise DeclinedError
    hertz = _RATES[version][rate]
    if layer == _LAYER_1:  # its frames consist of slots of four bytes
        bitrate = (32 * kbps if version == 3 else _KBPS_OF_LAYER_1[kbps]) * 1000
        return _Frame(bitrate, hertz, 4 * (12 * bitrate // hertz + padding), 384, 36)
    bitrate = _KBPS[1 if version == 3 else 2][kbps] * 1000
    samples = 1152 if version == 3 else 576
    xing_offset = (21 if mode == _MONO else 36) if version == 3 else (13 if mode == _MONO else 21)
    return _Frame(bitrate, hertz, samples // 8 * bitrate // hertz + padding, samples, xing_offset)


def _vbr(data: bytes, place: int, frame: _Frame, *, is_end: bool) -> _Vbr | None:
    xing = place + frame.xing_offset
    if place + _LONGEST_HEADER > len(data) and not is_end:
        raise DeclinedError
    if data[xing : xing + 4] in (b"Xing", b"Info"):
        if place + _LONGEST_HEADER > len(data):
            raise DeclinedError
        return _xing(data, xing, frame)
    if data[place + 36 : place + 40] == b"VBRI":  # a header of a rare encoder
        raise DeclinedError
    return None


def _xing(data: bytes, place: int, frame: _Frame) -> _Vbr:
    is_vbr = data[place : place + 4] == b"Xing"
    flags = unpack_from(">I", data, place + 4)[0]
    place += 8
    frames = size = None
    if flags & 1:
        frames = unpack_from(">I", data, place)[0]
        place += 4
    if flags & 2:
        size = unpack_from(">I", data, place)[0]
        place += 4
    place += (100 if flags & 4 else 0) + (4 if flags & 8 else 0)
    if frames is None or frames == 0xFFFFFFFF or size == 0xFFFFFFFF:
        raise DeclinedError
    samples = frames * frame.samples
    bitrate = frame.bitrate
    if size is not None and samples > 0:
        bitrate = round(max(0, size - frame.length) * 8 * frame.rate / float(samples))
    lame = data[place : place + 36]
    samples = max(0, samples - _lame_padding(lame))
    is_unique = is_vbr or any(lame[32:34])  # a checksum of the audio
    return _Vbr(float(samples) / frame.rate, bitrate, size or 0, is_unique)


def _lame_padding(lame: bytes) -> int:
    """Return the number of samples that LAME added at both ends; 0 without a LAME header."""
    if not lame.startswith(b"LAME"):
        if lame.startswith(b"L3.99"):
            raise DeclinedError
        return 0
    # LAME3.99r, LAME3.100: other versions may have no such header.
    if lame[4:6] != b"3." or not lame[6:8].isdigit() or (lame[6:8] <= b"90" and lame[8:9] != b"0"):
        raise DeclinedError
    if lame[8:9].isdigit() and lame[6:9] != b"100":
        raise DeclinedError
    if lame[9] >> 4:  # another revision
        return 0
    paddings = lame[21] << 16 | lame[22] << 8 | lame[23]
    return (paddings >> 12) + (paddings & 0xFFF)
