"""An export that keeps the names of files adds and removes copies, and touches no other file."""

import os
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.exporting.copying import Exported
from playshuffle.exporting.export import export
from tests.exporting.steps import content, is_killed, refused, tracks_of, written

Files = Sequence[Path]
_HEARD, _WEEKS = 38, 10


def library(folder: Path, count: int, size: int = 3000) -> list[Path]:
    """Write files in folders of artists and albums."""
    names = [f"Artist {at // 20}/Album {at // 10}/{at % 10:02} Song.mp3" for at in range(count)]
    return written(folder, *names, size=size)


def keep(
    files: Files, stick: Path, name: str = "phone", *roots: Path, user: str = "ann", **options: Any
) -> Exported:
    """Export files with their names below `roots`, or else below the folder Music beside the stick."""
    stick.mkdir(exist_ok=True)
    tracks = tracks_of(files, *(roots or [stick.parent / "Music"]))
    source = f"~/{name}.m3u of {user}"
    return export(tracks, bytes(stick), name, source, lambda *_: None, keeps_names=True, **options)


def numbered(files: Files, stick: Path) -> Exported:
    """Export files into the folder itself, with numbers."""
    source = "~/phone.m3u of ann"
    return export(tracks_of(files), bytes(stick.parent), stick.name, source, lambda *_: None)


def copies(stick: Path) -> dict[str, bytes]:
    """Return the content of each copy by its path."""
    return {name: data for name, data in content(stick).items() if name.endswith(".mp3")}


def expected(files: Files, music: Path) -> dict[str, bytes]:
    """Return the content of files by their paths below the music folder, as their copies should be."""
    return {str(file.relative_to(music)): file.read_bytes() for file in files}


def entries(playlist: Path) -> list[str]:
    """Return the lines of a playlist that are not comments."""
    return [line for line in playlist.read_text().splitlines() if not line.startswith("#")]


def states(stick: Path) -> dict[str, tuple[int, int, int]]:
    """Return inode, modification and change time of each copy: a rename or rewrite changes one of them."""
    found = {path: path.stat() for path in stick.rglob("*.mp3")}
    return {str(path): (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) for path, now in found.items()}


def test_an_export_adds_the_new_tracks_of_the_list_and_removes_the_old_and_touches_no_other_copy(
    tmp_path: Path,
) -> None:
    """500 tracks on a phone, of which 38 are replaced in each of ten weeks."""
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 900, size=60)
    listed, waiting = files[:500], files[500:]
    keep(listed, stick)
    for week in range(_WEEKS):
        before = states(stick)
        heard = set(listed[week::13][:_HEARD])
        new, waiting = waiting[:_HEARD], waiting[_HEARD:]
        listed = [file for file in listed if file not in heard] + new

        done = keep(listed, stick)

        after = states(stick)
        assert (done.tracks, done.copied, done.removed) == (500, _HEARD, _HEARD)
        assert copies(stick) == expected(listed, tmp_path / "Music")
        assert len(before.items() & after.items()) == 500 - _HEARD
    assert keep(listed[::-1], stick).copied == 0
    assert states(stick) == after
    assert entries(stick / "phone.m3u") == [*dict(expected(listed[::-1], tmp_path / "Music"))]


def test_a_copy_that_several_lists_share_stays_until_no_list_has_its_track(
    tmp_path: Path,
) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 30)
    keep(files[:20], stick)
    before = states(stick)

    assert keep(files[10:], stick, "jazz").copied == 10
    assert before.items() <= states(stick).items()
    assert keep(files[25:], stick).removed == 10
    assert copies(stick) == expected(files[10:], tmp_path / "Music")

    (stick / "jazz.m3u").unlink()
    assert keep(files[25:], stick).removed == 15
    assert copies(stick) == expected(files[25:], tmp_path / "Music")
    assert not (stick / "Artist 0").exists()


def test_an_export_neither_replaces_nor_removes_files_of_other_programs(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 4)
    theirs = {"Artist 0/Album 0/01 Song.mp3": b"theirs", "Artist 0/notes.txt": b"theirs", "x.mp3": b"theirs"}
    for name, data in theirs.items():
        (stick / name).parent.mkdir(parents=True, exist_ok=True)
        (stick / name).write_bytes(data)

    for _ in range(2):
        keep(files, stick)
        names = [str(file.relative_to(tmp_path / "Music")) for file in files]
        assert entries(stick / "phone.m3u") == [name.replace("01 Song", "01 Song~") for name in names]
    assert keep(files[:1], stick).removed == 3
    assert theirs.items() <= content(stick).items()


