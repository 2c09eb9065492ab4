"""Paths of this computer are mapped to those that a player sees, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import Exit
from playshuffle.playlist.m3u import PathStyle, Text, entries, parse, unwritable
from playshuffle.playlist.path_map import Back, Base, parse_map
from tests.support.hostile import PATHS
from tests.support.refusals import refusal

paths = st.lists(st.sampled_from(sorted(PATHS)), max_size=5, unique=True)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (b"/srv/music=/music", (b"/srv/music/", b"/music/")),
        (b"/srv/music/=/music/", (b"/srv/music/", b"/music/")),
        (b"/a=b=/c", (b"/a=b/", b"/c/")),
        (b"/srv/music=Z:\\Music", (b"/srv/music/", b"Z:\\Music\\")),
        (b"/srv/music=\\\\nas\\music\\", (b"/srv/music/", b"\\\\nas\\music\\")),
        (b"/srv/music=Z:/Music", (b"/srv/music/", b"Z:/Music/")),
        (b"/srv/music=smb://nas/music", (b"/srv/music/", b"smb://nas/music/")),
        (b"/=/", (b"/", b"/")),
        (b"/a=/b=c", (b"/a/", b"/b=c/")),
        (b"/a=Z:\\b=c", (b"/a/", b"Z:\\b=c\\")),
        (b"/a=/b=/c", (b"/a=/b/", b"/c/")),
        (b"/a\\b=/c", (b"/a\\b/", b"/c/")),
        (b"//a/./b/../c//=/c", (b"//a/c/", b"/c/")),
        (b"~/Music=Z:\\Music", (b"/home/ann/Music/", b"Z:\\Music\\")),
        (b"~=/", (b"/home/ann/", b"/")),
    ],
)
def test_a_path_map_is_parsed_into_a_folder_here_and_the_folder_that_the_player_sees(
    text: bytes, pair: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")

    assert parse_map(text) == pair


@pytest.mark.parametrize("text", [b"", b"=", b"/a", b"a=/b", b"/a=b", b"/a=", b"=/b", b"/a=/b\nc"])
@pytest.mark.parametrize("home", [b"", b"~nobody-has-this-name"])
def test_a_path_map_without_two_absolute_paths_is_refused(text: bytes, home: bytes) -> None:
    assert refusal(Exit.USAGE, parse_map, home + text)


def check_read_back(base: Base, real: list[bytes], written: list[bytes]) -> None:
    kept = sorted(set(range(len(real))).difference(unwritable(written)))
    comments = [("ORDER", "random"), ("BASE", base.comment(b"/lists"))]
    content = b"".join(Text([line + b"\n" for line in written], kept, comments))

    assert parse(content, b"/lists").paths == [real[index] for index in kept]


@pytest.mark.parametrize("theirs", [b"/music/", b"/", b"/mu sic=%41/", b"Z:/Music/", b"smb://nas/x/"])
@given(some=paths)
def test_the_entries_read_from_a_playlist_with_mapped_paths_are_the_files_on_this_computer(
    theirs: bytes, some: list[bytes]
) -> None:
    real = [b"/srv/my music/" + path for path in some]
    base = Base(b"/lists", ((b"/srv/my music/", theirs),))

    check_read_back(base, real, [base.for_player(path) for path in real])


@given(some=paths, here=st.sampled_from([b"/srv/m", b"/srv/m/deep", b"/", b"/o ther=%"]))
def test_entries_relative_to_another_folder_than_that_of_the_playlist_are_read_as_their_files(
    some: list[bytes], here: bytes
) -> None:
    real = [b"/srv/m/" + path for path in some]

    check_read_back(Base(here), real, entries(real, PathStyle.RELATIVE, here))


def test_a_path_mapped_to_a_windows_share_has_backslashes_in_place_of_slashes() -> None:
    base = Base(b"/", ((b"/srv/m/", b"\\\\nas\\m\\"),))

    assert base.for_player(b"/srv/m/a/b.mp3") == b"\\\\nas\\m\\a\\b.mp3"
    assert base.is_nameable(b"/srv/m/a/b.mp3")
    assert not base.is_nameable(b"/srv/m/a/b\\c.mp3")
    assert Back.read(base.comment(b"/"), b"/").real(b"\\\\nas\\m\\a\\b.mp3") == b"/srv/m/a/b.mp3"


def test_a_playlist_without_a_path_map_whose_entries_are_relative_to_its_folder_has_no_map_comment() -> None:
    assert Base(b"/lists/").comment(b"/lists") == ""


@pytest.mark.parametrize("comment", ["", "x", "=", "=x", "/a=b", "/a=%00", "=%00/x", "a=/b=/c", "%=%"])
def test_pairs_without_an_absolute_folder_in_a_malformed_map_comment_are_ignored(comment: str) -> None:
    back = Back.read(comment, b"/lists")

    assert back.folder.startswith(b"/")
    assert all(ours.startswith(b"/") and b"\0" not in ours for _, ours in back.swaps)
