"""Test that playlists omit the tracks of skip lists, which any player may edit."""

import os
import unicodedata
from pathlib import Path

import pytest

from tests.support.program import configured, library, listed, make, refused, report, run
from tests.support.service import Service, config, holds, wait_for

pytestmark = pytest.mark.process

MUSIC = ("a/1.mp3", "a/2.ogg", "b/3.flac", "b/Ä.wv", "5.opus")


def without(*names: str) -> list[str]:
    return sorted(set(MUSIC) - set(names))


def kept(music: Path, *words: str | Path) -> list[str]:
    make(music, *words)
    return sorted(listed(music / "playshuffle.m3u"))


def test_the_tracks_of_several_skip_lists_of_any_format_are_omitted(music: Path, tmp_path: Path) -> None:
    make(music, "-o", music / "one.xspf", "--where", "path:b")
    (tmp_path / "two.m3u").write_text(
        f"Music/a/1.mp3\r\n\r\n# x\nhttp://radio.example/x\nfile://{music}/5.opus\n"
    )

    lists = ("--without", music / "one.xspf", "--without", tmp_path / "two.m3u")
    assert kept(music, *lists) == without("a/1.mp3", "b/3.flac", "b/Ä.wv", "5.opus")


def test_an_entry_of_a_skip_list_matches_every_path_to_its_file(music: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(music)
    os.link(music / "a/2.ogg", tmp_path / "other.ogg")
    (tmp_path / "never.m3u").write_text(f"{tmp_path}/link/a/1.mp3\nother.ogg\n")

    assert kept(music, "--without", tmp_path / "never.m3u") == without("a/1.mp3", "a/2.ogg")


def test_the_summary_and_the_json_report_of_make_count_the_tracks_that_a_skip_list_omits(music: Path) -> None:
    (music / "never.m3u").write_text("# mine\na/1.mp3\n")
    said = make(music, "--without", music / "never.m3u", "-v")

    assert "Left out: 1 track of the skip lists" in said
    assert f"{music}/a/1.mp3: in {music}/never.m3u, line 2" in said
    left_out = report(music, "--without", music / "never.m3u")["choice"]["left_out"]["without"]
    assert left_out == [{"path": f"{music}/a/1.mp3", "reason": f"in {music}/never.m3u, line 2"}]


def test_the_saved_content_of_a_skip_list_is_forgotten_once_no_playlist_uses_the_skip_list(
    music: Path,
) -> None:
    (music / "never.m3u").write_text("a/1.mp3\n")
    assert kept(music, "--without", music / "never.m3u") == without("a/1.mp3")
    assert kept(music) == without()
    (music / "never.m3u").unlink()

    assert "No such file" in refused(66, "make", music, "--without", music / "never.m3u")


def test_the_command_forget_removes_the_saved_skip_lists_of_a_playlist_that_was_never_written(
    music: Path,
) -> None:
    (music / "never.m3u").write_text("".join(f"{name}\n" for name in MUSIC))
    words = ("make", music, "--without", music / "never.m3u")
    assert run(*words).code == 3
    (music / "never.m3u").unlink()
    assert run(*words).code == 3

    assert run("forget", music / "playshuffle.m3u").code == 0

    assert run(*words).code == 66


def test_a_skip_list_that_is_wrong_or_names_every_track_leaves_the_playlist_unchanged(music: Path) -> None:
    make(music)
    before = (music / "playshuffle.m3u").read_bytes()
    os.mkfifo(music / "fifo")
    (music / "x.xspf").write_bytes(b"<?xml <!DOCTYPE")
    for path in ("/dev/zero", "/dev/stdin", music / "fifo", music, music / "x.xspf"):
        refused(66, "make", music, "--without", path)
    said = refused(66, "make", music, "--without", music / "nver.m3u")
    assert f"{music}/nver.m3u cannot be read: No such file or directory" in said
    make(music, "-o", music / "all.m3u")
    said = refused(3, "make", music, "--without", music / "all.m3u")

    assert "The skip lists (--without and never.m3u) name all 5 tracks" in said
    said = refused(3, "make", music, "--where", "path::1.mp3", "--without", music / "all.m3u")
    assert "The skip lists (--without and never.m3u) name the only track" in said
    assert (music / "playshuffle.m3u").read_bytes() == before


def test_entries_of_a_skip_list_that_are_the_skip_list_itself_or_have_odd_names_do_no_harm(
    music: Path,
) -> None:
    never = music / "never.m3u"
    never.write_text(f"never.m3u\n{never}\nplayshuffle.m3u\na/1.mp3\n\x1b[31m.mp3\n")
    for _ in range(3):
        said = make(music, "--without", never, "-v")
        assert sorted(listed(music / "playshuffle.m3u")) == without("a/1.mp3")
        assert "\x1b" not in said


def test_make_refuses_the_playlist_that_it_would_write_as_a_skip_list(music: Path) -> None:
    (music / "link.m3u").symlink_to("playshuffle.m3u")
    for name in ("playshuffle.m3u", "./a/../playshuffle.m3u", "link.m3u"):
        assert "is the playlist that is written" in refused(2, "make", music, "--without", name, cwd=music)
    assert not (music / "playshuffle.m3u").exists()


def test_the_command_config_check_names_a_skip_list_that_does_not_exist(music: Path) -> None:
    configured(config(music, without=["nver.m3u"]))
    done = run("config", "check")

    assert (done.code, "~/.config/playshuffle/nver.m3u does not exist" in done.err) == (1, True)


def test_playlists_whose_skip_lists_form_a_circle_are_reported_with_file_and_line(music: Path) -> None:
    text = f'folders = ["{music}"]\n' + "".join(
        f'[playlist.{name}]\nwithout = ["{music}/{other}.m3u"]\n' for name, other in ("ab", "bc", "ca", "da")
    )
    configured(text)
    done = run("config", "check")

    assert done.code == 78
    assert f"config.toml, line 3: without: {music}/b.m3u omits the tracks of this playlist, too." in done.err
    assert "config.toml: 3 problems" in done.err
    assert "line 9: without:" not in done.err  # d omits a, and nothing omits d

    configured(config(music, without=[f"{music}/all.m3u"]))
    assert f"without: {music}/all.m3u is this playlist itself. Remove it." in run("config", "check").err


def test_the_service_follows_changes_of_a_skip_list_and_remembers_the_list_after_its_deletion(
    tmp_path: Path, music: Path
) -> None:
    never = tmp_path / "lists/never.m3u"
    never.parent.mkdir()
    never.write_text(f"{music}/a/1.mp3\n")
    with Service(tmp_path, config(music, without=[str(never)])) as service:
        wait_for(holds(music / "all.m3u", *without("a/1.mp3")))
        order = listed(music / "all.m3u")

        never.with_suffix(".new").write_text(f"{music}/a/1.mp3\n{music}/a/2.ogg\n")
        never.with_suffix(".new").replace(never)
        wait_for(holds(music / "all.m3u", *without("a/1.mp3", "a/2.ogg")))

        never.write_text(f"{music}/a/1.mp3\n")
        wait_for(holds(music / "all.m3u", *without("a/1.mp3")))
        assert listed(music / "all.m3u") == order

        never.unlink()
        wait_for(lambda: service.playlist("all")["missing_lists"] == [str(never)])
        assert listed(music / "all.m3u") == order
        assert service.playlist("all")["state"] == "managed"
        said = run("status", env=service.env).out.decode()
        assert "is missing: its last content counts" in " ".join(said.split())

        never.write_text("")
        wait_for(holds(music / "all.m3u", *without()))
        wait_for(lambda: service.playlist("all")["missing_lists"] == [])


def test_the_service_writes_no_playlist_before_its_skip_list_exists(tmp_path: Path, music: Path) -> None:
    never = tmp_path / "never.m3u"
    with Service(tmp_path, config(music, without=[str(never)])) as service:
        wait_for(lambda: service.playlist("all")["state"] == "error")
        assert not (music / "all.m3u").exists()

        never.write_text(f"{music}/a/1.mp3\n")
        wait_for(holds(music / "all.m3u", *without("a/1.mp3")))


def test_a_note_names_a_skip_list_that_has_no_track_of_the_library(music: Path) -> None:
    (music / "never.m3u").write_text("a/1.mp3\n")
    (music / "empty.m3u").write_text("#EXTM3U\n")
    (music / "moved.m3u").write_text("old/1.mp3\nold/2.mp3\n")

    said = make(music, *(f"--without={music}/{name}.m3u" for name in ("never", "empty", "moved")))

    assert said.count("No entry of the skip list") == 1
    assert f"No entry of the skip list {music}/moved.m3u is a track" in said


def test_a_skip_list_entry_without_a_file_is_reported_once_with_its_line(home: Path, music: Path) -> None:
    (music / "never.m3u").write_text("#EXTM3U\na/1.mp3\nb/4.flac\n/elsewhere/x.mp3\n")
    (home / ".config/playshuffle").mkdir(parents=True)
    (home / ".config/playshuffle/never.m3u").write_text(f"{music}/B/3.flax\n{music}/a/1.mp3\n")

    said = make(music, "--without", music / "never.m3u")

    assert f"never.m3u, line 3: no file {music}/b/4.flac. Did you mean {music}/b/3.flac?" in said
    assert "never.m3u, line 4: no file /elsewhere/x.mp3." in said
    assert f"never.m3u, line 1: no file {music}/B/3.flax. Did you mean {music}/b/3.flac?" in said
    assert "no file" not in make(music, "--without", music / "never.m3u")
    assert "no file" not in make(music, "-o", music / "other.m3u", "--without", music / "never.m3u")


def test_skip_lists_in_another_encoding_and_unicode_form_work(home: Path, tmp_path: Path) -> None:
    names = [unicodedata.normalize("NFD", f"{name}.wav") for name in ("Génève", "Wait…", "Mü", "plain")]
    folder = library(tmp_path / "Other", names)
    composed = [unicodedata.normalize("NFC", f"{folder}/{name}") for name in names]
    (tmp_path / "win.m3u").write_bytes(composed[1].encode("cp1252"))
    (home / ".config/playshuffle").mkdir(parents=True)
    (home / ".config/playshuffle/never.m3u").write_bytes(f"{composed[0]}\r\n".encode("mac_roman"))

    make(folder, "--without", tmp_path / "win.m3u")
    assert sorted(listed(folder / "playshuffle.m3u")) == sorted(names[2:])
    assert b"win.m3u, line 1" in run("why", composed[1], "--in", folder / "playshuffle.m3u").out
    run("never", composed[2])
    assert listed(folder / "playshuffle.m3u") == [names[3]]
