"""Test the command that explains why a file is in a playlist or not."""

import json
from pathlib import Path

import pytest

from playshuffle.cli.screen import columns
from tests.support.clock import at
from tests.support.program import (
    DATA,
    change_options,
    configured,
    listed,
    make,
    numbered,
    ran,
    refused,
    run,
    update_configured,
)
from tests.support.service import config

pytestmark = pytest.mark.process

MUSIC = {
    "1.mp3": {"title": "So What", "genre": "Jazz"},
    "live/2.ogg": {"title": "Help", "genre": "Rock"},
    "book.m4b": {"title": "1"},
}


def test_the_command_why_explains_each_configured_playlist_and_each_one_that_make_wrote(music: Path) -> None:
    update_configured(
        config(music) + '[playlist.jazz]\nwhere = "genre:jazz"\n[playlist.today]\nlimit = 1\nevery = "day"\n'
    )
    make(music, "-o", music / "other.m3u")
    done = run("why", music / "live/2.ogg", "--json")
    rows = {row["playlist"]: row for row in json.loads(done.out)["files"][0]["playlists"]}

    assert done.code == 1
    assert (rows["all"]["in"], rows["other"]["in"], rows["jazz"]["reason"]) == (True, True, "where")
    dealt = listed(music / "today.m3u") == ["live/2.ogg"]
    assert rows["today"]["reason"] == ("in" if dealt else "upcoming")
    assert rows["all"]["position"] == listed(music / "all.m3u").index("live/2.ogg") + 1


def test_the_command_why_shows_each_term_of_a_query_and_its_line_in_the_configuration(music: Path) -> None:
    update_configured(config(music, where="genre:jazz -title:live length:..10:00"))
    done = run("why", music / "live/2.ogg")
    terms = "genre:jazz fails (genre is Rock); -title:live holds; length:..10:00 holds"

    assert f"  all  no: ~/.config/playshuffle/config.toml, line 3: {terms}\n" in done.out.decode()
    [row] = json.loads(run("why", music / "live/2.ogg", "--json").out)["files"][0]["playlists"]
    assert row["line"] == 3
    assert [term["holds"] for term in row["terms"]] == [False, True, True]
    assert row["terms"][0] == {"term": "genre:jazz", "holds": False, "values": {"genre": "Rock"}}
    [row] = json.loads(run("why", music / "1.mp3", "--json").out)["files"][0]["playlists"]
    assert (row["in"], [term["holds"] for term in row["terms"]]) == (True, [True, True, True])


def test_the_command_why_names_the_line_of_a_rule_for_all_playlists_and_names_todays_date(
    music: Path,
) -> None:
    rules = f'folders = ["{music}"]\nwhere = "-genre:rock OR today:12-01..12-26"\nwithout = "ba.m3u"\n'
    file = configured(f'{rules}[playlist.all]\nwhere = "path:/"\nwithout = "a.m3u"\n')
    (file.parent / "a.m3u").write_text("")  # a name with which the other one ends
    (file.parent / "ba.m3u").write_text(f"{music}/1.mp3\n")

    def why(name: str, day: str) -> str:
        return run("why", music / name, before=at(f"{day} 12:00:00")).out.decode()

    terms = "-genre:rock fails (genre is Rock); today:12-01..12-26 fails (today is 11-23)"
    assert f"config.toml, line 2: {terms}; path:/ holds" in why("live/2.ogg", "2026-11-23")
    assert "no: the playlist does not exist yet" in why("live/2.ogg", "2026-12-01")
    assert "config.toml, line 3: in ~/.config/playshuffle/ba.m3u, line 1\n" in why("1.mp3", "2026-12-01")


def test_the_command_why_says_that_a_new_file_is_still_being_written(music: Path) -> None:
    update_configured('settle = "60m"\n' + config(music))
    (music / "new.mp3").write_bytes((music / "1.mp3").read_bytes())
    done = run("why", music / "new.mp3", "--json")

    [row] = json.loads(done.out)["files"][0]["playlists"]
    assert (done.code, row["reason"]) == (1, "growing")
    assert run("why", music / "1.mp3").code == 0


