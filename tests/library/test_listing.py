import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.library.folder import Skipped
from playshuffle.library.listing import fits, is_audio_name
from playshuffle.tags.audio_formats import AUDIO_SUFFIXES
from playshuffle.tags.cause import SYSTEM_ERROR, Cause
from tests.support.file_systems import mount_new
from tests.support.forked import forked
from tests.support.hostile import NAMES
from tests.support.needs import need
from tests.support.tree import by_path, files, find, find_with_error, names_below, put, reasons


@pytest.mark.parametrize("suffix", sorted(AUDIO_SUFFIXES))
def test_every_audio_suffix_counts_in_either_case(suffix: bytes) -> None:
    assert is_audio_name(b"x" + suffix)
    assert is_audio_name(b"x" + suffix.upper())
    assert is_audio_name(b"a.b.c" + suffix.title())


@pytest.mark.parametrize(
    "name",
    [
        b"mp3", b".mp3", b"x", b"x.", b"x.mp33", b"x.mp3 ", b"x.mp3\n",
        b"x.mp3.part", b"x.mp3.crdownload", b"x.mp3~", b"x.mp3.aria2", b".x.mp3.Ab3dE6",
        b"x.m3u", b"x.m3u8", b"x.pls", b"x.cue", b"x.mid", b"x.mp4", b"x.mkv", b"x.ogv", b"x.jpg",
    ],
)  # fmt: skip
def test_partial_downloads_playlists_midi_and_video_are_not_audio(name: bytes) -> None:
    assert not is_audio_name(name)


def test_names_are_kept_byte_for_byte_and_sorted_by_bytes(top: bytes) -> None:
    """Non-UTF-8 names and line breaks included."""
    names = {name for name in NAMES if not name.startswith(b".")}
    put(top, *names)

    assert names_below(top) == sorted(names)


def test_folders_of_systems_and_programs_are_left_out_with_a_reason(top: bytes) -> None:
    folders = [
        b"@eaDir", b"#recycle", b"#snapshot", b"$RECYCLE.BIN", b"lost+found", b"System Volume Information",
        b"__MACOSX", b".Trash-1000", b".stversions", b".~tmp~", b".hidden",
    ]  # fmt: skip
    put(top, b"ok.mp3", b".hidden.mp3", b"._ok.mp3", *(folder + b"/x.mp3" for folder in folders))

    assert names_below(top) == [b"ok.mp3"]
    assert reasons(top) == {
        b".hidden.mp3": "hidden",
        b"._ok.mp3": "AppleDouble",
        **{folder: "hidden" if folder.startswith(b".") else "system folder" for folder in folders},
    }


def test_a_file_with_the_name_of_a_system_folder_is_a_file(top: bytes) -> None:
    put(top, b"#recycle.mp3", b"album.mp3/x.mp3")

    assert names_below(top) == [b"#recycle.mp3", b"album.mp3/x.mp3"]


def test_only_regular_files_are_opened(top: bytes) -> None:
    """To open the FIFO would hold the test for ever."""
    put(top, b"ok.mp3")
    os.mkfifo(top + b"/fifo.mp3")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(top + b"/socket.mp3")
    os.symlink(b"/dev/zero", top + b"/zero.mp3")
    os.symlink(b"fifo.mp3", top + b"/link.mp3")
    os.symlink(b"nowhere", top + b"/dangling.mp3")
    os.symlink(b"self.mp3", top + b"/self.mp3")
    os.symlink(b"fifo", top + b"/no audio")

    assert names_below(top) == [b"ok.mp3"]
    assert reasons(top) == {
        b"fifo.mp3": "not a regular file",
        b"socket.mp3": "not a regular file",
        b"zero.mp3": "link to no file",
        b"link.mp3": "link to no file",
        b"dangling.mp3": "link to no file",
        b"self.mp3": "link to no file",
    }


@pytest.mark.root
def test_a_device_is_not_a_track(top: bytes) -> None:
    os.mkdir(top)
    os.mknod(top + b"/x.mp3", 0o600 | 0o020000, os.makedev(1, 5))

    assert reasons(top) == {b"x.mp3": "not a regular file"}


def test_a_broken_link_is_examined_again(top: bytes, tmp_path: Path) -> None:
    """Its target may appear without a change in the folder: a drive that is mounted."""
    drive = os.fsencode(tmp_path / "drive")
    put(top, b"x.mp3")
    os.symlink(drive, top + b"/album")
    before = find([top], {})
    put(drive, b"y.mp3")

    after = find([top], by_path(before))

    assert names_below(top, before) == [b"x.mp3"]
    assert names_below(top, after) == [b"album/y.mp3", b"x.mp3"]


def test_a_link_loop_fixed_elsewhere_is_found(top: bytes, tmp_path: Path) -> None:
    elsewhere = os.fsencode(tmp_path / "elsewhere")
    put(top, b"x.mp3")
    os.symlink(elsewhere, elsewhere)
    os.symlink(elsewhere, top + b"/album")
    before = find([top], {})
    os.unlink(elsewhere)
    put(elsewhere, b"y.mp3")

    assert names_below(top, find([top], by_path(before))) == [b"album/y.mp3", b"x.mp3"]


