"""Read plain ID3 tags: v2.3 and v2.4, which nearly every MP3 has, v2.2 and v1.

`tag_frames` has the frames that are read, and the fields that they fill.

mutagen reads every tag, but it decodes UTF-16 letter by letter and copies a cover once for every
frame. This takes a tenth of the time, and leaves unusual tags to mutagen.
"""

import re
from struct import Struct
from typing import Any, NamedTuple

from playshuffle.tags.head_file import DeclinedError, HeadFile
from playshuffle.tags.tag_frames import ID3_FRAMES, ID3V22_OTHERS, ID3V22_TEXTS, KNOWN_NAMES, TagValues

_FRAMES = frozenset(frame.encode() for frame in ID3_FRAMES)

_MAIN_TEXTS = {"TIT2", "TPE1", "TALB"}
_LONGEST_FRAME = 16 * 1024  # read of a frame; several times what is kept of any text
_ENCODINGS = ("latin-1", "utf-16", "utf-16-be", "utf-8")  # as frames number them
_BYTE_ORDER_MARK = "\ufeff"
_SWAPPED_MARK = "\ufffe"  # that of the other byte order
_FRAME_HEADER = Struct(">4sIH").unpack  # name, size, flags
_IS_NAME = re.compile(rb"[A-Z][A-Z0-9]{3}").fullmatch
_PLAIN_DATE = re.compile("([0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)?", re.ASCII)

_LONGEST_V22_FRAME = 4096

V1_BYTES = 131  # an ID3v1 tag, and the start of APETAGEX, which ends like it: mutagen looks in these
_TAIL_BYTES = 168  # in these an APEv2 tag ends, before an ID3v1 tag


class Tag(NamedTuple):
    """Its size in bytes, header included, and pairs of what a frame is called and its values."""

    size: int
    named: list[tuple[str, list[Any]]]


def tag_size(head: bytes) -> int:
    """Return the size in bytes of the tag at the start of a file, header included; 0 without one."""
    size = _synchsafe(_integer(head[6:10])) if head.startswith(b"ID3") and len(head) >= 10 else None
    return 0 if size is None else 10 + size


def read_tag(file: HeadFile, start: int = 0) -> Tag | None:
    """Read the tag at an offset of a file, if it is plain, whole, and as it should be.

    Raises:
        DeclinedError: it is not whole.
    """
    header = file.at(start, 10)
    tag = Tag(tag_size(header), [])
    if not tag.size or header[3] not in (3, 4) or header[5]:
        return None
    has_synchsafe_sizes = header[3] == 4
    place, end = start + 10, start + tag.size
    while place + 10 <= end:
        name, length, flags = _FRAME_HEADER(file.at(place, 10))
        if name == b"\0\0\0\0":  # the padding begins
            break
        place += 10
        if has_synchsafe_sizes:
            length = _synchsafe(length)
        if (name not in _FRAMES and not _IS_NAME(name)) or length is None or place + length > end:
            return None
        if name in _FRAMES and length:
            data = file.at(place, min(length, _LONGEST_FRAME))
            pairs = _frame_values(name, data) if not flags else None
            if pairs is None:
                return None
            tag.named.extend(pairs)
        place += length
    return tag


def lacks_main_texts(tag: Tag) -> bool:
    """Return whether a tag has no title, artist or album, which an ID3v1 tag may have.

    A missing genre or comment is not worth reading the end of each file for.
    """
    return not {name for name, _ in tag.named} >= _MAIN_TEXTS


