"""Read MP4 files from their heads: the tags in `ilst`, and the sound track's length and codec.

As mutagen does, skip from one atom's header to the next, so that a damaged header is noticed.
"""

from functools import lru_cache
from io import BytesIO
from struct import unpack_from
from typing import Any, NamedTuple

from playshuffle.tags.head_file import DeclinedError, HeadFile, audio_mark
from playshuffle.tags.tag_frames import KNOWN_NAMES, Stream, TagValues

_CONTAINERS = frozenset((b"moov", b"udta", b"trak", b"mdia", b"meta", b"ilst", b"stbl", b"minf"))
_AROUND_TAGS = (b"moov", b"udta", b"meta")  # an `ilst` elsewhere, such as in a track, is not about the file
_ONCE = frozenset(_AROUND_TAGS)
_FRAGMENTS = frozenset((b"moof", b"traf", b"chpl"))
_PAIRS = frozenset((b"trkn", b"disk"))
_INTEGERS = frozenset((b"tmpo", b"stik", b"rtng"))
_TEXTS = frozenset(b"\xa9nam \xa9alb \xa9ART aART \xa9wrt \xa9day \xa9cmt \xa9grp \xa9gen".split())
_IMPLICIT, _UTF8, _INTEGER = 0, 1, 21  # kinds of values
_LONGEST_ITEM = 16 * 1024
_SILENT_SIZES = 3  # different sizes of samples before and in silence
_MOST_ATOMS = 5000


# The maximum bytes to keep of an atom: of `stsz`, the first sizes of samples.
_KEPT = {**dict.fromkeys((b"stsd", b"mdhd", b"hdlr", b"stts"), _LONGEST_ITEM), b"stsz": 12 + 256}


class _Atom(NamedTuple):
    name: bytes
    content: bytes
    children: "list[_Atom]"

    def child(self, *names: bytes) -> "_Atom":
        """Return the atom reached by these names, through the first child of each name."""
        atom = self
        for name in names:
            atom = next((child for child in atom.children if child.name == name), _NOTHING)
        return atom


_NOTHING = _Atom(b"", b"", [])


def read_mp4(file: HeadFile, *, wants_tags: bool = True) -> tuple[TagValues, Stream]:
    """Return the tags of an MP4 file by name, if they are wanted, and its `Stream`."""
    walk = _AtomReader(file, wants_tags=wants_tags)
    for trak in _Atom(b"", b"", walk.atoms(0, file.size)).child(b"moov").children:
        if trak.name == b"trak":
            handler = trak.child(b"mdia", b"hdlr").content
            if len(handler) < 12:
                raise DeclinedError
            if handler[8:12] == b"soun":
                stream = _stream(trak.child(b"mdia"))
                return walk.found, stream._replace(length_s=stream.length_s * walk.present)
    raise DeclinedError


class _AtomReader:
    """One pass over a file from front to back, so that no piece is read twice.

    Attributes:
        present: the share of the audio that is in the file, which may be cut off.
    """

    def __init__(self, file: HeadFile, *, wants_tags: bool) -> None:
        self.found: TagValues = {}
        self.present = 0.0
        self._file = file
        self._wants_tags = wants_tags
        self._count = 0
        self._seen: set[bytes] = set()

    def atoms(self, place: int, end: int, around: tuple[bytes, ...] = ()) -> list[_Atom]:
        """Return the atoms in a range; `around`: the names of the enclosing atoms, from the top."""
        atoms = []
        while place + 8 <= end:
            start, stop, name = self._header(place, end)
            content, children = b"", []
            if name == b"ilst" and self._wants_tags:
                if around != _AROUND_TAGS:
                    raise DeclinedError
                self._note_tags(start, stop)
            elif name in _ONCE and (*around, name) != _AROUND_TAGS[: len(around) + 1]:
                pass  # tags of a track
            elif name in _CONTAINERS and name != b"ilst":
                if name in _ONCE and name in self._seen:
                    raise DeclinedError
                self._seen.add(name)
                # The `meta` of QuickTime has no version.
                has_version = name == b"meta" and self._file.up_to(start + 4, 4) != b"hdlr"
                inside = start + 4 if has_version else start
                if inside > stop:
                    raise DeclinedError
                children = self.atoms(inside, stop, (*around, name))
            elif name in _KEPT:
                content = self._file.at(start, min(stop - start, _KEPT[name]))
            atoms.append(_Atom(name, content, children))
            place = stop
        return atoms

    def _header(self, place: int, end: int) -> tuple[int, int, bytes]:
        self._count += 1
        length, name = unpack_from(">I4s", self._file.at(place, 8))
        start = place + 8
        if length == 1:
            length = unpack_from(">Q", self._file.at(start, 8))[0]
            start += 8
        if length == 0:  # to the end
            length = end - place
        if name == b"mdat":
            self.present = min(1, (end - start) / max(1, place + length - start))
        if end == self._file.size:  # the file was cut off
            length = min(length, end - place)
        if place + length > end or start > place + length or name in _FRAGMENTS or self._count > _MOST_ATOMS:
            raise DeclinedError
        return start, place + length, name

    def _note_tags(self, place: int, end: int) -> None:
        if b"ilst" in self._seen:
            raise DeclinedError
        self._seen.add(b"ilst")
        while place < end:
            start, stop, name = self._header(place, end)
            if start != place + 8 or name == b"gnre" or name in _CONTAINERS:
                raise DeclinedError
            is_free = name == b"----"
            if is_free or name.decode("latin-1").lower() in KNOWN_NAMES:
                if stop - start > _LONGEST_ITEM:
                    raise DeclinedError
                content = self._file.at(start, stop - start)
                key, values = _free(content) if is_free else (name.decode("latin-1"), _values(name, content))
                key = key.lower()
                if key in self.found:
                    raise DeclinedError
                self.found[key] = values
            place = stop


