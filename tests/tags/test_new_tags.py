"""Tags for queries, spoken word and duplicates are read as mutagen writes them into each format."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from mutagen.id3 import COMM, ID3, PCNT, POPM, TBPM, TDOR, TLAN, TMOO, TORY, TXXX

from playshuffle.tags.head_reader import read_head
from playshuffle.tags.reading import Tags
from playshuffle.tags.tag_frames import LONGEST_COMMENT, Stream, tags_of
from tests.support.audio_data import tags_in
from tests.support.program import DATA
from tests.tags.tagged_files import written

NEW = {
    "comment": "a comment", "mood": "calm", "language": "deu", "bpm": 120, "original_date": "1969-05-04",
    "play_count": 7,
}  # fmt: skip
VORBIS = {
    "COMMENT": "a comment", "MOOD": "calm", "LANGUAGE": "deu", "BPM": "119.6", "ORIGINALDATE": "1969-05-04",
    "PLAYCOUNT": "7",
}  # fmt: skip
ITUNES = "----:com.apple.iTunes:"
MP4 = {
    "\xa9cmt": "a comment",
    ITUNES + "MOOD": b"calm",
    ITUNES + "LANGUAGE": b"deu",
    "tmpo": [120],
    ITUNES + "ORIGINALDATE": b"1969-05-04",
    ITUNES + "PLAYCOUNT": b"7",
}
ASF = {
    "Description": "a comment", "WM/Mood": "calm", "WM/Language": "deu", "WM/BeatsPerMinute": "120",
    "WM/OriginalReleaseTime": "1969-05-04", "FMPS_Playcount": "7.0",
}  # fmt: skip


def new_fields(tags: Tags) -> dict[str, Any]:
    return {field: getattr(tags, field) for field in NEW}


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        *((f"tone.{suffix}", VORBIS) for suffix in ("flac", "oga", "ogg", "opus", "wv")),
        ("tone.m4a", MP4),
        ("tone.wma", ASF),
    ],
)
def test_comment_mood_language_tempo_and_play_count_are_read_from_vorbis_apev2_mp4_and_asf(
    name: str, tags: Mapping[str, Any], tmp_path: Path
) -> None:
    assert new_fields(tags_in(written(tmp_path, name, tags))) == NEW


@pytest.mark.parametrize("counter", [PCNT(count=7), POPM(email="a@example.org", rating=255, count=7)])
@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("encoding", [0, 1, 2, 3])
def test_comment_mood_language_tempo_and_play_count_are_read_from_id3(
    counter: Any, version: int, encoding: int, tmp_path: Path
) -> None:
    path = tmp_path / "x.mp3"
    shutil.copy(DATA / "none.mp3", path)
    tag = ID3()
    tag.add(COMM(encoding=encoding, lang="eng", desc="iTunNORM", text=" 0000"))
    tag.add(COMM(encoding=encoding, lang="eng", desc="", text="a comment"))
    tag.add(TLAN(encoding=encoding, text="deu"))
    tag.add(TBPM(encoding=encoding, text="120"))
    tag.add(counter)
    if version == 4:
        tag.add(TMOO(encoding=encoding, text="calm"))
        tag.add(TDOR(encoding=encoding, text="1969-05-04"))
    else:
        tag.add(TXXX(encoding=encoding, desc="MOOD", text="calm"))
        tag.add(TORY(encoding=encoding, text="1969"))
    tag.save(path, v2_version=version, v1=0)

    assert new_fields(tags_in(path)) == NEW | {"original_date": "1969-05-04" if version == 4 else "1969"}
    assert read_head(bytes(path)) is not None


def test_the_comment_of_id3v1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "v1.mp3"
    data = bytearray((DATA / "v1.mp3").read_bytes())
    data[-31:-1] = b"a comment".ljust(28, b"\0") + b"\0\3"
    path.write_bytes(data)

    assert tags_in(path).comment == "a comment"


@pytest.mark.parametrize("name", ["tone.flac", "tone.ogg", "tone.opus", "tone.m4a", "tone.wv", "tone.wma"])
def test_several_values_of_one_tag_are_joined_into_one_text(name: str, tmp_path: Path) -> None:
    key = {"tone.m4a": "\xa9ART", "tone.wma": "Author"}.get(name, "artist")

    assert tags_in(written(tmp_path, name, {key: ["One", "Two"]})).artist == "One; Two"


def test_play_counts_and_ratings_of_quod_libet_are_read(tmp_path: Path) -> None:
    tags = tags_in(written(tmp_path, "tone.ogg", {"playcount:me@example.org": "12", "RATING": "4"}))

    assert (tags.play_count, tags.rating) == (12, 0.8)


ADVISORIES = [(1, True), (4, True), (2, False), (0, False), (3, None), (None, None)]


@pytest.mark.parametrize(("advisory", "explicit"), ADVISORIES)
@pytest.mark.parametrize(
    ("name", "key", "value_of"),
    [
        ("tone.m4a", "rtng", lambda advisory: [advisory]),
        ("tone.m4a", ITUNES + "ITUNESADVISORY", lambda advisory: str(advisory).encode()),
        ("v24.mp3", "TXXX:ITUNESADVISORY", lambda advisory: TXXX(3, "ITUNESADVISORY", str(advisory))),
        *((name, "ITUNESADVISORY", str) for name in ("tone.flac", "tone.opus", "tone.wv")),
    ],
)
def test_whether_lyrics_are_explicit_is_read_from_the_atom_rtng_and_the_tag_itunesadvisory(
    name: str,
    key: str,
    value_of: Callable[[int], Any],
    advisory: int | None,
    explicit: bool | None,
    tmp_path: Path,
) -> None:
    path = written(tmp_path, name, {} if advisory is None else {key: value_of(advisory)})

    assert tags_in(path).explicit is explicit
    assert advisory is None or (read_head(bytes(path)) is None) == (name == "tone.wv")


def test_a_comment_is_cut_to_200_characters() -> None:
    assert tags_of({"comment": ["é" * 1000]}, Stream(1)).comment == "é" * LONGEST_COMMENT


@pytest.mark.parametrize("value", ["fast", "", "nan", "inf", "0", "-3", "1e300"])
def test_a_tempo_that_is_not_a_positive_number_is_ignored(value: str) -> None:
    assert tags_of({"bpm": [value]}, Stream(1)).bpm is None


@pytest.mark.parametrize(
    ("values", "count"),
    [(["3", "12"], 12), (["x"], None), (["0"], 0), (["9" * 10], None), ([""], None), ([7], 7)],
)
def test_of_several_values_of_a_play_count_the_largest_number_counts(
    values: list[Any], count: int | None
) -> None:
    assert tags_of({"playcount": values}, Stream(1)).play_count == count


@pytest.mark.parametrize(
    ("name", "sample_rate", "lossless"),
    [
        *((f"tone.{suffix}", 8000, True) for suffix in ("flac", "wav", "aiff", "wv", "tta", "oga")),
        ("alac.m4a", 8000, True),
        *((name, 8000, False) for name in ("tone.ogg", "tone.m4a", "v24.mp3")),
        ("tone.opus", None, False),
        ("tone.wma", 16000, False),
    ],
)
def test_bit_rate_and_sample_rate_are_read_and_whether_the_codec_is_lossless(
    name: str, sample_rate: int | None, lossless: bool
) -> None:
    tags = tags_in(DATA / name)

    assert (tags.sample_rate, tags.lossless) == (sample_rate, lossless)
    if name not in {"tone.wv", "tone.tta", "tone.oga"}:  # mutagen has no bit rate for these
        assert tags.bitrate is not None
        assert 7000 < tags.bitrate < 140_000
