"""Test the command that shows the values of tags."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.support.program import DATA, configured, ran, run
from tests.support.service import config
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

MUSIC = {
    "1.mp3": {"title": "So What", "genre": "Jazz", "artist": "\x1b[31mMiles"},
    "2.flac": {"title": "Naima", "genre": "Jazz"},
    "3.ogg": {"title": "Help", "genre": "Rock"},
    "4.opus": {"title": "Untagged"},
}


def test_the_command_tags_shows_how_many_tracks_have_each_field_and_examples_of_the_values(
    music: Path,
) -> None:
    done = run("tags", music)
    lines = done.out.decode().splitlines()

    assert lines[0] == "4 tracks"
    assert next(line for line in lines if line.startswith("genre ")).split() == [
        *("genre", "3", "75%", "Jazz,", "Rock")
    ]
    assert b"\x1b" not in done.out


def test_the_command_tags_counts_each_value_of_a_field_in_the_configured_folders(music: Path) -> None:
    configured(config(music))
    assert run("tags", "genre").out.split() == [b"2", b"Jazz", b"1", b"Rock"]

    tagged_library(music, {"5.flac": {"genre": "Jazz; Soul"}})
    assert run("tags", "genre", music).out.split() == [b"3", b"Jazz", b"1", b"Rock", b"1", b"Soul"]
    fields = json.loads(run("tags", "genre", music, "--json").out)["fields"]
    assert fields == {"genre": {"tracks": 4, "values": {"Jazz": 3, "Rock": 1, "Soul": 1}}}


def test_the_command_tags_shows_the_tags_of_files(music: Path) -> None:
    said = json.loads(run("tags", music / "2.flac", "--json").out)
    lines = run("tags", music / "2.flac", music / "3.ogg").out.decode().splitlines()

    assert (said["tags"]["title"], said["tags"]["duration_ms"]) == ("Naima", 300)
    assert [line for line in lines if re.match("/|  title|  length", line)] == [
        *(str(music / "2.flac"), "  length          0:01", "  title           Naima"),
        *(str(music / "3.ogg"), "  length          0:01", "  title           Help"),
    ]


def test_the_tags_of_a_file_have_the_names_and_values_of_queries() -> None:
    lines = dict(line.split(None, 1) for line in ran("tags", DATA / "ape2.mp3").out.decode().splitlines()[1:])

    assert lines["albumartist"] == "Various"
    assert (lines["track"], lines["samplerate"], lines["lossless"]) == ("3", "8000", "no")
    assert lines["rating"] == "4.0"


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir() if path.suffix != ".py"))
def test_every_value_that_the_command_tags_shows_can_be_queried(tmp_path: Path, name: str) -> None:
    shutil.copy(DATA / name, tmp_path)
    fields = json.loads(run("tags", tmp_path, "--json").out)["fields"]
    terms = [
        f'"{field}:={value}"' for field in ("artist", "album", "genre") for value in fields[field]["values"]
    ]
    done = ran("make", tmp_path, "--print0", "--spoken", "--where", " ".join(terms))
    assert done.out == bytes(tmp_path / name) + b"\0"


@pytest.mark.parametrize(("words", "code"), [("gnre .", 2), ("gone.mp3", 66), ("genre ./gone", 66)])
def test_the_command_tags_refuses_unknown_fields_and_files(tmp_path: Path, words: str, code: int) -> None:
    assert run("tags", *words.split(), cwd=tmp_path).code == code
