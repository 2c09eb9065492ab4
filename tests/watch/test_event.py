import os
from pathlib import Path

import pytest

from playshuffle.watch.event import Hint, meant


@pytest.mark.parametrize(
    "name",
    [b"a.mp3", b"b/c/A.FLAC", b"caf\xe9\n.ogg", b".nomedia", b"b/.ndignore", b"~.opus", b"b.part/a.mp3"],
)
def test_audio_files_and_ignore_files_matter(name: bytes) -> None:
    for hint in (Hint(None, b"/music/" + name), Hint(b"/music/" + name, None)):
        assert meant(hint, b"/music") == hint


@pytest.mark.parametrize(
    "name",
    b"a.m3u a.m3u8 cover.jpg a.mp3.part a.crdownload a.mp3~ a.!qB a.aria2 a.mp3.tmp .a.mp3 ._a.mp3"
    b" .a.mp3.uOcFz5 .~tmp~/a.mp3 b/.git/a.mp3 @eaDir/a.mp3 Lost+Found/a.mp3 .hidden/.nomedia"
    b" .list.m3u.0123456789ab.tmp".split(),
)
def test_what_no_walk_would_take_is_nothing(name: bytes) -> None:
    """Neither playlists, nor temporary and unfinished files, nor whatever is hidden."""
    for hint in (Hint(None, b"/music/" + name), Hint(b"/music/" + name, None)):
        assert meant(hint, b"/music") is None


@pytest.mark.parametrize(
    ("name", "matters"), [(b"a", True), (b"a.b/c d", True), (b".a", False), (b"@eaDir", False)]
)
def test_folders_matter_unless_a_walk_leaves_them_out(name: bytes, matters: bool) -> None:
    hint = Hint(b"/music/" + name, None, is_folder=True)

    assert (meant(hint, b"/music") is not None) == matters


def test_of_a_move_that_half_is_kept_that_matters() -> None:
    """A tag editor moves a temporary file over the old one; the bin is hidden."""
    assert meant(Hint(b"/m/.a.tmp", b"/m/a.mp3"), b"/m") == Hint(None, b"/m/a.mp3")
    assert meant(Hint(b"/m/a.mp3", b"/m/.Trash-0/a.mp3"), b"/m") == Hint(b"/m/a.mp3", None)
    assert meant(Hint(b"/m/a.mp3", b"/m/b.mp3"), b"/m") == Hint(b"/m/a.mp3", b"/m/b.mp3")
    assert meant(Hint(b"/m/a.mp3", b"/else/b.mp3"), b"/m") == Hint(b"/m/a.mp3", None)


def test_names_above_the_root_do_not_count() -> None:
    hint = Hint(None, b"/home/.hidden/a.mp3")

    assert meant(hint, b"/home/.hidden") == hint
    assert meant(Hint(None, b"/a.mp3"), b"/") == Hint(None, b"/a.mp3")


def test_a_link_to_a_folder_matters_though_it_comes_as_a_file(tmp_path: Path) -> None:
    """Once it is deleted only its name is known, and folders rarely have a suffix."""
    link, text = os.fsencode(tmp_path / "Vol. 1"), os.fsencode(tmp_path / "notes")
    os.symlink(b"/", link)
    Path(os.fsdecode(text)).write_text("x")

    assert meant(Hint(None, link), os.fsencode(tmp_path)) is not None
    assert meant(Hint(link, None), os.fsencode(tmp_path)) is not None
    assert meant(Hint(None, text), os.fsencode(tmp_path)) is None
