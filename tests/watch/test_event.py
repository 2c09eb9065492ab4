import os
from pathlib import Path

import pytest

from playshuffle.watch.event import Hint, relevant_part


@pytest.mark.parametrize(
    "name",
    [b"a.mp3", b"b/c/A.FLAC", b"caf\xe9\n.ogg", b".nomedia", b"b/.ndignore", b"~.opus", b"b.part/a.mp3"],
)
def test_audio_files_and_ignore_files_are_relevant(name: bytes) -> None:
    for hint in (Hint(None, b"/music/" + name), Hint(b"/music/" + name, None)):
        assert relevant_part(hint, b"/music") == hint


@pytest.mark.parametrize(
    "name",
    b"a.m3u a.m3u8 cover.jpg a.mp3.part a.crdownload a.mp3~ a.!qB a.aria2 a.mp3.tmp .a.mp3 ._a.mp3"
    b" .a.mp3.uOcFz5 .~tmp~/a.mp3 b/.git/a.mp3 @eaDir/a.mp3 Lost+Found/a.mp3 .hidden/.nomedia"
    b" .list.m3u.0123456789ab.tmp".split(),
)
def test_files_that_no_scan_takes_are_not_relevant(name: bytes) -> None:
    """Playlists, temporary, unfinished and hidden files."""
    for hint in (Hint(None, b"/music/" + name), Hint(b"/music/" + name, None)):
        assert relevant_part(hint, b"/music") is None


@pytest.mark.parametrize(
    ("name", "is_relevant"), [(b"a", True), (b"a.b/c d", True), (b".a", False), (b"@eaDir", False)]
)
def test_folders_are_relevant_unless_a_scan_skips_them(name: bytes, is_relevant: bool) -> None:
    hint = Hint(b"/music/" + name, None, is_folder=True)

    assert (relevant_part(hint, b"/music") is not None) == is_relevant


def test_only_the_relevant_half_of_a_move_is_kept() -> None:
    """A tag editor moves a temporary file over the old one; the bin is hidden."""
    assert relevant_part(Hint(b"/m/.a.tmp", b"/m/a.mp3"), b"/m") == Hint(None, b"/m/a.mp3")
    assert relevant_part(Hint(b"/m/a.mp3", b"/m/.Trash-0/a.mp3"), b"/m") == Hint(b"/m/a.mp3", None)
    assert relevant_part(Hint(b"/m/a.mp3", b"/m/b.mp3"), b"/m") == Hint(b"/m/a.mp3", b"/m/b.mp3")
    assert relevant_part(Hint(b"/m/a.mp3", b"/else/b.mp3"), b"/m") == Hint(b"/m/a.mp3", None)


def test_names_above_the_root_do_not_count() -> None:
    hint = Hint(None, b"/home/.hidden/a.mp3")

    assert relevant_part(hint, b"/home/.hidden") == hint
    assert relevant_part(Hint(None, b"/a.mp3"), b"/") == Hint(None, b"/a.mp3")


def test_a_link_to_a_folder_is_relevant_though_it_is_reported_as_a_file(tmp_path: Path) -> None:
    """Once it is deleted only its name is known, and folders rarely have a suffix."""
    link, text = os.fsencode(tmp_path / "Vol. 1"), os.fsencode(tmp_path / "notes")
    os.symlink(b"/", link)
    Path(os.fsdecode(text)).write_text("x")

    assert relevant_part(Hint(None, link), os.fsencode(tmp_path)) is not None
    assert relevant_part(Hint(link, None), os.fsencode(tmp_path)) is not None
    assert relevant_part(Hint(None, text), os.fsencode(tmp_path)) is None
