"""A missing drive empties no playlist; real deletions are accepted. A root is a folder that the user gave."""

import errno
import os
from array import array
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import Exit, MissingError, PlayshuffleError
from playshuffle.library import missing
from playshuffle.library.folder import Skipped
from playshuffle.library.lost_roots import seems_missing
from playshuffle.library.missing import Root
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount
from playshuffle.system.workers import Workers
from playshuffle.tags.cause import SYSTEM_ERROR, Cause
from tests.support.refusals import refusal

DISK = Mount(b"/", "ext4", b"/dev/sda1", 1)
STICK = Mount(b"/mnt/usb", "ext4", b"/dev/sdb1", 2)
HUNDRED = [b"/mnt/usb/%03d.mp3" % index for index in range(100)]


def doubt(*asked: Any) -> str:
    """Return why `check_tracks` takes a root for missing; empty if it accepts the deletion of tracks."""
    try:
        missing.check_tracks(*asked)
    except MissingError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("name", "tracks", "message", "code"),
    [
        ("none", None, "No such file", Exit.NO_INPUT),
        ("none", 4000, "seems to be missing: .*4,000 tracks", Exit.MISSING),
        ("none", 0, "Check its spelling", Exit.NO_INPUT),  # a wrong path in the configuration
        ("x.mp3", None, "is a file, not a folder", Exit.NO_INPUT),
    ],
)
def test_a_root_that_is_not_a_folder_counts_as_missing_only_if_it_had_tracks(
    tmp_path: Path, name: str, tracks: int | None, message: str, code: Exit
) -> None:
    (tmp_path / "x.mp3").touch()
    path = bytes(tmp_path / name)

    with pytest.raises(PlayshuffleError, match=message) as caught:
        missing.check_root(path, None if tracks is None else Root(array("I", range(tracks)), []))

    assert caught.value.code == code


