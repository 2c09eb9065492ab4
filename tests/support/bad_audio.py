"""Make audio files that break readers: large, slow to read, or damaged at random.

The same seed gives the same bytes, so that a failure can be reproduced.
"""

import random
import zlib
from collections.abc import Iterator
from pathlib import Path

from tests.support.program import DATA


def compressed_bomb() -> bytes:
    """Return an ID3v2.3 frame of 150 KB that expands to 150 MB."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(150)) + packer.flush()
    frame = b"TIT2" + (len(packed) + 4).to_bytes(4, "big") + b"\0\x80" + (150 << 20).to_bytes(4, "big")
    return id3_header(0, len(frame + packed)) + frame + packed + (DATA / "none.mp3").read_bytes()


def id3_header(flags: int, size: int) -> bytes:
    return b"ID3\3\0" + bytes([flags, size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])


def nested_bomb() -> bytes:
    """Return an MP4 file with boxes inside each other, twenty thousand deep."""
    depth = 20_000
    boxes = b"".join((8 * (depth - level)).to_bytes(4, "big") + b"moov" for level in range(depth))
    return b"\0\0\0\x10ftypM4A \0\0\0\0" + boxes


def slow_ogg_bomb() -> bytes:
    """Return an Ogg file with two million empty pages of another stream."""
    sound = (DATA / "tone.ogg").read_bytes()
    end = sound.index(b"OggS", sound.index(b"OggS", 4) + 4)
    return sound[:end] + (b"OggS\0\0" + bytes(8) + b"else" + bytes(9)) * 2_000_000


def slow_id3_bomb() -> bytes:
    """Return an ID3 tag of half a million empty frames; a reader copies the rest for each."""
    body = b"TIT2\0\0\0\0\0\0" * 500_000
    return id3_header(0x80, len(body)) + body  # the flag disables the fast path


_SIZES = (0, 1, 7, 0x7F, 0xFF, 0xFFFF, 0x10000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF)
_TEXTS = (b"\n#EXTM3U\n", b"\x1b]0;x\x07", b"\0\0", b"\xed\xb2\x80", b"\xff\xfe\x00\xd8", b"../../..")


def mutants(folder: Path, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield names with audio suffixes, each with a damaged copy of a file in the folder."""
    paths = sorted(path for path in folder.iterdir() if path.suffix != ".py" and path.is_file())
    sound = [path.read_bytes() for path in paths]
    chance = random.Random(seed)
    for number in range(count):
        which = chance.randrange(len(paths))
        data = bytearray(sound[which])
        for _ in range(chance.choice((1, 1, 2, 3))):
            _damage(data, chance.choice(sound), chance)
        # One in ten has a wrong suffix, too.
        suffix = paths[which if chance.random() < 0.9 else chance.randrange(len(paths))].suffix
        yield f"{number}{suffix}", bytes(data)


def _damage(data: bytearray, other: bytes, chance: random.Random) -> None:
    """Change the data in one way. Headers, which direct a reader, are damaged more often than the rest."""
    end = len(data) + 1
    place = chance.randrange(chance.choice((end, min(end, 4096), min(end, 64))))
    match chance.randrange(9):
        case 0 | 1:
            for _ in range(chance.choice((1, 4, 32)) if data else 0):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        case 2:
            del data[place:]
        case 3:
            size = chance.choice((*_SIZES, len(data), 2 * len(data)))
            data[place : place + 4] = size.to_bytes(4, chance.choice(("big", "little")))
        case 4:
            data[place : place + chance.choice((1, 16, 512))] = bytes(chance.choice((1, 16, 512)))
        case 5:
            data[place:place] = data[place : place + chance.choice((4, 64, 1024))] * chance.choice((1, 2, 50))
        case 6:
            del data[place : place + chance.choice((1, 3, 64, 4096))]
        case 7:
            data[place:] = other[place:]
        case 8:
            text = chance.choice(_TEXTS)
            data[place : place + len(text)] = text
