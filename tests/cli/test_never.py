"""Test that `never` removes tracks from all playlists, and that they stay out."""

import os
from pathlib import Path

import pytest

from tests.support.program import library, listed, make, ran, refused, run
from tests.support.service import Service, aged, config, holds, wait_for

pytestmark = pytest.mark.process

NAMES = ("a/1.mp3", "a/2.ogg", "b/3.flac", "b/Ä.wv", "5.opus")


@pytest.fixture
def music(home: Path) -> Path:
    return aged(library(home / "Music", NAMES))


def never_file(home: Path) -> Path:
    return home / ".config/playshuffle/never.m3u"


def test_the_never_command_removes_a_track_from_all_playlists_for_good(home: Path, music: Path) -> None:
    make(music)
    make(music, "-o", home / "all.m3u")
    run("deal", music, "-n", "5")
    run("deal", music, "-n", "2", "-o", home / "none.m3u", "--where", "path:b")

    assert "Removed from 3 playlists\n" in ran("never", "1.mp3").err
    for playlist in (music / "playshuffle.m3u", music / "today.m3u"):
        assert sorted(listed(playlist)) == sorted(set(NAMES) - {"a/1.mp3"})
    assert "Music/a/1.mp3" not in listed(home / "all.m3u")
    assert run("never").out == b"~/Music/a/1.mp3\n"
    assert never_file(home).read_text() == "#EXTM3U\n../../Music/a/1.mp3\n"
    assert "skip list" not in make(library(home / "Other", ["x.mp3"]))
    make(music)
    assert "a/1.mp3" not in listed(music / "playshuffle.m3u")


def test_the_never_command_says_that_a_track_is_excluded_already(music: Path) -> None:
    ran("never", music / "a/1.mp3")

    assert "~/Music/a/1.mp3 is already excluded\n" in ran("never", music / "a/1.mp3").err


def test_make_adds_the_tracks_of_never_m3u_again_after_never_m3u_was_deleted(home: Path, music: Path) -> None:
    run("never", music / "5.opus")
    make(music, "-v")
    never_file(home).unlink()

    said = make(music)

    assert "5.opus" in listed(music / "playshuffle.m3u")
    assert "never" not in said


def test_the_never_command_with_undo_takes_back_the_named_track_or_else_the_last_one(music: Path) -> None:
    make(music)
    before = listed(music / "playshuffle.m3u")
    for name in ("a/1.mp3", "2", music / "b/3.flac"):
        run("never", name)
    assert listed(music / "playshuffle.m3u") == [name for name in before if name in NAMES[3:]]

    assert "a/1.mp3 may be in playlists again" in run("never", "--undo", "a/1.mp3").err
    assert run("never").out.decode() == "~/Music/a/2.ogg\n~/Music/b/3.flac\n"
    assert "a/1.mp3 is not in ~/" in refused(2, "never", "--undo", "a/1.mp3")
    run("never", "--undo")
    assert run("never").out.decode() == "~/Music/a/2.ogg\n"
    make(music)
    assert sorted(listed(music / "playshuffle.m3u")) == sorted(set(NAMES) - {"a/2.ogg"})


def test_a_deleted_track_is_taken_out_of_never_m3u_with_all_its_entries(home: Path, music: Path) -> None:
    run("never", music / "5.opus", music / "a/1.mp3")
    never_file(home).write_text(never_file(home).read_text() + "../../Music/5.opus\n")
    (music / "5.opus").unlink()

    assert "5.opus may be in playlists again" in ran("never", "--undo", "5.opus").err
    assert run("never").out == b"~/Music/a/1.mp3\n"


@pytest.mark.parametrize(
    ("start", "end", "encoding"),
    [
        ("#EXTM3U", "\r", "utf-8"),
        ("", "\r", "utf-8-sig"),
        ("#EXTM3U", "\r\n", "utf-8-sig"),
        ("#EXTM3U", "\r", "utf-16"),
        ("#EXTM3U\n", "\r\n\n", "latin-1"),
    ],
)
def test_a_never_m3u_of_another_program_keeps_its_entries(
    home: Path, music: Path, start: str, end: str, encoding: str
) -> None:
    never_file(home).parent.mkdir(parents=True)
    text = "".join(f"{line}{end}" for line in (start, *(str(music / name) for name in NAMES[:4])) if line)
    before = text.encode(encoding)
    never_file(home).write_bytes(before)

    ran("never", music / "5.opus")
    assert ran("never").out.decode().splitlines() == [f"~/Music/{name}" for name in NAMES]
    ran("never", "--undo", "a/2.ogg")
    never_file(home).write_bytes(before)
    ran("never", "--undo")
    assert ran("never").out.decode().splitlines() == [f"~/Music/{name}" for name in NAMES[:3]]


