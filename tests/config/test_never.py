"""Test never.m3u, the skip list of all playlists."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.config.never import add_tracks, never_tracks, remove_track
from playshuffle.config.places import never_list
from playshuffle.errors import Exit, PlayshuffleError

NAMES = st.binary(min_size=1, max_size=8).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b"..")
)
HOSTILE = [
    *(b"\n", b"a\nb.mp3", b"\r", b" a.mp3 ", b"#a.mp3", b"file:", b"%41.mp3", b"\xff.mp3"),
    *(b"http:", b"C:\\x", b"\xef\xbb\xbf", b"#PLAYSHUFFLE-BASE:x", b"#EXTINF:1,x", b"\t", b"&amp;"),
]


@pytest.mark.parametrize("folder", ["Music", "../elsewhere"])
@settings(max_examples=40)  # each of them waits for the disk
@given(names=st.lists(NAMES | st.sampled_from(HOSTILE), max_size=5, unique=True))
def test_tracks_of_any_name_are_added_to_never_m3u_and_removed_again(folder: str, names: list[bytes]) -> None:
    top = os.fsencode(os.path.join(os.environ["HOME"], folder))
    paths = [os.path.normpath(top + b"/" + name) for name in names]
    never = Path(os.fsdecode(never_list()))
    never.unlink(missing_ok=True)

    assert add_tracks(paths) == paths
    assert never_tracks() == paths
    assert add_tracks(paths) == []
    for count in range(len(paths), 0, -1):
        assert remove_track() == paths[count - 1]
        assert never_tracks() == paths[: count - 1]
    assert remove_track() is None


def test_lines_that_another_program_wrote_into_never_m3u_stay_unchanged(home: Path) -> None:
    never = home / ".config/playshuffle/never.m3u"
    never.parent.mkdir(parents=True)
    before = b"#EXTM3U\r\n# mine\r\n#EXTINF:3,A - B\r\n/m/a.mp3\r\n\r\nhttp://radio.example/x\r\n/m/b.mp3"
    never.write_bytes(before)

    add_tracks([b"/m/c.mp3", b"/m/a.mp3"])

    assert never.read_bytes() == before + b"\n/m/c.mp3\n"
    assert [remove_track() for _ in range(4)] == [b"/m/c.mp3", b"/m/b.mp3", b"/m/a.mp3", None]
    assert never.read_bytes() == b"#EXTM3U\r\n# mine\r\n\r\nhttp://radio.example/x\r\n"


def test_a_never_m3u_that_is_not_utf_8_or_has_a_nul_is_not_changed(home: Path) -> None:
    never = home / ".config/playshuffle/never.m3u"
    never.parent.mkdir(parents=True)
    for content in ("#EXTM3U\n/m/a.mp3\n".encode("utf-16"), b"/m/a.mp3\0\n"):
        never.write_bytes(content)
        with pytest.raises(PlayshuffleError) as caught:
            add_tracks([b"/m/b.mp3"])
        assert caught.value.code in (Exit.CANNOT_CREATE, Exit.NO_INPUT)
        assert never.read_bytes() == content


def test_entries_below_the_home_are_relative_even_if_the_folder_of_never_m3u_is_a_link(home: Path) -> None:
    (home / "dotfiles/deep/playshuffle").mkdir(parents=True)
    (home / ".config").symlink_to("dotfiles/deep")

    add_tracks([bytes(home / "Music/a.mp3")])

    assert (home / "dotfiles/deep/playshuffle/never.m3u").read_bytes() == (b"#EXTM3U\n../../../Music/a.mp3\n")
    assert never_tracks() == [bytes(home / "Music/a.mp3")]


def test_entries_of_never_m3u_below_the_home_are_relative_even_if_the_home_is_a_link(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(home)
    monkeypatch.setenv("HOME", str(link))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(link / ".config"))

    add_tracks([bytes(link / "Music/a.mp3")])

    assert (home / ".config/playshuffle/never.m3u").read_bytes() == b"#EXTM3U\n../../Music/a.mp3\n"


def test_never_m3u_is_in_the_folder_of_the_configuration_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYSHUFFLE_CONFIG", str(tmp_path / "config.toml"))

    assert never_list() == bytes(tmp_path / "never.m3u")
