"""Read tags and streams with mutagen, and work around the limits of mutagen.

Only this module imports mutagen, which takes 60 ms: import this module only when needed. For a damaged file,
its functions may raise any exception.
"""

import codecs
import contextlib
import re
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from mutagen import MutagenError, id3
from mutagen._vorbis import VComment
from mutagen.aac import AAC
from mutagen.ac3 import AC3
from mutagen.apev2 import TEXT, APEv2, APEv2File
from mutagen.asf import ASF, ASFTags
from mutagen.dsdiff import DSDIFF
from mutagen.dsf import DSF
from mutagen.flac import FLAC, VCFLACDict
from mutagen.monkeysaudio import MonkeysAudio
from mutagen.mp3 import MP3, HeaderNotFoundError
from mutagen.mp4 import MP4, MP4Tags
from mutagen.mp4._as_entry import AudioSampleEntry
from mutagen.mp4._atom import Atom
from mutagen.musepack import Musepack
from mutagen.oggflac import OggFLAC
from mutagen.oggopus import OggOpus
from mutagen.oggspeex import OggSpeex
from mutagen.oggvorbis import OggVorbis
from mutagen.optimfrog import OptimFROG
from mutagen.tak import TAK
from mutagen.trueaudio import TrueAudio
from mutagen.wavpack import WavPack

from playshuffle.tags.head_id3 import MAIN_TEXTS
from playshuffle.tags.stars import popularity
from playshuffle.tags.tag_frames import ID3_FRAMES

NamedValues = tuple[str, Iterable[Any]]
Named = Iterable[NamedValues]

NoFramesError = HeaderNotFoundError

_ERRORS = "playshuffle.latin-1"