def test_the_never_command_with_undo_fails_if_never_m3u_is_empty(music: Path) -> None:
    assert "No track is in ~/" in refused(2, "never", "--undo")
    assert "No track is in the list. To add one: playshuffle never TRACK" in run("never").err


def test_the_never_command_fails_to_remove_the_only_track_of_a_playlist(home: Path, music: Path) -> None:
    make(music, "-o", home / "one.m3u", "--where", "path:5.opus")

    said = refused(3, "never", "5.opus")
    assert "~/one.m3u: " in said
    assert "5.opus is not wanted any more, but removed from 0 of 1 playlist\n" in said
    assert listed(home / "one.m3u") == ["Music/5.opus"]


def test_an_error_of_the_never_command_contains_the_name_of_the_playlist_only_once(
    home: Path, music: Path
) -> None:
    make(music, "-o", home / "all.m3u")
    (home / "all.m3u").write_text("Music/1.mp3\nMusic/a/1.mp3\n")

    said = run("never", "a/1.mp3").err

    assert said.count("all.m3u") == 1, said


def test_the_never_command_keeps_the_order_of_a_list_that_was_dealt_first_and_then_made(
    home: Path, music: Path
) -> None:
    run("deal", music, "-n", "2", "-o", home / "all.m3u")
    make(music, "-o", home / "all.m3u")
    before = listed(home / "all.m3u")

    assert run("never", "1.mp3").code == 0

    assert listed(home / "all.m3u") == [name for name in before if name != "Music/a/1.mp3"]
    assert "4 tracks" in run("status", home / "all.m3u").out.decode()
    why = run("why", "--in", home / "all.m3u", music / "b/3.flac").out.decode()
    assert ("yes: position " in why, "of round" in why) == (True, False)


def test_the_never_command_does_not_change_a_playlist_whose_only_deal_was_undone(
    home: Path, music: Path
) -> None:
    run("deal", music, "-n", "2", "-o", home / "two.m3u")
    run("undo", home / "two.m3u")
    before = listed(home / "two.m3u")

    assert "~/two.m3u: Its deal was taken back" in refused(1, "never", home / before[0])
    assert listed(home / "two.m3u") == before


def test_make_refuses_to_write_a_playlist_to_never_m3u(home: Path, music: Path) -> None:
    assert "one of its skip lists" in refused(2, "make", music, "-o", never_file(home))


def test_the_running_service_uses_a_never_m3u_that_is_created_later(music: Path, tmp_path: Path) -> None:
    playlist = music / "all.m3u"
    with Service(tmp_path, config(music, output=str(playlist))) as service:
        wait_for(holds(playlist, *NAMES))

        done = run("never", "5.opus", env=service.env)
        assert "Removed from 1 playlist\n" in done.err
        wait_for(holds(playlist, *NAMES[:-1]))
        run("never", "--undo", env=service.env)
        wait_for(holds(playlist, *NAMES))
        wait_for(lambda: service.playlist("all")["missing_lists"] == [])


def test_a_deck_that_is_dealt_by_hand_loses_the_track_while_the_service_runs(
    music: Path, tmp_path: Path
) -> None:
    lists = {name: tmp_path / f"{name}.m3u" for name in ("run", "all")}
    text = f'folders = ["{music}"]\n[playlist.run]\noutput = "{lists["run"]}"\nevery = "run"\nlimit = 9\n'
    with Service(tmp_path, f'{text}[playlist.all]\noutput = "{lists["all"]}"\n') as service:
        ran("deal", "run", env=service.env)
        wait_for(lambda: all(path.exists() for path in lists.values()))

        assert "Removed from 2 playlists\n" in ran("never", "5.opus", env=service.env).err

        assert sorted(map(os.path.basename, listed(lists["run"]))) == sorted(
            os.path.basename(name) for name in NAMES[:-1]
        )
        wait_for(lambda: len(listed(lists["all"])) == len(NAMES) - 1)


RENAMED = {"a/1.mp3": "a/One.mp3", "a/2.ogg": "c/d/2.ogg", "b/3.flac": "B/3.flac", "b/Ä.wv": "B/Ä.wv"}


@pytest.mark.parametrize("reads_between", [False, True])
def test_a_removed_track_stays_out_when_it_gets_another_name(
    home: Path, music: Path, *, reads_between: bool
) -> None:
    make(music)
    (home / "link").symlink_to("Music")
    ran("never", "1.mp3")
    with never_file(home).open("a") as file:  # entries of players, in other spellings
        file.write(f"{home}/link/a/2.ogg\n{home}/Music/b/3.FLAC\n../../Music/b/A\u0308.wv\n")
    if reads_between:
        make(music)
    for old, new in RENAMED.items():
        (music / new).parent.mkdir(parents=True, exist_ok=True)
        (music / old).rename(music / new)

    make(music, "-o", home / "other.m3u")
    run("deal", music, "-n", "5", "-o", home / "deck.m3u")
    make(music)

    for playlist in (home / "other.m3u", home / "deck.m3u", music / "playshuffle.m3u"):
        assert list(map(os.path.basename, listed(playlist))) == ["5.opus"]
    assert ran("never").out.decode().splitlines() == [f"~/Music/{new}" for new in RENAMED.values()]
    assert ran("check", never_file(home)).code == 0
    ran("never", "--undo", "One")
    make(music)
    assert sorted(listed(music / "playshuffle.m3u")) == ["5.opus", "a/One.mp3"]


