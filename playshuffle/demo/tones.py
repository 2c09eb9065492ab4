"""Write a small tagged library of generated tones.

Each track is a WAV file of a second: 8-bit mono samples, and an ID3v2.4 tag in a chunk `id3 `
(https://id3.org/id3v2.4.0-structure).
"""

import math
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system import atomic_file

_RATE_HZ = 8000
_NOTE_S = 0.28
_MAJOR = (0, 4, 7, 12)  # semitones above the first note


PLAYLIST = "playshuffle.m3u"


class DemoTrack(NamedTuple):
    """A track of the demo: its tags, and the first note of its album in Hz."""

    artist: str
    album: str
    genre: str
    year: int
    album_hz: float
    number: int
    title: str

    @property
    def path(self) -> str:
        return f"{self.artist}/{self.album}/{self.number:02} {self.title}.wav"


_ALBUMS = (
    ("Anna Sine", "First Waves", "Ambient", 1971, 220.0),
    ("Anna Sine", "Second Waves", "Ambient", 1974, 247.0),
    ("The Squares", "Corners", "Techno", 1994, 330.0),
    ("Tri & Angle", "Peaks", "Jazz", 1959, 392.0),
    ("Saw Tooth", "Edges", "Techno", 2003, 440.0),
)
_TITLES = (
    ("Morning", "Slow River", "Half Moon", "Low Tide", "Lanterns", "Anchor"),
    ("Harbour", "North Wind", "Driftwood", "Bell Buoy"),
    ("Right Angle", "Four Walls", "Grid", "Block by Block", "Even Sides"),
    ("Uphill", "Ridge", "Summit", "View", "Descent"),
    ("Ramp", "Drop", "Ramp Again", "Last Step"),
)


def tracks() -> list[DemoTrack]:
    """Return the 24 tracks of the demo, by 4 artists, on 5 albums."""
    albums = zip(_ALBUMS, _TITLES, strict=True)
    return [
        DemoTrack(*album, number, title) for album, titles in albums for number, title in enumerate(titles, 1)
    ]


def write_library(folder: str) -> list[DemoTrack]:
    """Write the tracks into a folder that is new, empty, or has an earlier demo.

    Raises:
        PlayshuffleError: the folder has other files.
    """
    artists = {track.artist for track in tracks()}
    try:
        os.makedirs(folder, exist_ok=True)
        others = {name for name in os.listdir(folder) if not name.endswith((".m3u", ".m3u8"))} - artists
        if others:
            raise PlayshuffleError(
                f"The folder {shown(folder)} is not empty: it contains {shown(min(others))!r}. "
                "Name a new folder for the demo.",
                Exit.CANNOT_CREATE,
            )
        for track in tracks():
            path = os.path.join(folder, track.path)
            atomic_file.make_folder_for(os.fsencode(path))
            if not os.path.exists(path):
                atomic_file.write(os.fsencode(path), [wav(track)])
    except OSError as error:
        raise PlayshuffleError(
            f"The demo cannot be written to {shown(folder)}: {error.strerror}.", Exit.CANNOT_CREATE
        ) from error
    return tracks()


def wav(track: DemoTrack) -> bytes:
    """Return the WAV file of a track."""
    samples = bytes(_samples(track.album_hz * 2 ** (track.number / 12)))
    form = struct.pack("<HHIIHH", 1, 1, _RATE_HZ, _RATE_HZ, 1, 8)  # PCM, mono, 8 bits
    chunks = b"".join(
        name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)  # an even number of bytes
        for name, data in ((b"fmt ", form), (b"data", samples), (b"id3 ", _id3(track)))
    )
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def _samples(first_hz: float) -> Iterator[int]:
    length = int(_RATE_HZ * _NOTE_S)
    for semitones in _MAJOR:
        step = 2 * math.pi * first_hz * 2 ** (semitones / 12) / _RATE_HZ
        for index in range(length):
            yield 128 + round(100 * (1 - index / length) * math.sin(step * index))


def _id3(track: DemoTrack) -> bytes:
    texts = {
        "TIT2": track.title,
        "TPE1": track.artist,
        "TALB": track.album,
        "TRCK": str(track.number),
        "TCON": track.genre,
        "TDRC": str(track.year),
    }
    frames = b"".join(
        name.encode() + struct.pack(">I", len(text.encode()) + 1) + b"\0\0\3" + text.encode()
        for name, text in texts.items()
    )
    size = len(frames)
    return b"ID3\4\0\0" + bytes([0, 0, size >> 7 & 127, size & 127]) + frames