def _as_latin1(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8 as Windows-1252, an extended Latin-1."""
    if isinstance(error, UnicodeDecodeError):
        return error.object[error.start : error.end].decode("cp1252", "replace"), error.end
    raise error


codecs.register_error(_ERRORS, _as_latin1)


class _Latin1:
    """A mixin for Vorbis comments: bytes that are not UTF-8 are Latin-1, unless a comment is malformed."""

    def load(self, file: BinaryIO, **options: bool) -> None:
        comments: Any = super()
        place = file.tell()
        try:
            comments.load(file, _ERRORS, **options)
        except (MutagenError, UnicodeError):
            file.seek(place)
            list.clear(self)  # type: ignore[arg-type]
            comments.load(file, **options)


class _FLACComments(_Latin1, VCFLACDict):  # type: ignore[misc]
    pass


def _with_latin1(ogg: Any) -> Any:
    return type(ogg.__name__, (ogg,), {"_Tags": type("Comments", (_Latin1, ogg._Tags), {})})  # noqa: SLF001


class _Flac(FLAC):  # type: ignore[misc]
    METADATA_BLOCKS = tuple(_FLACComments if block is VCFLACDict else block for block in FLAC.METADATA_BLOCKS)


# mutagen takes dates apart and drops parts that it does not understand: read them as text.
_ID3_FRAMES = {
    name: type(name, (id3.TextFrame,), {}) if issubclass(frame, id3.TimeStampTextFrame) else frame
    for name, frame in id3.Frames.items()
    if name in ID3_FRAMES
}
# A frame of v2.2 has the class of its later name above it.
_ID3_FRAMES |= {
    name: frame for name, frame in id3.Frames_2_2.items() if frame.__bases__[0].__name__ in ID3_FRAMES
}

_ID3_OPTIONS: dict[str, Any] = {"known_frames": _ID3_FRAMES, "translate": False}


CLASSES: dict[str, Any] = {
    "aac": AAC, "ac3": AC3, "ape": MonkeysAudio, "asf": ASF, "dsdiff": DSDIFF, "dsf": DSF, "flac": _Flac,
    "mp3": MP3, "mp4": MP4, "musepack": Musepack, "oggflac": _with_latin1(OggFLAC), "optimfrog": OptimFROG,
    "opus": _with_latin1(OggOpus), "speex": _with_latin1(OggSpeex), "tak": TAK, "tta": TrueAudio,
    "vorbis": _with_latin1(OggVorbis), "wavpack": WavPack,
}  # fmt: skip
_WITH_ID3 = ("dsdiff", "dsf", "mp3", "tta")
# Some programs add APEv2 to files although the format's class ignores it, and ID3v1 to files with APEv2.
_MAY_END_IN_APEV2 = ("aac", "ac3", "mp3", "tta")
_MAY_END_IN_ID3V1 = ("ape", "mp3", "musepack", "optimfrog", "tak", "tta", "wavpack")


def genre_names(texts: list[Any]) -> list[Any]:
    """Return the names of genres; an ID3 tag may have numbers instead."""
    genres: list[Any] = id3.TCON(text=texts).genres
    return genres


def read_sample_entry(file: BinaryIO) -> Any:
    """Return bit rate, sample rate and codec of the first sound description of an MP4 file."""
    return AudioSampleEntry(Atom(file), file)


def read_audio(file: BinaryIO, format_: str, *, is_sure: bool) -> tuple[Any, Named]:
    """Return mutagen's stream info of a file, and its tags by name. `is_sure`: the format is certain."""
    file.seek(0)
    audio = CLASSES[format_](file, **(_ID3_OPTIONS | {"load_v1": False} if format_ in _WITH_ID3 else {}))
    if not is_sure and getattr(audio.info, "sketchy", False):
        raise MutagenError("only a few bytes look like MPEG frames")
    pairs = _pairs(audio.tags)
    is_enough = (
        {name.lower() for name, _ in pairs} >= MAIN_TEXTS if isinstance(audio.tags, id3.ID3) else pairs
    )
    if not is_enough and format_ in _MAY_END_IN_APEV2:
        file.seek(0)
        pairs += (added := _pairs(APEv2File(file).tags))
        is_enough = added
    if not is_enough and format_ in _MAY_END_IN_ID3V1:
        with contextlib.suppress(id3.ID3NoHeaderError):
            pairs = read_id3(file)
    return audio.info, pairs


def _pairs(tags: Any) -> list[NamedValues]:
    return [pair for family, read_tags in _FAMILIES if isinstance(tags, family) for pair in read_tags(tags)]


def read_id3(file: BinaryIO) -> list[NamedValues]:
    """Return the values of a file's leading ID3 tag by name, completed from a tag at its end."""
    file.seek(0)
    return _pairs(id3.ID3(file, **_ID3_OPTIONS))


_DESCRIPTOR = re.compile(r"^'?\d+'? is (?=not a )")  # mutagen's name for a file without a name

# Messages of mutagen with bytes of the file or terms of its parser, and plain words.
_PLAIN = (
    (re.compile(r"^can't sync to (?:an? )?MPEG frame.*"), "no MPEG frames were found"),
    (re.compile(r"^read b(['\"]).*\1, expected b'(\w+)'.*", re.DOTALL), r"the mark \2 is missing"),
    (re.compile(r".*\bb(['\"]).*\1.*", re.DOTALL), "damaged"),
)


def describe_error(error: Exception) -> str:
    """Return the reason why a file could not be read, at most 100 characters."""
    text = str(error) if isinstance(error, (MutagenError, OSError)) else ""
    text = _DESCRIPTOR.sub("", text)
    for pattern, words in _PLAIN:
        text = pattern.sub(words, text)
    return text[:100].encode(errors="replace").decode() or f"damaged ({type(error).__name__})"


def _id3(tags: Any) -> Named:
    for key, frame in tags.items():
        if isinstance(frame, id3.TXXX):
            yield frame.desc, frame.text
        elif isinstance(frame, id3.COMM):
            # A described comment is data of some program, like iTunNORM.
            if frame.desc in ("", "ID3v1 Comment"):
                yield "comm", frame.text
        elif isinstance(frame, id3.TextFrame):
            yield key, frame.text
        elif isinstance(frame, id3.UFID):
            yield key, [frame.data]
        elif isinstance(frame, id3.POPM):
            yield from popularity(frame.email, frame.rating, getattr(frame, "count", 0))
        elif isinstance(frame, id3.PCNT):
            yield "pcnt", [frame.count]


_QUOD_LIBET = {"rating": "fmps_rating", "playcount": "playcount"}


def _vorbis(tags: Any) -> Named:
    for key, value in tags:
        # Quod Libet adds a user's name, and rates from 0 to 1.
        kind, colon, _ = key.lower().partition(":")
        yield _QUOD_LIBET.get(kind, key) if colon else key, [value]


def _mp4(tags: Any) -> Named:
    for key, values in tags.items():
        yield key.rpartition(":")[2], values if isinstance(values, list) else [values]


# Each class of tags, and the function that reads it.
_FAMILIES: tuple[tuple[type, Callable[[Any], Named]], ...] = (
    (id3.ID3, _id3),
    (VComment, _vorbis),
    (MP4Tags, _mp4),
    (APEv2, lambda tags: [(key, [value.value]) for key, value in tags.items() if value.kind == TEXT]),
    (ASFTags, lambda tags: [(key, [attribute.value]) for key, attribute in tags]),
)
