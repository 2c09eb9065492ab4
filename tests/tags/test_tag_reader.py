import errno
import itertools
import math
import os
import re
import shutil
import socket
import time
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any

import mutagen
import pytest

from playshuffle.tags import mutagen_formats, tag_reader
from playshuffle.tags.audio_formats import BY_SUFFIX, WITHOUT_TAGS
from playshuffle.tags.cause import NO_TAGS, NOT_AUDIO, UNREADABLE, Cause
from playshuffle.tags.reading import Reading, Tags
from playshuffle.tags.tag_frames import LONGEST_TEXT, Stream, tags_of
from playshuffle.tags.tag_reader import read
from tests.support.audio_data import FILES, is_sound
from tests.support.bad_audio import mutants
from tests.support.program import DATA


def written(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    return os.fsencode(path)


def read_data(name: str) -> Reading:
    return read(os.fsencode(DATA / name))


def without_stream(tags: Tags) -> Tags:
    return tags._replace(duration_ms=None, bitrate=None, sample_rate=None, lossless=None)


@pytest.mark.parametrize("name", FILES)
def test_every_field_is_read_from_every_format(name: str) -> None:
    """The files have the same tags, as far as their formats can."""
    reading = read_data(name)

    assert reading.reason is None
    assert reading.is_audio
    assert reading.tags is not None
    title = f"Title {name}" if FILES[name] != Tags() else ""
    assert without_stream(reading.tags) == FILES[name]._replace(title=title)
    assert reading.tags.duration_ms is not None
    assert 250 < reading.tags.duration_ms < 700


def test_every_file_in_the_test_data_has_expected_tags() -> None:
    """Otherwise no test would read the file."""
    assert {path.name for path in DATA.iterdir() if path.suffix[1:3] != "py"} == set(FILES)


def test_every_audio_suffix_has_a_format_that_is_read() -> None:
    """So that every file with the suffix can be read."""
    assert set(BY_SUFFIX.values()) <= {*mutagen_formats.CLASSES, "aiff", "wave"} | WITHOUT_TAGS


_MATROSKA = b"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\1"
_THEORA = b"OggS\0\2" + bytes(20) + b"\1\x2a" + b"\x80theora\3\2\1" + bytes(31)
_BEGINNINGS = {".mka": _MATROSKA, ".shn": b"ajkg\2", ".dts": b"\x7f\xfe\x80\x01\xfc"}


@pytest.mark.parametrize("suffix", _BEGINNINGS)
def test_dts_matroska_and_shorten_files_are_tracks_without_tags_if_their_content_is_right(
    suffix: str, tmp_path: Path
) -> None:
    assert {BY_SUFFIX[suffix.encode()] for suffix in _BEGINNINGS} == WITHOUT_TAGS
    assert read(written(tmp_path / f"x{suffix}", _BEGINNINGS[suffix] + bytes(999))) == Reading(Tags())
    other = read(written(tmp_path / f"y{suffix}", b"/dts-v1/;\n" * 99))
    assert other == Reading(None, Cause(NOT_AUDIO, "it does not begin as its name says"), is_audio=False)


@pytest.mark.parametrize("suffix", [".mp3", ".flac", ".ogg", ".m4a", ".wav", ".txt", ""])
@pytest.mark.parametrize("name", [name for name, expected in FILES.items() if expected != Tags()])
def test_the_content_of_a_file_counts_more_than_its_suffix(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    shutil.copy(DATA / name, path)

    assert read(os.fsencode(path)) == read_data(name)


@pytest.mark.parametrize("name", ["v1.mp3", "ape2.mp3"])
def test_an_empty_id3v2_tag_does_not_hide_a_filled_tag_at_the_end(name: str, tmp_path: Path) -> None:
    empty = b"ID3\4\0\0\0\0\0\x14" + bytes(20)

    assert read(written(tmp_path / name, empty + (DATA / name).read_bytes())) == read_data(name)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("3/12", 3), ("3", 3), (" 07 ", 7), ("0", 0), ((3, 12), 3), ((0, 12), None)],
        *[(b"3", 3), (b"3/12", 3)],
        *[("A1", 1), ("", None), ("/12", None), ("-3", None), ("9" * 9, None), ("٣", None)],
    ],
)
def test_the_number_of_a_track_or_disc_is_read_from_text_or_a_pair_of_numbers(
    text: Any, number: int | None
) -> None:
    assert tags_of({"tracknumber": [text]}, Stream(1)).number == number
    assert tags_of({"disk": [text]}, Stream(1)).disc == number


RATINGS: dict[str, dict[Any, float | None]] = {
    "popm": {0.8: 0.8, 196: None},
    "fmps_rating": {"0.5": 0.5, "0": 0.0},
    # Up to five stars, or per cent. MusicBee writes a comma as its user does.
    "rating": {"5": 1.0, "1": 0.2, "4,5": 0.9, "60": 0.6, "101": None, "-1": None, "nan": None, "good": None},
    "rate": {"100": 1.0},
    "sdb/rating": {"90": 0.9},
}


