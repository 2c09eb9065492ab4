"""Rows of a play history are matched to tracks by their paths, or else by their tags."""

import os

import pytest

from playshuffle.history.matching import match
from playshuffle.history.rows import HistoryRow, HistoryRows, Played, TagNames

MUSIC = {b"/home/ann/Music/A/1.mp3": [1], b"/home/ann/Music/A/2.mp3": [2], b"/home/ann/Music/B/\xff.mp3": [3]}
ROOTS = [b"/home/ann/Music"]


def numbers(paths: list[bytes], roots: list[bytes] = ROOTS) -> list[list[int]]:
    rows = HistoryRows.of([HistoryRow(path, Played(plays=1)) for path in paths])
    return [list(each) for each in match(rows, MUSIC, roots, list)]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        # exactly
        ("/home/ann/Music/A/1.mp3 /home/ann/Music/a/2.mp3 /home/ann/Music/B/\udcff.mp3", [[1], [], [3]]),
        # relative to a music folder, or to one above it
        ("A/1.mp3 Music/A/2.mp3 1.mp3", [[1], [2], []]),
        # a music folder under another name, unless most files are missing or some path is exact
        ("/music/A/1.mp3 /music/A/2.mp3 /music/gone/3.mp3", [[1], [2], []]),
        ("/mnt/usb/old/A/1.mp3 /mnt/usb/old/A/2.mp3", [[1], [2]]),
        ("/x/A/1.mp3 /x/b.mp3", [[1], []]),
        ("/x/A/1.mp3 /x/b.mp3 /x/c.mp3", [[], [], []]),
        ("/home/ann/Music/A/1.mp3 /music/A/2.mp3", [[1], []]),
        ("card/A/1.mp3 card/A/2.mp3 card/x.mp3", [[1], [2], []]),
    ],
)
def test_a_path_in_a_play_history_matches_the_track_there_or_in_a_renamed_music_folder(
    paths: str, expected: list[list[int]]
) -> None:
    assert numbers([os.fsencode(path) for path in paths.split()]) == expected


def test_a_long_play_history_with_another_path_of_the_music_folder_matches_all_its_tracks() -> None:
    rows = [b"/music/A/1.mp3", b"/music/A/2.mp3"] * 150
    assert numbers(rows) == [[1], [2]] * 150


def test_relative_paths_of_a_play_history_are_looked_up_in_each_music_folder() -> None:
    assert numbers([b"A/1.mp3", b"B/\xff.mp3"], [b"/home/ann/Music/A", b"/home/ann/Music/B"]) == [[1], [3]]


TAGGED = [
    (1, TagNames("Ann", "One", "Light", "ID-1")),
    (2, TagNames("Ann", "One", "Best Of")),
    (3, TagNames("Ann; Bob", "Two")),
    (4, TagNames("", "")),
]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (TagNames("somebody", "else", "", "id-1"), [1]),
        (TagNames("ANN", " one ", "light"), [1]),
        (TagNames("Ann", "One", "Best of"), [2]),
        (TagNames("Ann", "One"), [1, 2]),
        (TagNames("Ann", "One", "Live"), [1, 2]),
        (TagNames("Ann", "Two"), [3]),
        (TagNames("Ann; Bob", "Two"), [3]),
        (TagNames("Bob", "Two"), []),
        (TagNames("Ann", "One (live)"), []),
        (TagNames("", ""), []),
    ],
)
def test_a_play_that_is_recorded_by_tags_matches_all_tracks_of_the_same_recording(
    names: TagNames, expected: list[int]
) -> None:
    rows = HistoryRows.of([HistoryRow(b"", Played(plays=1), names)])

    assert [list(each) for each in match(rows, MUSIC, ROOTS, lambda: TAGGED)] == [expected]


def test_a_play_that_is_recorded_with_a_path_is_not_matched_by_its_tags() -> None:
    rows = HistoryRows.of([HistoryRow(b"A/9.mp3", Played(plays=1), TagNames("Ann", "One"))])

    assert [list(each) for each in match(rows, MUSIC, ROOTS, lambda: TAGGED)] == [[]]
