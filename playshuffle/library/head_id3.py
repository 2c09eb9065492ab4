"""Read the plain ID3v2.3 and v2.4 tags that nearly every MP3 has.

mutagen reads every tag, but it decodes UTF-16 letter by letter and copies a cover once for every
frame. This takes a tenth of the time, and leaves unusual tags to mutagen.
"""

import re
from typing import Any, BinaryIO, NamedTuple

from playshuffle.library.tag_names import ID3_FRAMES

_FRAMES = frozenset(frame.encode() for frame in ID3_FRAMES)

_LONGEST_FRAME = 16 * 1024  # read of a frame; several times what is kept of any text
_ENCODINGS = ("latin-1", "utf-16", "utf-16-be", "utf-8")  # as frames number them
_IS_NAME = re.compile(rb"[A-Z][A-Z0-9]{3}").fullmatch


class Tag(NamedTuple):
    """Its size in bytes, header included, and pairs of what a frame is called and its values."""

    size: int
    named: list[tuple[str, list[Any]]]


def tag_size(head: bytes) -> int:
    """How long the tag is that begins a file, its header included; 0 where there is none."""
    size = _synchsafe(head[6:10]) if head.startswith(b"ID3") and len(head) >= 10 else None
    return 0 if size is None else 10 + size


def read_tag(file: BinaryIO) -> Tag | None:
    """Read the tag at the start of a file, if it is plain, whole, and as it should be."""
    header = file.read(10)
    tag = Tag(tag_size(header), [])
    if not tag.size or header[3] not in (3, 4) or header[5]:
        return None
    size_of = _synchsafe if header[3] == 4 else _integer
    place = 10
    while place + 10 <= tag.size:
        header = file.read(10)
        name, length = header[:4], size_of(header[4:8])
        if name == b"\0\0\0\0":  # the padding begins
            break
        if not _IS_NAME(name) or length is None or place + 10 + length > tag.size:
            return None
        place += 10 + length
        if name in _FRAMES and length:
            data = file.read(min(length, _LONGEST_FRAME))
            pairs = _named(name, data) if data and header[8:] == b"\0\0" else None
            if pairs is None:
                return None
            tag.named.extend(pairs)
        file.seek(place)
    return tag


def _integer(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _synchsafe(data: bytes) -> int | None:
    """Seven bits a byte, so that no size looks like audio; None where it is something else."""
    number = 0
    for byte in data:
        if byte > 0x7F:
            return None
        number = number << 7 | byte
    return number


def _named(name: bytes, data: bytes) -> list[tuple[str, list[Any]]] | None:
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
    first, *others = text.decode(encoding, errors="replace").replace("\ufeff", "").split("\0")
    if name == b"TXXX":
        return [(first, others)]
    if name == b"COMM":
        # A described comment is the data of some program, like iTunNORM.
        return [] if first else [("COMM", others)]
    return [(name.decode(), [first, *others])]
