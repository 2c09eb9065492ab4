"""The guard: an absent drive empties nothing, a real deletion is believed."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import Exit, MissingError, PlayshuffleError
from playshuffle.library import missing
from playshuffle.library.folder import Skipped
from playshuffle.library.missing import Root
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount

DISK = Mount(b"/", "ext4", b"/dev/sda1", 1)
STICK = Mount(b"/mnt/usb", "ext4", b"/dev/sdb1", 2)
HUNDRED = [b"/mnt/usb/%03d.mp3" % index for index in range(100)]


def refusal(known: Root | None, now: Root, before: list[bytes], found: list[bytes]) -> str:
    with pytest.raises(PlayshuffleError) as caught:
        missing.check_tracks(known, now, before, [path for path in before if path not in found])
    assert caught.value.code == Exit.MISSING
    return str(caught.value)


def test_a_root_never_seen_must_exist(tmp_path: Path) -> None:
    with pytest.raises(PlayshuffleError, match="No such file") as caught:
        missing.check_root(bytes(tmp_path / "none"), None)

    assert caught.value.code == Exit.NO_INPUT


def test_a_root_that_had_tracks_is_missing_when_its_path_is(tmp_path: Path) -> None:
    path = bytes(tmp_path / "none")

    with pytest.raises(PlayshuffleError, match=r"seems to be missing: .*4,000 tracks") as caught:
        missing.check_root(path, Root(path, 4000, []))

    assert caught.value.code == Exit.MISSING


def test_a_root_that_never_had_tracks_is_not_a_missing_drive(tmp_path: Path) -> None:
    """A wrong path in the configuration."""
    path = bytes(tmp_path / "none")

    with pytest.raises(PlayshuffleError, match="Check its spelling") as caught:
        missing.check_root(path, Root(path, 0, []))

    assert caught.value.code == Exit.NO_INPUT


def test_a_file_is_no_root(tmp_path: Path) -> None:
    (tmp_path / "x.mp3").touch()

    with pytest.raises(PlayshuffleError, match="is a file, not a folder") as caught:
        missing.check_root(bytes(tmp_path / "x.mp3"), None)

    assert caught.value.code == Exit.NO_INPUT


def test_a_folder_that_can_be_read_is_a_root(tmp_path: Path) -> None:
    missing.check_root(bytes(tmp_path), None)
    missing.check_root(bytes(tmp_path), Root(bytes(tmp_path), 5, []))


def test_a_folder_that_cannot_be_opened_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It exists, but its drive answers with an error."""

    def fail(path: bytes, flags: int) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        with pytest.raises(MissingError, match="Input/output error; 5 tracks were there"):
            missing.check_root(bytes(tmp_path), Root(bytes(tmp_path), 5, []))


def test_one_track_on_an_absent_mount_is_missing() -> None:
    known = Root(b"/mnt", 2, [DISK, STICK])

    with pytest.raises(MissingError, match="1 track is gone"):
        missing.check_tracks(
            known, Root(b"/mnt", 1, [DISK]), [b"/mnt/a.mp3", b"/mnt/usb/b.mp3"], [b"/mnt/usb/b.mp3"]
        )


def test_mounts_are_compared_only_if_both_are_known() -> None:
    missing.check_tracks(None, Root(b"/mnt/usb", 95, [STICK]), HUNDRED, HUNDRED[:5])
    missing.check_tracks(Root(b"/mnt/usb", 100, [STICK]), Root(b"/mnt/usb", 95, []), HUNDRED, HUNDRED[:5])