def test_the_command_why_counts_the_files_of_a_folder_and_groups_omitted_files_by_reason(music: Path) -> None:
    make(music, "--where", "genre:jazz")
    (music / "3.ogg").write_bytes((music / "live/2.ogg").read_bytes())
    folder = run("why", music)

    assert folder.code == 1
    assert folder.out.decode().splitlines() == [
        f"{music}",
        "  Music  1 of 4 files in the playlist; 2 not matching the query; 1 spoken word",
        "2 files: genre:jazz fails",
        f"  {music}/3.ogg",
        f"  {music}/live/2.ogg",
        "1 file: spoken word: .m4b is for audiobooks",
        f"  {music}/book.m4b",
    ]
    assert run("why", music / "live").code == 1
    assert json.loads(run("why", music, "--json").out)["files"][0]["path"] == f"{music}/1.mp3"


def test_the_command_why_aligns_answers_by_the_columns_of_wide_letters(music: Path) -> None:
    for name in ("夜の東京", "all"):
        make(music, "-o", music / f"{name}.m3u")
    lines = run("why", music / "1.mp3").out.decode().splitlines()

    assert [columns(line.partition("yes: ")[0]) for line in lines[1:]] == [2 + 8 + 2] * 2


def test_the_command_why_names_five_of_many_files_with_the_same_reason(music: Path) -> None:
    for number in range(9):
        (music / f"\x1b[31mbook-{number}.m4b").write_bytes((music / "book.m4b").read_bytes())
    make(music)
    lines = run("why", music).out.decode().splitlines()

    assert lines[2:4] == ["10 files: spoken word: .m4b is for audiobooks", f"  {music}/\\x1b[31mbook-0.m4b"]
    assert lines[8:] == ["  … and 5 more", "All files: --json"]


def test_the_command_why_still_names_the_omitted_tracks_of_a_missing_folder(music: Path) -> None:
    make(music, "-o", music.with_name("all.m3u"))
    before = run("why", music).out.decode()
    music.rename(music.with_name("away"))

    done = run("why", music)

    assert f"{music} seems to be missing" in done.err
    assert done.out.decode() == before
    assert f"{music}/book.m4b" in before


def test_the_command_why_explains_a_playlist_that_make_wrote_by_the_options_of_the_playlist(
    music: Path,
) -> None:
    assert "--in FILE" in refused(2, "why", music / "1.mp3")
    make(music, "--where", "genre:jazz", "-o", music / "jazz.m3u")
    make(music)
    files = (music / "1.mp3", music / "live/2.ogg", f"file://{music}/book.m4b", __file__)
    answers = run("why", *files).out.decode()

    assert f"{music}/1.mp3\n  jazz   yes: position 1 of 1\n" in answers
    assert f"{music}/live/2.ogg\n  jazz   no: genre:jazz fails (genre is Rock)\n" in answers
    assert "jazz   no: spoken word: .m4b is for audiobooks" in answers
    assert "2 playlists  no: outside of the folders" in answers
    assert run("why", music / "1.mp3", "--in", "jazz").code == 0
    assert run("why", music / "live/2.ogg", "--in", music / "jazz.m3u").code == 1
    assert "There is no list 'nothing'" in refused(66, "why", music / "1.mp3", "--in", "nothing")
    elsewhere = run("why", music.parent / "gone.mp3", music / "gone.mp3")
    assert (elsewhere.code, elsewhere.out.count(b"no: no such file")) == (66, 2)


def test_saved_relative_paths_mean_the_same_in_another_current_folder(music: Path, tmp_path: Path) -> None:
    (tmp_path / "never.m3u").write_text("Music/1.mp3\n")
    words = ("-o", "all.m3u", "--without", "never.m3u", "--limit", "1")
    make("Music", *words, cwd=tmp_path)
    make("--from", "never.m3u", "-o", "listed.m3u", cwd=tmp_path)

    skipped = run("why", music / "1.mp3", "--in", "all", cwd=music).out.decode()
    listed = run("why", music / "live/2.ogg", "--in", "listed", cwd=music).out.decode()

    assert f"  all  no: in {tmp_path}/never.m3u, line 1\n" in skipped
    assert "  listed  no: not in the list\n" in listed
    (tmp_path / "never.m3u").unlink()
    gone = run("why", music / "live/2.ogg", cwd=music)
    assert (gone.code, f"listed.m3u: {tmp_path}/never.m3u cannot be read" in gone.err) == (1, True)
    assert "  all     yes: position 1 of 1\n" in gone.out.decode()


