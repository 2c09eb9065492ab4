import errno
import itertools
import math
import os
import re
import shutil
import socket
import time
from io import FileIO
from pathlib import Path
from typing import Any

import mutagen
import pytest
from mutagen.flac import Picture
from mutagen.id3 import ID3, TALB, TIT2, TPE1

from playshuffle.tags import mutagen_formats, tag_reader
from playshuffle.tags.audio_formats import AUDIO_SUFFIXES, BY_SUFFIX, WITHOUT_TAGS
from playshuffle.tags.cause import NO_TAGS, NOT_AUDIO, UNREADABLE, Cause
from playshuffle.tags.head_reader import read_head
from playshuffle.tags.reading import Reading, Tags
from playshuffle.tags.tag_frames import LONGEST_TEXT, Stream, tags_of
from playshuffle.tags.tag_reader import read
from tests.support.audio_data import FILES, is_sound
from tests.support.bad_audio import mutants

DATA = Path(__file__).parents[1] / "data"


def written(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    return os.fsencode(path)


def read_data(name: str) -> Reading:
    return read(os.fsencode(DATA / name))


def without_stream(tags: Tags) -> Tags:
    return tags._replace(duration_ms=None, bitrate=None, sample_rate=None, lossless=None)


@pytest.mark.parametrize("name", FILES)
def test_every_field_is_read_from_every_format(name: str) -> None:
    """Whatever holds the tags, the same values come out."""
    reading = read_data(name)

    assert reading.reason is None
    assert reading.is_audio
    assert reading.tags is not None
    title = f"Title {name}" if FILES[name] != Tags() else ""
    assert without_stream(reading.tags) == FILES[name]._replace(title=title)
    assert reading.tags.duration_ms is not None
    assert 250 < reading.tags.duration_ms < 700


def test_every_file_in_the_test_data_has_expected_tags() -> None:
    """No file lies among the data that no test reads."""
    assert {path.name for path in DATA.iterdir() if path.suffix[1:3] != "py"} == set(FILES)


def test_every_audio_suffix_has_a_format() -> None:
    """Every file that a scan finds is read."""
    assert set(BY_SUFFIX) == AUDIO_SUFFIXES
    assert set(BY_SUFFIX.values()) <= {*mutagen_formats.CLASSES, "aiff", "wave"} | WITHOUT_TAGS


_MATROSKA = b"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\1"
_THEORA = b"OggS\0\2" + bytes(20) + b"\1\x2a" + b"\x80theora\3\2\1" + bytes(31)
_BEGINNINGS = {".mka": _MATROSKA, ".shn": b"ajkg\2", ".dts": b"\x7f\xfe\x80\x01\xfc"}


@pytest.mark.parametrize("suffix", _BEGINNINGS)
def test_files_in_formats_that_only_players_can_read_are_tracks_without_tags(
    suffix: str, tmp_path: Path
) -> None:
    assert {BY_SUFFIX[suffix.encode()] for suffix in _BEGINNINGS} == WITHOUT_TAGS
    assert read(written(tmp_path / f"x{suffix}", _BEGINNINGS[suffix] + bytes(999))) == Reading(Tags())
    other = read(written(tmp_path / f"y{suffix}", b"/dts-v1/;\n" * 99))
    assert other == Reading(None, Cause(NOT_AUDIO, "it does not begin as its name says"), is_audio=False)


@pytest.mark.parametrize("suffix", [".mp3", ".flac", ".ogg", ".m4a", ".wav", ".txt", ""])
@pytest.mark.parametrize("name", [name for name, expected in FILES.items() if expected != Tags()])
def test_the_content_of_a_file_counts_more_than_its_suffix(name: str, suffix: str, tmp_path: Path) -> None:
    """A file that is named wrongly is read all the same."""
    path = tmp_path / f"x{suffix}"
    shutil.copy(DATA / name, path)

    assert read(os.fsencode(path)) == read_data(name)


@pytest.mark.parametrize("name", ["v1.mp3", "ape2.mp3"])
def test_an_empty_id3v2_tag_does_not_hide_a_filled_tag_at_the_end(name: str, tmp_path: Path) -> None:
    """An ID3v2 tag that says nothing leaves the word to the tag at the end of the file."""
    empty = b"ID3\4\0\0\0\0\0\x14" + bytes(20)

    assert read(written(tmp_path / name, empty + (DATA / name).read_bytes())) == read_data(name)


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("lacks", ["title", "artist", "album"])
def test_id3v1_adds_what_id3v2_lacks(version: int, lacks: str, tmp_path: Path) -> None:
    frames = {"title": TIT2, "artist": TPE1, "album": TALB}
    path = tmp_path / "x.mp3"
    path.write_bytes((DATA / "none.mp3").read_bytes())
    tag = ID3()
    for field in frames.keys() - {lacks}:
        tag.add(frames[field](encoding=3, text="from v2"))
    tag.save(path, v1=0, v2_version=version)
    path.write_bytes(path.read_bytes() + (DATA / "v1.mp3").read_bytes()[-128:])
    tags = read(os.fsencode(path)).tags

    assert tags is not None
    expected = dict.fromkeys(frames, "from v2") | {lacks: getattr(read_data("v1.mp3").tags, lacks)}
    assert {field: getattr(tags, field) for field in frames} == expected
    assert read_head(os.fsencode(path)) is None


@pytest.mark.parametrize("name", ["tone.flac", "tone.ogg", "tone.opus", "tone.m4a", "tone.wv", "tone.wma"])
def test_several_values_of_one_tag_are_joined_into_one_text(name: str, tmp_path: Path) -> None:
    """Two artists become one text."""
    path = tmp_path / name
    shutil.copy(DATA / name, path)
    file = mutagen.File(path)
    key = {"tone.m4a": "\xa9ART", "tone.wma": "Author"}.get(name, "artist")
    file[key] = ["One", "Two"]
    file.save()
    found = read(os.fsencode(path)).tags

    assert found is not None
    assert found.artist == "One; Two"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("3/12", 3), ("3", 3), (" 07 ", 7), ("0", 0), ((3, 12), 3), ((0, 12), None)],
        *[(b"3", 3), (b"3/12", 3)],
        *[("A1", 1), ("", None), ("/12", None), ("-3", None), ("9" * 9, None), ("٣", None)],
    ],
)
def test_the_number_of_a_track_is_parsed(text: Any, number: int | None) -> None:
    """'3/12' is 3; other text gives None."""
    assert tags_of({"tracknumber": [text]}, Stream(1)).number == number
    assert tags_of({"disk": [text]}, Stream(1)).disc == number


