"""Dates, ratings, track numbers and works are read as other programs write them."""

from pathlib import Path

import pytest
from mutagen.asf import ASFDWordAttribute

from playshuffle.selection.fields import FIELDS
from playshuffle.tags.dates import read_date
from playshuffle.tags.positions import TaggedPosition, read_position
from playshuffle.tags.stars import popularity
from playshuffle.tags.tag_frames import Stream, tags_of
from tests.support.audio_data import tags_in
from tests.support.program import DATA
from tests.tags.tagged_files import written


def with_id3(path: Path, *frames: tuple[bytes, bytes], version: int = 3) -> Path:
    """Write an ID3 tag with a title and these frames, byte for byte, and audio after it."""
    tag = b"".join(
        name + len(content).to_bytes(4, "big") + b"\0\0" + content
        for name, content in ((b"TIT2", b"\0Title"), *frames)
    )
    assert len(tag) < 128  # so that sizes are the same in both versions
    path.write_bytes(b"ID3%c\0\0\0\0\0%c" % (version, len(tag)) + tag + (DATA / "none.mp3").read_bytes())
    return path


# By the date that is read.
DATES = {
    "2019-07-06": "20190706 | 06.07.2019 | 2019/07/06 | 2019.07.06 | 2019-7-6 | 2019-07-06T10:00:00Z"
    " | 2019-07-06 10:00 | 20190706103000 | 2019-07-06",
    "2019-07-13": "13/07/2019 | 13. 7. 2019 | 07/13/2019 | 13072019",
    "2019-07-07": "07/07/2019",
    "1993-02-22": "1993- 2-22",
    "2019-07": "2019-07 | 2019-7 | 20190700",
    "2019-02": "2019-02-30",
    "2019": "20190000 | 07/06/2019 | 07-06-2019 | 06072019 | 2019-00-00 | 2019-13-01 | 32.13.2019 | c2019"
    " | ℗ 2019 A Label | July 6, 2019 | 5/2019",
    "2003": "2003 (2019 remaster)",
    "1969": "1969/2019",
    "2010": "2010-2012",
    "1000": "1000",
    "": " | 0 | 0000 | 0999 | 99 | 12345 | 201907 | 99999999 | 20191332 | ٢٠١٩ | 06.07.19"
    " | 7 songs of 1990 and 5 | no date",
}


@pytest.mark.parametrize(
    ("date", "text"), [(date, text) for date, texts in DATES.items() for text in texts.split(" | ")]
)
def test_dates_are_read_in_many_forms_but_only_the_year_if_day_and_month_are_ambiguous(
    date: str, text: str
) -> None:
    assert read_date(text) == date


def test_many_spaces_do_not_slow_down_reading_a_date() -> None:
    assert read_date("2019 - 07" + " " * 100_000 + "x") == "2019-07"


NAMES = ["none.mp3", "tone.flac", "tone.ogg", "tone.opus", "tone.m4a", "tone.wv", "tone.wma"]


@pytest.mark.parametrize("text", ["20190706", "06.07.2019", "2019/07/06", "2019-7-6"])
@pytest.mark.parametrize("name", NAMES)
def test_dates_are_read_from_every_kind_of_tag(name: str, text: str, tmp_path: Path) -> None:
    if name == "none.mp3":
        path = with_id3(tmp_path / name, (b"TDRC", b"\0" + text.encode()), version=4)
    else:
        key = {"tone.m4a": "\xa9day", "tone.wma": "WM/Year"}.get(name, "date")
        path = written(tmp_path, name, {key: [text]})

    assert tags_in(path).date == "2019-07-06"
    assert FIELDS["year"].decode(tags_in(path).date) == 2019


@pytest.mark.parametrize(
    ("frames", "date"),
    [
        ({b"TYER": b"2019", b"TDAT": b"0607"}, "2019-07-06"),
        ({b"TYER": b"2019", b"TDAT": b"1307"}, "2019-07-13"),
        ({b"TYER": b"2019", b"TDAT": b"9999"}, "2019"),
        ({b"TYER": b"2019", b"TDAT": b"6"}, "2019"),
        ({b"TYER": b"2019-03", b"TDAT": b"0607"}, "2019-03"),
        ({b"TDAT": b"0607"}, ""),
        ({b"TYER": b"20190706"}, "2019-07-06"),
        ({b"TDRL": b"2019-07-06"}, "2019-07-06"),
        ({b"TDRL": b"2019", b"TDRC": b"2018"}, "2018"),
        ({b"TDRL": b"2019", b"TDRC": b"unknown"}, "2019"),
        ({b"TYER": b"2019", b"TDRC": b""}, "2019"),
    ],
)
@pytest.mark.parametrize("version", [3, 4])
def test_a_date_is_read_from_the_first_id3_frame_that_has_one(
    version: int, frames: dict[bytes, bytes], date: str, tmp_path: Path
) -> None:
    frames = {name: b"\0" + text for name, text in frames.items()}
    path = with_id3(tmp_path / "x.mp3", *frames.items(), version=version)

    assert tags_in(path).date == date