@pytest.mark.process
def test_a_file_that_cannot_be_examined_keeps_its_known_row(public: bytes) -> None:
    """A folder of mode 0444 lists its names, but nothing can be said of them."""
    put(public, b"a/x.mp3", b"a/b/y.mp3", b"z.mp3")
    os.symlink(public + b"/z.mp3", public + b"/a/link.mp3")
    before = find([public], {})
    put(public, b"a/new.mp3")
    os.chmod(public + b"/a", 0o444)

    after = forked(lambda: find([public, public + b"/a/b"], by_path(before)), as_nobody=True)

    assert files(after.roots[0]) == files(before.roots[0])
    assert sorted(path.removeprefix(public) for path, _ in after.unreadable) == [
        b"/a/b/", b"/a/link.mp3", b"/a/new.mp3", b"/a/x.mp3",
    ]  # fmt: skip
    stamps = {folder.path: folder.stamps for folder in before.roots[0]}
    assert {folder.path: folder.stamps for folder in after.roots[0]} == stamps


@pytest.mark.process
def test_a_file_that_could_not_be_examined_is_examined_again(top: bytes, tmp_path: Path) -> None:
    """Though nothing has changed in its folder."""
    put(top, b"x.mp3", b"y.mp3")

    before = find_with_error(top, {}, tmp_path, "newfstatat", top + b"/y.mp3")
    after = find([top], by_path(before))

    assert names_below(top, before) == [b"x.mp3"]
    assert before.unreadable == [Skipped(top + b"/y.mp3", Cause(SYSTEM_ERROR, "Input/output error"))]
    assert names_below(top, after) == [b"x.mp3", b"y.mp3"]


@pytest.mark.process
def test_a_link_into_an_unreadable_folder_is_examined_again(public: bytes) -> None:
    put(public, b"closed/album/x.mp3", b"music/y.mp3")
    os.symlink(public + b"/closed/album", public + b"/music/album")
    os.chmod(public + b"/closed", 0)
    music = public + b"/music"

    before = forked(lambda: find([music], {}), as_nobody=True)
    os.chmod(public + b"/closed", 0o755)
    after = find([music], by_path(before))

    assert before.unreadable == [Skipped(music + b"/album", Cause(SYSTEM_ERROR, "Permission denied"))]
    assert names_below(music, after) == [b"album/x.mp3", b"y.mp3"]


@pytest.mark.root
@pytest.mark.process
def test_a_second_change_within_one_tick_of_a_coarse_clock_is_seen(tmp_path: Path) -> None:
    """As on FAT, and here on an ext4 with small inodes, whose clock ticks once a second."""
    need("mkfs.ext4")
    image, drive = os.fsencode(tmp_path / "image"), os.fsencode(tmp_path / "drive")
    with open(image, "wb") as file:
        file.truncate(4 << 20)
    os.mkdir(drive)
    subprocess.run(["mkfs.ext4", "-q", "-I", "128", image], check=True, capture_output=True)

    def change_twice() -> tuple[bool, bool, bool, list[bytes]]:
        mount_new(image, drive)
        top = drive + b"/music"
        put(top, b"a/", b"b/")
        while True:  # until both changes fall into one second
            put(top, b"a/x.mp3", content=b"old")
            os.mkfifo(top + b"/b/y.mp3")
            stamps = stamps_of(top + b"/a/x.mp3"), stamps_of(top + b"/b")
            before = find([top], {})
            put(top, b"a/x.mp3", content=b"new")
            os.unlink(top + b"/b/y.mp3")
            put(top, b"b/y.mp3")
            if (stamps_of(top + b"/a/x.mp3"), stamps_of(top + b"/b")) == stamps:
                break
            os.unlink(top + b"/b/y.mp3")
        after = find([top], by_path(before))
        later = find([top], by_path(after), clock_ns=in_ten_seconds)
        again = find([top], by_path(later), clock_ns=in_ten_seconds)
        x = [found.roots[0][1].stamps for found in (before, after, later)]
        is_final = all(map(lambda one, other: one is other, later.roots[0], again.roots[0]))
        return x[0] != x[1], x[1] != x[2], is_final, names_below(top, after)

    assert forked(change_twice, own_mounts=True) == (True, True, True, [b"a/x.mp3", b"b/y.mp3"])


def stamps_of(path: bytes) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_ctime_ns


def in_ten_seconds() -> int:
    return time.time_ns() + 10 * 10**9


@given(st.integers(0, 2**64 - 1))
@settings(deadline=None)
def test_every_inode_number_fits_into_64_bits_with_sign(inode: int) -> None:
    assert -(2**63) <= fits(inode) < 2**63
    assert fits(inode) == inode or inode >= 2**63