@pytest.mark.parametrize(
    ("name", "value", "rating"),
    [
        ("popm", 0.8, 0.8),
        ("popm", 196, None),
        ("fmps_rating", "0.5", 0.5),
        ("fmps_rating", "0", 0.0),
        ("rating", "5", 1.0),
        ("rating", "1", 0.2),
        ("rating", "60", 0.6),
        ("rating", "101", None),
        ("rating", "-1", None),
        ("rating", "nan", None),
        ("rating", "good", None),
        ("rating", "4,5", 0.9),  # MusicBee writes as its user does
        ("rate", "100", 1.0),
        ("sdb/rating", "90", 0.9),
    ],
)
def test_a_rating_is_read_as_a_number_from_0_to_1(name: str, value: Any, rating: float | None) -> None:
    """However a rating is written, it comes out between 0 and 1."""
    assert tags_of({name: [value]}, Stream(1)).rating == rating


def test_the_half_stars_of_mediamonkey_count_more_than_its_whole_stars() -> None:
    assert tags_of({"wm/shareduserrating": [75], "sdb/rating": ["90"]}, Stream(1)).rating == 0.9


@pytest.mark.parametrize("length_s", [0, -1, math.nan, math.inf, -math.inf, 1e300, 31 * 24 * 3600])
def test_an_absurd_length_is_ignored(length_s: float) -> None:
    """A length that cannot be is not known."""
    assert tags_of({}, Stream(length_s)).duration_ms is None


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
    """Every text can be written as UTF-8, holds no NUL and has an end."""
    assert tags_of({"title": [value]}, Stream(1)).title == text


