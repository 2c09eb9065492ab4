"""A numbered export has the tracks in order, even after interrupted exports, and changes no other file."""

import errno
import itertools
import os
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.exporting import export as module
from playshuffle.exporting.copied_tracks import CopiedTrack
from playshuffle.exporting.copying import Exported
from playshuffle.library.ignore_files import EXPORT_MARK
from playshuffle.players.profiles import PLAYERS
from tests.exporting.steps import (
    content,
    copies,
    export,
    is_disturbed,
    is_killed,
    kill,
    leave_notes,
    lost_notes,
    music,
    numbered,
    refused,
    tracks_of,
    written,
)

OLD = ["list.old photos", "list.old1"]  # folders of the stick's owner
Tracks = list[CopiedTrack]
NAMES = [f"{letter}.mp3" for letter in "abcdefgh"]


@pytest.fixture
def tracks(tmp_path: Path) -> Tracks:
    return music(tmp_path / "Music", NAMES)


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """A stick with files and folders of its owner."""
    folder = tmp_path / "stick"
    (folder / "list.old photos").mkdir(parents=True)
    (folder / "list.old1").mkdir()  # empty
    (folder / "letter.txt").write_text("mine")
    (folder / "list.old photos/1.jpg").write_text("mine")
    return folder


def test_the_copies_are_numbered_in_the_order_of_the_list(tracks: Tracks, tmp_path: Path) -> None:
    done = export(tracks, tmp_path / "stick")

    assert (done.tracks, done.copied, done.removed) == (8, 8, 0)
    assert copies(tmp_path / "stick") == numbered(tracks)
    lines = (tmp_path / "stick/list/list.m3u").read_text().splitlines()
    assert lines[:3] == ["#EXTM3U", "#EXTINF:1,a", "0001 a.mp3"]
    assert [line for line in lines if not line.startswith("#")] == [*numbered(tracks)]


def test_a_track_that_was_edited_is_copied_again_by_the_next_export(tracks: Tracks, tmp_path: Path) -> None:
    export(tracks, tmp_path / "stick")
    Path(os.fsdecode(tracks[2].source)).write_bytes(b"x" * tracks[2].size)
    edited = [track if track is not tracks[2] else track._replace(mtime_ns=1) for track in tracks]

    assert export(edited, tmp_path / "stick").copied == 1
    assert copies(tmp_path / "stick") == numbered(tracks)


def test_two_tracks_of_the_same_name_and_size_and_time_are_both_copied(tmp_path: Path) -> None:
    tracks = music(tmp_path / "1", ["a.mp3"]) + music(tmp_path / "2", ["a.mp3"])

    for _ in range(2):
        export(tracks, tmp_path / "stick")
        assert copies(tmp_path / "stick") == numbered(tracks)


@pytest.mark.parametrize("per_folder", [1, 3, 8, 9])
def test_no_folder_of_copies_has_more_tracks_than_the_user_asked_for(
    tmp_path: Path, tracks: Tracks, per_folder: int
) -> None:
    for order in (tracks, tracks[::-1]):
        export(order, tmp_path / "stick", max_per_folder=per_folder)

    found = copies(tmp_path / "stick")
    folders = [os.path.dirname(path) for path in found]
    assert {os.path.basename(path): data for path, data in found.items()} == numbered(tracks[::-1])
    assert max(map(folders.count, folders)) <= per_folder
    assert (tmp_path / "stick/list/list.m3u").read_text().splitlines()[2::2] == [*found]


def test_the_numbers_of_all_folders_of_an_export_have_the_same_number_of_digits(tmp_path: Path) -> None:
    tracks = music(tmp_path / "Music", [f"{number}.mp3" for number in range(100)], size=6)

    for per_folder, last in ((90, "02"), (1, "100")):
        export(tracks, tmp_path / "stick", max_per_folder=per_folder)
        folders = sorted(path.name for path in (tmp_path / "stick/list").iterdir() if path.is_dir())
        assert (folders[-1], {*map(len, folders)}) == (last, {len(last)})


