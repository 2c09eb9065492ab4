"""One file in, its reading out: tags, or the reason why there are none. In this process, with no limits.

The only module that names mutagen. A hostile file can make mutagen take gigabytes or minutes: files
from outside are read through `readers.read_all`, which does this in workers that have a limit of each.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from typing import Any, BinaryIO

from mutagen import MutagenError
from mutagen._vorbis import VComment
from mutagen.aac import AAC
from mutagen.ac3 import AC3
from mutagen.aiff import AIFF
from mutagen.apev2 import TEXT, APEv2, APEv2File
from mutagen.asf import ASF, ASFTags
from mutagen.dsdiff import DSDIFF
from mutagen.dsf import DSF
from mutagen.flac import FLAC, StreamInfo, VCFLACDict
from mutagen.id3 import ID3, POPM, TCON, TXXX, UFID, Frames, Frames_2_2, TextFrame
from mutagen.monkeysaudio import MonkeysAudio
from mutagen.mp3 import MP3, MPEGInfo
from mutagen.mp4 import MP4, MP4Tags
from mutagen.musepack import Musepack
from mutagen.oggflac import OggFLAC
from mutagen.oggopus import OggOpus
from mutagen.oggspeex import OggSpeex
from mutagen.oggvorbis import OggVorbis
from mutagen.optimfrog import OptimFROG
from mutagen.tak import TAK
from mutagen.trueaudio import TrueAudio
from mutagen.wave import WAVE
from mutagen.wavpack import WavPack

from playshuffle.library import id3
from playshuffle.library.folder import Reading, Tags
from playshuffle.library.formats import BY_SUFFIX, HEAD_BYTES, format_of
from playshuffle.library.tag_fields import tags_of

_Named = Iterable[tuple[str, Iterable[Any]]]

TOO_MUCH_MEMORY = "needed too much memory"

# Then there is no file of that name, or none any more.
_GONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))

# Frames that hold fields, in ID3v2.3 and v2.4 and in v2.2; all others are never parsed.
_ID3_NAMES = (
    "TIT2 TPE1 TALB TPE2 TPOS TRCK TCON TDRC TYER TCOM TIT1 GRP1 TXXX UFID POPM"
    " TT2 TP1 TAL TP2 TPA TRK TCO TYE TCM TT1 GP1 TXX UFI POP"
)
_ID3_FRAMES = {name: (Frames | Frames_2_2)[name] for name in _ID3_NAMES.split()}


class _FLAC(FLAC):  # type: ignore[misc]
    """Without pictures, seek table and cue sheet: a block of no class is skipped."""

    METADATA_BLOCKS = (StreamInfo, None, None, None, VCFLACDict)


class _MP4Tags(MP4Tags):  # type: ignore[misc]
    def load(self, atoms: Any, file: BinaryIO) -> None:
        """Leave out the covers, which would be read whole."""
        tags = atoms.path(b"moov", b"udta", b"meta", b"ilst")[-1]
        tags.children = [atom for atom in tags.children if atom.name != b"covr"]
        super().load(atoms, file)


class _MP4(MP4):  # type: ignore[misc]
    MP4Tags = _MP4Tags


_CLASSES: dict[str, Any] = {
    "aac": AAC,
    "ac3": AC3,
    "aiff": AIFF,
    "ape": MonkeysAudio,
    "asf": ASF,
    "dsdiff": DSDIFF,
    "dsf": DSF,
    "flac": _FLAC,
    "mp3": MP3,
    "mp4": _MP4,
    "musepack": Musepack,
    "oggflac": OggFLAC,
    "optimfrog": OptimFROG,
    "opus": OggOpus,
    "speex": OggSpeex,
    "tak": TAK,
    "tta": TrueAudio,
    "vorbis": OggVorbis,
    "wave": WAVE,
    "wavpack": WavPack,
}
_WITH_ID3 = ("aiff", "dsdiff", "dsf", "mp3", "tta", "wave")
# Some programs add APEv2 where the class of the format does not look for it.
_MAY_END_IN_APEV2 = ("aac", "ac3", "mp3", "tta")


def read(path: bytes) -> Reading:
    """Read what a file says of itself; never raises for anything that is on disk.

    Links are followed. Only a regular file is opened, never a FIFO or a device, and never to write.
    An error of the disk tells nothing of the file: its reading is not settled.
    """
    try:
        with _open(path) as disk, BufferedReader(disk) as file:
            head = file.read(HEAD_BYTES)
            reading = _reading(file, head, os.path.splitext(path)[1].lower())
            if disk.error is not None:
                raise disk.error
            return reading
    except OSError as error:
        is_there = not isinstance(error, _NotRegularError) and error.errno not in _GONE
        return Reading(None, f"could not be read: {error.strerror}", is_audio=is_there, is_settled=False)


class _NotRegularError(OSError):
    pass


class _Disk(FileIO):
    """Keeps the error of the disk, which mutagen may take for damage, or for the end of the file."""

    error: OSError | None = None

    def readinto(self, buffer: Any) -> int:
        with self._kept():
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with self._kept():
            return super().readall()

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        with self._kept():
            return super().seek(offset, whence)

    @contextmanager
    def _kept(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno != errno.EINVAL:  # that is mutagen, seeking to before the start
                self.error = error
            raise


def _open(path: bytes) -> _Disk:
    # Even to open a device can do something, so look before; look again after, for it may
    # have been exchanged meanwhile.
    _check_regular(os.stat(path))
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        descriptor = os.open(os.path.realpath(path), flags)
    try:
        _check_regular(os.fstat(descriptor))
        return _Disk(descriptor)
    except OSError:
        os.close(descriptor)
        raise


def _check_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _NotRegularError(errno.EINVAL, "not a regular file")


def _reading(file: BinaryIO, head: bytes, suffix: bytes) -> Reading:
    if not head:
        return Reading(None, "empty file", is_audio=False)
    found = format_of(head, suffix)
    if size := id3.tag_size(head):
        file.seek(size)
        found = format_of(file.read(HEAD_BYTES), suffix) or "mp3"
    try:
        return Reading(_tags(file, found or BY_SUFFIX.get(suffix, "mp3"), is_sure=found is not None))
    except MemoryError:
        why = TOO_MUCH_MEMORY
    # On a broken file mutagen raises anything: IndexError, KeyError, OverflowError, RecursionError...
    except Exception as error:  # noqa: BLE001
        why = _short(error)
    if found is None:
        return Reading(None, f"not audio: {why}", is_audio=False)
    return Reading(None, f"tags could not be read: {why}")


def _short(error: Exception) -> str:
    text = str(error) if isinstance(error, (MutagenError, OSError)) else ""
    return text[:100].encode(errors="replace").decode() or f"damaged ({type(error).__name__})"


def _tags(file: BinaryIO, format_: str, *, is_sure: bool) -> Tags:
    file.seek(0)
    # An empty tag may hide one of another kind at the end of the file.
    if format_ == "mp3" and (tag := id3.read_tag(file)) is not None and tag.named:
        named: _Named = tag.named
        info = MPEGInfo(file, tag.size)
    else:
        info, named = _with_mutagen(file, format_)
    if not is_sure and getattr(info, "sketchy", False):
        raise MutagenError("a few bytes that look like MPEG frames, by chance")
    found: dict[str, list[Any]] = {}
    for name, values in named:
        found.setdefault(name.lower(), []).extend(values)
    if "tcon" in found:
        found["tcon"] = TCON(text=found["tcon"]).genres  # the numbers of old, as names
    return tags_of(found, info.length)


def _with_mutagen(file: BinaryIO, format_: str) -> tuple[Any, _Named]:
    file.seek(0)
    options = {"known_frames": _ID3_FRAMES, "translate": False} if format_ in _WITH_ID3 else {}
    audio = _CLASSES[format_](file, **options)
    tags = audio.tags
    if not tags and format_ in _MAY_END_IN_APEV2:
        file.seek(0)
        tags = APEv2File(file).tags
    for family, named in _FAMILIES:
        if isinstance(tags, family):
            return audio.info, named(tags)
    return audio.info, ()


def _id3(tags: Any) -> _Named:
    for key, frame in tags.items():
        if isinstance(frame, TXXX):
            yield frame.desc, frame.text
        elif isinstance(frame, TextFrame):
            yield key, frame.text
        elif isinstance(frame, UFID):
            yield key, [frame.data]
        elif isinstance(frame, POPM):
            yield "popm", [frame.rating]


def _vorbis(tags: Any) -> _Named:
    for key, value in tags:
        # Quod Libet adds who rated, and rates from 0 to 1.
        yield "fmps_rating" if key.lower().startswith("rating:") else key, [value]


def _mp4(tags: Any) -> _Named:
    for key, values in tags.items():
        yield key.rpartition(":")[2], values if isinstance(values, list) else [values]


def _apev2(tags: Any) -> _Named:
    for key, value in tags.items():
        if value.kind == TEXT:
            yield key, [value.value]


def _asf(tags: Any) -> _Named:
    for key, attribute in tags:
        yield key, [attribute.value]


_FAMILIES = ((ID3, _id3), (VComment, _vorbis), (MP4Tags, _mp4), (APEv2, _apev2), (ASFTags, _asf))