def test_an_export_is_refused_if_its_playlist_exists_from_another_program_or_user_or_list(
    tmp_path: Path,
) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 3)
    written(stick, "mine.m3u")
    keep(files, stick)

    with refused(r"contains mine\.m3u, which is from another program", stick):
        keep(files, stick, "mine")
    with refused(r"has the tracks of ~/phone\.m3u of ann\. ", stick):
        keep(files, stick, "jazz", user="bert")
    with refused(r"has the tracks of ~/phone\.m3u of ann", stick):
        keep(files, stick, "phone", user="x of ann")
    with refused("has the tracks of", stick):
        numbered(files, stick)


def test_an_export_with_kept_names_into_a_folder_of_numbered_copies_is_refused(tmp_path: Path) -> None:
    files = library(tmp_path / "Music", 3)
    numbered(files, tmp_path / "stick")

    with refused("has the tracks of", tmp_path):
        keep(files, tmp_path / "stick")


@pytest.mark.parametrize("name", ["Artist 0", "phone.m3u", ".playshuffle-export"])
def test_an_export_is_refused_if_a_link_has_the_name_of_a_folder_the_playlist_or_the_export_mark(
    tmp_path: Path, name: str
) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 3)
    keep(files, stick)
    (stick / name).rename(tmp_path / "else")
    (stick / name).symlink_to(tmp_path / "else")

    with refused(r"is a link|another program", tmp_path):
        keep(files[:1], stick)


@pytest.mark.parametrize("name", ["Artist 0", "Artist 0/Album 0"])
def test_an_export_is_refused_if_a_file_is_in_place_of_a_folder_for_copies(tmp_path: Path, name: str) -> None:
    written(tmp_path / "stick", name)

    with refused(r"a file has the name of a folder\. Nothing was changed", tmp_path / "stick"):
        keep(library(tmp_path / "Music", 2), tmp_path / "stick")


def test_an_export_removes_no_file_outside_of_its_folder_even_if_the_export_mark_names_the_file(
    tmp_path: Path,
) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 3)
    keep(files[:1], stick)
    outside = [f"../{file.relative_to(tmp_path)}" for file in files[1:]] + [str(files[0])]
    with (stick / ".playshuffle-export").open("a") as mark:
        mark.write("\n".join(outside) + "\n")

    keep(files[:1], stick)

    assert all(file.exists() for file in files)


def test_an_edited_track_is_copied_again_though_another_list_keeps_the_copy_of_the_old_version(
    tmp_path: Path,
) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 3)
    keep(files, stick)
    keep(files[:1], stick, "jazz")
    old = files[0].read_bytes()
    files[0].write_bytes(b"new")
    files[1].write_bytes(b"new")

    done = keep(files, stick)

    assert (done.copied, done.removed) == (2, 1)
    assert copies(stick)["Artist 0/Album 0/00 Song.mp3"] == old
    assert copies(stick)["Artist 0/Album 0/00 Song~.mp3"] == b"new"
    keep(files[:1], stick, "jazz")
    assert keep(files, stick).copied == 0
    assert sorted(copies(stick).values()) == sorted(file.read_bytes() for file in files)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("R.E.M./What?/01: A.mp3", "R.E.M/What_/01_ A.mp3"),
        ("#1/a~.mp3", "#1/a.mp3"),
        ("Björk/b\udcff.mp3", "Björk/b_.mp3"),
        ("x.mp3", "x.mp3"),
    ],
)
def test_a_copy_gets_the_path_of_its_track_without_characters_that_a_device_may_refuse(
    tmp_path: Path, path: str, name: str
) -> None:
    files = written(tmp_path / "Music", path)

    for copied in (1, 0):
        assert keep(files, tmp_path / "stick").copied == copied
    assert [*copies(tmp_path / "stick")] == [name]
    assert [os.path.normpath(line) for line in entries(tmp_path / "stick/phone.m3u")] == [name]


def test_tracks_with_equal_paths_below_two_music_folders_or_in_other_letter_case_are_all_copied(
    tmp_path: Path,
) -> None:
    files = written(tmp_path, "one/A/x.mp3", "two/A/x.mp3", "two/a/X.mp3")

    for count in (3, 0):
        assert keep(files, tmp_path / "stick", "phone", tmp_path / "one", tmp_path / "two").copied == count
    assert {*copies(tmp_path / "stick")} == {"A/x.mp3", "A/x~.mp3", "A/X~~.mp3"}


