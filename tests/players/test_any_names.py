"""Whatever the names: each player reads what was meant, or it was told to be lost; never another file."""

import os
from collections.abc import Callable
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.players.losses import left_out, losses, twins
from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist.m3u import PathStyle, entries, escaped
from tests.players import names
from tests.players.readers import READERS, Place

_PARTS = st.one_of(
    st.sampled_from([part for name in names.ALL for part in name.split(b"/")]),
    st.binary(min_size=1, max_size=12),
    st.text(max_size=8).map(lambda text: text.encode(errors="replace")),
    st.text("ab#%20?+\\: \t\n\r.~<'é\xa0\ufeff\u2028", min_size=1, max_size=6).map(str.encode),
    st.integers(1, 245).map(lambda count: b"x" * count),
).map(lambda part: part.replace(b"/", b"_").replace(b"\0", b"_").lstrip(b".")[:245] or b"_")
_NAMES = st.builds(
    lambda parts, suffix: b"/".join(parts) + suffix,
    st.lists(_PARTS, min_size=1, max_size=5),
    st.sampled_from(names.SUFFIXES),
)


@pytest.mark.parametrize("player", READERS)
@settings(max_examples=40, deadline=None)
@given(found=st.sets(_NAMES, min_size=1, max_size=6))
def test_a_player_reads_each_name_or_its_loss_is_reported(player: str, found: set[bytes]) -> None:
    """By the functions that `make` asks; on no disk, so that it can be many."""
    profile = PLAYERS[player]
    top = b"/device" if player in ("rockbox", "car") else b"/device/Music"
    folder = b"/device/Music" if player != "mpd" else b"/device/Playlists"
    style = PathStyle.RELATIVE if profile.style is None else profile.style
    here = b"/device/Music"  # of MPD's stored playlists, too
    there = [b"/device/Music/" + name for name in sorted(found | {*names.decoys(found)})]
    paths = [path for path in there if names.is_track(path)]
    known = {*there, *map(os.path.dirname, there), folder}
    exists: Callable[[bytes], bool] = lambda path: os.path.normpath(path) in known  # noqa: E731 - as the disk has it
    with mock.patch("os.path.lexists", exists):
        out = {*left_out(paths, style, here, player), *(twins(paths) if profile.has_twins else ())}
    kept = [path for index, path in enumerate(paths) if index not in out]
    lost = {kept[index] for loss in losses(kept, len(kept), style, here, player) for index in loss.indices}
    written = [entry + b"\n" for entry in entries(kept, style, here)]
    content = b"#EXTM3U\n" + b"".join(map(escaped, written) if profile.escapes else written)

    opened = READERS[player](content, Place(folder + b"/list" + profile.suffix, exists, top, paths))

    assert opened == [path for path in kept if path not in lost or path in opened]
    assert {*kept} - lost <= {*opened}
