"""The guard: an absent drive empties nothing, a real deletion is believed."""

from pathlib import Path

import pytest

from playshuffle.errors import AwayError, Exit, PlayshuffleError
from playshuffle.library import away as guard
from playshuffle.library.away import Root
from playshuffle.library.folder import Skipped
from playshuffle.system.mounts import Mount

DISK = Mount(b"/", "ext4", b"/dev/sda1", 1)
STICK = Mount(b"/mnt/usb", "ext4", b"/dev/sdb1", 2)
HUNDRED = [b"/mnt/usb/%03d.mp3" % index for index in range(100)]


def refusal(known: Root | None, now: Root, before: list[bytes], found: list[bytes]) -> str:
    with pytest.raises(PlayshuffleError) as caught:
        guard.check_tracks(known, now, before, [path for path in before if path not in found])
    assert caught.value.code == Exit.AWAY
    return str(caught.value)


def test_a_root_never_seen_must_exist(tmp_path: Path) -> None:
    with pytest.raises(PlayshuffleError, match="No such file") as caught:
        guard.check_root(bytes(tmp_path / "none"), None)

    assert caught.value.code == Exit.NO_INPUT


def test_a_root_that_had_tracks_is_away_when_it_is_missing(tmp_path: Path) -> None:
    path = bytes(tmp_path / "none")

    with pytest.raises(PlayshuffleError, match=r"seems to be away: .*4,000 tracks") as caught:
        guard.check_root(path, Root(path, 4000, []))

    assert caught.value.code == Exit.AWAY


def test_a_file_is_no_root(tmp_path: Path) -> None:
    (tmp_path / "x.mp3").touch()

    with pytest.raises(PlayshuffleError, match="is a file, not a folder") as caught:
        guard.check_root(bytes(tmp_path / "x.mp3"), None)

    assert caught.value.code == Exit.NO_INPUT


def test_a_root_with_nothing_left_is_away() -> None:
    known = Root(b"/mnt/usb", 3, [STICK])

    assert "3 were there" in refusal(known, Root(b"/mnt/usb", 0, [STICK]), HUNDRED[:3], [])


def test_a_new_root_may_be_empty() -> None:
    guard.check_tracks(None, Root(b"/m", 0, []), [], [])


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
    guard.check_unreadable(folder, [b"/m/a.mp3"])

    with pytest.raises(PlayshuffleError, match="Permission denied; 1 tracks were there") as caught:
        guard.check_unreadable(folder, [b"/m/a.mp3", b"/m/b/c.mp3"])

    assert caught.value.code == Exit.AWAY


def test_a_deletion_beside_a_mount_that_is_gone_is_believed() -> None:
    """What is gone did not lie on it."""
    known = Root(b"/mnt", 2, [DISK, STICK])

    guard.check_tracks(known, Root(b"/mnt", 1, [DISK]), [b"/mnt/a.mp3", b"/mnt/b.mp3"], [b"/mnt/b.mp3"])


def test_a_library_moved_to_another_disk_is_believed() -> None:
    """The mount is another, but all tracks are there."""
    known = Root(b"/mnt/usb", 100, [STICK])
    other = STICK._replace(source=b"/dev/nvme0n1p1", fsid=7)

    guard.check_tracks(known, Root(b"/mnt/usb", 100, [other]), HUNDRED, [])


def test_the_same_drive_under_another_device_name_is_the_same() -> None:
    """sdb1 came back as sdc1: what was deleted on it was deleted."""
    known = Root(b"/mnt/usb", 100, [STICK])
    renamed = STICK._replace(source=b"/dev/sdc1")

    guard.check_tracks(known, Root(b"/mnt/usb", 95, [renamed]), HUNDRED, HUNDRED[:5])


@pytest.mark.parametrize(
    ("before", "left", "is_refused"), [(42, 21, False), (42, 20, True), (30, 10, False), (31, 10, True)]
)
def test_more_than_half_and_more_than_twenty_gone_is_away(before: int, left: int, is_refused: bool) -> None:
    """Exactly half, or exactly twenty, is still believed."""
    arguments = (Root(b"/mnt/usb", before, [STICK]), Root(b"/mnt/usb", left, [STICK]), HUNDRED[:before])
    if is_refused:
        assert f"of {before} tracks are gone" in refusal(*arguments, HUNDRED[:left])
    else:
        guard.check_tracks(*arguments, HUNDRED[left:before])


def test_below_does_not_mistake_a_longer_name_for_a_folder() -> None:
    assert guard.below(b"/a", [b"/a/x", b"/ab/x", b"/a", b"/a/b/c"]) == [b"/a/x", b"/a/b/c"]


def test_what_lay_on_an_absent_mount_was_not_deleted_whatever_was_seen() -> None:
    """A desktop removes the folder on which it had mounted a drive."""
    stick = Mount(b"/m/stick", "vfat", b"/dev/sdb1", 7)
    disk = Mount(b"/", "ext4", b"/dev/sda1", 1)
    before = [b"/m/stick/%d.mp3" % number for number in range(3)] + [b"/m/a.mp3"]

    with pytest.raises(AwayError):
        guard.check_tracks(
            Root(b"/m", 4, [disk, stick]), Root(b"/m", 1, [disk]), before, before[:3], {b"/m/stick"}
        )


def test_a_root_that_is_there_was_not_deleted() -> None:
    """Nor what it is in: events may tell of another folder of that name."""
    before = [b"/m/%d.mp3" % number for number in range(60)]
    disk = [Mount(b"/", "ext4", b"/dev/sda1", 1)]

    for told in (b"/m", b"/"):
        with pytest.raises(AwayError):
            guard.check_tracks(Root(b"/m", 60, disk), Root(b"/m", 10, disk), before, before[10:], {told})
    guard.check_tracks(Root(b"/m", 60, disk), Root(b"/m", 10, disk), before, before[10:], {*before[10:]})


def test_a_playlist_is_not_written_below_the_place_of_its_drive() -> None:
    there = Root(b"/mnt/sd/", 0, [Mount(b"/mnt/sd", "vfat", b"/dev/sdb1", 7)])
    gone = Root(b"/mnt/sd/", 0, [Mount(b"/", "ext4", b"/dev/sda1", 1)])

    guard.check_output(None, gone)
    guard.check_output(there, there)
    guard.check_output(gone, there)
    with pytest.raises(AwayError):
        guard.check_output(there, gone)
