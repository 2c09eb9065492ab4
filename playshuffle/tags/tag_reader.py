"""Read the tags of one file, in this process and without limits.

A hostile file can make mutagen take gigabytes or minutes. `reader_pool.read_all` limits both.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BytesIO, FileIO
from typing import Any, BinaryIO

from playshuffle.system.regular_file import NotRegularError, open_regular
from playshuffle.tags import head_mpeg
from playshuffle.tags.audio_formats import BY_SUFFIX, HEAD_BYTES, WITHOUT_TAGS, format_of, other_kind
from playshuffle.tags.cause import EMPTY, NO_TAGS, NOT_AUDIO, UNREADABLE, Cause
from playshuffle.tags.head_chunks import read_chunks
from playshuffle.tags.head_file import UNUSUAL, DeclinedError, HeadFile
from playshuffle.tags.head_id3 import tag_size
from playshuffle.tags.head_mp4 import read_mp4
from playshuffle.tags.head_vorbis import first_audio, flac_mark, ogg_length_s, ogg_mark, read_ogg
from playshuffle.tags.mutagen_formats import (
    Named,
    NoFramesError,
    describe_error,
    genre_names,
    read_audio,
    read_id3,
)
from playshuffle.tags.reading import Reading, Tags
from playshuffle.tags.tag_frames import Stream, TagValues, tags_of

# The file does not exist, or was removed.
_GONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))

_LOSSLESS = frozenset(("ape", "dsdiff", "dsf", "flac", "oggflac", "optimfrog", "tak", "tta", "wavpack"))
_ONE_BIT = frozenset(("dsdiff", "dsf"))
_OGG = frozenset(("opus", "vorbis"))
_STEPS_OVER_ID3 = frozenset(("aac", "ac3", "flac", "mp3", "musepack", "tta"))  # mutagen skips ID3 tags
_CHUNKED = frozenset(("aiff", "wave"))


def read(path: bytes) -> Reading:
    """Read the tags of a file; never raise for anything that is on disk.

    Links are followed. Only a regular file is opened.
    """
    try:
        with _open(path) as disk, BufferedReader(disk) as file:
            reading = _reading(file, os.path.splitext(path)[1].lower())
            if disk.error is not None:
                raise disk.error
            return reading
    except OSError as error:
        is_there = not isinstance(error, NotRegularError) and error.errno not in _GONE
        reason = Cause(UNREADABLE, error.strerror or "")
        return Reading(None, reason, is_audio=is_there, is_final=False)


class _Disk(FileIO):
    """A file that remembers an error of the disk: mutagen may mistake one for damage or the file's end."""

    error: OSError | None = None

    def readinto(self, buffer: Any) -> int:
        with self._remember_error():
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with self._remember_error():
            return super().readall()

    def seek(self, offset: int, origin: int = os.SEEK_SET, /) -> int:
        with self._remember_error():
            return super().seek(offset, origin)

    @contextmanager
    def _remember_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno != errno.EINVAL:  # mutagen seeks to before the start
                self.error = error
            raise


def _open(path: bytes) -> _Disk:
    try:
        descriptor, _ = open_regular(path, follow_links=False)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        descriptor, _ = open_regular(os.path.realpath(path), follow_links=False)
    return _Disk(descriptor)


def _reading(file: BinaryIO, suffix: bytes) -> Reading:
    head = file.read(HEAD_BYTES)
    if not head:
        return Reading(None, Cause(EMPTY), is_audio=False)
    tag_bytes = tag_size(head)
    if tag_bytes:
        file.seek(tag_bytes)
        known_format: str | None = format_of(file.read(HEAD_BYTES), suffix) or "mp3"
    else:
        known_format = format_of(head, suffix)
    if known_format is None and (kind := other_kind(head)) is not None:
        return Reading(None, Cause(NOT_AUDIO, kind), is_audio=False)
    format_ = known_format or BY_SUFFIX.get(suffix, "mp3")
    if format_ in WITHOUT_TAGS:
        if known_format is not None:
            return Reading(Tags())
        return Reading(None, Cause(NOT_AUDIO, "it does not begin as its name says"), is_audio=False)
    try:
        values, stream = _read_audio(file, format_, tag_bytes, is_sure=known_format is not None)
        return Reading(tags_of(values, stream), audio_mark=stream.mark)
    except DeclinedError:
        why, took_memory = "its audio was not found", False
    except MemoryError:
        why, took_memory = "needed too much memory", True
    # On a broken file mutagen raises anything: IndexError, KeyError, OverflowError, RecursionError...
    except Exception as error:  # noqa: BLE001
        why, took_memory = describe_error(error), False
    is_audio = known_format is not None
    reason = Cause(NO_TAGS if is_audio else NOT_AUDIO, why)
    return Reading(None, reason, is_audio, took_memory=took_memory)


