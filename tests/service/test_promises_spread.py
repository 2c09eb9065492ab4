"""The service keeps a spread list spread while files come, go and get other names."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from playshuffle.audit.mix import predictable
from playshuffle.shuffle import System, fewest_repeats, repeats, spread
from tests.shuffle.test_spread import deviation
from tests.support.program import listed
from tests.support.service import Service, aged, config, holds, left, wait_for
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

# As `deviation` of a list of 10 artists with 10 tracks each; a random one has 0.85.
_EVEN = 0.6


@pytest.mark.parametrize("changes", [6, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.timeout(3600)
def test_a_spread_list_stays_spread_while_the_service_adds_removes_and_renames_tracks(
    tmp_path: Path, changes: int
) -> None:
    """One file after another. All others keep their order, unless a removal brings an artist together."""
    draw = random.Random(1)
    artists = {f"{number}.ogg": number % 10 for number in range(100)}
    music = tmp_path / "Music"
    tagged_library(music, {name: {"artist": f"Artist {key}"} for name, key in artists.items()})
    playlist, moves = aged(music) / "all.m3u", 0
    with Service(tmp_path, config(music, order="spread")) as service:
        wait_for(holds(playlist, *artists))
        before = listed(playlist)
        for number in range(100, 100 + changes):
            name, new = draw.choice(list(artists)), f"{number}.ogg"
            if number % 3 == 0:
                (music / name).unlink()
                del artists[name]
            elif number % 3 == 1:
                artists[new] = draw.randrange(10)
                tagged_library(tmp_path, {new: {"artist": f"Artist {artists[new]}"}})
                (tmp_path / new).rename(music / new)
            else:
                artists[new] = artists.pop(name)
                (music / name).rename(music / new)
                before[before.index(name)] = new
            wait_for(holds(playlist, *artists))

            after = listed(playlist)
            keys = [artists[name] for name in after]
            staying = [name for name in before if name in artists]
            assert repeats(keys) == fewest_repeats(keys) == 0
            if all(artists[one] != artists[other] for one, other in pairwise(staying)):
                assert left(staying, after) == staying
            else:
                moves += 1
            before = after
        assert service.playlist("all")["tracks"] == len(artists)
    fresh = [keys[entry] for entry in spread(range(len(keys)), keys, System())]
    print(
        f"{changes} changes, of which {moves} moved a track. Gaps {deviation(keys):.2f}, of a new list"
        f" {deviation(fresh):.2f}; predictable {predictable(keys):.0%}, new {predictable(fresh):.0%}"
    )
    assert deviation(keys) < _EVEN