def _free(content: bytes) -> tuple[str, list[Any]]:
    mean, kind = unpack_from(">I4s", content)
    length, second = unpack_from(">I4s", content, mean)
    if (kind, second) != (b"mean", b"name") or mean < 12 or length < 12 or mean + length > len(content):
        raise DeclinedError
    name = content[mean + 12 : mean + length].decode("latin-1")
    return name.rpartition(":")[2], [value for _, _, value in _data(content, mean + length)]


def _data(content: bytes, place: int = 0) -> list[tuple[int, int, bytes]]:
    values = []
    while place < len(content):
        length, name, kind = unpack_from(">I4sI", content, place)
        if name != b"data" or length < 16 or place + length > len(content):
            raise DeclinedError
        values.append((kind >> 24, kind & 0xFFFFFF, content[place + 16 : place + length]))
        place += length
    return values


def _values(name: bytes, content: bytes) -> list[Any]:
    values: list[Any] = []
    for version, kind, value in _data(content):
        if name in _PAIRS:
            values.append(unpack_from(">2H", value, 2))
        elif name in _INTEGERS:
            if version or kind not in (_IMPLICIT, _INTEGER) or len(value) not in (1, 2, 3, 4, 8):
                raise DeclinedError
            values.append(int.from_bytes(value, "big", signed=True))
        elif kind == _UTF8 or (kind == _IMPLICIT and name in _TEXTS):
            values.append(value.decode())
        else:
            raise DeclinedError
    return values


def _stream(media: _Atom) -> Stream:
    header = media.child(b"mdhd").content
    if header[:1] == b"\0":
        unit, length = unpack_from(">2I", header, 12)
    elif header[:1] == b"\1":
        unit, length = unpack_from(">IQ", header, 20)
    else:
        raise DeclinedError
    table = media.child(b"minf", b"stbl")
    description = table.child(b"stsd").content
    if not unit or description[:1] != b"\0" or not unpack_from(">I", description, 4)[0]:
        raise DeclinedError
    bitrate, hertz, codec = _codec(description[8:])
    sizes = table.child(b"stsz").content
    length = min(length, _sample_units(table.child(b"stts").content, sizes) or length)
    is_lossless = "alac" in codec or "lossless" in codec
    return Stream(float(length) / unit, bitrate, hertz, is_lossless, _mark(sizes))


def _sample_units(times: bytes, sizes: bytes) -> float:
    count = int.from_bytes(times[4:8])
    if not count or len(times) < 8 + 8 * count or len(sizes) < 12:
        return 0
    runs = [unpack_from(">2I", times, 8 + 8 * number) for number in range(count)]
    samples = sum(samples for samples, _ in runs)
    units = sum(samples * units for samples, units in runs)
    return units * min(1, unpack_from(">I", sizes, 8)[0] / samples) if samples else 0


def _mark(sizes: bytes) -> int:
    """Return the audio mark, from number and sizes of samples; 0 if most sizes are equal, as in silence."""
    different = set()
    for place in range(12, len(sizes), 4):
        different.add(sizes[place : place + 4])
        if len(different) > _SILENT_SIZES:  # soon, unless all is silent
            return audio_mark(sizes[8:])
    return 0


@lru_cache(maxsize=256)
def _codec(description: bytes) -> tuple[int, int, str]:
    """Return bit rate, sample rate and codec from the first sample description.

    This uses mutagen, which knows the rules of AAC with SBR.
    """
    from playshuffle.tags.mutagen_formats import read_sample_entry

    try:
        codec = read_sample_entry(BytesIO(description))
    except Exception as error:
        raise DeclinedError from error
    return codec.bitrate, codec.sample_rate, f"{codec.codec}".lower()
