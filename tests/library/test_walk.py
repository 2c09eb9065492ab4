import os
import shutil
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from playshuffle.library import listing, outdated_folders, scan
from playshuffle.library.folder import Skipped
from playshuffle.library.walk import Dirty, WalkResult
from playshuffle.tags.cause import SYSTEM_ERROR, Cause
from tests.support.forked import forked
from tests.support.sized import rotate
from tests.support.tree import by_path, files, find, find_with_error, first_root, names_below, put

# Files and folders


@pytest.mark.process
def test_files_in_folders_nested_1500_levels_deep_are_found(tmp_path: Path) -> None:
    """Deeper than the recursion limit of Python."""
    top = os.fsencode(tmp_path)
    deepest = top
    for _ in range(1500):
        deepest += b"/d"
        os.mkdir(deepest)
    put(deepest, b"x.mp3")

    found = find([top], {})
    again = find([top], by_path(found))
    subprocess.run(["rm", "-r", top + b"/d"], check=True)  # what Python deletes with cannot

    assert names_below(top, found) == [b"d/" * 1500 + b"x.mp3"]
    assert all(map(lambda one, other: one is other, first_root(found), first_root(again)))


def test_a_path_too_long_for_the_kernel_is_reported_and_does_not_stop_the_walk(top: bytes) -> None:
    put(top, b"x.mp3")
    descriptor = os.open(top, os.O_RDONLY)
    for _ in range(17):
        os.mkdir(b"n" * 250, dir_fd=descriptor)
        inner = os.open(b"n" * 250, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)

    found = find([top], {})

    assert names_below(top, found) == [b"x.mp3"]
    assert [str(reason) for _, reason in found.unreadable] == ["File name too long"]


@pytest.mark.parametrize("inner_first", [False, True])
def test_a_folder_below_several_roots_is_found_once(top: bytes, inner_first: bool) -> None:
    put(top, b"a/x.mp3", b"b/y.mp3")
    roots = [top, top + b"/a", top][:: -1 if inner_first else 1]

    found = find(roots, {})

    assert sorted(path for root in found.roots.values() for path in files(root)) == [
        top + b"/a/x.mp3",
        top + b"/b/y.mp3",
    ]
    assert len(by_path(found)) == sum(map(len, found.roots.values()))


@pytest.mark.root
@pytest.mark.process
def test_the_root_folder_of_the_machine_can_be_scanned(top: bytes) -> None:
    """Its path is the slash that ends the path of any other folder."""
    put(top, b"a/x.mp3")

    def walk() -> WalkResult:
        os.chroot(top)
        before = find([b"/"], {})
        assert find([b"/"], by_path(before)) == before
        return before

    assert files(first_root(forked(walk))) == [b"/a/x.mp3"]


def test_a_missing_root_keeps_its_known_folders_and_is_reported_as_unreadable(top: bytes) -> None:
    put(top, b"a/x.mp3")
    before = find([top], {})
    shutil.rmtree(top)

    after = find([top], by_path(before))

    assert after.roots == before.roots
    assert after.unreadable == [Skipped(top + b"/", Cause(SYSTEM_ERROR, "No such file or directory"))]


def test_a_folder_deleted_during_the_walk_is_not_reported_as_unreadable(top: bytes) -> None:
    put(top, *(b"a/%d.mp3" % number for number in range(1024)), b"b/x.mp3")

    found = find([top], {}, report=lambda _: shutil.rmtree(top + b"/b", ignore_errors=True))

    assert len(names_below(top, found)) == 1024
    assert found.unreadable == []


# Links


def test_a_walk_through_a_loop_of_links_ends(top: bytes) -> None:
    put(top, b"a/x.mp3", b"b/y.mp3")
    for link, target in ((b"a/up", b".."), (b"a/b", b"../b"), (b"b/a", b"../a"), (b"self", b".")):
        os.symlink(target, top + b"/" + link)

    assert names_below(top) == [b"a/x.mp3", b"b/y.mp3"]


def test_a_folder_is_found_by_its_real_path_rather_than_through_a_link(top: bytes, tmp_path: Path) -> None:
    """Also if the link sorts before the real path, or the real path is in another root."""
    other = os.fsencode(tmp_path / "other")
    put(top, b"z/x.mp3")
    put(other, b"y.mp3")
    os.symlink(b"z", top + b"/a")
    os.symlink(other, top + b"/b")

    found = find([top, other], {})

    assert [files(root) for root in found.roots.values()] == [[top + b"/z/x.mp3"], [other + b"/y.mp3"]]


