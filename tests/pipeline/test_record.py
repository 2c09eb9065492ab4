"""Test from where a run takes the last order of a playlist, and that lost numbers cost no position."""

from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.library.track_table import TrackTable
from playshuffle.library.tracks import tracks
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


WRITTEN = SavedOrder(array("I", [2, 1]), frozenset(), 2, 0, fingerprint_of([OURS]), b"digest")
EMPTY = tracks([])[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A playlist that playshuffle wrote, without a saved state."""
    (tmp_path / "x.m3u").write_bytes(OURS)
    return tmp_path / "x.m3u"


def record(path: Path) -> Record:
    """Load the record of a playlist over an empty library."""
    with State() as state:
        opened = OpenLibrary(state, None, (), {}, {}, {}, TrackTable, dict, frozenset(), 0)
        return load_record(opened, PlaylistFile.find(bytes(path)), EMPTY, Request((), bytes(path)), NOON)


def test_an_empty_file_does_not_count_as_a_playlist_of_another_program(path: Path) -> None:
    """`touch` leaves one, and so does a program that fails while it writes."""
    path.write_bytes(b"")

    assert record(path) == Record(NOON)


def test_without_a_saved_state_the_order_is_read_from_the_playlist_file(path: Path) -> None:
    assert PlaylistFile.find(bytes(path)).entries() == [
        bytes(path.parent / name) for name in ("b.mp3", "a.mp3")
    ]
    assert record(path).notes == ()


def test_if_the_file_was_edited_the_saved_order_is_used_and_a_note_says_so(path: Path) -> None:
    with State() as state:
        records.save(state, bytes(path), WRITTEN)
    assert record(path).notes == ()
    path.write_bytes(OURS + b"c.mp3\n")

    edited = record(path)
    assert edited.order == edited.saved == WRITTEN.translated(EMPTY.indices_of)
    assert damage.PLAYLIST_CHANGED in edited.notes[0].text


def test_an_order_that_was_saved_but_never_written_to_the_file_is_not_the_last_order(path: Path) -> None:
    """A kill between the two writes leaves such an order. The file has the order that players play."""
    with State() as state:
        records.save(state, bytes(path), WRITTEN)
        records.save(state, bytes(path), WRITTEN._replace(content="9-0"), WRITTEN)

    first = WRITTEN.translated(EMPTY.indices_of)
    assert record(path) == Record(NOON, first, saved=first)


@pytest.mark.damages_state
@pytest.mark.parametrize("comes", [(), ("new.mp3",)])
def test_tracks_keep_their_positions_though_a_damaged_state_has_lost_them(
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
def test_a_track_moved_to_the_path_of_a_track_that_a_damaged_state_has_lost_is_listed_once(
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