def test_a_folder_and_a_query_in_never_m3u_follow_a_renamed_folder(home: Path, music: Path) -> None:
    rules = f"#NEVER:~/Music/a/\n#NEVER:path:{home}/Music/b\n"
    never_file(home).parent.mkdir(parents=True, exist_ok=True)
    never_file(home).write_text(f"#EXTM3U\n{rules}")
    others = sorted(name for name in NAMES if name[:2] not in {"a/", "b/"})
    make(music)
    (music / "a").rename(music / "Kids; $(x)")
    (music / "new").mkdir()
    (music / "b").rename(music / "new/B")
    for _ in range(2):
        assert "no file" not in make(music)
        assert sorted(listed(music / "playshuffle.m3u")) == others
    assert f"path:{home}/Music/new/B" in ran("never").out.decode()
    assert never_file(home).read_text() == (
        f"#EXTM3U\n#NEVER:~/Music/Kids; $(x)/\n#NEVER:path:{home}/Music/new/B\n"
    )
    make(music)
    assert sorted(listed(music / "playshuffle.m3u")) == others


def test_a_folder_rule_follows_no_folder_that_has_only_some_of_its_tracks(home: Path, music: Path) -> None:
    never_file(home).parent.mkdir(parents=True, exist_ok=True)
    never_file(home).write_text("#EXTM3U\n#NEVER:~/Music/a/\n")
    make(music)
    for number, path in enumerate(sorted((music / "a").iterdir())):
        (music / f"{number}").mkdir()
        path.rename(music / f"{number}" / path.name)
    (music / "a").rmdir()

    make(music)
    assert sorted(map(os.path.basename, listed(music / "playshuffle.m3u"))) == sorted(
        map(os.path.basename, NAMES)
    )
    ran("never")
    assert never_file(home).read_text() == "#EXTM3U\n#NEVER:~/Music/a/\n"
    never_file(home).write_text("#EXTM3U\n#NEVER:~/Music/kidz/\n")
    assert "never.m3u, line 2: no file ~/Music/kidz" in make(music)


def test_a_folder_rule_follows_no_folder_whose_other_tracks_are_more_than_those_that_moved_into_it(
    home: Path, music: Path
) -> None:
    ran("never", f"{music}/a")
    make(music)
    others = listed(music / "playshuffle.m3u")
    for path in (music / "a").iterdir():
        path.rename(music / f"{path.name}")
    (music / "a").rmdir()

    make(music)
    assert len(others) < len(listed(music / "playshuffle.m3u")) == len(NAMES)
    ran("never")
    assert never_file(home).read_text() == "#EXTM3U\n#NEVER:~/Music/a/\n"


def test_a_folder_rule_follows_a_renamed_folder_whose_tracks_were_renamed_before(
    home: Path, music: Path
) -> None:
    ran("never", f"{music}/a")
    make(music)
    others = sorted(listed(music / "playshuffle.m3u"))
    for path in sorted((music / "a").iterdir()):
        path.rename(path.with_name(f"new {path.name}"))
    make(music)
    (music / "a").rename(music / "Kids")

    make(music)
    assert sorted(listed(music / "playshuffle.m3u")) == others
    ran("never")
    assert never_file(home).read_text() == "#EXTM3U\n#NEVER:~/Music/Kids/\n"


def test_a_track_of_never_m3u_that_was_deleted_is_named_once_with_its_line(home: Path, music: Path) -> None:
    ran("never", music / "a/1.mp3")
    make(music)
    (music / "a/1.mp3").unlink()

    said = make(music)
    assert "~/.config/playshuffle/never.m3u, line 2: no file ~/Music/a/1.mp3." in said
    assert "no file" not in make(music)
    assert "no file" not in make(music, "-o", home / "other.m3u")


@pytest.mark.parametrize("command", ["make", "deal"])
def test_undo_restores_no_track_that_the_never_command_has_removed_since(music: Path, command: str) -> None:
    name = "playshuffle" if command == "make" else "today"
    for _ in range(2):
        ran(command, music, *["--now"] * (command == "deal"))
    ran("never", "1.mp3")

    said = ran("undo", music / f"{name}.m3u").err

    assert sorted(listed(music / f"{name}.m3u")) == sorted(set(NAMES) - {"a/1.mp3"})
    assert "1 more no longer exists or may not be in any list (never)" in said
