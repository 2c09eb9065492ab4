"""Test that a playlist keeps one copy of each recording, and that better copies take over its position."""

import os
import random
from pathlib import Path

import pytest

from playshuffle.dealing.period import Every
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.tags.reading import Tags
from tests.support import library
from tests.support.library import deal, entries, keep, make_playlist, put, reader, undo, undo_deal

BITRATES = {".mp3": 128_000, ".ogg": 192_000, ".m4a": 192_000, ".flac": 900_000}


@reader
def read_all(path: str) -> Tags:
    """Make tags of names: `x/3.mp3` is a copy of `y/3.flac`, which is better."""
    stem, suffix = os.path.splitext(os.path.basename(path))
    return Tags(200_000, stem, f"Artist {stem}", bitrate=BITRATES[suffix], lossless=suffix == ".flac")


def tools(seed: str = "seed") -> Tools:
    return library.tools(read_all, seed)


def kept(request: Request, seed: str = "seed") -> list[str]:
    keep(request, tools(seed))
    return entries(request)


def request_for(music: Path) -> Request:
    return Request((bytes(music),), bytes(music / "all.m3u"), options=Options(no_duplicates=True))


def test_a_new_copy_takes_the_position_of_a_track_only_if_the_copy_is_better(tmp_path: Path) -> None:
    put(tmp_path, *(f"z/{number}.ogg" for number in range(20)))
    request = request_for(tmp_path)
    before = kept(request)

    put(tmp_path, "a/7.flac", "a/8.m4a", "a/9.mp3")
    report = keep(request, tools("other"))

    assert entries(request) == [name.replace("z/7.ogg", "a/7.flac") for name in before]
    assert (report.came, report.went, report.renamed) == (0, 0, 1)
    (tmp_path / "a/7.flac").unlink()
    assert kept(request, "another") == before


def test_in_an_order_that_undo_restores_a_better_copy_takes_the_position_of_its_track(tmp_path: Path) -> None:
    put(tmp_path, *(f"z/{number}.ogg" for number in range(20)))
    request = request_for(tmp_path)
    make_playlist(request, tools())
    before = entries(request)
    put(tmp_path, "a/7.flac")
    make_playlist(request, tools("other"))

    undo(request, tools())

    assert entries(request) == [name.replace("z/7.ogg", "a/7.flac") for name in before]


def test_of_equal_copies_the_one_in_the_last_order_is_kept_though_it_was_renamed(tmp_path: Path) -> None:
    put(tmp_path, *(f"m/{number}.ogg" for number in range(9)))
    before = kept(request_for(tmp_path))
    put(tmp_path, *(f"a/{number}.m4a" for number in range(9)))
    (tmp_path / "m").rename(tmp_path / "z")

    assert [Path(name).stem for name in kept(request_for(tmp_path))] == [Path(name).stem for name in before]


def test_switching_the_option_no_duplicates_off_and_on_restores_the_order(tmp_path: Path) -> None:
    put(tmp_path, *(f"{folder}/{number}.ogg" for folder in "ab" for number in range(9)))
    on = request_for(tmp_path)
    off = on._replace(options=Options())
    whole = kept(off)
    for _ in range(2):
        assert len(kept(on)) == 9
        assert kept(off) == whole


def dealt(request: Request, seed: str = "seed") -> list[str]:
    deal(request, tools(seed), 2)
    return entries(request)


@pytest.mark.parametrize("is_new", [False, True])
def test_a_copy_of_a_dealt_track_counts_as_dealt_though_a_skip_list_names_the_track(
    tmp_path: Path, is_new: bool
) -> None:
    """Also if the copy is as new as the entry of the skip list."""
    copies = [f"copies/{number}.mp3" for number in range(8)]
    put(tmp_path, *(f"{number}.flac" for number in range(8)), *(copies if not is_new else ()))
    skip_list = tmp_path / "never.m3u"
    skip_list.touch()
    request = request_for(tmp_path)._replace(without=(bytes(skip_list),))
    stems: list[str] = []
    for number in range(4):
        new = [Path(name).stem for name in dealt(request, f"{number}")]
        put(tmp_path, *(f"copies/{stem}.mp3" for stem in new if is_new))
        stems += new
        skip_list.write_text("".join(f"{stem}.flac\n" for stem in stems))

    assert sorted(stems) == sorted(map(str, range(8)))


def test_a_copy_takes_the_position_of_a_track_while_a_skip_list_excludes_the_track(tmp_path: Path) -> None:
    put(tmp_path, *(f"{number}.flac" for number in range(8)), "copies/3.mp3")
    skip_list = tmp_path / "never.m3u"
    skip_list.touch()
    request = request_for(tmp_path)._replace(without=(bytes(skip_list),))
    before = kept(request)

    skip_list.write_text("3.flac\n")
    assert kept(request) == [name.replace("3.flac", "copies/3.mp3") for name in before]
    skip_list.write_text("")
    assert kept(request) == before


def test_better_copies_replace_tracks_in_todays_deal_and_in_the_deal_that_undo_restores(
    tmp_path: Path,
) -> None:
    put(tmp_path, *(f"z/{number}.mp3" for number in range(8)))
    request = request_for(tmp_path)
    first, second = dealt(request), dealt(request)
    put(tmp_path, *(f"a/{number}.flac" for number in range(8)))
    deal(request, tools(), 2, Every.DAY)
    assert entries(request) == [f"a/{Path(name).stem}.flac" for name in second]
    undo_deal(request, tools())
    assert entries(request) == [f"a/{Path(name).stem}.flac" for name in first]


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 20))]
)
def test_a_round_deals_no_recording_twice_though_new_copies_are_added(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    put(tmp_path, *(f"start/{number}.ogg" for number in range(6)))
    request = request_for(tmp_path)
    rounds: dict[int, list[str]] = {}
    for step in range(12):
        dealt = deal(request, tools(str(step)), choose.randrange(1, 3))
        choice = dealt.report.choice
        paths = choice.all_tracks.paths_of(choice.remaining)
        chosen = [Path(os.fsdecode(path)).stem for path in paths]
        assert len(set(chosen)) == len(chosen)
        last = dealt.deck.deal
        assert last is not None
        if dealt.deck.round == last.round:  # else it was filled from the next round
            paths = dealt.report.library.tracks.paths
            stems = [Path(os.fsdecode(paths[index])).stem for index in last.entries]
            rounds.setdefault(last.round, []).extend(stems)
        put(tmp_path, f"new{step}/{choose.randrange(6)}{choose.choice(list(BITRATES))}")
    for stems in rounds.values():
        assert len(set(stems)) == len(stems), rounds


def test_a_recording_is_dealt_once_in_a_round_whichever_copy_was_deleted(tmp_path: Path) -> None:
    put(tmp_path, *(f"z/{number}.ogg" for number in range(6)), *(f"a/{number}.mp3" for number in range(6)))
    dealt: list[str] = []
    for number in range(6):
        deal(request_for(tmp_path), tools(), 1, Every.RUN)
        dealt += entries(request_for(tmp_path))
        if number % 2:  # also if the service wrote since
            keep_dealt = deal(request_for(tmp_path), tools(), 1, Every.DAY)
            assert not keep_dealt.is_new
        (tmp_path / dealt[-1]).unlink()

    assert sorted(Path(name).stem for name in dealt) == [str(number) for number in range(6)]
