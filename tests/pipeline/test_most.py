"""Test that a playlist has at most a number of tracks by each artist, and keeps the same ones in updates."""

import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.options.table import Options
from playshuffle.ordering.limit_per_tag import LimitPerTag, parse_limit
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.tags.reading import Tags
from tests.support import library
from tests.support.library import deal, entries, keep, make_playlist, put, reader
from tests.support.program import listed


@reader
def read_all(path: str) -> Tags:
    """Make tags of names: `Ann-3.mp3` is by Ann; a FLAC file is the better copy of an MP3 file."""
    stem, suffix = os.path.splitext(os.path.basename(path))
    return Tags(60_000, stem, stem.partition("-")[0], lossless=suffix == ".flac")


def tools(seed: str = "seed") -> Tools:
    return library.tools(read_all, seed)


def by(artist: str, count: int, first: int = 0) -> list[str]:
    return [f"{artist}-{number}.mp3" for number in range(first, first + count)]


def request_for(music: Path, most: str | None = "3:artist") -> Request:
    return Request(
        (bytes(music),), bytes(music / "all.m3u"), most=None if most is None else parse_limit(most)
    )


def artists(names: Sequence[str]) -> Counter[str]:
    return Counter(Path(name).name.partition("-")[0] for name in names)


def kept(request: Request, seed: str = "seed") -> list[str]:
    keep(request, tools(seed))
    return entries(request)


def test_with_a_limit_of_3_per_artist_each_artist_has_3_tracks_or_all_if_there_are_fewer(
    tmp_path: Path,
) -> None:
    put(tmp_path, *by("Ann", 9), *by("Bob", 3), *by("Cid", 1), *by("Dan", 4), "-1.mp3", *by("", 5, 2))
    report = make_playlist(request_for(tmp_path), tools())

    assert artists(listed(tmp_path / "all.m3u")) == {"Ann": 3, "Bob": 3, "Cid": 1, "Dan": 3, "": 6}
    skipped = report.choice.skipped("most")
    assert len(skipped) == 7
    assert {str(why) for _, why in skipped} == {"over the limit of 3 per artist"}


def test_with_another_seed_other_tracks_of_an_artist_over_the_limit_are_chosen(tmp_path: Path) -> None:
    put(tmp_path, *by("Ann", 40))
    request, lists = request_for(tmp_path), []
    for seed in ("a", "b", "a"):
        make_playlist(request, tools(seed))
        lists.append(entries(request))
    keep(request, tools("other"), redraw_before_s=time.time() + 10)

    assert lists[0] == lists[2]
    assert set(lists[0]) != set(lists[1])
    assert set(lists[0]) != set(entries(request))


def test_under_a_limit_an_update_keeps_chosen_tracks_and_replaces_a_removed_one(tmp_path: Path) -> None:
    put(tmp_path, *by("Ann", 9), *by("Bob", 2))
    request = request_for(tmp_path)
    before = kept(request)
    assert kept(request, "other") == before

    put(tmp_path, *by("Ann", 9, 9), *by("Cid", 1))
    grown = kept(request, "grown")
    assert [name for name in grown if name != "Cid-0.mp3"] == before

    lost = next(name for name in before if name.startswith("Ann"))
    (tmp_path / lost).rename(tmp_path.parent / "away.mp3")
    filled = kept(request, "filled")
    assert artists(filled) == {"Ann": 3, "Bob": 2, "Cid": 1}
    assert [name for name in filled if name in grown] == [name for name in grown if name != lost]

    (tmp_path.parent / "away.mp3").rename(tmp_path / lost)
    assert kept(request, "back") == filled


def test_when_a_listed_track_is_deleted_any_track_that_the_limit_omitted_may_replace_it(
    tmp_path: Path,
) -> None:
    chosen = set()
    for number in range(12):
        music = tmp_path / str(number)
        put(music, *by("Ann", 4))
        before = set(kept(request_for(music, "1:artist")))
        (music / before.pop()).unlink()
        chosen.update(kept(request_for(music, "1:artist"), f"seed {number}"))

    assert len(chosen) >= 3


def test_switching_a_limit_per_artist_on_and_off_does_not_change_the_order(tmp_path: Path) -> None:
    put(tmp_path, *by("Ann", 20), *by("Bob", 20))
    whole = kept(request_for(tmp_path, None))
    limited = kept(request_for(tmp_path))

    assert artists(limited) == {"Ann": 3, "Bob": 3}
    assert limited == [name for name in whole if name in limited]
    assert kept(request_for(tmp_path, None)) == whole


def test_under_a_limit_per_artist_a_better_copy_takes_the_position_of_the_listed_copy(tmp_path: Path) -> None:
    put(tmp_path, *by("Ann", 9))
    request = request_for(tmp_path)._replace(options=Options(no_duplicates=True))
    before = kept(request)
    put(tmp_path, *(name.replace(".mp3", ".flac") for name in before))

    assert kept(request, "other") == [name.replace(".mp3", ".flac") for name in before]


def test_tracks_that_the_player_cannot_open_do_not_count_for_the_limit_per_artist(tmp_path: Path) -> None:
    put(tmp_path, *by("Ann", 3), *(f"Ann-{number}:.mp3" for number in range(30)))
    report = make_playlist(request_for(tmp_path)._replace(options=Options(player="car")), tools())

    assert report.playlist_length == 3


def test_pinned_tracks_are_chosen_before_others_if_an_artist_is_over_the_limit(tmp_path: Path) -> None:
    put(tmp_path, *by("Ann", 50))
    request = request_for(tmp_path, "2:artist")._replace(
        options=Options(pin=("Ann-7.mp3@last", "Ann-9.mp3@first"))
    )
    make_playlist(request, tools())

    assert listed(tmp_path / "all.m3u") == ["Ann-9.mp3", "Ann-7.mp3"]
    with pytest.raises(PlayshuffleError, match=r"skipped: over the limit of 1 per artist. Remove the pin."):
        make_playlist(request._replace(most=LimitPerTag(1, "artist")), tools())


def test_limits_of_number_and_time_apply_to_the_tracks_that_the_limit_per_artist_keeps(
    tmp_path: Path,
) -> None:
    put(tmp_path, *by("Ann", 50), *by("Bob", 2))
    for recipe in (Recipe(limit=4), Recipe(time_ms=240_000)):
        make_playlist(request_for(tmp_path)._replace(recipe=recipe), tools())
        counts = artists(listed(tmp_path / "all.m3u"))
        assert (counts.total(), counts["Ann"] <= 3) == (4, True)


@pytest.mark.parametrize(
    ("count", "texts"), [(6, ["2 tracks instead of 6, since a deal has at most 2 per artist."]), (2, [])]
)
def test_a_note_says_how_many_tracks_a_deal_has_only_if_the_limit_makes_it_smaller(
    tmp_path: Path, count: int, texts: list[str]
) -> None:
    put(tmp_path, *by("Ann", 12))
    done = deal(request_for(tmp_path, "2:artist"), tools(), count)

    assert [note.text for note in done.report.notes if note.code == "limit"] == texts
    assert done.deck.deal is not None
    assert (len(done.deck.deal.entries), done.deck.deal.of) == (2, 6)