@pytest.mark.parametrize(("unseen", "is_missing"), [(20, False), (50, False), (51, True)])
@pytest.mark.parametrize("event", ["files", "folder"])
def test_deletions_that_were_seen_are_not_counted_as_missing(
    unseen: int, is_missing: bool, event: str
) -> None:
    """Of 100 tracks 30 are deleted with an event, in a folder or file by file, and others without."""
    seen = [b"/mnt/usb/x/y/%02d.mp3" % number for number in range(30)]
    before = HUNDRED[:70] + seen
    deleted = {b"/mnt/usb/x"} if event == "folder" else {*seen}
    lost = HUNDRED[:unseen] + seen
    now = Root(b"/mnt/usb", 100 - len(lost), [STICK])

    if is_missing:
        with pytest.raises(MissingError, match="51 of 100 tracks are gone"):
            missing.check_tracks(Root(b"/mnt/usb", 100, [STICK]), now, before, lost, deleted)
    else:
        missing.check_tracks(Root(b"/mnt/usb", 100, [STICK]), now, before, lost, deleted)


def test_a_deletion_elsewhere_explains_no_missing_track() -> None:
    for deleted in (b"/mnt/usb/other", b"/mnt/usb/00"):
        with pytest.raises(MissingError):
            missing.check_tracks(
                Root(b"/mnt/usb", 100, [STICK]),
                Root(b"/mnt/usb", 10, [STICK]),
                HUNDRED,
                HUNDRED[10:],
                {deleted},
            )


def test_all_tracks_may_be_deleted_if_it_was_seen() -> None:
    known = Root(b"/mnt/usb", 100, [STICK])

    missing.check_tracks(known, Root(b"/mnt/usb", 0, [STICK]), HUNDRED, HUNDRED, {*HUNDRED})
    with pytest.raises(MissingError, match="no track was found"):
        missing.check_tracks(known, Root(b"/mnt/usb", 0, [STICK]), HUNDRED, HUNDRED, {*HUNDRED[:79]})


def test_a_root_is_stored_with_the_mounts_that_it_is_on(tmp_path: Path) -> None:
    root = missing.current_root(bytes(tmp_path), 7)

    assert (root.path, root.tracks) == (bytes(tmp_path), 7)
    assert b"/" in [os.path.commonpath([b"/", mount.point]) for mount in root.mounts]


@pytest.mark.parametrize(
    ("user", "owners", "named"), [(1000, [0, 5], []), (0, [0, 0], []), (0, [7, 0, 5, 7], [5, 7])]
)
def test_root_is_told_whose_music_it_is(
    monkeypatch: pytest.MonkeyPatch, user: int, owners: list[int], named: list[int]
) -> None:
    roots = {b"/music/%d" % number: owner for number, owner in enumerate(owners)}
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: user)
        patch.setattr(os, "stat", lambda path: SimpleNamespace(st_uid=roots[path]))
        notes = missing.root_user_notes(roots)

    assert len(notes) == len(named)
    assert all(f"belongs to user {owner}. " in note for owner, note in zip(named, notes, strict=True))


def test_a_root_with_nothing_left_is_missing() -> None:
    known = Root(b"/mnt/usb", 3, [STICK])

    assert "3 were there" in refusal(known, Root(b"/mnt/usb", 0, [STICK]), HUNDRED[:3], [])


def test_a_new_root_may_be_empty() -> None:
    missing.check_tracks(None, Root(b"/m", 0, []), [], [])


def test_a_mount_that_is_gone_takes_its_tracks_along() -> None:
    """Even three of five: what lies in the empty mount point is not the library."""
    known = Root(b"/mnt/usb", 5, [STICK])

    text = refusal(known, Root(b"/mnt/usb", 3, [DISK]), HUNDRED[:5], HUNDRED[:3])

    assert "2 tracks are gone, and /mnt/usb is not mounted as it was" in text


def test_a_mount_below_the_root_takes_its_tracks_along() -> None:
    known = Root(b"/mnt", 105, [DISK, STICK])

    text = refusal(known, Root(b"/mnt", 100, [DISK]), [*HUNDRED[:5], b"/mnt/a.mp3"], [b"/mnt/a.mp3"])

    assert "5 tracks are gone, and /mnt/usb" in text