def test_a_root_with_known_tracks_that_cannot_be_opened_counts_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder exists, but its drive reports an error."""

    def fail(path: bytes, flags: int) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        with pytest.raises(MissingError, match="Input/output error; 5 tracks were there"):
            missing.check_root(bytes(tmp_path), Root(array("I", range(5)), []))


@pytest.mark.parametrize(
    ("user", "owners", "named"), [(1000, [0, 5], []), (0, [0, 0], []), (0, [7, 0, 5, 7], [5, 7])]
)
def test_a_note_for_the_user_root_names_the_owner_of_the_music(
    monkeypatch: pytest.MonkeyPatch, user: int, owners: list[int], named: list[int]
) -> None:
    roots = {b"/music/%d" % number: owner for number, owner in enumerate(owners)}
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: user)
        patch.setattr(os, "stat", lambda path: SimpleNamespace(st_uid=roots[path]))
        notes = missing.root_user_notes(roots)

    assert len(notes) == len(named)
    assert all(f"belongs to user {owner}. " in note.text for owner, note in zip(named, notes, strict=True))


def usb(tracks: int, *mounted: Mount) -> tuple[bytes, Root]:
    return mnt(tracks, *(mounted or [STICK]), path=b"/mnt/usb")


def mnt(tracks: int, *mounted: Mount, path: bytes = b"/mnt") -> tuple[bytes, Root]:
    return path, Root(array("I", range(tracks)), mounted)


H = HUNDRED
X = [b"/mnt/usb/x/y/%02d.mp3" % number for number in range(30)]
OTHERS = [b"/mnt/usb2/%d.mp3" % number for number in range(60)]
TOP = [b"/%02d" % number for number in range(60)]
M = [b"/m/%02d.mp3" % number for number in range(60)]
A, B, ON_STICK = b"/mnt/a.mp3", b"/mnt/b.mp3", b"/mnt/usb/a.mp3"
NVME = STICK._replace(source=b"/dev/nvme0n1p1", fsid=7)
SDC = STICK._replace(source=b"/dev/sdc1")
EMPTY = Mount(b"/mnt/empty", "ext4", b"/dev/sdc1", 3)
OVERLAY = Mount(b"/", "overlay", b"overlay", 9)
NAS = Mount(b"/mnt/usb", "fuse.sshfs", b"nas:/music", 0)
SMB = Mount(b"/mnt/usb", "cifs", b"//nas/music", 0)
POOL = Mount(b"/mnt/usb", "fuse.mergerfs", b"1:2", 0)
A_LIST = [b"/mnt/home/%d.mp3" % number for number in range(4)]

# Claims, each with cases: the root at its last scan, the root now, the tracks that it had, the tracks that
# are gone, the deletions that events reported, and the error, or nothing if the deletion is accepted. Some
# have also the paths at which the other tracks are.
Case = tuple[Any, ...]
RULE: dict[str, list[Case]] = {
    "one track on a drive that is not mounted is missing": [
        (mnt(2, DISK, STICK), mnt(1, DISK), [A, ON_STICK], [ON_STICK], (), "1 track is gone"),
    ],
    "tracks whose deletion was observed, by file or by folder, are not counted as missing": [
        (usb(100), usb(70 - unseen), H[:70] + X, H[:unseen] + X, seen, said)
        for seen in (X, [b"/mnt/usb/x"])
        for unseen, said in ((20, ""), (50, ""), (51, "51 of 100 tracks are gone"))
    ],
    "an observed deletion elsewhere explains no missing track": [
        (usb(100), usb(10), H, H[10:], [deleted], "tracks are gone")
        for deleted in (b"/mnt/usb/other", b"/mnt/usb/00")
    ],
    "all tracks may be gone if their deletion was observed": [
        (usb(100), usb(0), H, H, H, ""),
        (usb(100), usb(0), H, H, H[:79], "no track was found"),
    ],
    "a root that has no track any more is missing, even if it is unknown which tracks it had": [
        (usb(3), usb(0), H[:3], H[:3], (), "3 were there"),
        (usb(3), usb(0), [], [], (), "3 were there"),
    ],
    "a root that had no tracks may still have none": [(usb(0), usb(0), [], [], (), "")],
    "tracks on a mount that is gone are missing, even two of five, and even if it is below the root": [
        (usb(5), usb(3, DISK), H[:5], H[3:5], (), "2 tracks are gone, and /mnt/usb is not mounted as it was"),
        (mnt(105, DISK, STICK), mnt(100, DISK), [*H[:5], A], H[:5], (), "5 tracks are gone, and /mnt/usb"),
    ],
    "tracks on a mount that is gone are missing, even if it is unknown which tracks the root had": [
        (mnt(50, DISK, STICK), mnt(30, DISK), [], [], (), "20 tracks are gone, and /mnt/usb"),
    ],
    "the deletion of a track beside a mount that is gone is accepted": [
        (mnt(2, DISK, STICK), mnt(1, DISK), [A, B], [B], (), ""),
    ],
    "a root on another disk is present if no track is gone": [(usb(100), usb(100, NVME), H, [], (), "")],
    "a drive under another device name is the same drive": [(usb(100), usb(95, SDC), H, H[:5], (), "")],
    "a drive is there under any name, if most of its tracks are found on it": [
        (usb(100, before), usb(60, now), H, H[60:], (), "", H[:60])
        for before, now in (
            (STICK, NVME), (STICK, NVME._replace(kind="fuseblk")),
            (NAS, NAS._replace(source=b"192.168.1.7:/music")),
            (SMB, SMB._replace(source=b"//nas.local/music")),
            (POOL, POOL._replace(source=b"1:2:3")), (POOL, POOL._replace(source=b"disk1:disk2:old")),
        )
    ],
    "half of the tracks, or tracks that are somewhere else now, do not prove that a drive is there": [
        (usb(100), usb(50, NVME), H, H[50:], (), "50 tracks are gone, and /mnt/usb", H[:50]),
        (usb(5), usb(4, NVME), H[:5], H[:1], (), "1 track is gone, and /mnt/usb", A_LIST),
    ],
    "a drive that is not mounted is missing, though most of its tracks are in the folder below": [
        (mnt(5, DISK, STICK), mnt(4, DISK), H[:5], H[:1], (), "1 track is gone, and /mnt/usb", H[1:5]),
    ],
    "a pool that lost one of its disks is missing, though most of its tracks are found": [
        (usb(100, POOL), usb(60, now), H, H[60:], (), "40 tracks are gone, and /mnt/usb", H[:60])
        for now in (POOL._replace(source=b"1:3"), POOL._replace(source=b"1"), STICK)
    ],
    "a root is missing if more than half of its tracks and more than twenty are gone": [
        (usb(42), usb(21), H[:42], H[21:42], (), ""),
        (usb(42), usb(20), H[:42], H[20:42], (), "of 42 tracks are gone"),
        (usb(30), usb(10), H[:30], H[10:30], (), ""),
        (usb(31), usb(10), H[:31], H[10:31], (), "of 31 tracks are gone"),
    ],
    "tracks on a mount that is gone are missing even if its mount point was deleted, as desktops do": [
        (mnt(4, DISK, STICK), mnt(1, DISK), [*H[:3], A], H[:3], [b"/mnt/usb"], "3 tracks are gone"),
    ],
    "an observed deletion of the root itself or of a folder above explains no missing track": [
        *((mnt(60, DISK, path=b"/m"), mnt(10, DISK, path=b"/m"), M, M[10:], [told], "tracks are gone")
          for told in (b"/m", b"/")),
        (mnt(60, DISK, path=b"/m"), mnt(10, DISK, path=b"/m"), M, M[10:], M[10:], ""),
    ],
    "only tracks below the root count": [
        (usb(100), usb(100), H + OTHERS, OTHERS, (), ""),
        (mnt(60, path=b"/mnt/usb2"), mnt(5, path=b"/mnt/usb2"), H + OTHERS, OTHERS, (), "60 of 60 tracks"),
    ],
    "the same rules hold for the root folder of the machine": [
        (mnt(60, DISK, path=b"/"), mnt(0, DISK, path=b"/"), TOP, TOP, TOP, ""),
        (mnt(60, DISK, path=b"/"), mnt(20, DISK, path=b"/"), TOP, TOP[20:], (), "40 of 60 tracks are gone"),
        (mnt(60, DISK, path=b"/"), mnt(59, OVERLAY, path=b"/"), TOP, TOP[:1], (),
         "1 track is gone, and / is not mounted"),
        (mnt(2, DISK, STICK, path=b"/"), mnt(1, DISK, path=b"/"), [ON_STICK, b"/b"], [ON_STICK], (),
         "1 track is gone, and /mnt/usb is not mounted"),
    ],
    "all tracks may be gone if the deletion of their folder directly below / was observed": [
        (mnt(60, DISK, path=b"/"), mnt(0, DISK, path=b"/"), M, M, [b"/m"], ""),
    ],
    "a folder beside a mount is not on the mount though its name begins with the name of the mount": [
        (mnt(2, DISK, STICK), mnt(1, DISK), [b"/mnt/usb2/a", b"/mnt/b"], [b"/mnt/usb2/a"], (), ""),
    ],
    "an additional mount makes no track missing": [
        (mnt(105, DISK), mnt(100, DISK, STICK), H, H[:5], (), ""),
    ],
    "of several mounts that are gone, the error names the one that had the missing tracks": [
        (mnt(100, DISK, EMPTY, STICK), mnt(95, DISK), H, H[:5], (), "5 tracks are gone, and /mnt/usb "),
    ],
    "most tracks are missing even if as many new ones were added": [
        (usb(100), usb(100), H, H[40:], (), "60 of 100 tracks are gone"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("claim", RULE)
def test_whether_tracks_were_deleted_or_are_missing_follows_the_documented_rules(
    claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    monkeypatch.setattr(mounts, "table", lambda: [DISK, DISK._replace(point=b"/state")])
    for (path, last_root), (_, root), before, lost, deleted, said, *found in RULE[claim]:
        reason = doubt(path, last_root, root, before, lost, deleted, *found)
        assert said in reason if said else reason == ""


def test_an_unreadable_folder_in_which_tracks_were_lost_is_an_error() -> None:
    folder = Skipped(b"/m/b/", Cause(SYSTEM_ERROR, "Permission denied"))
    missing.check_unreadable(folder, [b"/m/a.mp3"])

    said = refusal(Exit.MISSING, missing.check_unreadable, folder, [b"/m/a.mp3", b"/m/b/c.mp3"])
    assert "Permission denied; 1 track was there" in said


def test_a_path_counts_as_gone_if_no_file_or_folder_is_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    paths = (tmp_path / "gone", tmp_path / "file" / "below", tmp_path / "file")
    assert [missing.is_gone(bytes(path)) for path in paths] == [True, True, False]


@pytest.mark.parametrize("roots", [1, 2, 3])
def test_each_root_that_cannot_be_read_is_reported(tmp_path: Path, roots: int) -> None:
    gone = [bytes(tmp_path / str(number)) for number in range(roots)]

    assert {*missing.check_roots(dict.fromkeys([*gone, bytes(tmp_path)]))} == {*gone}


@pytest.mark.parametrize(
    ("tracks", "error"), [(None, PlayshuffleError), ((), PlayshuffleError), ((1, 2), MissingError)]
)
def test_a_root_on_a_drive_that_does_not_answer_counts_as_missing_if_the_root_had_tracks(
    tracks: tuple[int, ...] | None, error: type[PlayshuffleError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workers, "answers", lambda *_: {})
    last_root = None if tracks is None else Root(array("I", tracks), ())

    (found,) = missing.check_roots({b"/m": last_root}).values()

    assert (type(found), "2 tracks were there" in str(found)) == (error, error is MissingError)


@pytest.mark.parametrize(
    ("moved", "copies", "is_named"), [(4, 1, True), (3, 1, True), (2, 1, False), (4, 2, False), (0, 1, False)]
)
def test_the_error_for_a_missing_drive_names_its_new_mount_point_if_most_of_the_files_are_there(
    moved: int, copies: int, is_named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [tmp_path / f"place {number}" for number in range(copies)]
    for place in places:
        (place / "Music").mkdir(parents=True)
        for number in range(moved):
            (place / "Music" / str(number)).touch()
    now = [Mount(bytes(place), "ext4", b"/dev/sdb1", 2) for place in places]
    monkeypatch.setattr(mounts, "table", lambda: [DISK, *now])
    error = MissingError(b"/mnt/usb/Music", "it is not mounted", "Mount it.")

    after = missing.with_new_place(error, [STICK], [b"/mnt/usb/Music/%d" % number for number in range(4)])

    assert (f"playshuffle move /mnt/usb '{places[0]}'" in after.advice) == is_named
    assert (after is error) == (not is_named)


@pytest.fixture
def folders_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all folders of playlists exist."""
    monkeypatch.setattr(os.path, "isdir", lambda _: True)