@pytest.mark.parametrize("options", ["", "{", '{"folders": []}', '{"no_option": 1}'])
def test_if_options_are_unknown_the_command_why_reads_only_the_playlist(music: Path, options: str) -> None:
    """Options are unknown of a playlist from another program, for example."""
    make(music, "--where", "genre:jazz", "-o", music / "jazz.m3u")
    change_options(options)

    inside = run("why", music / "1.mp3", "--in", "jazz")
    outside = run("why", music / "live/2.ogg", "--in", "jazz")

    assert (inside.code, inside.out.decode()) == (0, f"{music}/1.mp3\n  jazz  yes: position 1 of 1\n")
    assert outside.code == 1
    assert b"no: not in this file. The options that it was written with are not known" in outside.out
    assert run("why", music / "gone.mp3", "--in", "jazz").code == 66
    (music / "mine.m3u").write_text("1.mp3\n")
    assert run("why", music / "1.mp3", "--in", music / "mine.m3u").code == 0
    assert run("why", music / "live/2.ogg", "--in", music / "mine.m3u").code == 1


def test_without_a_service_the_command_why_announces_no_next_update(music: Path) -> None:
    skip = music / "skip.m3u"
    skip.write_text("live/2.ogg\n")
    make(music, "--without", skip)
    skip.write_text("1.mp3\n")
    added = run("why", music / "live/2.ogg").out
    removed = run("why", music / "1.mp3").out

    assert b"next update" not in added + removed
    assert b"no: not in the playlist as it is; the next run with the same options adds it\n" in added
    assert b"the next run with the same options removes it: in " in removed


def test_the_command_why_says_that_listed_tracks_stay_while_no_update_can_be_written(tmp_path: Path) -> None:
    music, skip = numbered(tmp_path / "Music", 3), tmp_path / "skip.m3u"
    skip.write_text("")
    make(music, "--without", skip)
    (music / "new.ogg").write_bytes((DATA / "tone.ogg").read_bytes())
    skip.write_text("".join(f"{path}\n" for path in music.iterdir()))

    assert b"it stays, because no update is written: " in run("why", music / "001.mp3").out
    assert f"no: in {skip}, line " in run("why", music / "new.ogg").out.decode()


def test_the_command_why_says_that_a_list_does_not_change_while_a_folder_is_missing(tmp_path: Path) -> None:
    music = numbered(tmp_path / "Music", 30)
    make(music)
    for number in range(1, 30):
        (music / f"{number:03}.mp3").rename(tmp_path / f"{number:03}.mp3")
    (music / "new.ogg").write_bytes((DATA / "tone.ogg").read_bytes())
    waiting, there, new = (run("why", music / name) for name in ("007.mp3", "000.mp3", "new.ogg"))

    assert (waiting.code, there.code, new.code) == (0, 0, 1)
    assert f" of 30, waits for {music}\n" in waiting.out.decode()
    assert " of 30\n" in there.out.decode()
    assert f"no: {music} seems to be missing: 29 of 30 tracks are gone" in new.out.decode()


def test_the_command_why_counts_the_last_known_tracks_of_a_missing_folder(tmp_path: Path) -> None:
    here, usb = numbered(tmp_path / "here", 2), numbered(tmp_path / "usb", 3)
    make(here, usb, "-o", tmp_path / "all.m3u")
    ran("deal", here, usb, "-n", "1", "-o", tmp_path / "today.m3u", "--where", f"path:{here}")
    ran("deal", here, usb, "-n", "1", "-o", tmp_path / "sorted.m3u", "--order", "sorted")
    usb.rename(tmp_path / "drawer")
    ran("deal", "sorted", "--now")

    done = run("why", usb)

    assert "  all     3 of 3 files in the playlist\n" in done.out.decode()
    assert "  today   0 of 3 files in the playlist; 3 not matching the query\n" in done.out.decode()
    assert "  sorted  0 of 3 files in the playlist; 3 on a missing drive\n" in done.out.decode()
    assert f"{usb} seems to be missing" in done.err
    assert run("why", here / "000.mp3").err == ""