def test_a_mount_that_is_gone_is_missed_by_a_new_playlist_too() -> None:
    """It has no last order, but the root had more tracks; or the guard would forget the drive."""
    known = Root(b"/mnt", 50, [DISK, STICK])

    text = refusal(known, Root(b"/mnt", 30, [DISK]), [], HUNDRED[:30])

    assert "20 tracks are gone, and /mnt/usb" in text


def test_what_cannot_be_read_is_not_gone() -> None:
    folder = Skipped(b"/m/b/", "Permission denied")
    missing.check_unreadable(folder, [b"/m/a.mp3"])

    with pytest.raises(PlayshuffleError, match="Permission denied; 1 track was there") as caught:
        missing.check_unreadable(folder, [b"/m/a.mp3", b"/m/b/c.mp3"])

    assert caught.value.code == Exit.MISSING


def test_a_deletion_beside_a_mount_that_is_gone_is_believed() -> None:
    """The vanished tracks were not on that mount."""
    known = Root(b"/mnt", 2, [DISK, STICK])

    missing.check_tracks(known, Root(b"/mnt", 1, [DISK]), [b"/mnt/a.mp3", b"/mnt/b.mp3"], [b"/mnt/b.mp3"])


def test_a_library_moved_to_another_disk_is_believed() -> None:
    """The mount is another, but all tracks are there."""
    known = Root(b"/mnt/usb", 100, [STICK])
    other = STICK._replace(source=b"/dev/nvme0n1p1", fsid=7)

    missing.check_tracks(known, Root(b"/mnt/usb", 100, [other]), HUNDRED, [])


def test_the_same_drive_under_another_device_name_is_the_same() -> None:
    """sdb1 came back as sdc1: what was deleted on it was deleted."""
    known = Root(b"/mnt/usb", 100, [STICK])
    renamed = STICK._replace(source=b"/dev/sdc1")

    missing.check_tracks(known, Root(b"/mnt/usb", 95, [renamed]), HUNDRED, HUNDRED[:5])


@pytest.mark.parametrize(
    ("before", "left", "is_refused"), [(42, 21, False), (42, 20, True), (30, 10, False), (31, 10, True)]
)
def test_more_than_half_and_more_than_twenty_gone_is_missing(
    before: int, left: int, is_refused: bool
) -> None:
    """Exactly half, or exactly twenty, is still believed."""
    arguments = (Root(b"/mnt/usb", before, [STICK]), Root(b"/mnt/usb", left, [STICK]), HUNDRED[:before])
    if is_refused:
        assert f"of {before} tracks are gone" in refusal(*arguments, HUNDRED[:left])
    else:
        missing.check_tracks(*arguments, HUNDRED[left:before])


def test_below_does_not_mistake_a_longer_name_for_a_folder() -> None:
    assert missing.below(b"/a", [b"/a/x", b"/ab/x", b"/a", b"/a/b/c"]) == [b"/a/x", b"/a/b/c"]


def test_what_lay_on_an_absent_mount_was_not_deleted_whatever_was_seen() -> None:
    """A desktop removes the folder on which it had mounted a drive."""
    stick = Mount(b"/m/stick", "vfat", b"/dev/sdb1", 7)
    disk = Mount(b"/", "ext4", b"/dev/sda1", 1)
    before = [b"/m/stick/%d.mp3" % number for number in range(3)] + [b"/m/a.mp3"]

    with pytest.raises(MissingError):
        missing.check_tracks(
            Root(b"/m", 4, [disk, stick]), Root(b"/m", 1, [disk]), before, before[:3], {b"/m/stick"}
        )


def test_a_root_that_is_there_was_not_deleted() -> None:
    """Nor what it is in: events may tell of another folder of that name."""
    before = [b"/m/%d.mp3" % number for number in range(60)]
    disk = [Mount(b"/", "ext4", b"/dev/sda1", 1)]

    for told in (b"/m", b"/"):
        with pytest.raises(MissingError):
            missing.check_tracks(Root(b"/m", 60, disk), Root(b"/m", 10, disk), before, before[10:], {told})
    missing.check_tracks(Root(b"/m", 60, disk), Root(b"/m", 10, disk), before, before[10:], {*before[10:]})