def test_a_tag_with_very_many_values_is_cut() -> None:
    """A hundred thousand artists take no more room than a few."""
    assert len(tags_of({"artist": [f"artist {n}" for n in range(100_000)]}, Stream(1)).artist) == LONGEST_TEXT


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("text.mp3", b"hello, world\n" * 300),
        ("utf16.mp3", "hello, world\n".encode("utf-16") * 300),
        ("page.mp3", b"<!DOCTYPE html><html><body>404</body></html>" * 50),
        ("image.mp3", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1" + b"\xff\xfb\x90\x44" + bytes(range(256)) * 99),
        ("text.flac", b"hello, world\n" * 300),
        ("text.ogg", b"hello, world\n" * 300),
        ("text.m4a", b"hello, world\n" * 300),
        ("text.aac", b"hello, world\n" * 300),
        ("zeros.mp3", bytes(5000)),
        ("chance.mp3", b"hello, world\n" * 9 + (b"\xff\xfb\x90\x44" + b"x" * 413) * 2),
        ("one.wav", b"R"),
        ("a Matroska video.mp3", _MATROSKA + bytes(999)),
        ("a video without sound.ogg", _THEORA * 9),
    ],
)
def test_a_file_named_like_audio_is_no_audio_if_its_content_is_something_else(
    name: str, data: bytes, tmp_path: Path
) -> None:
    """A name does not make a track."""
    reading = read(written(tmp_path / name, data))

    assert reading == Reading(None, reading.reason, is_audio=False)
    assert str(reading.reason).startswith("not audio: " + name.partition(".")[0] * (" " in name))


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith((".aac", ".ac3"))])
def test_damaged_audio_still_counts_as_audio(name: str, tmp_path: Path) -> None:
    """A track whose tags cannot be read is a track; only the reason tells."""
    reading = read(written(tmp_path / name, (DATA / name).read_bytes()[:17]))

    assert reading.is_audio
    assert reading.tags is None
    assert str(reading.reason).startswith("tags could not be read: ")


@pytest.mark.timeout(5)
@pytest.mark.timing
def test_the_tag_reader_survives_any_kind_of_file(tmp_path: Path) -> None:
    """Pipes, devices, sockets, folders, broken links and giant holes are all turned away at once."""
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
    """A link is read as its target."""
    (tmp_path / "a.mp3").symlink_to(DATA / "v24.mp3")
    (tmp_path / "b.mp3").symlink_to("a.mp3")

    assert read(os.fsencode(tmp_path / "b.mp3")) == read_data("v24.mp3")


def test_a_file_without_read_permission_is_a_track_that_the_next_scan_reads_again(tmp_path: Path) -> None:
    """Without permission its content is unknown: a reason, not an error."""
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
    """However much of the file was read before, and whatever mutagen makes of the rest."""
    for good in itertools.count():
        with monkeypatch.context() as patch:
            fails_after(good, patch)
            reading = read_data(name)
        if reading.tags is not None:
            break

        assert reading == Reading(None, Cause(UNREADABLE, "Input/output error"), is_final=False)
    assert good > 0