def test_the_playlist_of_an_export_is_split_into_files_short_enough_for_a_car_radio(tmp_path: Path) -> None:
    part = PLAYERS["car"].most
    assert part is not None
    tracks = music(tmp_path / "Music", [f"{number}.mp3" for number in range(part + 1)], size=6)

    for count, names in ((part + 1, {"list-1.m3u", "list-2.m3u"}), (part, {"list.m3u"}), (1, {"list.m3u"})):
        export(tracks[:count], tmp_path / "stick")
        lists = {path.name: path.read_text() for path in (tmp_path / "stick/list").glob("*.m3u")}
        assert lists.keys() == names
        entries = [line for name in sorted(lists) for line in lists[name].splitlines() if line[0] != "#"]
        assert entries == [*numbered(tracks[:count])]


def test_an_export_stops_before_the_first_track_that_does_not_fit_and_if_none_fits_removes_nothing(
    tmp_path: Path,
) -> None:
    tracks, stick = music(tmp_path / "Music", NAMES, size=30_000), tmp_path / "stick"
    tracks += music(tmp_path / "Music", ["small.mp3"], size=6)

    done = export(tracks, stick, most_bytes=150_000)

    assert (done.tracks, done.copied) == (4, 4)
    assert copies(stick) == numbered(tracks[:4])
    assert export(tracks[::-1], stick, most_bytes=150_000).tracks == 5
    with refused("No track fits", stick):
        export(tracks, stick, most_bytes=28)
    assert copies(stick) == numbered(tracks[::-1][:5])


@pytest.mark.parametrize("name", ["list/cover.jpg", "list/0001 mine.mp3", "list/02/x.mp3", "list/04/x.mp3",
                                  "list.playshuffle-old1/x", "list"])  # fmt: skip
@pytest.mark.parametrize("is_ours", [False, True])
def test_an_export_into_a_folder_with_files_of_another_program_is_refused(
    tracks: Tracks, stick: Path, name: str, is_ours: bool
) -> None:
    if is_ours and name != "list":
        export(tracks, stick, max_per_folder=3)
    (stick / name).parent.mkdir(parents=True, exist_ok=True)
    (stick / name).write_text("mine")

    with refused("is from another program", stick):
        export(tracks[::-1], stick)


@pytest.mark.parametrize("name", ["list", "list.playshuffle-new", "list.playshuffle-old1", "list/02"])
def test_an_export_is_refused_if_a_link_is_its_folder_or_is_inside_its_folder(
    tmp_path: Path, tracks: Tracks, stick: Path, name: str
) -> None:
    if name == "list/02":
        export(tracks, stick, max_per_folder=3)
        (stick / name).rename(tmp_path / "elsewhere")
    else:
        written(tmp_path / "elsewhere", "a.mp3")
        (tmp_path / "elsewhere" / os.fsdecode(EXPORT_MARK)).write_text("a.mp3\n")
    (stick / name).symlink_to(tmp_path / "elsewhere")

    with refused("is from another program", tmp_path):
        export(tracks, stick)


@pytest.mark.parametrize("end", ["", ".playshuffle-new"], ids=["complete", "interrupted"])
def test_an_export_is_refused_if_its_folder_has_the_tracks_of_another_list(
    tmp_path: Path, tracks: Tracks, end: str
) -> None:
    stick = tmp_path / "stick"
    export(tracks, stick)
    (stick / "list").rename(stick / f"list{end}")

    with refused(rf"stick/list{end} has the tracks of ~/list\.m3u of ann\. Nothing was changed", stick):
        module.export(tracks, bytes(stick), "list", "~/other/list.m3u", lambda *_: None)


def test_an_export_of_a_list_that_names_its_own_copies_is_refused(tracks: Tracks, tmp_path: Path) -> None:
    export(tracks, tmp_path / "stick")
    own = tracks_of(sorted((tmp_path / "stick/list").glob("*.mp3")))

    with refused("itself", tmp_path):
        export(own, tmp_path / "stick")


