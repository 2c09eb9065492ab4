"""Test that the frame or key is named from which each tag was read."""

import os
import shutil
from pathlib import Path
from struct import pack

import mutagen
import pytest
from mutagen.id3 import ID3, TALB, TIT2

from playshuffle.library.folder import Tags
from playshuffle.library.tag_reader import read
from playshuffle.library.tag_sources import read_sources, sources_of
from tests.support.program import DATA

_AUDIO = {"duration_ms", "bitrate", "sample_rate", "lossless"}


def sources(path: Path) -> dict[str, str]:
    return sources_of(os.fsencode(path))


def fields_with_values(path: Path) -> set[str]:
    tags = read(os.fsencode(path)).tags or Tags()
    return {field for field, value in tags._asdict().items() if value not in (None, "")}


@pytest.mark.process
@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir() if path.suffix != ".py"))
def test_every_tag_of_every_format_has_a_source(name: str) -> None:
    path = DATA / name

    assert fields_with_values(path) - set(sources(path)) <= _AUDIO
    assert read_sources(os.fsencode(path)) == sources(path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("v1.mp3", {"artist": "ID3v1 artist", "date": "ID3v1 year"}),
        ("v22.mp3", {"artist": "ID3v2.2 TP1", "date": "ID3v2.2 TYE"}),
        ("v23.mp3", {"artist": "ID3v2.3 TPE1", "album_artist": "ID3v2.3 TPE2"}),
        ("v24.mp3", {"artist": "ID3v2.4 TPE1", "date": "ID3v2.4 TDRC"}),
        ("ape2.mp3", {"artist": "APEv2 artist", "number": "APEv2 track"}),
        ("tone.wv", {"artist": "APEv2 artist", "number": "APEv2 tracknumber"}),
        ("tone.flac", {"artist": "Vorbis artist"}),
        ("tone.ogg", {"artist": "Vorbis artist"}),
        ("tone.opus", {"artist": "Vorbis artist"}),
        ("tone.m4a", {"artist": "MP4 ©ART", "work": "MP4 ----:com.apple.iTunes:WORK"}),
        ("tone.wma", {"artist": "ASF Author", "rating": "ASF WM/SharedUserRating"}),
    ],
)
def test_the_source_has_the_name_of_its_format(name: str, expected: dict[str, str]) -> None:
    assert sources(DATA / name).items() >= expected.items()


def test_the_first_name_of_the_table_is_the_source(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    shutil.copy(DATA / "tone.flac", path)
    file = mutagen.File(path)
    file["YEAR"], file["DATE"], file["rating:me@example.org"] = "1999", "2001", "0.5"
    file.save()

    assert sources(path).items() >= {"date": "Vorbis DATE", "rating": "Vorbis rating:me@example.org"}.items()


@pytest.mark.parametrize("has_unusual_header", [False, True])
def test_id3v1_is_the_source_only_where_it_was_read(tmp_path: Path, has_unusual_header: bool) -> None:
    path = tmp_path / "a.mp3"
    shutil.copy(DATA / "v1.mp3", path)
    tag = ID3()
    tag.add(TIT2(encoding=3, text="from v2"))
    tag.add(TALB(encoding=3, text="from v2"))
    tag.save(path, v1=1, v2_version=4)
    data = path.read_bytes()
    # A tag whose end has ID3v1 as well, with an artist that the ID3v2 tag lacks.
    v1 = (DATA / "v1.mp3").read_bytes()[-128:]
    data = data[:-128] + v1
    if has_unusual_header:  # unsynchronised: left to mutagen, which adds ID3v1
        data = data[:5] + b"\x80" + data[6:]
    path.write_bytes(data)

    assert sources(path)["title"] == "ID3v2.4 TIT2"
    assert sources(path).get("artist") == ("ID3v1 artist" if has_unusual_header else None)
    assert ("artist" in fields_with_values(path)) == has_unusual_header


def test_riff_info_is_the_source_where_there_is_no_id3(tmp_path: Path) -> None:
    def chunk(name: bytes, data: bytes) -> bytes:
        return name + pack("<L", len(data)) + data + b"\0" * (len(data) % 2)

    info = chunk(b"LIST", b"INFO" + chunk(b"INAM", b"Title\0") + chunk(b"IPRT", b"3\0"))
    audio = chunk(b"fmt ", pack("<HHLLHH", 1, 1, 8000, 16000, 2, 16)) + chunk(b"data", bytes(16000))
    path = tmp_path / "a.wav"
    path.write_bytes(chunk(b"RIFF", b"WAVE" + audio + info))

    assert sources(path) == {"title": "RIFF INAM", "number": "RIFF IPRT"}


@pytest.mark.process
def test_a_file_that_cannot_be_read_has_no_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    path.write_bytes(b"fLaC" + b"\xff" * 100)

    assert read_sources(os.fsencode(path)) == {}
    assert read_sources(os.fsencode(tmp_path / "gone.mp3")) == {}


@pytest.mark.process
def test_a_file_that_takes_too_long_has_no_sources() -> None:
    assert read_sources(os.fsencode(DATA / "v24.mp3"), deadline_s=0) == {}
