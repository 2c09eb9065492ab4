"""Read the tags of the audio files in `tests/data`, and compare both readers."""

import os
from pathlib import Path

from playshuffle.tags.head_reader import read_head
from playshuffle.tags.reading import Reading, Tags
from playshuffle.tags.tag_frames import LONGEST_TEXT
from playshuffle.tags.tag_reader import read

ALL = Tags(
    artist="Björk; 椎名林檎",
    album="Älbum",
    album_artist="Various",
    disc=1,
    number=3,
    genre="Electronic",
    date="1997-09-22",
    composer="Komponist",
    grouping="Group",
    work="Opus 1",
    recording_id="b1a9c0e9-d987-4042-ae91-78d6a3267d69",
    release_id="1e477f68-c407-4eae-ad01-518528cedc2c",
    rating=0.8,
)


NO_IDS = ALL._replace(recording_id="", release_id="")


FILES = {
    "alac.m4a": NO_IDS._replace(rating=None, work="", comment="A comment", bpm=120, media_kind=2),
    "v22.mp3": Tags(artist="Björk", album="Älbum", number=3, genre="Rock", date="1997"),
    "v23.mp3": ALL._replace(date="1997"),
    "v24.mp3": ALL,
    "v1.mp3": Tags(artist="Artist", album="Album", number=3, genre="Rock", date="1997"),
    "ape2.mp3": NO_IDS,
    "none.mp3": Tags(),
    "tone.aac": Tags(),
    "tone.ac3": Tags(),
    "tone.aiff": ALL,
    "tone.flac": ALL,
    "tone.m4a": ALL,
    "tone.oga": ALL,
    "tone.ogg": ALL,
    "tone.opus": ALL,
    "tone.spx": NO_IDS,
    "tone.tta": NO_IDS,
    "tone.wav": ALL,
    "tone.wma": ALL,
    "tone.wv": ALL,
}


def tags_in(path: Path) -> Tags:
    """Return the tags of a file; the fast reader must give the same ones, or decline the file."""
    reading = read(os.fsencode(path))
    assert read_head(os.fsencode(path)) in (None, reading)
    assert reading.tags is not None
    return reading.tags


def is_sound(reading: Reading) -> bool:
    """Return whether a reading has valid tags or a short reason why it has none."""
    if reading.tags is None:
        return 0 < len(str(reading.reason or "")) < 150 and bool(str(reading.reason).encode())
    texts = [value for value in reading.tags if isinstance(value, str)]
    numbers = [value for value in reading.tags if isinstance(value, int | float)]
    "".join(texts).encode()
    return (
        reading.reason is None
        and all(len(text) <= LONGEST_TEXT and "\0" not in text for text in texts)
        and all(0 <= number < 1 << 32 for number in numbers)
    )
