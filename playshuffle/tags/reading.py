"""Define the tags of a file, and the result of reading them."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from playshuffle.tags.cause import Cause


class Tags(NamedTuple):
    """The tags of a file and the properties of its audio; a missing value is an empty string, or None.

    Several values of one tag are joined by '; '. Numbers start at 1, ratings are from 0 to 1.

    Attributes:
        date: YYYY, YYYY-MM or YYYY-MM-DD.
        recording_id: ID at MusicBrainz, like `release_id`.
        media_kind: the number in the MP4 atom `stik`.
        original_date: date of the first release.
        bitrate: bits per second.
        sample_rate: Hz.
        explicit: False for clean lyrics.
        skip_count: only from a play history.
        last_played: Unix seconds; only from a play history.
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
    """The result of reading one file: tags, or the reason why it has none.

    Attributes:
        is_audio: False for a file that is certainly not audio, and so not a track.
        is_final: False if the disk failed: the next scan reads the file again.
        took_memory: reading it left too little memory for another file.
        audio_mark: identifies the audio, whatever its tags; 0 if uncertain.
    """

    tags: Tags | None
    reason: Cause | None = None
    is_audio: bool = True
    is_final: bool = True
    took_memory: bool = False
    audio_mark: int = 0


# Reads the tags of files: takes paths, yields the index of each path with its reading, in any order.
ReadAll = Callable[[Sequence[bytes]], Iterable[tuple[int, Reading]]]
