"""`playshuffle status NAME` counts the plays until now."""

import json
import time
from pathlib import Path

import pytest

from tests.support.program import listed, minutes, ran

pytestmark = pytest.mark.process


@pytest.fixture
def plays(tmp_path: Path) -> Path:
    minutes(tmp_path / "Music", [f"{number}.wav" for number in range(8)])
    (tmp_path / "plays.csv").write_text("path,last_played,plays,skips\n")
    return tmp_path / "plays.csv"


def deal(plays: Path) -> list[str]:
    file = plays.parent / "today.m3u"
    ran("deal", plays.parent / "Music", "-n", "4", "--history", plays, "--count", "played", "-o", file)
    return listed(file)


def test_a_play_counts_in_status_before_the_next_deal(plays: Path) -> None:
    first, *_ = deal(plays)
    before = ran("status", "today").out
    with plays.open("a") as file:
        file.write(f"{first},{int(time.time()) + 1},1,0\n")
    after = ran("status", "today").out

    assert b"heard 0," in before
    assert b"heard 1," in after
    assert json.loads(ran("status", "today", "--json").out)["deck"]["heard"] == 1


def test_a_history_that_counted_no_play_yet_is_a_problem_in_status(plays: Path) -> None:
    first, *_ = deal(plays)
    assert b"CSV counted no play yet" in ran("status", "today").out
    with plays.open("a") as file:
        file.write(f"{first},{int(time.time()) + 1},1,0\n")

    assert b"counted no play" not in ran("status", "today").out


def test_without_its_history_status_shows_the_last_count(plays: Path) -> None:
    deal(plays)
    plays.rename(plays.with_suffix(".away"))

    assert b"heard 0," in ran("status", "today").out