def test_no_folder_is_made_in_place_of_a_stick_that_is_not_mounted(tracks: Tracks, tmp_path: Path) -> None:
    with pytest.raises(PlayshuffleError, match=r"stick does not exist.* Mounted removable drives: .+\."):
        module.export(tracks, bytes(tmp_path / "stick"), "list", "~/list.m3u of ann", lambda *_: None)

    assert not (tmp_path / "stick").exists()


@pytest.mark.parametrize("folder", ["Music", "Music/sub", "link", "Music/1"])
def test_an_export_into_a_music_folder_of_the_list_is_refused(tmp_path: Path, folder: str) -> None:
    tracks = music(tmp_path / "Music/1", NAMES) + music(tmp_path / "Music/sub/2", NAMES)
    (tmp_path / "link").symlink_to(tmp_path / "Music")

    with refused("is a music folder of the list", tmp_path):
        export(tracks, tmp_path / folder, roots=[bytes(tmp_path / "Music")] * (folder != "Music/1"))

    assert export(tracks, tmp_path, roots=[bytes(tmp_path / "Music")]).copied == 16  # a whole drive


@pytest.mark.parametrize("quarters", [4, -4, 23, 96])
def test_copies_whose_times_are_shifted_by_quarters_of_an_hour_are_not_written_again(
    tracks: Tracks, tmp_path: Path, quarters: int
) -> None:
    export(tracks, tmp_path / "stick")
    for path in (tmp_path / "stick/list").iterdir():
        time = path.stat().st_mtime + quarters * 900 - 1
        os.utime(path, (time, time))
    edited = [tracks[0]._replace(mtime_ns=tracks[0].mtime_ns + 3_600_000_000_000 + 10**10), *tracks[1:]]

    assert export(edited, tmp_path / "stick").copied == 1
    assert export(edited, tmp_path / "stick").copied == 0


def test_an_export_counts_the_removed_copies_though_the_name_of_the_list_has_spaces(
    tracks: Tracks, tmp_path: Path
) -> None:
    def run(tracks: Tracks) -> Exported:
        return module.export(tracks, bytes(tmp_path), "my car 2", "~/my car 2.m3u", lambda *_: None)

    assert [run(tracks).removed, run(tracks[2:]).removed, run(tracks[2:]).removed] == [0, 2, 0]


