"""Test that a long never.m3u is changed in few passes."""

import os
from pathlib import Path

import pytest

from playshuffle.config.never import add_tracks, never_tracks, with_new_paths
from playshuffle.config.places import never_list
from playshuffle.playlist import playlist_reader


def test_many_tracks_are_added_and_renamed_in_few_passes_also_with_names_that_need_another_spelling(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes, read = [0], playlist_reader.read_content

    def counting(content: bytes, path: bytes) -> playlist_reader.Listed:
        passes[0] += 1
        return read(content, path)

    monkeypatch.setattr(playlist_reader, "read_content", counting)
    tracks = [b"%b/Music/%03d.mp3" % (os.fsencode(home), number) for number in range(500)]
    tracks[7], tracks[300] = (os.fsencode(home) + name for name in (b"/Music/#a .mp3", b"/Music/b\n.mp3"))

    assert add_tracks(tracks) == tracks
    content = with_new_paths(never_list(), lambda path: path.replace(b"Music", b"New"))

    assert passes[0] < 200
    assert never_tracks() == tracks
    never_list_file = Path(os.fsdecode(never_list()))
    never_list_file.write_bytes(content)
    assert never_tracks() == [track.replace(b"Music", b"New") for track in tracks]