def test_a_playlist_is_not_written_below_the_place_of_its_drive() -> None:
    there = [Mount(b"/mnt/sd", "vfat", b"/dev/sdb1", 7)]
    gone = [Mount(b"/", "ext4", b"/dev/sda1", 1)]

    for before, current in (([], gone), (there, there), (gone, there), (gone, gone)):
        missing.check_output(b"/mnt/sd", before, current)
    with pytest.raises(MissingError, match="/mnt/sd is not mounted"):
        missing.check_output(b"/mnt/sd", there, gone)


def test_a_playlist_of_some_tracks_may_lose_most_of_them_if_the_root_does_not() -> None:
    before = HUNDRED[:50]

    missing.check_tracks(
        Root(b"/mnt/usb", 150, [STICK]), Root(b"/mnt/usb", 120, [STICK]), before, before[:30]
    )

    with pytest.raises(MissingError, match="30 of 50 tracks are gone"):
        missing.check_tracks(
            Root(b"/mnt/usb", 50, [STICK]), Root(b"/mnt/usb", 20, [STICK]), before, before[:30]
        )


def test_a_playlist_of_some_tracks_may_not_lose_all_of_them() -> None:
    before = HUNDRED[:30]

    with pytest.raises(MissingError, match="30 of 30 tracks are gone"):
        missing.check_tracks(Root(b"/mnt/usb", 150, [STICK]), Root(b"/mnt/usb", 120, [STICK]), before, before)


def test_an_output_folder_that_leads_to_another_drive_now_is_not_missing() -> None:
    """A link: it led to /mnt/sd2, and leads to /mnt/sd now."""
    before = [Mount(b"/mnt/sd2", "vfat", b"/dev/sdb1", 7)]

    missing.check_output(b"/home/list", before, [Mount(b"/mnt/sd", "vfat", b"/dev/sdc1", 8)])


def test_an_empty_root_may_stay_empty() -> None:
    missing.check_tracks(Root(b"/m", 0, [DISK]), Root(b"/m", 0, [DISK]), [], [])


def test_a_root_with_nothing_left_is_missing_for_a_playlist_without_its_tracks() -> None:
    """Or the tracks of the root would be forgotten by it."""
    assert "3 were there" in refusal(Root(b"/mnt/usb", 3, [STICK]), Root(b"/mnt/usb", 0, [STICK]), [], [])


@pytest.mark.parametrize("lost", [50, 51])
def test_half_of_a_root_that_was_never_seen_may_be_gone(lost: int) -> None:
    """The playlist is known from its file, the root is not."""
    arguments = (None, Root(b"/mnt/usb", 100 - lost, [STICK]), HUNDRED)
    if lost > 50:
        assert "51 of 100 tracks are gone" in refusal(*arguments, HUNDRED[lost:])
    else:
        missing.check_tracks(*arguments, HUNDRED[:lost])


def test_only_the_tracks_of_the_root_count() -> None:
    """60 of the 160 tracks of the playlist are gone: all are of another root."""
    others = [b"/mnt/usb2/%d.mp3" % number for number in range(60)]
    known = Root(b"/mnt/usb", 100, [STICK])

    missing.check_tracks(known, known, HUNDRED + others, others)
    with pytest.raises(MissingError, match="60 of 60 tracks are gone"):
        missing.check_tracks(None, Root(b"/mnt/usb2", 5, [STICK]), HUNDRED + others, others)


