"""Read plain ID3 tags: v2.3 and v2.4, which nearly every MP3 has.

mutagen is slow: it decodes UTF-16 letter by letter, and copies covers for every frame.
"""

import re
from collections.abc import Iterator
from struct import Struct
from typing import Any

from playshuffle.tags.head_file import DeclinedError, HeadFile
from playshuffle.tags.stars import popularity
from playshuffle.tags.tag_frames import ID3_FRAMES, KNOWN_NAMES, TagValues

_FRAMES = frozenset(frame.encode() for frame in ID3_FRAMES)

MAIN_TEXTS = frozenset(("tit2", "tpe1", "talb"))  # if all are present, the end of the file is not read
_LONGEST_FRAME = 16 * 1024  # bytes to read from a frame; several times the longest text that is kept
_ENCODINGS = ("latin-1", "utf-16", "utf-16-be", "utf-8")  # by their number in frames
_BYTE_ORDER_MARK = "\ufeff"
_SWAPPED_MARK = "\ufffe"  # the mark of the other byte order
_FRAME_HEADER = Struct(">4sIH").unpack  # name, size, flags
_IS_NAME = re.compile(rb"[A-Z][A-Z0-9]{3}").fullmatch

# mutagen looks here for an ID3v1 tag, and an APEv2 tag ends before it.
_TAIL_BYTES = 168
_V1_BYTES = 131


def tag_size(head: bytes) -> int:
    """Return the size of the ID3 tag at the start of a file, with its header; 0 without a tag."""
    size = _synchsafe(int.from_bytes(head[6:10])) if head.startswith(b"ID3") and len(head) >= 10 else None
    return 0 if size is None else 10 + size


def read_tag(file: HeadFile, size: int) -> TagValues:
    """Return the values of the tag at the start of a file, by name in lower case.

    Raises:
        DeclinedError: the tag is unusual or incomplete, or an ID3v1 tag adds to it.
    """
    values_of: TagValues = {}
    names: set[str] = set()
    for frame, data in _frames(file, size):
        for name, values in _frame_values(frame, data):
            if name in names:  # mutagen merges frames of one name
                raise DeclinedError
            names.add(name)
            values_of.setdefault(name.lower(), []).extend(values)
    # A missing genre or comment does not justify reading the end of each file.
    if not values_of or (not values_of.keys() >= MAIN_TEXTS and _may_have_tag(_tail(file))):
        raise DeclinedError
    return values_of


def _frames(file: HeadFile, size: int) -> Iterator[tuple[bytes, bytes]]:
    header = file.at(0, 10)
    if header[3] not in (3, 4) or header[5]:
        raise DeclinedError
    place = 10
    while place + 10 <= size:
        name, length, flags = _FRAME_HEADER(file.at(place, 10))
        if name == b"\0\0\0\0":  # padding
            break
        place += 10
        if header[3] == 4:  # sizes are encoded as the tag's size
            length = _synchsafe(length)
        if (name not in _FRAMES and not _IS_NAME(name)) or length is None or place + length > size:
            raise DeclinedError
        if name in _FRAMES and length:
            if flags:
                raise DeclinedError
            yield name, file.at(place, min(length, _LONGEST_FRAME))
        place += length


def check_untagged(file: HeadFile) -> None:
    """Raise DeclinedError for an MP3 with a tag at its end."""
    tail = _tail(file)
    if len(tail) < _TAIL_BYTES or b"LYRICS200" in tail or _may_have_tag(tail):
        raise DeclinedError


def _synchsafe(number: int) -> int | None:
    """Return the number made of four bytes of seven bits each; None if an eighth bit is set."""
    if number & 0x80808080:
        return None
    return number & 0x7F | number >> 1 & 0x3F80 | number >> 2 & 0x1FC000 | number >> 3 & 0xFE00000


def _frame_values(name: bytes, data: bytes) -> list[tuple[str, list[Any]]]:
    if name == b"UFID":
        owner, _, identifier = data.partition(b"\0")
        return [(f"UFID:{owner.decode('latin-1')}", [identifier])]
    if name == b"POPM":
        address, _, numbers = data.partition(b"\0")
        return popularity(address.decode("latin-1"), int.from_bytes(numbers[:1]), int.from_bytes(numbers[1:]))
    if name == b"PCNT":
        return [("PCNT", [int.from_bytes(data)])]
    return _text(name, data)


def _text(name: bytes, data: bytes) -> list[tuple[str, list[Any]]]:
    if data[0] >= len(_ENCODINGS):
        raise DeclinedError
    encoding = _ENCODINGS[data[0]]
    text = data[4:] if name == b"COMM" else data[1:]  # a comment has a language
    if "16" in encoding and len(text) % 2:  # half an end mark follows the last letter
        text = text[:-1]
    first, *other_texts = text.decode(encoding).split("\0")
    if encoding == "utf-16":
        # Each text may have its own byte order, and little-endian is the default.
        if other_texts and text.startswith(b"\xfe\xff"):
            raise DeclinedError
        if any(text.startswith(_SWAPPED_MARK) for text in other_texts):
            raise DeclinedError
        other_texts = [text.removeprefix(_BYTE_ORDER_MARK) for text in other_texts]
    if name == b"TXXX":
        return [(first, other_texts)] if first.lower() in KNOWN_NAMES else []
    if name == b"COMM":
        # A described comment is data of some program, like iTunNORM.
        return [] if first else [("COMM", other_texts)]
    return [(name.decode(), [first, *other_texts])]


def _tail(file: HeadFile) -> bytes:
    return file.up_to(max(0, file.size - _TAIL_BYTES), _TAIL_BYTES)


def _may_have_tag(tail: bytes) -> bool:
    return b"TAG" in tail[-_V1_BYTES:] or b"APETAGEX" in tail