def test_a_copy_keeps_its_path_below_the_outermost_music_folder_or_else_its_last_two_folders(
    tmp_path: Path,
) -> None:
    files = written(tmp_path / "Music", "Jazz/Miles/Blue/1.mp3")

    assert tracks_of(files, tmp_path / "Music/Jazz", tmp_path / "Music")[0].name == "Jazz/Miles/Blue/1.mp3"
    assert tracks_of(files, tmp_path / "Mus")[0].name == "Miles/Blue/1.mp3"


def test_tracks_that_have_a_copy_need_no_further_space(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 8, size=30_000)

    assert keep(files, stick, most_bytes=150_000).tracks == 4
    assert copies(stick) == expected(files[:4], tmp_path / "Music")
    assert keep(files[1:], stick, most_bytes=150_000).copied == 1
    with refused("No track fits", stick):
        keep(files, stick, most_bytes=1000)
    assert copies(stick) == expected(files[1:5], tmp_path / "Music")


@pytest.mark.process
def test_an_export_that_was_killed_at_any_step_is_finished_by_the_next_export(tmp_path: Path) -> None:
    files = library(tmp_path / "Music", 12, size=12_000)
    for step in range(1000):
        stick = tmp_path / f"stick{step}"
        keep(files[:6], stick)
        keep(files[4:8], stick, "jazz")
        before = states(stick)
        was_killed = is_killed(partial(keep, files[3:9], stick), step)
        keep(files[3:9], stick)
        assert copies(stick) == expected(files[3:9], tmp_path / "Music")
        assert len(states(stick).items() & before.items()) == 5
        assert not [path for path in stick.iterdir() if path.suffix == ".tmp"]
        shutil.rmtree(stick)
        if not was_killed:
            break
    assert step > 10


def test_an_export_of_a_list_that_names_its_own_copies_is_refused(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 4)
    keep(files, stick)

    with refused("itself", stick):
        keep([stick / name for name in copies(stick)], stick)


def interrupted(music: Path, stick: Path, name: str) -> list[Path]:
    """Begin an export of four files that fails because the third one cannot be read; return the files."""
    files = library(music, 4)
    tracks = tracks_of(files, music)
    stick.mkdir()
    files[2].unlink()
    with pytest.raises(PlayshuffleError, match="cannot be read"):
        export(tracks, bytes(stick), name, f"~/{name}.m3u of ann", lambda *_: None, keeps_names=True)
    assert len(copies(stick)) == 2
    return files


def test_a_file_of_another_program_stays_where_an_interrupted_export_would_have_put_a_copy(
    tmp_path: Path,
) -> None:
    stick = tmp_path / "stick"
    files = interrupted(tmp_path / "Music", stick, "phone")
    theirs = stick / "Artist 0/Album 0/03 Song.mp3"
    theirs.write_bytes(b"theirs")

    assert keep(files[:1], stick).removed == 1
    assert theirs.read_bytes() == b"theirs"


def test_an_export_keeps_the_copies_of_another_list_whose_export_was_interrupted(tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    files = interrupted(tmp_path / "Music", stick, "jazz")

    assert keep(files[3:], stick).removed == 0
    assert len(copies(stick)) == 3


def test_an_export_into_a_music_folder_is_refused_and_leaves_no_export_mark_there(tmp_path: Path) -> None:
    """If the folder had an export mark, lists would omit its tracks."""
    stick = tmp_path / "stick"

    with refused("is a music folder", stick):
        keep(library(tmp_path / "Music", 2), stick, roots=[bytes(stick)])


def test_copies_in_folders_whose_names_differ_only_in_letter_case_share_one_folder(tmp_path: Path) -> None:
    """FAT has one folder for both names, in the first spelling, and one file for two such names."""
    stick, names = tmp_path / "stick", ("ABBA/a.mp3", "Abba/b.mp3", "abba/Gold/c.mp3", "abba/A.mp3")
    files = written(tmp_path / "Music", *names)

    keep(files[:3], stick)

    assert {*copies(stick)} == {"ABBA/a.mp3", "ABBA/b.mp3", "ABBA/Gold/c.mp3"}
    assert keep(files[:3], stick).copied == 0
    keep(files[3:], stick, "jazz")
    keep(files, stick)
    assert {*copies(stick)} == {"ABBA/a.mp3", "ABBA/b.mp3", "ABBA/Gold/c.mp3", "ABBA/A~.mp3"}
