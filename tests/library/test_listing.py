import os
import socket
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.library import ignore_files
from playshuffle.library.folder import Skipped
from playshuffle.library.listing import fits, is_audio_name
from playshuffle.tags.audio_formats import AUDIO_SUFFIXES
from playshuffle.tags.cause import SYSTEM_ERROR, Cause
from tests.support.file_systems import mount_new
from tests.support.forked import forked
from tests.support.hostile import NAMES
from tests.support.needs import need
from tests.support.tree import by_path, files, find, find_with_error, first_root, names_below, put, reasons


@pytest.mark.parametrize("suffix", sorted(AUDIO_SUFFIXES))
def test_every_audio_suffix_is_recognised_in_upper_and_lower_case(suffix: bytes) -> None:
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


def test_file_names_are_found_byte_for_byte_and_sorted_by_bytes(top: bytes) -> None:
    """Also names with line breaks, or with bytes that are not UTF-8."""
    names = {name for name in NAMES if not name.startswith(b".")}
    put(top, *names)

    assert names_below(top) == sorted(names)


def test_hidden_entries_and_system_folders_are_skipped_with_a_reason(top: bytes) -> None:
    """A file with the name of a system folder, or a folder with the name of an audio file, is not skipped."""
    folders = [
        b"@eaDir", b"#recycle", b"#snapshot", b"$RECYCLE.BIN", b"lost+found", b"System Volume Information",
        b"__MACOSX", b".Trash-1000", b".stversions", b".~tmp~", b".hidden",
    ]  # fmt: skip
    files_named_so = [b"#recycle.mp3", b"album.mp3/x.mp3"]
    put(top, *files_named_so, b".hidden.mp3", b"._ok.mp3", *(folder + b"/x.mp3" for folder in folders))

    assert names_below(top) == files_named_so
    assert reasons(top) == {
        b".hidden.mp3": "hidden",
        b"._ok.mp3": "AppleDouble",
        **{folder: "hidden" if folder.startswith(b".") else "system folder" for folder in folders},
    }


@pytest.mark.parametrize(
    "folder",
    ["@snapshots", "~snapshot", "@GMT-2026.11.28-10.10.10", "RECYCLER", "Recycled", "FOUND.000", "found.017",
     "@tmp", "#tmp", "LOST.DIR", "Temporary Items"],
)  # fmt: skip
def test_folders_of_systems_for_snapshots_and_deleted_files_are_skipped(top: bytes, folder: str) -> None:
    put(top, b"ok.mp3", os.fsencode(folder) + b"/x.mp3", b"Found/y.mp3", b"Snapshots/z.mp3")

    assert names_below(top) == [b"Found/y.mp3", b"Snapshots/z.mp3", b"ok.mp3"]
    assert reasons(top) == {os.fsencode(folder): "system folder"}


@pytest.mark.parametrize("name", [b"x.temp.mp3", b"x.tmp.flac", b"x.TEMP.m4a"])
def test_temporary_files_of_converters_are_skipped_even_before_the_finished_file_exists(
    top: bytes, name: bytes
) -> None:
    put(top, name, b"temp.mp3", b"a temp.mp3", b"a.temporal.mp3")

    assert names_below(top) == [b"a temp.mp3", b"a.temporal.mp3", b"temp.mp3"]
    assert reasons(top) == {name: "temporary file"}


@pytest.mark.parametrize(
    "mark",
    [
        ".sync-conflict-20261128-101010-ABCDEFG", ".sync-conflict-20261128-101010",
        ".sync-conflict-20261128-101010-ABCDEFG.sync-conflict-20261129-101010-ABCDEFG",
        " (conflicted copy 2026-11-28 101010)",
        " (Ann's conflicted copy 2026-11-28)", " (Ann Smith's Conflicted Copy)",
        " (Case Conflict 1)",
        " (In Konflikt stehende Kopie von Ann 2026-11-28)", " (Copie en conflit de Ann 2026-11-28)",
        " (SFConflict ann@example.org 2026-11-26-08-15-00)", "_conflict-20261128-101010",
        "_conflict-ann-20261128-101010", ".conflict1", ".Conflict",
    ],
)  # fmt: skip
@pytest.mark.parametrize("song", ["a.b (live)", "a\nb"])
def test_a_conflict_copy_is_skipped_beside_its_file_and_a_track_without_it(
    top: bytes, mark: str, song: str
) -> None:
    original, copy = os.fsencode(f"{song}.mp3"), os.fsencode(f"{song}{mark}.mp3")
    put(top, copy, b"other.mp3")
    before = find([top], {})
    put(top, original)
    with_both = find([top], by_path(before))
    os.truncate(top + b"/" + original, 0)  # a synchroniser that was killed
    with_empty = find([top], by_path(with_both))

    assert names_below(top, before) == sorted([copy, b"other.mp3"])
    assert names_below(top, with_both) == sorted([original, b"other.mp3"])
    assert [reason.code for _, reason in with_both.skipped] == ["conflict_copy"]
    assert copy in names_below(top, with_empty)


