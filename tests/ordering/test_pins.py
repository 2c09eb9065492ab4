"""Resolve the texts of pins: track names and positions."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import Exit
from playshuffle.ordering.pins import resolve
from playshuffle.ordering.recipe import HERE, LAST, Pin
from playshuffle.selection.track_names import TrackNames
from tests.support.refusals import refusal

ROOT = b"/music"
PATHS = [
    b"/music/A/01 one.mp3", b"/music/A/a@b.ogg", b"/music/B/01 one.mp3", b"/music/B/two@3",
    b"/music/B/two@3.flac", b"/music/caf\xe9.mp3",
]  # fmt: skip


def refused(text: str, paths: Sequence[bytes] = PATHS) -> str:
    return refusal(Exit.USAGE, resolve, text, TrackNames(paths, [ROOT]))


@pytest.mark.parametrize(
    ("text", "pin"),
    [
        ("/music/A/01 one.mp3", Pin(0, 0)), ("B/01 one.mp3", Pin(2, 0)), ("a@b.ogg", Pin(1, 0)),
        ("a@b", Pin(1, 0)), ("a@b.ogg@7", Pin(1, 6)), ("a@b.ogg@last", Pin(1, LAST)),
        ("a@b.ogg@here", Pin(1, HERE)), ("a@b.ogg@first", Pin(1, 0)), ("two@3", Pin(3, 0)),
        ("two@3@3", Pin(3, 2)), ("two@3.flac@1", Pin(4, 0)), (os.fsdecode(b"caf\xe9.mp3@2"), Pin(5, 1)),
    ],
)  # fmt: skip
def test_a_pin_names_its_track_by_a_path_or_by_a_name_that_only_one_track_has(text: str, pin: Pin) -> None:
    """The last '@' separates a position only if the whole text names no track."""
    assert resolve(text, TrackNames(PATHS, [ROOT])) == pin


def test_a_relative_path_in_a_pin_may_start_at_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    there = os.fsencode(tmp_path / "x.mp3")

    assert resolve("./x.mp3@2", TrackNames([b"/a.mp3", there])) == Pin(1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "a@b.ogg@", "a@b.ogg@x", "a@b.ogg@-1", "a@b.ogg@1.5", "a@b.ogg@\u0663", "", "@", "last", "7", "first",
    ],
)  # fmt: skip
def test_the_error_for_a_pin_whose_position_or_track_is_invalid_quotes_the_text(text: str) -> None:
    """Digits of other scripts are not positions."""
    assert f"the library has no track '{text}'" in refused(text)
    assert "start at 1" in refused("a@b.ogg@0")


@pytest.mark.parametrize("text", ["zzzzzzzzzzz@3", "zzzzzzzzzzz", "@3"])
def test_the_error_for_a_pin_whose_name_is_similar_to_no_track_name_suggests_none(text: str) -> None:
    assert refused(text).endswith(f"the library has no track '{text.removesuffix('@3')}'.")


def test_a_pinned_position_of_a_thousand_digits_is_refused() -> None:
    """Python parses at most 4,300 digits."""
    assert resolve("a@b.ogg@" + "9" * 999, TrackNames(PATHS, [ROOT])) == Pin(1, 10**999 - 2)
    for digits in (1000, 5000):
        assert "no track 'a@b.ogg@999" in refused("a@b.ogg@" + "9" * digits)


def test_the_error_for_a_mistyped_pin_suggests_up_to_three_similar_track_names() -> None:
    for count in (1, 2, 3, 4, 5):
        paths = [b"/music/tracks%d.ogg" % number for number in range(count)]
        assert refused("tracks.ogg", paths).count("'tracks") == 1 + min(count, 3)


@given(st.text(max_size=12), st.integers(1, 99))
def test_a_track_with_any_file_name_can_be_pinned_by_its_path(name: str, position: int) -> None:
    name = name.replace("/", "").replace("\0", "").encode(errors="replace").decode()
    path = b"/music/" + name.encode() + b".mp3"

    assert resolve(f"{os.fsdecode(path)}@{position}", TrackNames([b"/music/other.ogg", path])) == Pin(
        1, position - 1
    )


@pytest.mark.parametrize(("count", "has_more"), [(3, False), (4, True)])
def test_the_error_for_a_name_of_several_tracks_lists_up_to_three_of_them(count: int, has_more: bool) -> None:
    paths = [b"/music/%d/x.mp3" % number for number in range(count)]

    said = refused("x.mp3", paths)

    assert f"{count} tracks" in said
    assert ("…" in said) == has_more
    assert ("/music/2/x.mp3" in said, "/music/3/x.mp3" in said) == (True, False)