@pytest.mark.parametrize(
    "address", ["Windows Media Player 9 Series", "MusicBee", "no@email", "rating@winamp.com"]
)
def test_popm_ratings_are_converted_to_stars_as_windows_does(address: str, tmp_path: Path) -> None:
    numbers = {0: None, 1: 1, 13: 0.5, 54: 1.5, 64: 2, 118: 2.5, 128: 3, 186: 3.5, 196: 4, 242: 4.5, 255: 5}

    for number, stars in numbers.items():
        content = address.encode() + bytes((0, number, 0, 0, 0, 0))
        path = with_id3(tmp_path / "x.mp3", (b"POPM", content))

        assert FIELDS["rating"].decode(tags_in(path).rating) == stars


def test_popm_ratings_of_quod_libet_and_numbers_that_windows_does_not_write_are_shares_of_255(
    tmp_path: Path,
) -> None:
    for number in range(1, 256):
        content = b"quodlibet@lists.sacredchao.net" + bytes((0, number))
        path = with_id3(tmp_path / "x.mp3", (b"POPM", content))

        assert tags_in(path).rating == number / 255
    for stars in range(1, 6):
        assert FIELDS["rating"].decode(popularity("a@example.org", 51 * stars, 0)[0][1][0]) == stars


@pytest.mark.parametrize(
    ("number", "stars"),
    [(0, None), (1, 1), (25, 2), (50, 3), (75, 4), (99, 5), (60, 3), (10, 0.5), (100, None)],
)
def test_asf_ratings_are_converted_to_stars_as_windows_does(
    number: int, stars: float | None, tmp_path: Path
) -> None:
    path = written(tmp_path, "tone.wma", {"WM/SharedUserRating": [ASFDWordAttribute(number)]})

    assert FIELDS["rating"].decode(tags_in(path).rating) == stars


def test_a_free_form_tag_named_popm_is_a_rating_only_if_it_is_from_0_to_1() -> None:
    """Such as a Vorbis comment with the name of the ID3 frame."""
    for text in ("200", "good", "", "0.5"):
        assert tags_of({"popm": [text]}, Stream(1)).rating == (0.5 if text == "0.5" else None)


POSITIONS = {
    TaggedPosition(number=1): "1.0",
    TaggedPosition(number=3): "3/12|3rd|Track 3|#3",
    TaggedPosition(number=7): " 07 ",
    TaggedPosition(number=1, part=1): "1A",
    TaggedPosition(side=1): "A",
    TaggedPosition(side=1, number=1): "A1|A-1",
    TaggedPosition(side=2, number=1): "B 1",
    TaggedPosition(side=2, number=2): "b2/4",
    TaggedPosition(side=27, number=2): "AA2",
    TaggedPosition(disc=1, number=0): "1-0",
    TaggedPosition(disc=1, number=1): "1-1",
    TaggedPosition(disc=2, number=3): "CD2-03",
    TaggedPosition(disc=2, number=10): "2-10/20|2.10",
    TaggedPosition(disc=2, side=1, number=1): "2-A1",
    TaggedPosition(disc=2, side=2, number=1): "LP2-B1",
    TaggedPosition(): "one of some 12",
}


@pytest.mark.parametrize("position", POSITIONS)
def test_disc_side_number_and_part_are_read_from_a_track_number_such_as_2_a1_or_1b(
    position: TaggedPosition,
) -> None:
    for text in POSITIONS[position].split("|"):
        assert read_position([text]) == position


def test_the_disc_in_a_track_number_counts_if_there_is_no_disc_tag() -> None:
    assert tags_of({"tracknumber": ["2-1"]}, Stream(1)).disc == 2
    assert tags_of({"tracknumber": ["2-1"], "discnumber": ["Disc 3"]}, Stream(1)).disc == 3


@pytest.mark.parametrize(
    ("frames", "grouping", "work"),
    [
        ({b"TIT1": b"\0One", b"GRP1": b"\0Two"}, "Two", "One"),
        ({b"TIT1": b"\0One"}, "One", ""),
        ({b"GRP1": b"\0Two"}, "Two", ""),
        ({b"TIT1": b"\0One", b"GRP1": b"\0Two", b"TXXX": b"\0WORK\0Three"}, "Two", "Three"),
        ({b"TIT1": b"\0One", b"TXXX": b"\0WORK\0Three"}, "One", "Three"),
    ],
)
def test_the_id3_frame_tit1_is_the_work_if_the_frame_grp1_of_itunes_has_the_grouping(
    frames: dict[bytes, bytes], grouping: str, work: str, tmp_path: Path
) -> None:
    tags = tags_in(with_id3(tmp_path / "x.mp3", *frames.items()))

    assert (tags.grouping, tags.work) == (grouping, work)
