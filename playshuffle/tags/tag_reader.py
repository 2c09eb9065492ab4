"""Read the tags of one file, in this process and without limits.

A hostile file can make mutagen take gigabytes of memory or minutes: read files from outside with
`reader_pool.read_all`, which calls this in worker processes with a limit for both.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from typing import Any, BinaryIO

from playshuffle.system.regular_file import NotRegularError, open_regular
from playshuffle.tags.audio_formats import BY_SUFFIX, HEAD_BYTES, WITHOUT_TAGS, format_of, other_kind
from playshuffle.tags.cause import EMPTY, NO_TAGS, NOT_AUDIO, UNREADABLE, Cause
from playshuffle.tags.head_id3 import tag_size
from playshuffle.tags.mutagen_formats import (
    SketchyError,
    describe_error,
    genre_names,
    read_audio,
    read_id3,
)
from playshuffle.tags.reading import Reading, Tags
from playshuffle.tags.riff_info import read_info_texts
from playshuffle.tags.tag_frames import Stream, tags_of

# The file does not exist, or was removed.
_GONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))

_LOSSLESS = frozenset(
    ("aiff", "ape", "dsdiff", "dsf", "flac", "oggflac", "optimfrog", "tak", "tta", "wave", "wavpack")
)
_PCM_IN_WAVE = frozenset((1, 3, 0xFFFE))  # integers, floating point, and what is named in a longer header


def read(path: bytes) -> Reading:
    """Read what a file says of itself; never raises for anything that is on disk.

    Links are followed. Only a regular file is opened, never a FIFO or a device, and never to write.
    An error of the disk tells nothing of the file: its reading is not final.
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
    """Keeps the error of the disk, which mutagen may take for damage, or for the end of the file."""

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
            if error.errno != errno.EINVAL:  # that is mutagen, seeking to before the start
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
        return Reading(_tags(file, format_, has_id3=tag_bytes > 0, is_sure=known_format is not None))
    except MemoryError:
        why, took_memory = "needed too much memory", True
    # On a broken file mutagen raises anything: IndexError, KeyError, OverflowError, RecursionError...
    except Exception as error:  # noqa: BLE001
        why, took_memory = describe_error(error), False
    is_audio = known_format is not None
    reason = Cause(NO_TAGS if is_audio else NOT_AUDIO, why)
    return Reading(None, reason, is_audio, took_memory=took_memory)


def _tags(file: BinaryIO, format_: str, *, has_id3: bool, is_sure: bool) -> Tags:
    info, pairs = read_audio(file, format_)
    if has_id3:
        pairs = list(pairs) or read_id3(file)
    if not is_sure and getattr(info, "sketchy", False):
        raise SketchyError("only a few bytes look like MPEG frames")
    values_of: dict[str, list[Any]] = {}
    for name, values in pairs:
        values_of.setdefault(name.lower(), []).extend(values)
    if format_ == "wave":
        for name, text in read_info_texts(file):
            values_of.setdefault(name, [text])
    if "tcon" in values_of:
        values_of["tcon"] = genre_names(values_of["tcon"])  # the numbers of old, as names
    return tags_of(values_of, _stream(info, format_))


def _stream(info: Any, format_: str) -> Stream:
    if format_ == "wave" and info.audio_format not in _PCM_IN_WAVE:
        return Stream(0, 0, info.sample_rate, lossless=False)  # mutagen takes a block for a sample
    codec = " ".join(str(getattr(info, name, "")) for name in ("codec", "codec_type", "codec_name")).lower()
    lossless = format_ in _LOSSLESS or "alac" in codec or "lossless" in codec
    return Stream(info.length, getattr(info, "bitrate", 0), getattr(info, "sample_rate", 0), lossless)
