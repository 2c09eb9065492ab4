"""Define the tags of a file, and what comes of reading them."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from playshuffle.tags.cause import Cause


class Tags(NamedTuple):
    """The tags of a file and the properties of its audio; an empty string, or None, where it has none.

    Several values of one tag are joined by '; '. side: of a record, 1 for the A of A1. part: of a number,
    1 for the A of 1A. date, original_date: YYYY, YYYY-MM or YYYY-MM-DD. rating: from 0 to 1.
    media_kind: the number of MP4's `stik`. explicit: False for clean lyrics. bitrate: bits per second.
    sample_rate: Hz. skip_count, last_played (Unix seconds): only a play history has them.
    """

    duration_ms: int | None = None
    title: str = ""
    artist: str = ""
    album: str = ""
    album_artist: str = ""
    disc: int | None = None
    side: int | None = None
    number: int | None = None
    part: int | None = None
    genre: str = ""
    date: str = ""
    composer: str = ""
    grouping: str = ""
    work: str = ""
    recording_id: str = ""
    release_id: str = ""
    artist_id: str = ""
    rating: float | None = None
    comment: str = ""
    mood: str = ""
    language: str = ""
    bpm: int | None = None
    media_kind: int | None = None
    original_date: str = ""
    bitrate: int | None = None
    lossless: bool | None = None
    sample_rate: int | None = None
    play_count: int | None = None
    explicit: bool | None = None
    skip_count: int | None = None
    last_played: int | None = None


class Reading(NamedTuple):
    """What came of reading one file: tags, or the reason why there are none.

    tags: None where they could not be read.
    reason: None where all went well.
    is_audio: False for what is plainly no audio file, and so no track.
    is_final: False where the disk was in the way, and not what is in the file: the next pass
        reads it again.
    took_memory: reading it left too little memory for another file.
    audio_mark: identifies the audio, whatever the tags are; 0 where that is not certain.
    """

    tags: Tags | None
    reason: Cause | None = None
    is_audio: bool = True
    is_final: bool = True
    took_memory: bool = False
    audio_mark: int = 0


# Reads the tags of files: takes paths, yields the index of each path with its reading, in any order.
ReadAll = Callable[[Sequence[bytes]], Iterable[tuple[int, Reading]]]
