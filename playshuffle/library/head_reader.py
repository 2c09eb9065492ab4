"""Read the tags of plain files from their heads, with one or two small reads each.

The reading is the one that `tag_reader.read` gives, at a tenth of its cost. For any file that is
unusual in any way there is no reading, and `tag_reader` must read it: it is the reference.
"""

import os
import stat
from collections.abc import Callable
from struct import error as StructError  # noqa: N812 - it is a class
from typing import Any

from playshuffle.library import head_id3
from playshuffle.library.audio_formats import HEAD_BYTES, format_of
from playshuffle.library.folder import Reading
from playshuffle.library.head_file import DeclinedError, HeadFile
from playshuffle.library.head_iff import is_plain_date, read_aiff, read_wave
from playshuffle.library.head_mp4 import read_mp4
from playshuffle.library.head_mpeg import stream
from playshuffle.library.head_vorbis import read_flac, read_ogg
from playshuffle.library.tag_names import Stream, TagValues, tags_of

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
_V1_BYTES = 131  # an ID3v1 tag, and the start of APETAGEX, which ends like it
_TAIL_BYTES = 168  # in these an APEv2 tag ends, before an ID3v1 tag


def read_head(path: bytes) -> Reading | None:
    """Return the reading of a plain file, None for any other; never raise."""
    try:
        # Opening a device can have effects, so its kind is checked before and after.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        # Without it, the kernel reads several times as much ahead.
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        found, audio = _read(HeadFile(descriptor, status.st_size), os.path.splitext(path)[1].lower())
        if "tcon" in found:
            found["tcon"] = _genres(found["tcon"])
        return Reading(tags_of(found, audio))
    except (DeclinedError, OSError, StructError, LookupError, ValueError, ArithmeticError, MemoryError):
        return None
    finally:
        os.close(descriptor)


def _read(file: HeadFile, suffix: bytes) -> tuple[TagValues, Stream]:
    head = file.up_to(0, HEAD_BYTES)
    if head.startswith(b"ID3"):
        return _read_mp3(file, suffix)
    format_ = format_of(head, suffix)
    if format_ == "mp3":
        return _read_without_id3v2(file), stream(file, 0)
    reader = _READERS.get(format_ or "")
    if reader is None:
        raise DeclinedError
    return reader(file)


_READERS: dict[str, Callable[[HeadFile], tuple[TagValues, Stream]]] = {
    "aiff": read_aiff,
    "flac": read_flac,
    "mp4": read_mp4,
    "opus": read_ogg,
    "vorbis": read_ogg,
    "wave": read_wave,
}


def _read_mp3(file: HeadFile, suffix: bytes) -> tuple[TagValues, Stream]:
    tag = head_id3.read_tag(file)  # type: ignore[arg-type]
    if tag is None:
        tag = _read_v22(file)
    # What follows is at hand mostly, or is read for the frames, too.
    if not tag.named or format_of(file.up_to(tag.size, HEAD_BYTES), suffix) not in (None, "mp3"):
        raise DeclinedError
    found: TagValues = {}
    for name, values in tag.named:
        found.setdefault(name.lower(), []).extend(values)
    return found, stream(file, tag.size)


_V22_NAMES = {
    b"TT2": "TIT2", b"TP1": "TPE1", b"TAL": "TALB", b"TP2": "TPE2", b"TPA": "TPOS", b"TRK": "TRCK",
    b"TCO": "TCON", b"TYE": "TYER", b"TCM": "TCOM", b"TT1": "TIT1",
}  # fmt: skip
_V22_DECLINED = frozenset(b"GP1 TXX UFI POP COM TLA TBP TOR CNT TMO".split())
_LONGEST_FRAME = 4096


def _read_v22(file: HeadFile) -> head_id3.Tag:
    """Read an ID3v2.2 tag of one-line texts; other frames are stepped over."""
    head = file.at(0, 10)
    tag = head_id3.Tag(head_id3.tag_size(head), [])
    if head[:6] != b"ID3\2\0\0" or not tag.size or b"TAG" in _tail(file, _V1_BYTES):
        raise DeclinedError
    place = 10
    names = set()
    while place + 6 <= tag.size:
        frame = file.at(place, 6)
        name, length = frame[:3], int.from_bytes(frame[3:], "big")
        if name == b"\0\0\0":
            break
        if not (name.isalnum() and name.isupper()) or name in _V22_DECLINED or name in names:
            raise DeclinedError
        if name in _V22_NAMES and length:
            if length > _LONGEST_FRAME or place + 6 + length > tag.size:
                raise DeclinedError
            data = file.at(place + 6, length)
            text = data[1:].removesuffix(b"\0").decode("latin-1")
            if data[0] or "\0" in text:
                raise DeclinedError
            tag.named.append((_V22_NAMES[name], [text]))
            names.add(name)
        place += 6 + length
    return tag


def _read_without_id3v2(file: HeadFile) -> TagValues:
    """Read the ID3v1 tag, if there is one; an APEv2 tag is declined."""
    tail = _tail(file, _TAIL_BYTES)
    v1 = tail[-128:]
    if b"APETAGEX" in tail or b"LYRICS200" in tail or len(tail) < _TAIL_BYTES:
        raise DeclinedError
    if b"TAG" not in tail[-_V1_BYTES:]:
        return {}
    if not v1.startswith(b"TAG") or b"TAG" in tail[-_V1_BYTES:-126]:
        raise DeclinedError
    comment = v1[97:127]
    number = comment[29] if comment[28] == 0 else 0
    texts = {"tit2": v1[3:33], "tpe1": v1[33:63], "talb": v1[63:93], "tdrc": v1[93:97]}
    texts["comm"] = comment[:28] if comment[28] == 0 else comment
    found: TagValues = {name: [text] for name, data in texts.items() if (text := _v1_text(data))}
    if not is_plain_date(found.get("tdrc", [""])[0]):
        raise DeclinedError
    if number:
        found["trck"] = [str(number)]
    if v1[127] != 255:
        found["tcon"] = [str(v1[127])]
    if not found:
        raise DeclinedError
    return found


def _v1_text(data: bytes) -> str:
    return data.split(b"\0")[0].strip().decode("latin-1")


def _tail(file: HeadFile, length: int) -> bytes:
    return file.up_to(max(0, file.size - length), length)


def _genres(texts: list[Any]) -> list[Any]:
    """Return the names of genres, some of which are numbers."""
    if all(map(_is_plain_genre, texts)):
        return texts
    from playshuffle.library.mutagen_formats import genre_names  # rarely needed, and slow to import

    return genre_names(texts)


def _is_plain_genre(text: str) -> bool:
    is_plain = text[:1].isalpha() and text.isascii() and text.isprintable() and text not in ("CR", "RX")
    return is_plain or not text