@pytest.mark.usefixtures("folders_exist")
def test_a_playlist_is_not_written_to_the_mount_point_of_its_missing_drive() -> None:
    """If the folder is a link, another drive at its target does not count as missing."""
    there = [Mount(b"/mnt/sd", "vfat", b"/dev/sdb1", 7)]
    gone = [Mount(b"/", "ext4", b"/dev/sda1", 1)]
    other = [Mount(b"/mnt/sd2", "vfat", b"/dev/sdc1", 8)]

    for before, current in (([], gone), (there, there), (gone, there), (gone, gone), (other, there)):
        missing.check_output(b"/mnt/sd", before, current)
    with pytest.raises(MissingError, match=r"/mnt/sd is not mounted\..*To write the playlist without it"):
        missing.check_output(b"/mnt/sd", there, gone)


@pytest.mark.usefixtures("folders_exist")
@pytest.mark.parametrize(
    ("point", "folder", "is_missing"),
    [
        (b"/mnt/usb", b"/mnt/usb/x", True),
        (b"/home", b"/home/bob/Music", False),  # the state is on it
        (b"/export/home", b"/home/bob/Music", False),  # the home was there before it was copied
    ],
)
def test_a_drive_never_counts_as_missing_if_the_home_folder_is_or_was_on_the_drive(
    monkeypatch: pytest.MonkeyPatch, point: bytes, folder: bytes, is_missing: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/home/bob/.local/state")
    monkeypatch.setattr(mounts, "table", lambda: [DISK])
    mount = STICK._replace(point=point)

    before = [folder + b"/%d.mp3" % number for number in range(3)]
    (_, known), (_, now) = mnt(3, mount), mnt(2, DISK)
    assert bool(doubt(folder, known, now, before, before[:1])) == is_missing
    with pytest.raises(MissingError) if is_missing else nullcontext():
        missing.check_output(folder, [mount], [DISK])


@pytest.mark.parametrize("lost", [b"usb/a.mp3", b"b.mp3"])
def test_a_drive_below_a_root_that_is_a_link_counts_as_missing_only_if_tracks_on_the_drive_are_gone(
    tmp_path: Path, lost: bytes
) -> None:
    """Mounts have real paths, tracks the path that the user gave."""
    (tmp_path / "a longer name of the folder").mkdir()
    (tmp_path / "link").symlink_to("a longer name of the folder")
    root = bytes(tmp_path / "link")
    drive = STICK._replace(point=os.path.realpath(root) + b"/usb")
    before = [root + b"/usb/a.mp3", root + b"/b.mp3"]
    (_, known), (_, now) = mnt(2, DISK, drive), mnt(1, DISK)

    message = doubt(root, known, now, before, [root + b"/" + lost])

    assert "1 track is gone, and " in message if lost.startswith(b"usb") else message == ""


def is_accepted(before: list[bytes], gone: set[bytes], deleted: set[bytes]) -> bool:
    """Return whether a root with unchanged mounts counts as present though these tracks are gone."""
    (path, known), (_, now) = usb(len(before)), usb(len(before) - len(gone))
    return not doubt(path, known, now, before, sorted(gone), deleted)


@given(st.data())
def test_a_root_that_counts_as_present_still_does_if_more_deletions_are_seen_or_fewer_tracks_gone(
    data: st.DataObject,
) -> None:
    """For any number of tracks, losses and observed deletions."""
    before = HUNDRED[: data.draw(st.integers(1, 100))]
    gone = set(before[: data.draw(st.integers(0, len(before)))])
    seen = {path for path in gone if data.draw(st.booleans())} if data.draw(st.booleans()) else set()

    if is_accepted(before, gone, seen):
        assert is_accepted(before, gone, seen | set(sorted(gone)[:5]))
        assert is_accepted(before, gone, gone)
        assert all(is_accepted(before, gone - {path}, seen) for path in sorted(gone - seen)[:3])
    else:
        assert not is_accepted(before, gone, set())


# Roots that a run does not scan


def known(root: Path) -> Root:
    return Root(array("I", [1]), mounts.under(os.path.realpath(bytes(root)), mounts.table()))


def test_a_root_outside_of_the_scan_counts_as_missing_if_it_is_gone_or_empty_or_on_another_mount(
    tmp_path: Path,
) -> None:
    root = tmp_path / "Music"
    root.mkdir()
    here = known(root)
    assert seems_missing(bytes(root), here)
    (root / "a.mp3").touch()
    assert not seems_missing(bytes(root), here)
    drive = Mount(bytes(root), "ext4", b"/dev/sdb1", 7)
    assert seems_missing(bytes(root), here._replace(mounts=[drive]))
    assert seems_missing(bytes(tmp_path / "none"), here)


def test_a_network_share_outside_of_the_scan_counts_as_missing_and_is_not_accessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may hang, so no file or folder on it is accessed."""
    (tmp_path / "a.mp3").touch()
    share = Mount(bytes(tmp_path), "nfs4", b"nas:/music", 0)
    for name in ("stat", "listdir", "open"):
        monkeypatch.setattr(os, name, None)

    assert seems_missing(bytes(tmp_path), Root(array("I", [1]), [share]))