def _read_audio(file: BinaryIO, format_: str, tag_bytes: int, *, is_sure: bool) -> tuple[TagValues, Stream]:
    """Read tags and stream; `tag_bytes` is the size of a leading ID3v2 tag."""
    head = _audio_part(file, tag_bytes)
    if format_ in _CHUNKED:
        values_of, stream, id3_tag = read_chunks(head)
        pairs: Named = read_id3(BytesIO(id3_tag)) if id3_tag else ()
    else:
        is_behind = tag_bytes and format_ not in _STEPS_OVER_ID3
        whole: Any = _Part(file, tag_bytes) if is_behind else file
        values_of, stream, pairs = _read_tagged(whole, format_, head, is_sure=is_sure)
    for name, values in pairs or (read_id3(file) if tag_bytes else ()):
        values_of.setdefault(name.lower(), []).extend(values)
    if "tcon" in values_of:
        values_of["tcon"] = genre_names(values_of["tcon"])  # names for the old numbers
    return values_of, stream


def _read_tagged(
    file: BinaryIO, format_: str, head: HeadFile, *, is_sure: bool
) -> tuple[TagValues, Stream, Named]:
    """Read with mutagen; use a head reader if that fails or finds no tags."""
    own = None
    try:
        info, pairs = read_audio(file, format_, is_sure=is_sure)
        stream = _stream(info, format_, head)
        if format_ == "mp4" and not pairs:
            own = _own_reading(format_, head)
    except Exception as error:
        if format_ == "mp4" or isinstance(error, NoFramesError):
            own = _own_reading(format_, head)
        if own is None:
            raise
    return ({}, stream, pairs) if own is None else (*own, ())


def _own_reading(format_: str, head: HeadFile) -> tuple[TagValues, Stream] | None:
    """Read a file that mutagen cannot read: an MP4 whose `meta` has no version, or MPEG layer I."""
    with suppress(*UNUSUAL):
        return read_mp4(head) if format_ == "mp4" else ({}, _OWN_STREAMS["mp3"](head))
    return None


class _Part:
    def __init__(self, file: BinaryIO, start: int) -> None:
        self.read = file.read
        self._file = file
        self._start = start

    def seek(self, offset: int, origin: int = os.SEEK_SET) -> int:
        return self._file.seek(offset + (self._start if origin == os.SEEK_SET else 0), origin) - self._start

    def tell(self) -> int:
        return self._file.tell() - self._start


def _audio_part(file: BinaryIO, start: int) -> HeadFile:

    def pread(_: int, length: int, offset: int) -> bytes:
        file.seek(start + offset)
        return file.read(length)

    return HeadFile(-1, max(0, file.seek(0, os.SEEK_END) - start), pread)


def _stream(info: Any, format_: str, head: HeadFile) -> Stream:
    with suppress(*UNUSUAL):
        if format_ in _OWN_STREAMS:
            return _OWN_STREAMS[format_](head)
    codec = " ".join(str(getattr(info, name, "")) for name in ("codec", "codec_type", "codec_name")).lower()
    lossless = format_ in _LOSSLESS or "alac" in codec or "lossless" in codec
    length_s, hertz = info.length, getattr(info, "sample_rate", 0)
    if format_ in _ONE_BIT and getattr(info, "compression", "DSD") == "DSD" and hertz and info.channels:
        length_s = min(length_s, 8 * head.size / (info.channels * hertz))  # the header may claim more
    mark = 0
    with suppress(*UNUSUAL):
        if format_ in _OGG:
            length_s = ogg_length_s(length_s, hertz or 48000, first_audio(head))  # as Opus counts
        if format_ == "asf":  # the audio is an object behind the header; a live stream promises nothing
            start = int.from_bytes(head.at(16, 8), "little")
            promised = int.from_bytes(head.at(start + 16, 8), "little")
            length_s *= min(1, (head.size - start) / promised)
        mark = _MARKS[format_](head)
    return Stream(length_s, getattr(info, "bitrate", 0), hertz, lossless, mark)


_OWN_STREAMS: dict[str, Callable[[HeadFile], Stream]] = {
    "mp3": lambda head: head_mpeg.stream(head, 0),
    "mp4": lambda head: read_mp4(head, wants_tags=False)[1],
    **dict.fromkeys(_OGG, lambda head: read_ogg(head)[1]),
}
# Formats whose audio can be identified. A failed read keeps its error in the file itself.
_MARKS: dict[str, Callable[[HeadFile], int]] = {
    "flac": flac_mark,
    **dict.fromkeys(("oggflac", "opus", "speex", "vorbis"), ogg_mark),
}
