"""An export that keeps the names adds new tracks, removes unwanted ones, and touches nothing else."""

import os
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.exporting.copied_tracks import CopiedTrack, find_tracks
from playshuffle.exporting.copying import Exported
from playshuffle.exporting.export import export
from playshuffle.tags.reading import Reading, Tags
from tests.exporting.steps import content, is_killed

Files = Sequence[Path]
_HEARD, _WEEKS = 38, 10


def library(folder: Path, count: int, size: int = 3000) -> list[Path]:
    """Write files in folders of artists and albums."""
    paths = [folder / f"Artist {at // 20}/Album {at // 10}/{at % 10:02} Song.mp3" for at in range(count)]
    for at, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%06d" % at * (size // 6))
        os.utime(path, (1_700_000_000 + 7 * at,) * 2)
    return paths


def tracks_of(files: Files, *roots: Path, is_ascii: bool = False) -> list[CopiedTrack]:
    def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        yield from ((index, Reading(Tags(1000))) for index in range(len(paths)))

    below = [bytes(root) for root in roots]
    paths = [os.fsencode(file) for file in files]
    return find_tracks(paths, read_all, lambda *_: None, is_ascii=is_ascii, kept_below=below)[0]


def keep(
    files: Files, stick: Path, name: str = "phone", *, root: Path | None = None, user: str = "ann",
    most_bytes: int | None = None,
) -> Exported:  # fmt: skip
    """Export files with their names, which are below the folder Music beside the stick."""
    stick.mkdir(exist_ok=True)
    tracks = tracks_of(files, root or stick.parent / "Music")
    source = f"~/{name}.m3u of {user}"
    return export(
        tracks, bytes(stick), name, source, lambda *_: None, keeps_names=True, most_bytes=most_bytes
    )


def copies(stick: Path) -> dict[str, bytes]:
    return {name: data for name, data in content(stick).items() if name.endswith(".mp3")}


def expected(files: Files, music: Path) -> dict[str, bytes]:
    return {str(file.relative_to(music)): file.read_bytes() for file in files}


def entries(playlist: Path) -> list[str]:
    return [line for line in playlist.read_text().splitlines() if not line.startswith("#")]


def states(stick: Path) -> dict[str, tuple[int, int, int]]:
    """Return inode, modification time and change time of all copies: a rename or rewrite changes one."""
    found = {path: path.stat() for path in stick.rglob("*.mp3")}
    return {str(path): (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) for path, now in found.items()}


def test_copies_beside_the_playlist_keep_their_paths_below_the_music_folder(tmp_path: Path) -> None:
    files = library(tmp_path / "Music", 25)

    done = keep(files, tmp_path / "stick")

    assert (done.folder, done.tracks, done.copied) == (bytes(tmp_path / "stick"), 25, 25)
    assert copies(tmp_path / "stick") == expected(files, tmp_path / "Music")
    assert entries(tmp_path / "stick/phone.m3u") == [
        str(file.relative_to(tmp_path / "Music")) for file in files
    ]


def test_a_weekly_export_replaces_only_the_heard_tracks_and_touches_no_other_file(tmp_path: Path) -> None:
    """500 tracks on a phone, of which 38 are heard in each of ten weeks."""
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


def test_a_copy_that_several_lists_share_stays_as_long_as_one_of_the_lists_names_it(tmp_path: Path) -> None:
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


def test_files_of_other_programs_are_neither_replaced_nor_removed(tmp_path: Path) -> None:
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


def test_an_export_over_a_playlist_of_another_program_user_or_source_is_refused(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 3)
    tracks = tracks_of(files, tmp_path / "Music")
    stick.mkdir()
    (stick / "mine.m3u").write_text("mine")
    with pytest.raises(PlayshuffleError, match=r"contains mine\.m3u, which is from another program"):
        keep(files, stick, "mine")
    keep(files, stick)
    before = content(stick)

    with pytest.raises(PlayshuffleError, match=r"has the tracks of ~/phone\.m3u of ann\. "):
        keep(files, stick, "jazz", user="bert")
    with pytest.raises(PlayshuffleError, match=r"has the tracks of ~/phone\.m3u of ann"):
        export(tracks, bytes(stick), "phone", "~/x of ann", lambda *_: None, keeps_names=True)
    with pytest.raises(PlayshuffleError, match="has the tracks of"):
        export(tracks, bytes(tmp_path), "stick", "~/phone.m3u of ann", lambda *_: None)
    assert content(stick) == before


def test_an_export_with_kept_names_into_a_folder_of_numbered_copies_is_refused(tmp_path: Path) -> None:
    files = library(tmp_path / "Music", 3)
    export(tracks_of(files), bytes(tmp_path), "stick", "~/phone.m3u of ann", lambda *_: None)

    with pytest.raises(PlayshuffleError, match="has the tracks of"):
        keep(files, tmp_path / "stick")


@pytest.mark.parametrize("name", ["Artist 0", "phone.m3u", ".playshuffle-export"])
def test_an_export_is_refused_if_a_link_is_in_place_of_a_folder_the_playlist_or_the_mark(
    tmp_path: Path, name: str
) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 3)
    keep(files, stick)
    (stick / name).rename(tmp_path / "else")
    (stick / name).symlink_to(tmp_path / "else")
    before = content(tmp_path)

    with pytest.raises(PlayshuffleError, match=r"is a link|another program"):
        keep(files[:1], stick)
    assert content(tmp_path) == before


