"""Make small audio files that take much memory or time to read."""

import zlib

from tests.tags.test_tag_reader import DATA


def compressed_bomb() -> bytes:
    """Return an ID3v2.3 frame of 150 KB that expands to 150 MB."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(150)) + packer.flush()
    frame = b"TIT2" + (len(packed) + 4).to_bytes(4, "big") + b"\0\x80" + (150 << 20).to_bytes(4, "big")
    return id3_header(0, len(frame + packed)) + frame + packed + (DATA / "none.mp3").read_bytes()


def id3_header(flags: int, size: int) -> bytes:
    return b"ID3\3\0" + bytes([flags, size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])


def nested_bomb() -> bytes:
    """Return nested boxes, twenty thousand deep."""
    depth = 20_000
    boxes = b"".join((8 * (depth - level)).to_bytes(4, "big") + b"moov" for level in range(depth))
    return b"\0\0\0\x10ftypM4A \0\0\0\0" + boxes


def slow_ogg_bomb() -> bytes:
    """Return a first page, then two million empty ones of another stream: four seconds on a fast machine."""
    sound = (DATA / "tone.ogg").read_bytes()
    end = sound.index(b"OggS", sound.index(b"OggS", 4) + 4)
    return sound[:end] + (b"OggS\0\0" + bytes(8) + b"else" + bytes(9)) * 2_000_000


def slow_id3_bomb() -> bytes:
    """Return half a million empty frames; the rest of the tag is copied for each."""
    body = b"TIT2\0\0\0\0\0\0" * 500_000
    return id3_header(0x80, len(body)) + body  # the flag disables the fast path