def fails_after(good: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, the disk lets so many reads and seeks pass, and no more."""
    calls = itertools.count()

    def refuse() -> None:
        if next(calls) >= good:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    class Bad(FileIO):
        def readinto(self, buffer: Any) -> int:
            refuse()
            return super().readinto(buffer)

        def readall(self) -> bytes:
            refuse()
            return super().readall()

        def seek(self, offset: int, origin: int = os.SEEK_SET, /) -> int:
            refuse()
            return super().seek(offset, origin)

    class Disk(tag_reader._Disk, Bad):
        pass

    monkeypatch.setattr(tag_reader, "_Disk", Disk)


def test_a_seek_before_the_start_counts_as_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the file that leads mutagen there, and not the disk: that reading is final."""
    monkeypatch.setattr(tag_reader, "_read_audio", lambda file, *_, **__: file.seek(-1))

    reading = read(written(tmp_path / "x.flac", (DATA / "tone.flac").read_bytes()))

    assert reading == Reading(None, Cause(NO_TAGS, "[Errno 22] Invalid argument"))


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Good, bad and refused files are closed again."""
    os.mkfifo(tmp_path / "fifo.mp3")
    paths = [tmp_path / "fifo.mp3", tmp_path / "nothing.mp3", DATA / "v24.mp3", DATA / "make.py"]
    before = os.listdir("/proc/self/fd")
    for path in paths:
        read(os.fsencode(path))

    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_tag_reader_survives_any_damaged_file(seed: int, tmp_path: Path) -> None:
    """Whatever the bytes, a reading comes out, and the file stays as it was."""
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


# Files that break a standard, as they are met in collections


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)


def _wave(*chunks: bytes) -> bytes:
    return _chunk(b"RIFF", b"WAVE" + b"".join(chunks))


def test_info_tags_of_wav_are_read_unless_id3_has_the_same_field(tmp_path: Path) -> None:
    info = _chunk(b"INAM", b"Title\0") + _chunk(b"IART", b"Bj\xf6rk") + _chunk(b"IPRD", "Älbum".encode())
    info += _chunk(b"IPRT", b"3\0")
    data = (DATA / "tone.wav").read_bytes()
    plain = _wave(data[12:36], _chunk(b"LIST", b"INFO" + info), _chunk(b"data", bytes(9000)))

    reading = read(written(tmp_path / "x.wav", plain))
    tagged = read(written(tmp_path / "y.wav", _wave(data[12:], _chunk(b"LIST", b"INFO" + info))))

    assert reading.tags is not None
    assert reading.tags[1:4] == ("Title", "Björk", "Älbum")
    assert reading.tags.number == 3
    assert tagged.tags is not None
    assert tagged.tags.title == "Title tone.wav"


@pytest.mark.parametrize("name", ["tone.flac", "tone.ogg", "tone.opus", "tone.spx"])
def test_latin1_vorbis_comments_are_read(tmp_path: Path, name: str) -> None:
    """The text is as long as before, so that lengths of pages and blocks stay right."""
    data = (DATA / name).read_bytes()
    assert "Älbum".encode() in data

    reading = read(written(tmp_path / name, data.replace("Älbum".encode(), b"\xc4lbum\xfc")))

    assert reading.tags is not None
    assert reading.tags.album == "Älbumü"
    assert reading.tags.artist == "Björk; 椎名林檎"


def behind_id3(folder: Path, name: str) -> bytes:
    """Return the path of an audio file behind an ID3v2 tag."""
    tag = ID3()
    tag.add(TIT2(text="Other"))
    tag.save(folder / "tag", padding=lambda _: 1000)
    return written(folder / name, (folder / "tag").read_bytes() + (DATA / name).read_bytes())


def test_a_flac_file_behind_an_id3v2_tag_is_read(tmp_path: Path) -> None:
    assert read(behind_id3(tmp_path, "tone.flac")) == read_data("tone.flac")


def test_an_id3v2_tag_is_read_in_formats_without_tags_of_their_own(tmp_path: Path) -> None:
    tags = read_data("tone.aac").tags
    assert tags is not None
    assert read(behind_id3(tmp_path, "tone.aac")).tags == tags._replace(title="Other")


def test_flac_with_a_short_picture_block_is_read(tmp_path: Path) -> None:
    """Some programs write covers of more bytes than their block says."""
    data = (DATA / "tone.flac").read_bytes()
    picture = Picture()
    picture.data = b"\xff" * 5000
    block = picture.write()
    place = 4 + 4 + 34
    broken = data[:place] + b"\6" + (len(block) - 4000).to_bytes(3, "big") + block + data[place:]

    reading = read(written(tmp_path / "x.flac", broken))

    assert reading.tags is not None
    assert reading.tags._replace(bitrate=None) == read_data("tone.flac").tags._replace(bitrate=None)  # type: ignore[union-attr]


def test_programs_that_are_named_like_audio_are_not_tracks(tmp_path: Path) -> None:
    """MPEG frames are found in some of them by chance."""
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