def test_songs_about_conflicts_are_tracks_beside_songs_of_the_same_name(top: bytes) -> None:
    songs = [b"War (Conflict Mix).mp3", b"War.mp3", b"War - conflict.mp3", b"War_conflict-zone.mp3"]
    put(top, *songs, b"War.flac", b"War.sync-conflict-20261128-101010-ABCDEFG.ogg")

    assert len(names_below(top)) == 6


def test_fifos_sockets_devices_and_broken_links_are_skipped_with_a_reason(top: bytes) -> None:
    """Opening the FIFO would block the test."""
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


@pytest.mark.parametrize("is_loop", [False, True])
def test_a_broken_link_is_followed_when_its_target_appears_though_the_folder_of_the_link_is_the_same(
    top: bytes, tmp_path: Path, is_loop: bool
) -> None:
    """A drive may be mounted at the target, or a loop of links removed there."""
    drive = bytes(tmp_path / "drive")
    put(top, b"x.mp3")
    os.symlink(drive, top + b"/album")
    if is_loop:
        os.symlink(drive, drive)
    before = find([top], {})
    if is_loop:
        os.unlink(drive)
    put(drive, b"y.mp3")

    after = find([top], by_path(before))

    assert names_below(top, before) == [b"x.mp3"]
    assert names_below(top, after) == [b"album/y.mp3", b"x.mp3"]


@pytest.mark.process
def test_a_file_that_cannot_be_examined_stays_listed_as_last_known(public: bytes) -> None:
    """A folder of mode 0444 can be listed, but size and time of its files cannot be read."""
    put(public, b"a/x.mp3", b"a/b/y.mp3", b"z.mp3")
    os.symlink(public + b"/z.mp3", public + b"/a/link.mp3")
    before = find([public], {})
    put(public, b"a/new.mp3")
    os.chmod(public + b"/a", 0o444)

    after = forked(lambda: find([public, public + b"/a/b"], by_path(before)), as_nobody=True)

    assert files(first_root(after)) == files(first_root(before))
    assert sorted(path.removeprefix(public) for path, _ in after.unreadable) == [
        b"/a/b/", b"/a/link.mp3", b"/a/new.mp3", b"/a/x.mp3",
    ]  # fmt: skip
    stamps = {folder.path: folder.stamps for folder in first_root(before)}
    assert {folder.path: folder.stamps for folder in first_root(after)} == stamps


@pytest.mark.process
def test_a_file_that_could_not_be_examined_is_found_by_the_next_scan(top: bytes, tmp_path: Path) -> None:
    """A disk error prevented reading its size and time. Its folder has not changed."""
    put(top, b"x.mp3", b"y.mp3")

    before = find_with_error(top, {}, tmp_path, "newfstatat", top + b"/y.mp3")
    after = find([top], by_path(before))

    assert names_below(top, before) == [b"x.mp3"]
    assert before.unreadable == [Skipped(top + b"/y.mp3", Cause(SYSTEM_ERROR, "Input/output error"))]
    assert names_below(top, after) == [b"x.mp3", b"y.mp3"]