def _integer(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _synchsafe(number: int) -> int | None:
    """Return the number that four bytes of seven bits each make; None if a byte has eight."""
    if number & 0x80808080:
        return None
    return number & 0x7F | number >> 1 & 0x3F80 | number >> 2 & 0x1FC000 | number >> 3 & 0xFE00000


def _frame_values(name: bytes, data: bytes) -> list[tuple[str, list[Any]]] | None:
    """Return pairs of a name and its values; None where the frame is unusual."""
    if name == b"UFID":
        owner, _, identifier = data.partition(b"\0")
        return [(f"UFID:{owner.decode('latin-1')}", [identifier])]
    if name == b"POPM":
        numbers = data.partition(b"\0")[2]
        pairs: list[tuple[str, list[Any]]] = [("POPM", list(numbers[:1]))]
        plays = _integer(numbers[1:])  # 0 from programs that only rate
        return [*pairs, ("POPM:count", [plays])] if plays else pairs
    if name == b"PCNT":
        return [("PCNT", [_integer(data)])]
    return _text(name, data)


def _text(name: bytes, data: bytes) -> list[tuple[str, list[Any]]] | None:
    if data[0] >= len(_ENCODINGS):
        return None
    encoding = _ENCODINGS[data[0]]
    text = data[4:] if name == b"COMM" else data[1:]  # a comment has a language
    if "16" in encoding and len(text) % 2:  # half an end mark follows the last letter
        text = text[:-1]
    first, *other_texts = text.decode(encoding, errors="replace").split("\0")
    if encoding == "utf-16":
        # Each text may have its own byte order, and little-endian is the default.
        if other_texts and text.startswith(b"\xfe\xff"):
            return None
        if any(text.startswith(_SWAPPED_MARK) for text in other_texts):
            return None
        other_texts = [text.removeprefix(_BYTE_ORDER_MARK) for text in other_texts]
    if name == b"TXXX":
        return [(first, other_texts)] if first.lower() in KNOWN_NAMES else []
    if name == b"COMM":
        # A described comment is the data of some program, like iTunNORM.
        return [] if first else [("COMM", other_texts)]
    return [(name.decode(), [first, *other_texts])]


def read_v22_tag(file: HeadFile) -> Tag:
    """Read an ID3v2.2 tag of one-line texts; other frames are stepped over."""
    head = file.at(0, 10)
    tag = Tag(tag_size(head), [])
    if head[:6] != b"ID3\2\0\0" or not tag.size or has_v1_tag(file):
        raise DeclinedError
    place = 10
    names = set()
    while place + 6 <= tag.size:
        frame = file.at(place, 6)
        name, length = frame[:3], int.from_bytes(frame[3:], "big")
        if name == b"\0\0\0":
            break
        if not (name.isalnum() and name.isupper()) or name in ID3V22_OTHERS or name in names:
            raise DeclinedError
        if name in ID3V22_TEXTS and length:
            if length > _LONGEST_V22_FRAME or place + 6 + length > tag.size:
                raise DeclinedError
            data = file.at(place + 6, length)
            text = data[1:].removesuffix(b"\0").decode("latin-1")
            if data[0] or "\0" in text:
                raise DeclinedError
            tag.named.append((ID3V22_TEXTS[name], [text]))
            names.add(name)
        place += 6 + length
    return tag


def has_v1_tag(file: HeadFile) -> bool:
    """Return whether mutagen may find an ID3v1 tag at the end of a file."""
    return b"TAG" in _tail(file, V1_BYTES)


def read_v1_tag(file: HeadFile) -> TagValues:
    """Read the ID3v1 tag, if there is one; an APEv2 tag is declined."""
    tail = _tail(file, _TAIL_BYTES)
    v1 = tail[-128:]
    if b"APETAGEX" in tail or b"LYRICS200" in tail or len(tail) < _TAIL_BYTES:
        raise DeclinedError
    if b"TAG" not in tail[-V1_BYTES:]:
        return {}
    if not v1.startswith(b"TAG") or b"TAG" in tail[-V1_BYTES:-126]:
        raise DeclinedError
    comment = v1[97:127]
    number = comment[29] if comment[28] == 0 else 0
    texts = {"tit2": v1[3:33], "tpe1": v1[33:63], "talb": v1[63:93], "tdrc": v1[93:97]}
    texts["comm"] = comment[:28] if comment[28] == 0 else comment
    values: TagValues = {name: [text] for name, data in texts.items() if (text := _v1_text(data))}
    if not is_plain_date(values.get("tdrc", [""])[0]):
        raise DeclinedError
    if number:
        values["trck"] = [str(number)]
    if v1[127] != 255:
        values["tcon"] = [str(v1[127])]
    if not values:
        raise DeclinedError
    return values


def is_plain_date(text: str) -> bool:
    """Return whether a date, or nothing, is written in the one form that mutagen keeps."""
    return _PLAIN_DATE.fullmatch(text) is not None


def _v1_text(data: bytes) -> str:
    return data.split(b"\0")[0].strip().decode("latin-1")


def _tail(file: HeadFile, length: int) -> bytes:
    return file.up_to(max(0, file.size - length), length)