@pytest.mark.parametrize(
    ("name", "value", "rating"),
    [(name, *each) for name, values in RATINGS.items() for each in values.items()],
)
def test_a_rating_is_read_as_a_number_from_0_to_1(name: str, value: Any, rating: float | None) -> None:
    assert tags_of({name: [value]}, Stream(1)).rating == rating


def test_the_half_stars_of_mediamonkey_count_more_than_its_whole_stars() -> None:
    assert tags_of({"wm/shareduserrating": [75], "sdb/rating": ["90"]}, Stream(1)).rating == 0.9


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, -math.inf, 1e300])
def test_an_impossible_length_bit_rate_or_sample_rate_is_ignored(value: float) -> None:
    """Also a length of 31 days."""
    assert tags_of({}, Stream(value, value, value)) == tags_of({}, Stream(31 * 24 * 3600)) == Tags()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\0b\0", "a; b"),
        ("a\udc80b\ud800", "a?b?"),
        (b"\xffa", "\ufffda"),
        ("  a  ", "a"),
        ("é" * 5000, "é" * LONGEST_TEXT),
        (b"\xc3\xa9" * 5000, "é" * LONGEST_TEXT),
        (3, "3"),
    ],
)
def test_text_of_a_tag_becomes_short_utf_8_without_nul(value: Any, text: str) -> None:
    assert tags_of({"title": [value]}, Stream(1)).title == text


def test_a_tag_with_a_hundred_thousand_values_is_cut() -> None:
    assert len(tags_of({"artist": [f"artist {n}" for n in range(100_000)]}, Stream(1)).artist) == LONGEST_TEXT


@pytest.mark.parametrize(
    ("name", "data"),
    [
        *((f"text.{suffix}", b"hello, world\n" * 300) for suffix in ("mp3", "flac", "ogg", "m4a", "aac")),
        ("utf16.mp3", "hello, world\n".encode("utf-16") * 300),
        ("page.mp3", b"<!DOCTYPE html><html><body>404</body></html>" * 50),
        ("image.mp3", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1" + b"\xff\xfb\x90\x44" + bytes(range(256)) * 99),
        ("zeros.mp3", bytes(5000)),
        ("chance.mp3", b"hello, world\n" * 9 + (b"\xff\xfb\x90\x44" + b"x" * 413) * 2),
        ("one.wav", b"R"),
        ("a Matroska video.mp3", _MATROSKA + bytes(999)),
        ("a video without sound.ogg", _THEORA * 9),
    ],
)
def test_a_file_with_an_audio_suffix_is_not_audio_if_its_content_is_something_else(
    name: str, data: bytes, tmp_path: Path
) -> None:
    reading = read(written(tmp_path / name, data))

    assert reading == Reading(None, reading.reason, is_audio=False)
    assert str(reading.reason).startswith("not audio: " + name.partition(".")[0] * (" " in name))


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith((".aac", ".ac3"))])
def test_a_file_cut_off_after_17_bytes_still_counts_as_audio(name: str, tmp_path: Path) -> None:
    """It is a track without tags. The reason says that its tags could not be read."""
    reading = read(written(tmp_path / name, (DATA / name).read_bytes()[:17]))

    assert reading.is_audio
    assert reading.tags is None
    assert str(reading.reason).startswith("tags could not be read: ")


@pytest.mark.timing
def test_fifos_devices_sockets_folders_and_empty_files_are_rejected_at_once(tmp_path: Path) -> None:
    """FIFOs, devices, sockets, folders, broken links and sparse files take less than a second."""
    os.mkfifo(tmp_path / "fifo.mp3")
    (tmp_path / "folder.mp3").mkdir()
    (tmp_path / "dangling.mp3").symlink_to(tmp_path / "nothing")
    (tmp_path / "self.mp3").symlink_to("self.mp3")
    for device in ("zero", "null", "urandom", "tty", "stdin"):
        (tmp_path / f"{device}.mp3").symlink_to(f"/dev/{device}")
    (tmp_path / "empty.mp3").touch()
    with (tmp_path / "sparse.mp3").open("wb") as file:
        file.truncate(1 << 40)
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as server:
        try:
            os.chdir(tmp_path)  # the whole path may be too long for a socket
            server.bind("socket.mp3")
        finally:
            os.chdir(here)
        began = time.monotonic()
        readings = {path.stem: read(os.fsencode(path)) for path in tmp_path.iterdir()}
        spent_s = time.monotonic() - began

    assert spent_s < 1
    assert len(readings) == 12
    assert not [name for name, reading in readings.items() if reading.is_audio or reading.tags]
    assert [name for name in sorted(readings) if readings[name].is_final] == ["empty", "sparse"]
    reasons = {name: str(reading.reason) for name, reading in readings.items()}
    assert reasons["fifo"] == reasons["zero"] == "could not be read: not a regular file"
    assert reasons["dangling"] == "could not be read: No such file or directory"
    assert reasons["self"] == "could not be read: Too many levels of symbolic links"
    assert reasons["empty"] == "empty file"