@pytest.mark.process
def test_a_link_into_an_unreadable_folder_is_followed_as_soon_as_the_folder_is_readable(
    public: bytes,
) -> None:
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
def test_a_second_change_within_one_tick_of_the_coarse_clock_of_a_file_system_is_noticed(
    tmp_path: Path,
) -> None:
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

        def times() -> list[tuple[int, int]]:
            found = map(os.stat, (top + b"/a/x.mp3", top + b"/b"))
            return [(status.st_mtime_ns, status.st_ctime_ns) for status in found]

        while True:  # until both changes fall into one second
            put(top, b"a/x.mp3", content=b"old")
            os.mkfifo(top + b"/b/y.mp3")
            stamps = times()
            before = find([top], {})
            put(top, b"a/x.mp3", content=b"new")
            os.unlink(top + b"/b/y.mp3")
            put(top, b"b/y.mp3")
            if times() == stamps:
                break
            os.unlink(top + b"/b/y.mp3")
        after = find([top], by_path(before))
        find_later = partial(find, [top], clock_ns=lambda: time.time_ns() + 10**10)
        later = find_later(by_path(after))
        again = find_later(by_path(later))
        x = [first_root(found)[1].stamps for found in (before, after, later)]
        is_final = all(map(lambda one, other: one is other, first_root(later), first_root(again)))
        return x[0] != x[1], x[1] != x[2], is_final, names_below(top, after)

    assert forked(change_twice, own_mounts=True) == (True, True, True, [b"a/x.mp3", b"b/y.mp3"])


@given(st.integers(0, 2**64 - 1))
@settings(deadline=None)
def test_every_inode_number_is_folded_into_a_signed_64_bit_number(inode: int) -> None:
    assert -(2**63) <= fits(inode) < 2**63
    assert fits(inode) == inode or inode >= 2**63


# Ignore files


@pytest.mark.parametrize("marker", [b".nomedia", b".nomusic"])
def test_a_nomedia_file_excludes_its_folder_and_all_below(top: bytes, marker: bytes) -> None:
    """Whatever the file contains."""
    put(top, b"x.mp3", b"closed/y.mp3", b"closed/in/z.mp3")
    put(top, b"closed/" + marker, content=b"!*\n")

    assert names_below(top) == [b"x.mp3"]
    assert reasons(top) == {b"closed/": f"folder has {marker.decode()}"}


@pytest.mark.parametrize("name", [b".ndignore", b".ignore"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_an_empty_ignore_file_excludes_its_folder(top: bytes, name: bytes, content: bytes) -> None:
    put(top, b"x.mp3", b"closed/y.mp3", b"closed/in/z.mp3")
    put(top, b"closed/" + name, content=content)

    assert names_below(top) == [b"x.mp3"]
    assert reasons(top) == {b"closed/y.mp3": "ignore file", b"closed/in": "ignore file"}


@pytest.mark.parametrize("name", [b".ndignore", b".ignore"])
@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        *(
            (patterns, [b"a/x.mp3", b"a/y.mp3", b"x.mp3"])
            for patterns in (b"*.ogg", b"a/b", b"**/b/**", b"# *.mp3\n*.ogg   ")
        ),
        (b"x.mp3", [b"a/b/x.ogg", b"a/y.mp3"]),
        (b"/x.mp3", [b"a/b/x.ogg", b"a/x.mp3", b"a/y.mp3"]),
        (b"a/", [b"x.mp3"]),
        (b"*.mp3\r\n!y.mp3\r\n", [b"a/b/x.ogg", b"a/y.mp3"]),
        (b"\xef\xbb\xbf*.mp3", [b"a/b/x.ogg"]),
    ],
)
def test_git_patterns_in_an_ignore_file_apply_to_its_folder_and_subfolders(
    top: bytes, name: bytes, patterns: bytes, left: list[bytes]
) -> None:
    put(top, b"x.mp3", b"a/x.mp3", b"a/y.mp3", b"a/b/x.ogg")
    put(top, name, content=patterns)

    assert names_below(top) == left


def test_of_several_ignore_files_the_one_nearest_to_a_file_decides_whether_that_file_is_skipped(
    top: bytes,
) -> None:
    """If no pattern of a file's own folder matches, the patterns of the folder above count."""
    put(top, b"x.mp3", b"a/x.mp3", b"a/b/x.mp3", b"a/b/x.ogg")
    put(top, b".ignore", content=b"*.mp3\n*.ogg\n")
    put(top, b"a/.ignore", content=b"!x.mp3\n")
    put(top, b"a/b/.ndignore", content=b"/x.mp3\n")

    assert names_below(top) == [b"a/x.mp3"]


def test_patterns_of_both_ndignore_and_ignore_apply_if_a_folder_has_both_files(top: bytes) -> None:
    put(top, b"x.mp3", b"x.ogg", b"x.flac")
    put(top, b".ndignore", content=b"*.mp3")
    put(top, b".ignore", content=b"*.ogg")

    assert names_below(top) == [b"x.flac"]