@pytest.mark.parametrize("name", ["Artist 0", "Artist 0/Album 0"])
def test_an_export_is_refused_before_any_change_if_a_file_is_in_place_of_a_folder(
    tmp_path: Path, name: str
) -> None:
    files = library(tmp_path / "Music", 2)
    blocking = tmp_path / "stick" / name
    blocking.parent.mkdir(parents=True)
    blocking.write_text("mine")

    with pytest.raises(PlayshuffleError, match=r"a file has the name of a folder\. Nothing was changed"):
        keep(files, tmp_path / "stick")

    assert content(tmp_path / "stick") == {name: b"mine"}


def test_a_forged_mark_makes_an_export_remove_no_files_outside_of_its_folder(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 3)
    keep(files[:1], stick)
    outside = [f"../{file.relative_to(tmp_path)}" for file in files[1:]] + [str(files[0])]
    with (stick / ".playshuffle-export").open("a") as mark:
        mark.write("\n".join(outside) + "\n")

    keep(files[:1], stick)

    assert all(file.exists() for file in files)


def test_an_edited_track_is_copied_again_while_the_old_copy_of_another_list_stays(tmp_path: Path) -> None:
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
def test_copies_get_names_that_every_device_accepts(tmp_path: Path, path: str, name: str) -> None:
    file = tmp_path / "Music" / path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"1")

    for copied in (1, 0):
        assert keep([file], tmp_path / "stick").copied == copied
    assert [*copies(tmp_path / "stick")] == [name]
    assert [os.path.normpath(line) for line in entries(tmp_path / "stick/phone.m3u")] == [name]


def test_two_tracks_whose_names_differ_only_by_case_or_folder_are_both_copied(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    files = [one / "A/x.mp3", two / "A/x.mp3", two / "a/X.mp3"]
    for at, file in enumerate(files):
        file.parent.mkdir(parents=True)
        file.write_bytes(bytes(at + 1))
    tracks = tracks_of(files, one, two)
    (tmp_path / "stick").mkdir()

    for count in (3, 0):
        done = export(
            tracks, bytes(tmp_path / "stick"), "phone", "p of ann", lambda *_: None, keeps_names=True
        )
        assert done.copied == count
    assert {*copies(tmp_path / "stick")} == {"A/x.mp3", "A/x~.mp3", "A/X~~.mp3"}


def test_copies_are_named_from_the_outermost_music_folder_or_from_their_last_two_folders(
    tmp_path: Path,
) -> None:
    file = tmp_path / "Music/Jazz/Miles/Blue/1.mp3"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"1")

    names = [
        tracks_of([file], *roots)[0].name
        for roots in ((tmp_path / "Music/Jazz", tmp_path / "Music"), (tmp_path / "Mus",))
    ]
    assert names == ["Jazz/Miles/Blue/1.mp3", "Miles/Blue/1.mp3"]


def test_existing_copies_need_no_further_space(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 8, size=30_000)

    assert keep(files, stick, most_bytes=150_000).tracks == 4
    assert copies(stick) == expected(files[:4], tmp_path / "Music")
    assert keep(files[1:], stick, most_bytes=150_000).copied == 1
    with pytest.raises(PlayshuffleError, match="No track fits"):
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


def test_an_export_of_tracks_inside_its_target_folder_is_refused_and_leaves_them(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 4)
    keep(files, stick)
    before = content(stick)

    with pytest.raises(PlayshuffleError, match="itself"):
        keep([stick / name for name in copies(stick)], stick)
    assert content(stick) == before


def interrupted(music: Path, stick: Path, name: str) -> list[Path]:
    """Export four files, and return them. The third one cannot be read."""
    files = library(music, 4)
    tracks = tracks_of(files, music)
    stick.mkdir()
    files[2].unlink()
    with pytest.raises(PlayshuffleError, match="cannot be read"):
        export(tracks, bytes(stick), name, f"~/{name}.m3u of ann", lambda *_: None, keeps_names=True)
    assert len(copies(stick)) == 2
    return files


def test_a_file_of_another_program_with_the_name_of_a_copy_that_was_never_made_stays(tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    files = interrupted(tmp_path / "Music", stick, "phone")
    theirs = stick / "Artist 0/Album 0/03 Song.mp3"
    theirs.write_bytes(b"theirs")

    assert keep(files[:1], stick).removed == 1
    assert theirs.read_bytes() == b"theirs"


def test_an_export_keeps_the_copies_of_another_list_whose_export_did_not_end(tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    files = interrupted(tmp_path / "Music", stick, "jazz")

    assert keep(files[3:], stick).removed == 0
    assert len(copies(stick)) == 3


def test_a_refused_export_into_a_music_folder_leaves_no_mark_there(tmp_path: Path) -> None:
    stick, files = tmp_path / "stick", library(tmp_path / "Music", 2)
    stick.mkdir()
    tracks = tracks_of(files, tmp_path / "Music")

    with pytest.raises(PlayshuffleError, match="is a music folder"):
        export(tracks, bytes(stick), "x", "x of ann", lambda *_: None, keeps_names=True, roots=[bytes(stick)])
    assert content(stick) == {}


def test_folders_whose_names_differ_only_in_case_are_merged_but_files_are_not(tmp_path: Path) -> None:
    """A device with FAT keeps the first spelling of a folder, and has one file for two such names."""
    stick, music = tmp_path / "stick", tmp_path / "Music"
    files = [music / name for name in ("ABBA/a.mp3", "Abba/b.mp3", "abba/Gold/c.mp3", "abba/A.mp3")]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(number + 1))

    keep(files[:3], stick)

    assert {*copies(stick)} == {"ABBA/a.mp3", "ABBA/b.mp3", "ABBA/Gold/c.mp3"}
    assert keep(files[:3], stick).copied == 0
    keep(files[3:], stick, "jazz")
    keep(files, stick)
    assert {*copies(stick)} == {"ABBA/a.mp3", "ABBA/b.mp3", "ABBA/Gold/c.mp3", "ABBA/A~.mp3"}