def test_a_link_to_audio_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.mp3").symlink_to(DATA / "v24.mp3")
    (tmp_path / "b.mp3").symlink_to("a.mp3")

    assert read(os.fsencode(tmp_path / "b.mp3")) == read_data("v24.mp3")


def test_a_file_without_read_permission_is_a_track_that_the_next_scan_reads_again(tmp_path: Path) -> None:
    path = written(tmp_path / "x.mp3", b"x")
    os.chmod(path, 0)
    user = os.geteuid()
    try:
        os.seteuid(user or 65534)  # root may read everything
        reading = read(path)
    finally:
        os.seteuid(user)

    assert reading == Reading(None, Cause(UNREADABLE, "Permission denied"), is_final=False)


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("v2")])
def test_after_a_disk_error_at_any_read_the_next_scan_reads_the_file_again(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much was read before the error, and whatever error mutagen raises then."""
    for good in itertools.count():
        with monkeypatch.context() as patch:
            fails_after(good, patch)
            reading = read_data(name)
        if reading.tags is not None:
            break

        assert reading == Reading(None, Cause(UNREADABLE, "Input/output error"), is_final=False)
    assert good > 0


def fails_after(good: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all reads and seeks after a number of `good` ones fail, as on a broken disk."""
    calls = itertools.count()

    def method(name: str) -> Callable[..., Any]:
        def call(file: FileIO, *given: Any) -> Any:
            if next(calls) >= good:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return getattr(FileIO, name)(file, *given)

        return call

    bad = type("Bad", (FileIO,), {name: method(name) for name in ("readinto", "readall", "seek")})
    monkeypatch.setattr(tag_reader, "_Disk", type("Disk", (tag_reader._Disk, bad), {}))


def test_a_seek_before_the_start_of_a_file_counts_as_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file makes mutagen seek there, so it is not an error of the disk, and the reading is final."""
    monkeypatch.setattr(tag_reader, "_read_audio", lambda file, *_, **__: file.seek(-1))

    reading = read(written(tmp_path / "x.flac", (DATA / "tone.flac").read_bytes()))

    assert reading == Reading(None, Cause(NO_TAGS, "[Errno 22] Invalid argument"))


def test_the_tag_reader_leaves_no_file_descriptor_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.mp3")
    paths = [tmp_path / "fifo.mp3", tmp_path / "nothing.mp3", DATA / "v24.mp3", DATA / "make.py"]
    before = os.listdir("/proc/self/fd")
    for path in paths:
        read(os.fsencode(path))

    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_tag_reader_survives_any_damaged_file(seed: int, tmp_path: Path) -> None:
    """Whatever the bytes, a reading is returned, and the file is not changed."""
    seen = set()
    for name, data in mutants(DATA, 500, seed):
        path = tmp_path / name
        path.write_bytes(data)
        before = path.stat()
        reading = read(os.fsencode(path))

        assert is_sound(reading), name
        assert path.read_bytes() == data
        assert path.stat().st_mtime_ns == before.st_mtime_ns
        seen.add((reading.tags is None, reading.is_audio))
        path.unlink()

    assert seen == {(False, True), (True, True), (True, False)}


def test_executables_with_an_audio_suffix_are_not_tracks(tmp_path: Path) -> None:
    """Some contain MPEG frames by chance."""
    for program in itertools.islice(Path("/usr/bin").iterdir(), 300):
        if program.is_file() and (data := program.read_bytes()).startswith(b"\x7fELF"):
            reading = read(written(tmp_path / "x.mp3", data))
            assert reading == Reading(None, Cause(NOT_AUDIO, "a program"), is_audio=False)


def test_the_reason_for_an_unreadable_file_names_no_file_descriptor(tmp_path: Path) -> None:
    reading = read(written(tmp_path / "x.flac", b"ID3\4\0\0\0\0\0\0" + b"hello" * 99))
    assert not re.search(r"'?\d+'? is not", str(reading.reason))


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("can't sync to MPEG frame", "no MPEG frames were found"),
        (r"read b';\xbd\x1bE', expected b'OggS', at 0x0", "the mark OggS is missing"),
        ("unexpected b'\\x00' in header", "damaged"),
        ("no audio stream found", "no audio stream found"),
    ],
)
def test_the_reason_for_an_unreadable_file_shows_no_bytes_of_the_file(message: str, reason: str) -> None:
    assert mutagen_formats.describe_error(mutagen.MutagenError(message)) == reason
