import os
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.library import ignore_files
from playshuffle.library.folder import Skipped
from playshuffle.tags.cause import SYSTEM_ERROR, Cause
from tests.support.forked import forked
from tests.support.tree import by_path, files, find, names_below, public_folder, put, reasons


@pytest.mark.parametrize("marker", [b".nomedia", b".nomusic"])
def test_a_nomedia_file_excludes_its_folder_and_all_below(top: bytes, marker: bytes) -> None:
    """Whatever is in it."""
    put(top, b"x.mp3", b"closed/y.mp3", b"closed/in/z.mp3")
    put(top, b"closed/" + marker, content=b"!*\n")

    assert names_below(top) == [b"x.mp3"]
    assert reasons(top) == {b"closed/": f"folder has {marker.decode()}"}


@pytest.mark.parametrize("name", [b".ndignore", b".ignore"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_an_ignore_file_without_a_pattern_excludes_its_folder(
    top: bytes, name: bytes, content: bytes
) -> None:
    put(top, b"x.mp3", b"closed/y.mp3", b"closed/in/z.mp3")
    put(top, b"closed/" + name, content=content)

    assert names_below(top) == [b"x.mp3"]
    assert reasons(top) == {b"closed/y.mp3": "ignore file", b"closed/in": "ignore file"}


@pytest.mark.parametrize("name", [b".ndignore", b".ignore"])
@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (b"*.ogg", [b"a/x.mp3", b"a/y.mp3", b"x.mp3"]),
        (b"x.mp3", [b"a/b/x.ogg", b"a/y.mp3"]),
        (b"/x.mp3", [b"a/b/x.ogg", b"a/x.mp3", b"a/y.mp3"]),
        (b"a/", [b"x.mp3"]),
        (b"a/b", [b"a/x.mp3", b"a/y.mp3", b"x.mp3"]),
        (b"**/b/**", [b"a/x.mp3", b"a/y.mp3", b"x.mp3"]),
        (b"*.mp3\r\n!y.mp3\r\n", [b"a/b/x.ogg", b"a/y.mp3"]),
        (b"# *.mp3\n*.ogg   ", [b"a/x.mp3", b"a/y.mp3", b"x.mp3"]),
        (b"\xef\xbb\xbf*.mp3", [b"a/b/x.ogg"]),
    ],
)
def test_git_patterns_apply_to_all_folders_below(
    top: bytes, name: bytes, patterns: bytes, left: list[bytes]
) -> None:
    put(top, b"x.mp3", b"a/x.mp3", b"a/y.mp3", b"a/b/x.ogg")
    put(top, name, content=patterns)

    assert names_below(top) == left


def test_the_nearest_git_pattern_counts(top: bytes) -> None:
    """If it has none, the pattern of the folder above."""
    put(top, b"x.mp3", b"a/x.mp3", b"a/b/x.mp3", b"a/b/x.ogg")
    put(top, b".ignore", content=b"*.mp3\n*.ogg\n")
    put(top, b"a/.ignore", content=b"!x.mp3\n")
    put(top, b"a/b/.ndignore", content=b"/x.mp3\n")

    assert names_below(top) == [b"a/x.mp3"]


def test_both_git_style_files_of_a_folder_apply(top: bytes) -> None:
    put(top, b"x.mp3", b"x.ogg", b"x.flac")
    put(top, b".ndignore", content=b"*.mp3")
    put(top, b".ignore", content=b"*.ogg")

    assert names_below(top) == [b"x.flac"]


def test_mpd_patterns_match_bare_names(top: bytes) -> None:
    """Below, too; a bar, an exclamation mark and a slash mean nothing special."""
    put(top, b"x.mp3", b"y.mp3", b"z.ogg", b"a/x.mp3", b"a/b/z.ogg", b"b/b/x.flac", b"\xc3\xa9.mp3")
    put(top, b".mpdignore", content=b"  x.*  \n\n#z.ogg\n ?.mp3\nb\n!z.ogg\na/z.ogg\n")

    assert names_below(top) == [b"z.ogg"]


def test_an_mpdignore_without_patterns_ignores_nothing(top: bytes) -> None:
    put(top, b"x.mp3")
    put(top, b".mpdignore", content=b"\n# nothing\n")

    assert names_below(top) == [b"x.mp3"]


def test_names_that_are_not_utf_8_can_be_named(top: bytes) -> None:
    """A line ends at a line feed alone: other separators may be part of a name."""
    odd = [b"caf\xe9", b"nel\xc2\x85x", b"ls\xe2\x80\xa8x", b"vt\x0bx"]
    put(top, *(name + b".mp3" for name in odd), *(name + b".ogg" for name in odd), b"x.mp3")
    put(top, b".ignore", content=b"".join(name + b".mp3\n" for name in odd))
    put(top, b".mpdignore", content=b"".join(name + b".ogg\n" for name in odd))

    assert names_below(top) == [b"x.mp3"]


@pytest.mark.parametrize("bad", [b"[z-a]*", b"!", b"\\", b"a\\", b"["])
def test_an_invalid_pattern_matches_nothing(top: bytes, bad: bytes) -> None:
    put(top, b"x.mp3", b"y.ogg")
    put(top, b".ignore", b".mpdignore", content=bad + b"\n*.ogg\n")

    assert names_below(top) == [b"x.mp3"]


@given(st.binary(max_size=60))
@settings(deadline=None)
def test_any_ignore_file_can_be_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = os.fsencode(tmp_path_factory.getbasetemp()) + b"/any/"
    put(folder, *ignore_files.NAMES, content=content)

    rules = ignore_files.read(folder, ignore_files.NAMES, None)

    assert rules is None or rules.exclude(folder + b"x.mp3", False) in (True, False)


def test_a_folder_or_pipe_named_like_an_ignore_file_is_not_read(top: bytes) -> None:
    """To open the FIFO would hold the test for ever."""
    put(
        top, *(folder + b"/x.mp3" for folder in (b"fifo", b"folder", b"socket", b"dangling", b"loop", b"odd"))
    )
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
def test_a_folder_whose_ignore_file_cannot_be_read_keeps_its_known_tracks() -> None:
    """The excluded files are unknown."""
    with public_folder() as top:
        put(top, b"a/x.mp3", b"b/y.mp3", b"new/z.mp3")
        before = find([top + b"/a", top + b"/b"], {})
        put(top, b"a/.ignore", b"new/.ignore", content=b"*.ogg\n")
        put(top, b"a/new.mp3")
        for name in (b"a/.ignore", b"new/.ignore"):
            os.chmod(top + b"/" + name, 0)

        after = forked(lambda: find([top], by_path(before)), as_nobody=True)

        assert files(after.roots[0]) == [top + b"/a/x.mp3", top + b"/b/y.mp3"]
        assert after.unreadable == [
            Skipped(top + b"/a/", Cause(SYSTEM_ERROR, "Permission denied")),
            Skipped(top + b"/new/", Cause(SYSTEM_ERROR, "Permission denied")),
        ]


def test_ignore_files_can_be_overridden(top: bytes) -> None:
    for name in ignore_files.NAMES:
        put(top, name[1:] + b"/x.mp3")
        put(top, name[1:] + b"/" + name, content=b"*")

    assert names_below(top) == []
    assert len(names_below(top, find([top], {}, use_ignore_files=False))) == len(ignore_files.NAMES)
