"""The playlist that is to be replaced: whose it is, and what its last order was."""

import os
from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.track_table import TrackTable
from playshuffle.library.tracks import tracks
from playshuffle.options.table import Options
from playshuffle.pipeline.open_library import OpenLibrary
from playshuffle.pipeline.record import Record, load_record
from playshuffle.pipeline.request import Request
from playshuffle.playlist.m3u import fingerprint_of
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.store import records
from playshuffle.store.records import SavedOrder
from playshuffle.store.state import State
from tests.support import damage, library
from tests.support.databases import execute
from tests.support.library import NO_TAGS, NOON, keep, make_playlist, put
from tests.support.program import listed, numbered, state_file

OURS = b"#EXTM3U\n#PLAYSHUFFLE-ORDER:random\nb.mp3\na.mp3\n"


def saved(content: str) -> SavedOrder:
    return SavedOrder(array("I", [2, 1]), frozenset(), 2, 0, content, b"digest")


def without_library(order: SavedOrder) -> SavedOrder:
    """Return an order over a library that has none of its tracks."""
    return order.translated(tracks([])[0].indices_of)


def found(path: Path) -> PlaylistFile:
    return PlaylistFile.find(bytes(path))


def record(path: Path, *, force: bool = False) -> Record:
    """Load the record of a playlist without tracks, if it may be written."""
    request = Request((), bytes(path), options=Options(force=force))
    with State() as state:
        opened = OpenLibrary(state, None, (), {}, {}, {}, TrackTable)
        return load_record(opened, found(path), tracks([])[0], request, NOON)


def refused(path: Path, *, force: bool = False) -> PlayshuffleError:
    with pytest.raises(PlayshuffleError) as caught:
        record(path, force=force)
    return caught.value


@pytest.mark.parametrize("name", ["x.mp3", "x.flac", "x.txt", "x", ".m3u", "x.m3u.bak", "x.cue"])
def test_a_playlist_file_needs_a_name_and_a_playlist_suffix(tmp_path: Path, name: str) -> None:
    error = refused(tmp_path / name, force=True)

    assert error.code == Exit.USAGE
    assert ".m3u" in str(error)


@pytest.mark.parametrize("name", ["x.m3u", "x.M3U8", "a b#?.m3u"])
def test_a_new_playlist_may_have_any_name_with_a_playlist_suffix(tmp_path: Path, name: str) -> None:
    file = found(tmp_path / name)

    assert not file.files
    assert file.entries() == []
    assert record(tmp_path / name) == Record()


def test_a_playlist_from_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.m3u"
    path.write_bytes(b"#EXTM3U\na.mp3\n")

    error = refused(path)

    assert error.code == Exit.CANNOT_CREATE
    assert "--force" in str(error)
    assert record(path, force=True).notes == ()


def test_an_empty_file_does_not_count_as_a_playlist_of_another_program(tmp_path: Path) -> None:
    """`touch x.m3u`, or what a program left that cut it to nothing."""
    (tmp_path / "x.m3u").touch()

    assert not found(tmp_path / "x.m3u").files


def test_without_a_saved_state_the_order_is_read_from_the_playlist_file(tmp_path: Path) -> None:
    path = tmp_path / "x.m3u"
    path.write_bytes(OURS)

    assert found(path).entries() == [bytes(tmp_path / "b.mp3"), bytes(tmp_path / "a.mp3")]
    assert record(path).notes == ()


def test_if_the_file_was_edited_the_saved_order_is_used_and_a_note_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.m3u"
    path.write_bytes(OURS)
    with State() as state:
        records.save(state, bytes(path), saved(fingerprint_of([OURS])))
    assert record(path).notes == ()
    path.write_bytes(OURS + b"c.mp3\n")

    edited = record(path)
    assert edited.order == edited.saved == without_library(saved(fingerprint_of([OURS])))
    assert damage.PLAYLIST_CHANGED in edited.notes[0].text


def test_a_symbolic_link_is_one_playlist_with_its_target(tmp_path: Path) -> None:
    """The stored order belongs to the file, whatever path names it."""
    (tmp_path / "real.m3u").write_bytes(OURS)
    (tmp_path / "link.m3u").symlink_to("real.m3u")

    assert found(tmp_path / "link.m3u").path == bytes(tmp_path / "real.m3u")


def test_a_playlist_that_is_a_fifo_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.m3u")

    assert refused(tmp_path / "x.m3u", force=True).code == Exit.CANNOT_CREATE


def test_an_order_that_was_saved_but_never_written_to_the_file_is_not_the_last_order(tmp_path: Path) -> None:
    """Killed between the state and the file: the file tells which order was heard."""
    path = tmp_path / "x.m3u"
    path.write_bytes(OURS)
    first, unheard = saved(fingerprint_of([OURS])), saved("9-0")
    with State() as state:
        records.save(state, bytes(path), first, None)
        records.save(state, bytes(path), unheard, first)

    first = without_library(first)
    assert record(path) == Record(first, saved=first)


def test_a_playlist_that_another_program_wrote_to_the_path_of_ours_is_left_alone(tmp_path: Path) -> None:
    """A foreign file is not ours because we once wrote to its path."""
    path = tmp_path / "x.m3u"
    with State() as state:
        records.save(state, bytes(path), saved(fingerprint_of([OURS])))
    path.write_bytes(b"#EXTM3U\nmine.mp3\n")

    assert "--force" in str(refused(path))


@pytest.mark.damages_state
@pytest.mark.parametrize("comes", [(), ("new.mp3",)])
def test_tracks_keep_their_positions_though_the_state_has_lost_their_numbers(
    home: Path, tmp_path: Path, comes: Sequence[str]
) -> None:
    music = numbered(tmp_path / "Music", 9)
    request = Request((bytes(music),), bytes(tmp_path / "all.m3u"))
    make_playlist(request, library.tools(NO_TAGS))
    order = listed(tmp_path / "all.m3u")
    execute(state_file(home), "UPDATE folder SET checksum = checksum + 1")
    put(music, *comes)

    keep(request, library.tools(NO_TAGS))

    assert [name for name in listed(tmp_path / "all.m3u") if "new" not in name] == order


@pytest.mark.damages_state
def test_a_track_moved_to_the_path_of_a_track_with_a_lost_number_is_listed_once(
    home: Path, tmp_path: Path
) -> None:
    music = put(tmp_path / "Music", "lost/1.mp3", "kept/2.mp3")
    request = Request((bytes(music),), bytes(tmp_path / "all.m3u"))
    make_playlist(request, library.tools(NO_TAGS))
    change = "UPDATE folder SET checksum = checksum + 1 WHERE CAST(path AS TEXT) LIKE '%lost/'"
    execute(state_file(home), change)
    (music / "kept/2.mp3").rename(music / "lost/1.mp3")

    keep(request, library.tools(NO_TAGS))

    assert listed(tmp_path / "all.m3u") == ["Music/lost/1.mp3"]
