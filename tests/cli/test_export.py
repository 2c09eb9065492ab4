"""Copy a playlist to a folder, as a user does."""

import os
import pwd
from pathlib import Path

import pytest

from tests.support.program import configured, make, own_player, ran, refused, run
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

FILES = {
    "1.mp3": {"title": "So What", "artist": "Miles Davis"},
    "2.ogg": {"title": "Jóga", "artist": "Björk"},
    "sub/3.flac": {"title": "AC/DC?"},
}


@pytest.fixture
def music(tmp_path: Path) -> Path:
    (tmp_path / "stick").mkdir()
    return tagged_library(tmp_path / "Music", FILES)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.[mof]*") if path.suffix != ".m3u")


def test_the_names_of_copies_have_artist_and_title(music: Path, tmp_path: Path) -> None:
    make(music, "--order", "sorted", "-o", tmp_path / "all.m3u")

    done = run("export", tmp_path / "all.m3u", tmp_path / "stick")

    assert (done.code, done.out) == (0, b"")
    assert f"{tmp_path}/stick/all: 3 tracks, 0 MB. Copied 3, kept 0, removed 0" in done.err
    assert names(tmp_path / "stick/all") == [
        "0001 Miles Davis - So What.mp3",
        "0002 Björk - Jóga.ogg",
        "0003 AC_DC_.flac",
    ]
    assert (tmp_path / "stick/all/0001 Miles Davis - So What.mp3").read_bytes() == (
        music / "1.mp3"
    ).read_bytes()
    assert run("check", tmp_path / "stick/all/all.m3u").code == 0


def test_export_finds_a_list_by_its_name(music: Path, tmp_path: Path) -> None:
    make(music, "-o", tmp_path / "all.m3u")
    configured(f'[playlist.car]\nfolders = ["{music}"]\n')
    make("car")

    for name in ("all", "car"):
        done = run("export", name, tmp_path / "stick")
        assert f"{tmp_path}/stick/{name}: 3 tracks, 0 MB. Copied 3" in done.err
    assert "There is no list or file 'gone'." in refused(66, "export", "gone", tmp_path / "stick")


def test_the_option_keep_names_copies_files_under_their_own_names(music: Path, tmp_path: Path) -> None:
    make(music, "-o", music / "phone.m3u")
    export = ("export", music / "phone.m3u", tmp_path / "stick")
    assert "--max-per-folder does not work with --keep-names" in refused(
        2, *export, "--keep-names", "--max-per-folder", "9"
    )

    done = run(*export, "--keep-names")
    assert f"{tmp_path}/stick: 3 tracks, 0 MB. Copied 3, kept 0, removed 0" in done.err
    assert all((tmp_path / "stick" / name).read_bytes() == (music / name).read_bytes() for name in FILES)
    assert run("check", tmp_path / "stick/phone.m3u").code == 0
    make(music, "--where", "-title:what", "-o", music / "phone.m3u")
    assert "2 tracks, 0 MB. Copied 0, kept 2, removed 1" in run(*export, "--keep-names").err


def test_export_copies_the_tracks_of_all_files_of_a_split_playlist(music: Path, tmp_path: Path) -> None:
    make(music, "--for", own_player(max_per_file=2), "-o", tmp_path / "all.m3u")

    done = run("export", tmp_path / "all.m3u", tmp_path / "stick")

    assert f"{tmp_path}/stick/all: 3 tracks, 0 MB. Copied 3" in done.err


def test_export_finds_a_list_by_path_and_by_name_though_its_folder_is_a_link(
    music: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(music)
    make(music, "-o", tmp_path / "link/party.m3u")

    for playlist in (tmp_path / "link/party.m3u", "party"):
        ran("export", playlist, tmp_path / "stick")


def test_exported_copies_in_a_music_folder_are_not_taken_for_tracks_of_the_library(music: Path) -> None:
    make(music)
    (music / "stick").mkdir()
    assert run("export", music / "playshuffle.m3u", music / "stick").code == 0

    assert "3 tracks" in make(music)
    (copy,) = (music / "stick/playshuffle").glob("0001*")
    assert "playshuffle-export (its folder " in run("why", copy).out.decode()
    assert run("make", music / "stick/playshuffle", "-o", music.parent / "x.m3u").code == 3


def test_export_reports_how_many_tracks_fit_and_what_a_second_run_changed(
    music: Path, tmp_path: Path
) -> None:
    make(music, "--order", "sorted", "-o", tmp_path / "all.m3u")

    first = run("export", tmp_path / "all.m3u", tmp_path / "stick", "--size", "12K")
    second = run("export", tmp_path / "all.m3u", tmp_path / "stick", "--ascii")

    assert "2 of 3 tracks fit, 0 MB. Copied 2, kept 0, removed 0" in first.err
    assert "stick/all: 3 tracks, 0 MB. Copied 2, kept 1, removed 1" in second.err
    assert names(tmp_path / "stick/all")[1] == "0002 Bjork - Joga.ogg"


def test_export_copies_the_files_of_a_list_and_names_the_entries_that_it_skips(
    music: Path, tmp_path: Path
) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text(f"{music}/2.ogg\n{music}/gone.mp3\nhttp://example.org/radio\n{listed}\n{music}/1.mp3\n")

    done = run("export", listed, tmp_path / "stick", "--max-per-folder", "1")

    assert done.code == 1
    for line in (
        f"{music}/gone.mp3: missing",
        f"{listed}: not an audio file",
        "http://example.org/radio: not a file",
    ):
        assert f"  skipped {line}\n" in done.err
    found = sorted(str(path.relative_to(tmp_path / "stick")) for path in (tmp_path / "stick").rglob("*.*g*"))
    assert "list/01/0001 Björk - Jóga.ogg" in found


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("gone.m3u", "stick"), 66, "gone.m3u cannot be read: No such file or directory."),
        (("empty.m3u", "stick"), 66, "'empty.m3u' names no file that can be copied."),
        (("all.m3u", "stick", "--size", "big"), 2, "--size big is not a size. Write it in bytes, or "),
        (
            ("all.m3u", "gone"),
            73,
            "gone does not exist, so nothing was copied. Mount its drive, or m",
        ),
        (("all.m3u", "Music"), 2, "Music is a music folder of the list"),
        (("all.m3u", "all.m3u"), 73, "is not a folder"),
    ],
)
def test_export_explains_why_it_copies_nothing(
    music: Path, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    make(music, "-o", tmp_path / "all.m3u")
    (tmp_path / "empty.m3u").write_text("#EXTM3U\n")

    assert message in refused(code, "export", *words, cwd=tmp_path)


def test_export_over_the_copy_of_another_users_list_is_refused_with_the_user_and_list(
    music: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv("HOME", str(tmp_path / name))
        make(music, "-o", tmp_path / name / "car.m3u")
        done = run("export", tmp_path / name / "car.m3u", tmp_path / "stick")

    assert done.code == 73
    owner = pwd.getpwuid(os.geteuid()).pw_name
    assert f"stick/car has the tracks of {tmp_path}/ann/car.m3u of {owner}. Nothing was changed." in done.err