def test_of_two_links_to_a_folder_only_the_one_with_the_smallest_path_is_followed(
    top: bytes, tmp_path: Path
) -> None:
    put(os.fsencode(tmp_path / "outside"), b"x.mp3")
    put(top, b"1/", b"2/")
    os.symlink(tmp_path / "outside", top + b"/2/a")
    os.symlink(tmp_path / "outside", top + b"/1/z")

    assert names_below(top) == [b"1/z/x.mp3"]


def test_paths_of_tracks_below_a_root_that_is_a_link_begin_with_the_path_of_the_link(
    top: bytes, tmp_path: Path
) -> None:
    put(top, b"x.mp3")
    link = os.fsencode(tmp_path / "link")
    os.symlink(top, link)

    assert files(first_root(find([link, top], {}))) == [link + b"/x.mp3"]


# What cannot be read


@pytest.mark.process
@pytest.mark.parametrize("mode", [0, 0o111])
def test_each_last_known_track_below_an_unreadable_folder_stays_and_is_found_only_once(
    public: bytes, mode: int
) -> None:
    """Through links, too, and though three roots lead there. With mode 0111, a known name can be opened."""
    put(public, b"music/closed/in/x.mp3", b"music/closed/y.mp3", b"music/open/z.mp3", b"outside/v.mp3")
    music, closed = public + b"/music", public + b"/music/closed"
    os.symlink(public + b"/outside", closed + b"/link")
    roots = [closed + b"/in", music, closed]
    before = find(roots, {})
    os.chmod(closed, mode)

    after = forked(lambda: find(roots, by_path(before)), as_nobody=True)

    assert sorted(path for root in after.roots.values() for path in files(root)) == [
        closed + b"/in/x.mp3", closed + b"/link/v.mp3", closed + b"/y.mp3", music + b"/open/z.mp3"
    ]  # fmt: skip
    unreadable = [b"/"] if mode else [b"/", b"/in/", b"/link/"]
    assert sorted(path for path, _ in after.unreadable) == [closed + name for name in unreadable]


@pytest.mark.process
@pytest.mark.parametrize(("mode", "unreadable"), [(0, b"/closed/"), (0o444, b"/closed/in/")])
def test_a_new_unreadable_folder_is_reported_once(public: bytes, mode: int, unreadable: bytes) -> None:
    put(public, b"closed/in/x.mp3", b"y.mp3")
    os.chmod(public + b"/closed", mode)

    found = forked(lambda: find([public, public + unreadable], {}), as_nobody=True)

    assert names_below(public, found) == [b"y.mp3"]
    assert found.unreadable == [Skipped(public + unreadable, Cause(SYSTEM_ERROR, "Permission denied"))]


@pytest.mark.parametrize("call", ["openat", "getdents64"])
@pytest.mark.process
def test_a_folder_that_a_disk_error_makes_unreadable_keeps_its_known_files(
    top: bytes, tmp_path: Path, call: str
) -> None:
    put(top, b"good/x.mp3", b"bad/y.mp3", b"bad/below/z.mp3")
    before = find([top], {})
    put(top, b"good/new.mp3", b"bad/new.mp3")

    found = find_with_error(top, by_path(before), tmp_path, call, top + b"/bad/", top + b"/bad")

    assert names_below(top, found) == [b"bad/below/z.mp3", b"bad/y.mp3", b"good/new.mp3", b"good/x.mp3"]
    assert found.unreadable == [Skipped(top + b"/bad/", Cause(SYSTEM_ERROR, "Input/output error"))]


# What has changed


def test_a_second_walk_returns_unchanged_folders_as_the_same_objects(top: bytes, tmp_path: Path) -> None:
    """Also folders with links, and folders under ignore files."""
    put(os.fsencode(tmp_path / "outside"), b"x.mp3")
    put(
        top, b"a/x.mp3", b"a/b/cover.jpg", b"linked/y.mp3", b"ruled/z.mp3", b"ruled/in/v.mp3", b"closed/w.mp3"
    )
    put(top, b"ruled/.ignore", b"closed/.nomedia", content=b"*.ogg\n")
    os.symlink(tmp_path / "outside", top + b"/linked/folder")
    os.symlink(top + b"/a/x.mp3", top + b"/linked/file.mp3")
    os.mkfifo(top + b"/fifo.mp3")
    before = find([top], {})

    after = find([top], by_path(before))

    assert after == before
    assert len(first_root(before)) == 8
    assert all(map(lambda one, other: one is other, first_root(before), first_root(after)))


def test_folders_of_a_drive_with_a_new_device_number_count_as_unchanged(top: bytes) -> None:
    put(top, b"x.mp3")
    (folder,) = first_root(find([top], {}))
    read = folder._replace(durations_ms=bytes(4))

    assert first_root(find([top], {folder.path: read._replace(device=7)})) == [read]


