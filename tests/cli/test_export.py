"""Run `playshuffle export` as a user does."""

import os
import pwd
from pathlib import Path

import pytest

from tests.support.needs import need
from tests.support.program import listed, make, ran, refused, run
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

FILES = {
    "1.mp3": {"title": "So What", "artist": "Miles Davis"},
    "2.ogg": {"title": "Jóga", "artist": "Björk"},
    "sub/3.flac": {"title": "AC/DC?"},
}


@pytest.fixture
def music(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three tagged tracks; a stick is in the current folder."""
    (tmp_path / "stick").mkdir()
    monkeypatch.chdir(tmp_path)
    return tagged_library(tmp_path / "Music", FILES)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("0*"))


def test_the_command_export_names_the_copies_by_position_artist_and_title(
    music: Path, tmp_path: Path
) -> None:
    make(music, "--order", "sorted", "-o", "all.m3u")

    done = ran("export", "all.m3u", "stick")

    assert done.out == b""
    assert f"{tmp_path}/stick/all: 3 tracks, 0 MB. Copied 3, kept 0, removed 0" in done.err
    copies = ["0001 Miles Davis - So What.mp3", "0002 Björk - Jóga.ogg", "0003 AC_DC_.flac"]
    assert names(tmp_path / "stick/all") == copies
    assert (tmp_path / "stick/all" / copies[0]).read_bytes() == (music / "1.mp3").read_bytes()
    ran("check", "stick/all/all.m3u")


def test_export_says_before_it_copies_which_tracks_the_player_of_the_list_may_not_play(
    music: Path, tmp_path: Path
) -> None:
    """Numbered copies of a list for no player are for a car radio."""
    make(music, "-o", "all.m3u")
    make(music, "--for", "mpd", "-o", "mpd.m3u")
    make(music, "--for", "car", "--where", "format:mp3", "-o", "car.m3u")
    problem = "a car radio may not play 2 of 3 tracks: not MP3, which many need"

    warned = " ".join(ran("export", "all.m3u", "stick").err.split())

    assert warned.index(problem) < warned.index("Copied 3")
    for words in (["mpd.m3u", "stick"], ["car.m3u", "stick"], ["all.m3u", "stick", "--keep-names"]):
        assert "may not play" not in ran("export", *words).err


def test_the_option_keep_names_copies_files_under_their_own_names(music: Path, tmp_path: Path) -> None:
    make(music, "-o", music / "phone.m3u")
    export = ("export", "phone", "stick", "--keep-names")
    assert "--max-per-folder does not work with --keep-names" in refused(2, *export, "--max-per-folder", "9")

    assert f"{tmp_path}/stick: 3 tracks, 0 MB. Copied 3, kept 0, removed 0" in ran(*export).err
    assert all((tmp_path / "stick" / name).read_bytes() == (music / name).read_bytes() for name in FILES)
    ran("check", "stick/phone.m3u")
    make(music, "--where", "-title:what", "-o", music / "phone.m3u")
    assert "2 tracks, 0 MB. Copied 0, kept 2, removed 1" in ran(*export).err


def test_export_finds_a_list_by_path_and_by_name_even_if_the_folder_of_the_list_is_a_link(
    music: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(music)
    make(music, "-o", "link/party.m3u")

    for playlist in ("link/party.m3u", "party"):
        ran("export", playlist, "stick")


def test_exported_copies_in_a_music_folder_are_not_tracks_of_the_playlist_of_that_folder(music: Path) -> None:
    make(music)
    (music / "stick").mkdir()
    ran("export", "playshuffle", music / "stick")

    assert "3 tracks" in make(music)
    (copy,) = (music / "stick" / music.name).glob("0001*")
    assert "playshuffle-export (its folder " in run("why", copy).out.decode()
    assert run("make", music / "stick" / music.name, "-o", "x.m3u").code == 3


def test_export_reports_how_many_tracks_fit_and_what_a_second_run_changed(
    music: Path, tmp_path: Path
) -> None:
    make(music, "--order", "sorted", "-o", "all.m3u")

    first = run("export", "all.m3u", "stick", "--size", "12K")
    second = run("export", "all.m3u", "stick", "--ascii")

    assert "2 of 3 tracks fit, 0 MB. Copied 2, kept 0, removed 0" in first.err
    assert "stick/all: 3 tracks, 0 MB. Copied 2, kept 1, removed 1" in second.err
    assert names(tmp_path / "stick/all")[1] == "0002 Bjork - Joga.ogg"


def test_export_copies_the_files_of_a_list_and_reports_the_entries_that_it_skips(
    music: Path, tmp_path: Path
) -> None:
    text = f"{music}/2.ogg\n{music}/gone.mp3\nhttp://example.org/radio\n{tmp_path}/list.txt\n{music}/1.mp3\n"
    (tmp_path / "list.txt").write_text(text)

    done = run("export", "list.txt", "stick", "--max-per-folder", "1")

    assert done.code == 1
    assert f"  skipped {music}/gone.mp3: missing\n" in done.err
    assert f"  skipped {tmp_path}/list.txt: not an audio file\n" in done.err
    assert "  skipped http://example.org/radio: not a file\n" in done.err
    assert (tmp_path / "stick/list/01/0001 Björk - Jóga.ogg").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("gone.m3u", "stick"), 66, "gone.m3u cannot be read: No such file or directory."),
        (("empty.m3u", "stick"), 66, "names no file to copy. See: playshuffle check /"),
        (("all.m3u", "stick", "--size", "big"), 2, "--size big is not a size. Write it in bytes, or "),
        (("all.m3u", "gone"), 73, "gone does not exist, so nothing was copied. Mount its drive, or m"),
        (("sub.m3u", "Music"), 2, "Music is a music folder of the list"),
        (("all.m3u", "all.m3u"), 73, "is not a folder"),
    ],
)
def test_the_error_of_an_export_that_copies_nothing_says_why(
    music: Path, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    make(music, "-o", "all.m3u")
    (tmp_path / "empty.m3u").write_text("#EXTM3U\n")
    (tmp_path / "sub.m3u").write_text("Music/sub/3.flac\n")

    assert message in refused(code, "export", *words, "--quiet")


def test_export_skips_a_file_that_the_user_may_not_read_and_copies_the_others(
    music: Path, tmp_path: Path
) -> None:
    need("setpriv")
    make(music, "-o", "all.m3u")
    files = [tmp_path / line for line in listed(tmp_path / "all.m3u")]
    files[0].chmod(0)

    # Without these capabilities, root obeys permissions like any other user.
    obeying = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = run("export", "all.m3u", "stick", before=obeying)

    assert done.code == 1
    assert f"  skipped {files[0]}: this user may not read it\n" in done.err
    assert f"Copied {len(files) - 1}," in done.err


def test_an_export_that_would_replace_copies_of_another_users_list_is_refused(
    music: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names that user and the file of that list."""
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv("HOME", str(tmp_path / name))
        make(music, "-o", f"{name}/car.m3u")
        done = run("export", f"{name}/car.m3u", "stick")

    assert done.code == 73
    owner = pwd.getpwuid(os.geteuid()).pw_name
    assert f"stick/car has the tracks of {tmp_path}/ann/car.m3u of {owner}. Nothing was changed." in done.err
