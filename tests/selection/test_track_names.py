"""Test the names that are suggested for a track that is not found."""

import pytest

from playshuffle.selection.track_names import TrackNames


@pytest.mark.parametrize("word", ["s4.flac", "Music/old/S4.flac", "old/s4.wav"])
def test_a_file_that_was_moved_or_converted_is_suggested_before_files_with_similar_names(word: str) -> None:
    names = TrackNames([b"/m/s1.flac", b"/m/s3.flac", b"/m/s44.flac", b"/m/new/s4.mp3", b"/m/s5.flac"])

    assert names.near(word) == " Did you mean 's4.mp3'?"