@pytest.mark.process
def test_an_export_that_was_killed_at_any_step_is_finished_by_the_next_export(
    tmp_path: Path, stick: Path
) -> None:
    others = content(stick)
    tracks = music(tmp_path / "Music", NAMES)
    shuffler = random.Random(1)
    order = tracks[:5]
    step = 0
    while True:
        last, order = order, shuffler.sample(tracks, 5)
        export(last, stick)
        if not is_killed(partial(export, order, stick, max_per_folder=2), step):
            break
        found = content(stick)
        assert {name: found[name] for name in others} == others, step
        if step % 3 == 0:  # and is killed again
            is_killed(partial(export, last, stick), step // 2)
        export(order, stick)
        assert copies(stick) == numbered(order), step
        assert sorted(path.name for path in stick.iterdir()) == ["letter.txt", "list", *OLD], step
        step += 1
    assert step > 20


def test_an_export_changes_no_copy_if_the_folder_of_the_copies_cannot_be_read(
    tracks: Tracks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tracks, tmp_path / "stick")
    scandir = os.scandir

    def refusing(folder: bytes) -> Any:
        if os.fsdecode(folder).endswith("stick/list"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refusing)
        with pytest.raises(PlayshuffleError, match="may not write"):
            export(tracks[::-1], tmp_path / "stick")

    assert copies(tmp_path / "stick") == numbered(tracks)


def test_a_file_that_appears_in_the_old_folder_while_an_export_removes_it_is_moved_to_the_new_one(
    tracks: Tracks, stick: Path
) -> None:
    export(tracks, stick)
    rmdir, names = os.rmdir, ["notes.txt"]

    def leave_first(folder: bytes) -> None:
        while names:
            Path(os.fsdecode(folder), names.pop()).write_text("mine")
        rmdir(folder)

    with mock.patch("os.rmdir", leave_first):
        export(tracks[::-1], stick)

    assert content(stick / "list")["notes.txt"] == b"mine"
    assert sorted(path.name for path in stick.iterdir()) == ["letter.txt", "list", *OLD]


def test_an_export_fails_if_its_old_folder_without_files_cannot_be_removed(
    tracks: Tracks, stick: Path
) -> None:
    """As on a damaged file system."""
    export(tracks, stick)
    error = OSError(errno.ENOTEMPTY, "Directory not empty")

    with (
        mock.patch("os.rmdir", side_effect=[error] * 4),
        pytest.raises(PlayshuffleError, match="Directory not empty"),
    ):
        export(tracks[::-1], stick)

    assert copies(stick) == numbered(tracks[::-1])


@pytest.mark.parametrize("code", [errno.EINVAL, errno.EILSEQ])
def test_the_error_for_a_name_that_a_stick_does_not_accept_advises_the_option_ascii(
    tracks: Tracks, stick: Path, code: int
) -> None:
    export(tracks, stick)

    with (
        mock.patch("os.rename", side_effect=OSError(code, os.strerror(code))),
        pytest.raises(PlayshuffleError, match=r"does not accept a name of a track\. Add --ascii"),
    ):
        export(tracks[::-1], stick)


def test_an_export_syncs_the_stick_after_it_renamed_its_folder_and_removed_the_old_one(
    tracks: Tracks, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tracks, stick)
    fsync, synced = os.fsync, list[tuple[str, list[str]]]()

    def note(descriptor: int) -> None:
        synced.append((os.readlink(f"/proc/self/fd/{descriptor}"), sorted(os.listdir(stick))))
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", note)
        export(tracks[::-1], stick)

    assert synced[-1] == (str(stick), ["letter.txt", "list", *OLD])


@pytest.mark.process
def test_files_of_other_programs_stay_even_if_they_appear_at_any_step_of_an_export(tmp_path: Path) -> None:
    tracks = music(tmp_path / "Music", NAMES, size=600)
    shuffler = random.Random(2)
    for step in itertools.count(1):  # 0 is before the check
        stick = tmp_path / str(step) / "stick"
        stick.parent.mkdir()
        export(tracks[:5], stick)
        others: dict[int, Callable[[], None]] = {step: partial(leave_notes, stick, "notes.txt")}
        if step % 2:
            others[step + shuffler.randrange(1, 20)] = kill
        is_killed = is_disturbed(partial(export, tracks[:2:-1], stick, max_per_folder=2), others)
        assert not lost_notes(stick), step
        if not (stick.parent / "notes").exists():
            break
        if not is_killed:
            found = {os.path.basename(path): data for path, data in content(stick / "list").items()}
            assert numbered(tracks[:2:-1]).items() <= found.items(), step
        with pytest.raises(PlayshuffleError, match="is from another program"):
            export(tracks, stick)
        assert not lost_notes(stick), step
    assert step > 30


@pytest.mark.process
@pytest.mark.parametrize("name", ["0003 f.mp3", "0005 d.mp3", "list.m3u"])
def test_a_file_that_gets_the_name_of_a_copy_or_of_the_playlist_during_an_export_stays(
    tmp_path: Path, name: str
) -> None:
    tracks = music(tmp_path / "Music", NAMES, size=600)
    stick = tmp_path / "stick"
    export(tracks[:2], stick)

    def leave() -> None:
        if list(stick.glob("*-new")) and not (tmp_path / "notes").exists():
            leave_notes(stick, name)

    assert not is_disturbed(partial(export, tracks[::-1], stick), dict.fromkeys(range(40), leave))

    assert (tmp_path / "notes").exists()
    assert not lost_notes(stick)
    assert numbered(tracks[::-1]).items() <= content(stick / "list").items()


@pytest.mark.process
def test_exports_at_the_same_time_do_not_mix_their_copies(tracks: Tracks, tmp_path: Path) -> None:
    children = []
    for order in (tracks, tracks[::-1]) * 4:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                export(order, tmp_path / "stick")
                code = 0
            finally:
                os._exit(code)
        children.append(child)

    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    assert copies(tmp_path / "stick") in (numbered(tracks), numbered(tracks[::-1]))
