"""Test how the skip lists of a playlist are stored."""

from playshuffle.store import skip_list_entries
from playshuffle.store.state import State

PLAYLIST, OTHER = b"/m/all\xff.m3u", b"/m/other.m3u"
LISTS = {b"/never\xfe.m3u": [b"/m/a.mp3", b"/m/caf\xe9\n.mp3"], b"/empty.m3u": list[bytes]()}


def test_stored_skip_lists_are_read_back_for_their_playlist_only() -> None:
    with State() as state:
        skip_list_entries.save(state, PLAYLIST, LISTS)
        skip_list_entries.save(state, OTHER, {b"/x.m3u": [b"/m/x.mp3"]})
        skip_list_entries.save(state, OTHER, {b"/y.m3u": [b"/m/y.mp3"]})

    with State(writes=False) as state:
        assert skip_list_entries.load(state, PLAYLIST) == LISTS
        assert skip_list_entries.load(state, OTHER) == {b"/y.m3u": [b"/m/y.mp3"]}
        assert skip_list_entries.load(state, b"/none.m3u") == {}