def test_a_walk_applies_ignore_files_only_if_requested_whether_or_not_the_last_walk_did(top: bytes) -> None:
    put(top, b"x.mp3", b"closed/y.mp3", b"closed/in/z.mp3", b"ruled/no.mp3", b"ruled/in/no.mp3")
    put(top, b"closed/.nomedia")
    put(top, b"ruled/.ndignore", content=b"no.mp3\n")
    without = find([top], {}, use_ignore_files=False)
    with_them = find([top], {})

    assert len(names_below(top, without)) == 5
    assert names_below(top, with_them) == [b"x.mp3"]
    assert find([top], by_path(without)) == with_them
    assert find([top], by_path(with_them), use_ignore_files=False) == without


def test_progress_is_reported_after_every_folder_that_is_listed(top: bytes) -> None:
    """On a slow disk, each report shows that the scan goes on."""
    put(top, *(b"%d/%d.mp3" % (folder, file) for folder in range(3) for file in range(7)))
    reported: list[int] = []

    find([top], {}, report=reported.append)

    assert reported == [0, 7, 14, 21]


def test_a_folder_behind_a_link_is_scanned_even_if_no_event_names_it(top: bytes) -> None:
    """Events come from the folder's real path, which is not watched."""
    put(top, b"m/a.mp3", b"other/deep/1.mp3")
    os.symlink(top + b"/other", top + b"/m/link")
    known = by_path(find([top + b"/m"], {}))
    put(top, b"other/deep/2.mp3")

    found = find([top + b"/m"], known, dirty=Dirty(frozenset()))

    assert names_below(top, found) == [b"m/a.mp3", b"m/link/deep/1.mp3", b"m/link/deep/2.mp3"]


def test_a_folder_that_a_file_was_moved_out_of_is_scanned_even_if_no_event_names_it(top: bytes) -> None:
    put(top, b"m/1.mp3", b"m/2.mp3", b"drive/a/3.mp3", b"drive/b/4.mp3")
    known = by_path(find([top], {}))
    rotate(top + b"/m/1.mp3", top + b"/drive/a/3.mp3")
    rotate(top + b"/drive/a/3.mp3", top + b"/drive/b/4.mp3")

    found = find([top], known, dirty=Dirty(frozenset({top + b"/m/"})))

    assert inodes(found) == inodes(find([top], {}))


def test_files_that_exchange_names_repeatedly_during_the_walk_are_each_found_once(top: bytes) -> None:
    put(top, b"a/1.mp3", b"b/2.mp3")
    known = by_path(find([top], {}))
    exchange_count = 0

    def exchange_and_tell_time() -> int:
        """Exchange the files, at most 25 times. Called before each listing of a folder."""
        nonlocal exchange_count
        if exchange_count < 25:
            exchange_count += 1
            rotate(top + b"/a/1.mp3", top + b"/b/2.mp3")
        return time.time_ns()

    dirty = Dirty(frozenset({top + b"/a/", top + b"/b/"}))
    found = find([top], known, clock_ns=exchange_and_tell_time, dirty=dirty)

    assert exchange_count == 25
    assert inodes(found) == inodes(find([top], {}))


def test_a_scan_ends_even_if_a_file_was_moved_from_a_drive_that_is_missing_now(top: bytes) -> None:
    """An inode of a missing file may belong to another file on another file system."""
    put(top, b"drive/1.mp3", b"m/2.mp3")
    roots = [top + b"/drive", top + b"/m"]
    known = by_path(find(roots, {}))
    os.rename(top + b"/drive/1.mp3", top + b"/m/3.mp3")
    os.rename(top + b"/drive", top + b"/unmounted")
    looks: list[int] = []

    found = find(roots, known, report=looks.append)

    assert len(inodes(found)) == 3
    assert len(looks) < 50


def test_a_scan_ends_even_if_inode_numbers_change_at_each_stat(
    top: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FUSE file system may give a file the former inode number of another file."""
    put(top, *(b"%d/%d.mp3" % (folder, file) for folder in range(2) for file in range(20)))
    known = by_path(find([top], {}))
    inode = Random(1).randrange
    monkeypatch.setattr(outdated_folders, "_is_at", lambda *_: inode(20) == 0)
    monkeypatch.setattr(scan, "birth_of", lambda _: None)
    monkeypatch.setattr(listing, "file_stamp", lambda file: (file.st_size, 1, 1, inode(20)))

    looks: list[int] = []

    found = find([top], known, report=looks.append, dirty=Dirty(frozenset({top + b"/0/", top + b"/1/"})))

    assert len(names_below(top, found)) == 40
    assert len(looks) < 50


def inodes(found: WalkResult) -> dict[bytes, int]:
    """Return the inode of each file by its path."""
    return {
        path: inode
        for root in found.roots.values()
        for folder in root
        for path, inode in zip(folder.file_paths(), folder.stamp_column(3), strict=True)
    }
