"""Test the command that explains why a file is in a playlist or not."""

import json
from pathlib import Path

import pytest

from tests.support.program import listed, make, run
from tests.support.service import aged, config
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

FILES = {
    "1.mp3": {"title": "So What", "genre": "Jazz"},
    "live/2.ogg": {"title": "Help", "genre": "Rock"},
    "book.m4b": {"title": "1"},
}


@pytest.fixture
def music(tmp_path: Path) -> Path:
    return tagged_library(tmp_path / "Music", FILES)


def test_a_playlist_of_make_is_explained_with_its_options(music: Path) -> None:
    words = ("--where", "genre:jazz")
    make(music, *words)
    inside = run("why", music / "1.mp3", "--folder", music, *words)
    outside = run("why", music / "live/2.ogg", f"file://{music}/book.m4b", "--folder", music, *words)

    assert inside.code == 0
    assert inside.out.decode() == f"{music}/1.mp3\n  playshuffle.m3u  yes: position 1 of 1\n"
    assert outside.code == 1
    assert b"no: genre:jazz fails (genre is Rock)" in outside.out
    assert b"no: spoken word: .m4b is for audiobooks" in outside.out
    assert run("why", music / "gone.mp3", "--folder", music, *words).code == 66


def test_each_playlist_of_the_configuration_is_explained(music: Path, tmp_path: Path) -> None:
    env = {"PLAYSHUFFLE_CONFIG": str(tmp_path / "config.toml")}
    (tmp_path / "config.toml").write_text(
        config(music) + '[playlist.jazz]\nwhere = "genre:jazz"\n[playlist.today]\ndeal = 1\n'
    )
    assert run("accept-missing", env=env).code == 0
    done = run("why", music / "live/2.ogg", "--json", env=env)
    rows = {row["playlist"]: row for row in json.loads(done.out)["files"][0]["playlists"]}

    assert done.code == 1
    assert (rows["all"]["in"], rows["jazz"]["reason"]) == (True, "where")
    dealt = listed(music / "today.m3u") == ["live/2.ogg"]
    assert rows["today"]["reason"] == ("in" if dealt else "upcoming")
    assert rows["all"]["position"] == listed(music / "all.m3u").index("live/2.ogg") + 1

    assert run("why", music / "1.mp3", "--in", "jazz", env=env).code == 0
    assert run("why", music / "1.mp3", "--in", music / "jazz.m3u", env=env).code == 0
    assert run("why", music / "1.mp3", "--in", "nothing", env=env).code == 2


def test_each_term_is_named_with_the_line_of_the_configuration(music: Path, tmp_path: Path) -> None:
    aged(music)
    file = tmp_path / "config.toml"
    file.write_text(config(music, where="genre:jazz -title:live length:..10:00"))
    env = {"PLAYSHUFFLE_CONFIG": str(file)}
    assert run("accept-missing", env=env).code == 0
    done = run("why", music / "live/2.ogg", env=env)
    terms = "genre:jazz fails (genre is Rock); -title:live holds; length:..10:00 holds"

    assert f"  all  no: {file}, line 3: {terms}\n" in done.out.decode()
    [row] = json.loads(run("why", music / "live/2.ogg", "--json", env=env).out)["files"][0]["playlists"]
    assert row["line"] == 3
    assert [term["holds"] for term in row["terms"]] == [False, True, True]
    assert row["terms"][0] == {"term": "genre:jazz", "holds": False, "values": {"genre": "Rock"}}
    [row] = json.loads(run("why", music / "1.mp3", "--json", env=env).out)["files"][0]["playlists"]
    assert (row["in"], [term["holds"] for term in row["terms"]]) == (True, [True, True, True])


def test_a_file_that_is_still_being_written_is_named(music: Path, tmp_path: Path) -> None:
    aged(music)
    file = tmp_path / "config.toml"
    file.write_text('settle = "60m"\n' + config(music))
    env = {"PLAYSHUFFLE_CONFIG": str(file)}
    assert run("accept-missing", env=env).code == 0
    (music / "new.mp3").write_bytes((music / "1.mp3").read_bytes())
    done = run("why", music / "new.mp3", "--json", env=env)

    [row] = json.loads(done.out)["files"][0]["playlists"]
    assert (done.code, row["reason"]) == (1, "growing")
    assert run("why", music / "1.mp3", env=env).code == 0


def test_a_folder_is_counted_and_all_files_left_out_are_listed(music: Path) -> None:
    make(music, "--where", "genre:jazz")
    folder = run("why", music, "--folder", music, "--where", "genre:jazz")
    everything = run("why", "--all", "--folder", music, "--where", "genre:jazz")

    assert "playshuffle.m3u  1 in, 1 spoken, 1 where" in folder.out.decode()
    assert "where: 1 file\n" in everything.out.decode()
    assert f"{music}/book.m4b: spoken word" in everything.out.decode()


def test_names_with_control_characters_are_harmless(music: Path) -> None:
    (music / "\x1b[31mred.mp3").write_bytes((music / "1.mp3").read_bytes())
    done = run("why", music / "\x1b[31mred.mp3", "--folder", music)

    assert done.code == 1
    assert b"\x1b" not in done.out


@pytest.mark.parametrize("words", [(), ("--all", "x.mp3"), ("x.mp3", "--where", "genre:jazz")])
def test_arguments_that_make_no_sense_are_usage_errors(music: Path, words: tuple[str, ...]) -> None:
    assert run("why", *words).code == 2
