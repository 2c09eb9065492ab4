"""Test the command that shows the values of tags."""

import json
from pathlib import Path

import pytest

from tests.support.program import DATA, configured, library, ran, run
from tests.support.service import config
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

MUSIC = {
    "1.mp3": {"title": "So What", "genre": "Jazz", "artist": "\x1b[31mMiles"},
    "2.flac": {"title": "Naima", "genre": "Jazz"},
    "3.ogg": {"title": "Help", "genre": "Rock"},
    "4.opus": {"title": "Untagged"},
}


def test_the_command_tags_shows_in_how_many_tracks_each_field_is_with_examples(music: Path) -> None:
    done = run("tags", music)
    lines = done.out.decode().splitlines()

    assert lines[0] == "4 tracks"
    assert next(line for line in lines if line.startswith("genre ")).split() == [
        *("genre", "3", "75%", "Jazz,", "Rock")
    ]
    assert b"\x1b" not in done.out


def test_the_command_tags_counts_the_values_of_a_field(music: Path) -> None:
    assert run("tags", "genre", music).out.split() == [b"2", b"Jazz", b"1", b"Rock"]
    fields = json.loads(run("tags", "genre", music, "--json").out)["fields"]
    assert fields == {"genre": {"tracks": 3, "values": {"Jazz": 2, "Rock": 1}}}


def test_each_of_several_values_in_one_tag_is_counted(music: Path) -> None:
    tagged_library(music, {"5.flac": {"genre": "Jazz; Soul"}})

    assert run("tags", "genre", music).out.split() == [b"3", b"Jazz", b"1", b"Rock", b"1", b"Soul"]


def test_the_command_tags_reads_the_configured_folders_by_default(music: Path) -> None:
    configured(config(music))
    done = run("tags", "genre")

    assert done.out.split() == [b"2", b"Jazz", b"1", b"Rock"]


def test_the_command_tags_shows_the_tags_of_files(music: Path) -> None:
    said = json.loads(run("tags", music / "2.flac", "--json").out)
    lines = run("tags", music / "2.flac", music / "3.ogg").out.decode().splitlines()

    assert (said["tags"]["title"], said["tags"]["genre"]) == ("Naima", "Jazz")
    assert [line for line in lines if "title" in line or not line.startswith(" ")] == [
        str(music / "2.flac"),
        "  title           Naima",
        str(music / "3.ogg"),
        "  title           Help",
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir() if path.suffix != ".py"))
def test_every_value_that_the_command_tags_shows_can_be_queried(tmp_path: Path, name: str) -> None:
    music = library(tmp_path / "Music", [])
    music.mkdir()
    (music / name).write_bytes((DATA / name).read_bytes())
    fields = json.loads(run("tags", music, "--json").out)["fields"]
    terms = [
        f'"{field}:={value}"' for field in ("artist", "album", "genre") for value in fields[field]["values"]
    ]
    done = ran("make", music, "--print0", "--spoken", "--where", " ".join(terms))
    assert done.out == bytes(music / name) + b"\0"


@pytest.mark.parametrize(
    ("words", "code"), [(("gnre", "."), 2), (("gone.mp3",), 66), (("genre", "./gone"), 66)]
)
def test_the_command_tags_reports_missing_fields_and_files_as_errors(
    tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    assert run("tags", *words, cwd=tmp_path).code == code


def test_the_command_tags_shows_the_length_of_a_file_in_minutes(tmp_path: Path) -> None:
    (tmp_path / "x.ogg").write_bytes((DATA / "tone.ogg").read_bytes())
    lines = run("tags", tmp_path / "x.ogg").out.decode().splitlines()

    assert lines[1].split() == ["length", "0:01"]
    assert json.loads(run("tags", tmp_path / "x.ogg", "--json").out)["tags"]["duration_ms"] == 300
