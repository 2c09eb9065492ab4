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
from tests.support.program import listed

BITRATES = {".mp3": 128_000, ".ogg": 192_000, ".m4a": 192_000, ".flac": 900_000}


@reader
def read_all(path: str) -> Tags:
    """Make tags of names: `x/3.mp3` is a copy of `y/3.flac`, which is better."""
    stem, suffix = os.path.splitext(os.path.basename(path))
    return Tags(200_000, stem, f"Artist {stem}", bitrate=BITRATES[suffix], lossless=suffix == ".flac")


def tools(seed: str = "seed") -> Tools:
    return library.tools(read_all, seed)


def request_for(music: Path) -> Request:
    return Request((bytes(music),), bytes(music / "all.m3u"), options=Options(no_duplicates=True))


def test_a_new_copy_takes_the_position_of_the_listed_track_only_if_it_is_better(tmp_path: Path) -> None:
    put(tmp_path, *(f"z/{number}.ogg" for number in range(20)))
    keep(request_for(tmp_path), tools())
    before = listed(tmp_path / "all.m3u")

    put(tmp_path, "a/7.flac", "a/8.m4a", "a/9.mp3")
    report = keep(request_for(tmp_path), tools("other"))
    after = listed(tmp_path / "all.m3u")

    assert after == [name.replace("z/7.ogg", "a/7.flac") for name in before]
    assert (report.came, report.went, report.renamed) == (0, 0, 1)

    (tmp_path / "a/7.flac").unlink()
    keep(request_for(tmp_path), tools("another"))
    assert listed(tmp_path / "all.m3u") == before


def test_undo_restores_a_recording_though_a_better_copy_of_it_was_added_since(tmp_path: Path) -> None:
    put(tmp_path, *(f"z/{number}.ogg" for number in range(20)))
    make_playlist(request_for(tmp_path), tools())
    before = listed(tmp_path / "all.m3u")
    put(tmp_path, "a/7.flac")
    make_playlist(request_for(tmp_path), tools("other"))

    undo(request_for(tmp_path), tools())

    assert listed(tmp_path / "all.m3u") == [name.replace("z/7.ogg", "a/7.flac") for name in before]


def test_of_equal_copies_the_one_in_the_last_order_is_kept_though_it_was_renamed(tmp_path: Path) -> None:
    put(tmp_path, *(f"m/{number}.ogg" for number in range(9)))
    keep(request_for(tmp_path), tools())
    before = listed(tmp_path / "all.m3u")
    put(tmp_path, *(f"a/{number}.m4a" for number in range(9)))
    (tmp_path / "m").rename(tmp_path / "z")
    keep(request_for(tmp_path), tools())
    stems = [Path(name).stem for name in listed(tmp_path / "all.m3u")]

    assert stems == [Path(name).stem for name in before]


def test_switching_the_option_no_duplicates_off_and_on_restores_the_order(tmp_path: Path) -> None:
    put(tmp_path, *(f"{folder}/{number}.ogg" for folder in "ab" for number in range(9)))
    on = request_for(tmp_path)
    off = on._replace(options=Options())
    keep(off, tools())
    whole = listed(tmp_path / "all.m3u")
    for _ in range(2):
        keep(on, tools())
        assert len(listed(tmp_path / "all.m3u")) == 9
        keep(off, tools())
        assert listed(tmp_path / "all.m3u") == whole


def test_a_copy_is_in_the_playlist_though_a_skip_list_names_a_better_copy_of_it(tmp_path: Path) -> None:
    put(tmp_path, "a/1.mp3", "b/1.flac")
    (tmp_path / "never.m3u").write_text("b/1.flac\n")
    make_playlist(request_for(tmp_path)._replace(without=(bytes(tmp_path / "never.m3u"),)), tools())

    assert listed(tmp_path / "all.m3u") == ["a/1.mp3"]


def deals(request: Request, count: int, seed: str = "seed") -> list[str]:
    for number in range(count):
        deal(request, tools(f"{seed} {number}"), 2)
    return entries(request)


def test_a_copy_of_a_dealt_track_counts_as_dealt_though_a_skip_list_names_the_track(tmp_path: Path) -> None:
    put(
        tmp_path, *(f"{number}.flac" for number in range(8)), *(f"copies/{number}.mp3" for number in range(8))
    )
    skip_list = tmp_path / "never.m3u"
    skip_list.touch()
    request = request_for(tmp_path)._replace(without=(bytes(skip_list),))
    dealt = []
    for number in range(4):
        names = deals(request, 1, f"{number}")
        dealt += [Path(name).stem for name in names]
        skip_list.write_text("".join(f"{stem}.flac\n" for stem in dealt))

    assert sorted(dealt) == sorted(map(str, range(8)))


def test_if_a_skip_list_excludes_a_track_a_copy_of_it_takes_the_position(tmp_path: Path) -> None:
    put(tmp_path, *(f"{number}.flac" for number in range(8)), "copies/3.mp3")
    skip_list = tmp_path / "never.m3u"
    skip_list.touch()
    request = request_for(tmp_path)._replace(without=(bytes(skip_list),))
    keep(request, tools())
    before = listed(tmp_path / "all.m3u")

    skip_list.write_text("3.flac\n")
    keep(request, tools())
    assert listed(tmp_path / "all.m3u") == [name.replace("3.flac", "copies/3.mp3") for name in before]

    skip_list.write_text("")
    keep(request, tools())
    assert listed(tmp_path / "all.m3u") == before


def test_better_copies_replace_the_tracks_of_todays_deal_and_of_the_deal_that_undo_restores(
    tmp_path: Path,
) -> None:
    put(tmp_path, *(f"z/{number}.mp3" for number in range(8)))
    request = request_for(tmp_path)
    first = deals(request, 1)
    second = deals(request, 1)
    put(tmp_path, *(f"a/{number}.flac" for number in range(8)))
    deal(request, tools(), 2, Every.DAY)
    assert listed(tmp_path / "all.m3u") == [f"a/{Path(name).stem}.flac" for name in second]
    undo_deal(request, tools())
    assert listed(tmp_path / "all.m3u") == [f"a/{Path(name).stem}.flac" for name in first]


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
        chosen = [Path(os.fsdecode(path)).stem for path in dealt.report.choice.paths]
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
