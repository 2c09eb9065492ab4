"""Test which track a row of a play history is about."""

import pytest

from playshuffle.history.matching import match
from playshuffle.history.rows import Names, Played, Row, merged

MUSIC = {b"/home/ann/Music/A/1.mp3": 1, b"/home/ann/Music/A/2.mp3": 2, b"/home/ann/Music/B/\xff.mp3": 3}
ROOTS = [b"/home/ann/Music"]


def numbers(paths: list[bytes], roots: list[bytes] = ROOTS) -> list[list[int]]:
    rows = [Row(path, Played(plays=1)) for path in paths]
    return [list(each.numbers) for each in match(rows, MUSIC, roots, list)]


def test_paths_are_compared_exactly() -> None:
    assert numbers(
        [b"/home/ann/Music/A/1.mp3", b"/home/ann/Music/a/2.mp3", b"/home/ann/Music/B/\xff.mp3"]
    ) == [
        [1],
        [],
        [3],
    ]


def test_relative_paths_start_at_a_music_folder_or_above_it() -> None:
    assert numbers([b"A/1.mp3", b"Music/A/2.mp3", b"1.mp3", b""]) == [[1], [2], [], []]
    assert numbers([b"A/1.mp3", b"B/\xff.mp3"], [b"/home/ann/Music/A", b"/home/ann/Music/B"]) == [[1], [3]]


@pytest.mark.parametrize("top", [b"/music", b"/mnt/usb/old music"])
def test_a_music_folder_under_another_name_is_recognised(top: bytes) -> None:
    assert numbers([top + b"/A/1.mp3", top + b"/A/2.mp3", top + b"/gone/3.mp3"]) == [[1], [2], []]


def test_a_music_folder_that_is_elsewhere_is_no_other_name_if_most_files_are_missing() -> None:
    assert numbers([b"/x/A/1.mp3", b"/x/b.mp3", b"/x/c.mp3"]) == [[], [], []]


def test_exact_paths_are_not_replaced() -> None:
    assert numbers([b"/home/ann/Music/A/1.mp3", b"/music/A/2.mp3"]) == [[1], []]


TAGGED = [
    (1, Names("Ann", "One", "Light", "ID-1")),
    (2, Names("Ann", "One", "Best Of")),
    (3, Names("Ann; Bob", "Two")),
    (4, Names("", "")),
]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (Names("somebody", "else", "", "id-1"), [1]),
        (Names("ANN", " one ", "light"), [1]),
        (Names("Ann", "One", "Best of"), [2]),
        (Names("Ann", "One"), [1, 2]),
        (Names("Ann", "One", "Live"), [1, 2]),
        (Names("Ann", "Two"), [3]),
        (Names("Ann; Bob", "Two"), [3]),
        (Names("Bob", "Two"), []),
        (Names("Ann", "One (live)"), []),
        (Names("", ""), []),
    ],
)
def test_tags_name_a_recording(names: Names, expected: list[int]) -> None:
    rows = [Row(b"", Played(plays=1), names)]

    assert [list(each.numbers) for each in match(rows, MUSIC, ROOTS, lambda: TAGGED)] == [expected]


def test_tags_are_not_looked_at_if_there_is_a_path() -> None:
    rows = [Row(b"A/9.mp3", Played(plays=1), Names("Ann", "One"))]

    assert [list(each.numbers) for each in match(rows, MUSIC, ROOTS, lambda: TAGGED)] == [[]]


def test_of_several_rows_the_latest_time_the_greatest_count_and_the_first_rating_count() -> None:
    assert merged(
        [Played(5, None, 2, 1, None), Played(3, 7, 9, None, 0.4), Played(None, None, None, 4, 1.0)]
    ) == (Played(5, 7, 9, 4, 0.4))
    assert merged([Played(), Played()]) == Played()