@pytest.mark.parametrize(
    ("point", "folder", "is_missing"),
    [
        (b"/mnt/usb", b"/mnt/usb/x", True),
        (b"/home", b"/home/bob/Music", False),  # the state is on it
        (b"/export/home", b"/home/bob/Music", False),  # the home was there before it was copied
    ],
)
def test_a_drive_that_a_copied_home_was_on_is_not_missing(
    monkeypatch: pytest.MonkeyPatch, point: bytes, folder: bytes, is_missing: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/home/bob/.local/state")
    monkeypatch.setattr(mounts, "table", lambda: [DISK])
    mount = STICK._replace(point=point)

    assert has_lost_drive(Root(folder, 3, [mount]), Root(folder, 2, [DISK])) == is_missing
    try:
        missing.check_output(folder, [mount], [DISK])
    except MissingError:
        assert is_missing
    else:
        assert not is_missing


def has_lost_drive(known: Root, now: Root) -> bool:
    before = [known.path + b"/%d.mp3" % number for number in range(3)]
    try:
        missing.check_tracks(known, now, before, before[:1])
    except MissingError:
        return True
    return False


def test_the_root_folder_of_the_machine_is_guarded_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tracks are below it, it is on its mount, and what is deleted in it is deleted."""
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    monkeypatch.setattr(mounts, "table", lambda: [DISK, DISK._replace(point=b"/state")])
    known, before = Root(b"/", 60, [DISK]), [b"/%02d" % number for number in range(60)]
    other = Mount(b"/", "overlay", b"overlay", 9)

    missing.check_tracks(known, Root(b"/", 0, [DISK]), before, before, {*before})
    assert "40 of 60 tracks are gone" in refusal(known, Root(b"/", 20, [DISK]), before, before[:20])
    assert "1 track is gone, and / is not mounted" in refusal(
        known, Root(b"/", 59, [other]), before, before[1:]
    )
    assert "1 track is gone, and /mnt/usb is not mounted" in refusal(
        Root(b"/", 2, [DISK, STICK]), Root(b"/", 1, [DISK]), [b"/mnt/usb/a", b"/b"], [b"/b"]
    )


def test_a_folder_directly_below_the_root_of_the_machine_may_be_deleted() -> None:
    before = [b"/m/%02d.mp3" % number for number in range(60)]

    missing.check_tracks(Root(b"/", 60, [DISK]), Root(b"/", 0, [DISK]), before, before, {b"/m"})


@pytest.mark.parametrize("lost", [b"usb/a.mp3", b"b.mp3"])
def test_a_mount_below_a_linked_root_takes_only_its_own_tracks_along(tmp_path: Path, lost: bytes) -> None:
    """Mounts are known by their real paths, tracks by the path that the user gave."""
    (tmp_path / "a longer name of the folder").mkdir()
    (tmp_path / "link").symlink_to("a longer name of the folder")
    root = bytes(tmp_path / "link")
    drive = STICK._replace(point=os.path.realpath(root) + b"/usb")
    before = [root + b"/usb/a.mp3", root + b"/b.mp3"]
    left = [path for path in before if path != root + b"/" + lost]
    known, now = Root(root, 2, [DISK, drive]), Root(root, 1, [DISK])

    if lost.startswith(b"usb"):
        assert "1 track is gone, and " in refusal(known, now, before, left)
    else:
        missing.check_tracks(known, now, before, [root + b"/" + lost])


def test_a_folder_beside_a_mount_with_a_longer_name_is_not_on_it() -> None:
    known = Root(b"/mnt", 2, [DISK, STICK])

    missing.check_tracks(known, Root(b"/mnt", 1, [DISK]), [b"/mnt/usb2/a", b"/mnt/b"], [b"/mnt/usb2/a"])


def test_a_mount_that_came_beside_the_known_ones_hides_nothing() -> None:
    known = Root(b"/mnt", 105, [DISK])

    missing.check_tracks(known, Root(b"/mnt", 100, [DISK, STICK]), HUNDRED, HUNDRED[:5])


def test_of_several_mounts_that_are_gone_the_one_with_lost_tracks_is_named() -> None:
    empty = Mount(b"/mnt/empty", "ext4", b"/dev/sdc1", 3)
    known = Root(b"/mnt", 100, [DISK, empty, STICK])

    assert "5 tracks are gone, and /mnt/usb " in refusal(
        known, Root(b"/mnt", 95, [DISK]), HUNDRED, HUNDRED[5:]
    )


def is_believed(known: int, before: list[bytes], gone: set[bytes], deleted: set[bytes]) -> bool:
    """Whether these tracks of a root of `known` tracks may be gone while its mounts are as they were."""
    try:
        missing.check_tracks(
            Root(b"/mnt/usb", known, [STICK]),
            Root(b"/mnt/usb", known - len(gone), [STICK]),
            before,
            sorted(gone),
            deleted,
        )
    except MissingError:
        return False
    return True


@given(st.data())
def test_an_observed_deletion_never_raises_doubt_and_a_further_loss_never_removes_it(
    data: st.DataObject,
) -> None:
    """For playlists of some or all tracks of a root, and any part of the deletions observed."""
    before = HUNDRED[: data.draw(st.integers(1, 100))]
    known = len(before) + data.draw(st.integers(0, 60))
    gone = set(before[: data.draw(st.integers(0, len(before)))])
    seen = {path for path in gone if data.draw(st.booleans())} if data.draw(st.booleans()) else set()

    if is_believed(known, before, gone, seen):
        assert is_believed(known, before, gone, seen | set(sorted(gone)[:5]))
        assert is_believed(known, before, gone, gone)
        assert all(is_believed(known, before, gone - {path}, seen) for path in sorted(gone - seen)[:3])
    else:
        assert not is_believed(known, before, gone, set())


@pytest.mark.parametrize(("listed", "gone"), [(50, 49), (50, 26), (15, 14), (1, 1)])
def test_a_playlist_of_some_tracks_is_protected_if_most_of_the_root_is_gone(listed: int, gone: int) -> None:
    """Files that were found count, not those that a query chose: 110 of 150 are gone."""
    before = HUNDRED[:listed]

    with pytest.raises(MissingError, match="110 of 150 tracks are gone"):
        missing.check_tracks(
            Root(b"/mnt/usb", 150, [STICK]), Root(b"/mnt/usb", 40, [STICK]), before, before[:gone]
        )


@pytest.mark.parametrize("gone", [0, 1, 25])
def test_a_playlist_that_keeps_half_of_its_tracks_does_not_wait_for_the_rest_of_the_root(gone: int) -> None:
    before = HUNDRED[:50]

    missing.check_tracks(
        Root(b"/mnt/usb", 150, [STICK]), Root(b"/mnt/usb", 40, [STICK]), before, before[:gone]
    )


def test_deletions_in_a_root_do_not_count_against_a_playlist_of_some_tracks() -> None:
    """Of the root 79 tracks are gone; the 30 of the playlist that were seen to be deleted are believed."""
    before = HUNDRED[:50]
    known, now = Root(b"/mnt/usb", 150, [STICK]), Root(b"/mnt/usb", 71, [STICK])

    missing.check_tracks(known, now, before, before, {*before[:24]})  # 26 of 50, and 55 of 150
    with pytest.raises(MissingError, match="79 of 150"):
        missing.check_tracks(known, now, before, before[:26])


def test_what_another_playlist_accepted_is_not_accepted_for_this_one() -> None:
    """The other one stored the root with 40 tracks."""
    stored = Root(b"/mnt/usb", 40, [STICK])

    assert "60 of 100 tracks are gone" in refusal(stored, stored, HUNDRED, HUNDRED[:40])


def test_new_tracks_do_not_hide_that_most_are_gone() -> None:
    """60 of 100 were replaced by other files, in a folder that is not known as a mount."""
    root = Root(b"/mnt/usb", 100, [STICK])

    assert "60 of 100 tracks are gone" in refusal(root, root, HUNDRED, HUNDRED[:40])


def test_a_new_playlist_has_no_track_to_lose() -> None:
    missing.check_tracks(Root(b"/mnt/usb", 150, [STICK]), Root(b"/mnt/usb", 40, [STICK]), [], [])
    with pytest.raises(MissingError, match="no track was found; 150 were there"):
        missing.check_tracks(Root(b"/mnt/usb", 150, [STICK]), Root(b"/mnt/usb", 0, [STICK]), [], [])