def test_patterns_of_mpdignore_match_bare_names_and_never_whole_paths(top: bytes) -> None:
    """Also in subfolders; `!` and `/` have no special meaning. A file without patterns ignores nothing."""
    put(top, b"x.mp3", b"y.mp3", b"z.ogg", b"a/x.mp3", b"a/b/z.ogg", b"b/b/x.flac", b"c/z.ogg")
    put(top, b".mpdignore", content=b"  x.*  \n\n#z.ogg\n ?.mp3\nb\n!z.ogg\na/z.ogg\n")
    put(top, b"\xc3\xa9.mp3")
    put(top, b"c/.mpdignore", content=b"\n# nothing\n")

    assert names_below(top) == [b"c/z.ogg", b"z.ogg"]


def test_ignore_files_can_exclude_names_that_are_not_utf_8(top: bytes) -> None:
    """A line ends at a line feed alone: other separators may be part of a name."""
    odd = [b"caf\xe9", b"nel\xc2\x85x", b"ls\xe2\x80\xa8x", b"vt\x0bx"]
    put(top, *(name + b".mp3" for name in odd), *(name + b".ogg" for name in odd), b"x.mp3")
    put(top, b".ignore", content=b"".join(name + b".mp3\n" for name in odd))
    put(top, b".mpdignore", content=b"".join(name + b".ogg\n" for name in odd))

    assert names_below(top) == [b"x.mp3"]


@pytest.mark.parametrize("bad", [b"[z-a]*", b"!", b"\\", b"a\\", b"["])
def test_an_invalid_pattern_in_an_ignore_file_matches_nothing(top: bytes, bad: bytes) -> None:
    put(top, b"x.mp3", b"y.ogg")
    put(top, b".ignore", b".mpdignore", content=bad + b"\n*.ogg\n")

    assert names_below(top) == [b"x.mp3"]


@given(st.binary(max_size=60))
@settings(deadline=None)
def test_an_ignore_file_with_any_content_raises_no_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    folder = os.fsencode(tmp_path_factory.getbasetemp()) + b"/any/"
    put(folder, *ignore_files.NAMES, content=content)

    rules = ignore_files.read(folder, ignore_files.NAMES, None)

    assert rules is None or rules.exclude(folder + b"x.mp3", False) in (True, False)


def test_a_folder_or_pipe_named_like_an_ignore_file_is_not_read(top: bytes) -> None:
    """Opening the FIFO would block the test."""
    put(top, *(name + b"/x.mp3" for name in (b"fifo", b"folder", b"socket", b"dangling", b"loop", b"odd")))
    os.mkfifo(top + b"/fifo/.ignore")
    os.mkdir(top + b"/folder/.ndignore")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(top + b"/socket/.ignore")
    os.symlink(b"nowhere", top + b"/dangling/.ndignore")
    os.symlink(b".mpdignore", top + b"/loop/.mpdignore")
    os.symlink(b"x.mp3/y", top + b"/odd/.ignore")
    descriptors = os.listdir(b"/proc/self/fd")

    found = find([top], {})

    assert len(names_below(top, found)) == 6
    assert found.unreadable == []
    assert len(os.listdir(b"/proc/self/fd")) == len(descriptors)


@pytest.mark.process
def test_a_folder_whose_ignore_file_cannot_be_read_keeps_its_known_tracks(public: bytes) -> None:
    """It is unknown which files it excludes."""
    put(public, b"a/x.mp3", b"b/y.mp3", b"new/z.mp3")
    before = find([public + b"/a", public + b"/b"], {})
    put(public, b"a/.ignore", b"new/.ignore", content=b"*.ogg\n")
    put(public, b"a/new.mp3")
    for name in (b"a/.ignore", b"new/.ignore"):
        os.chmod(public + b"/" + name, 0)

    after = forked(lambda: find([public], by_path(before)), as_nobody=True)

    assert files(first_root(after)) == [public + b"/a/x.mp3", public + b"/b/y.mp3"]
    assert after.unreadable == [
        Skipped(public + b"/a/", Cause(SYSTEM_ERROR, "Permission denied")),
        Skipped(public + b"/new/", Cause(SYSTEM_ERROR, "Permission denied")),
    ]
