"""What holds whatever happens in the middle of `playshuffle deal`: nothing dealt twice, nothing lost."""

import json
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.processes import injected, writing_calls
from tests.support.program import listed, numbered, run
from tests.support.service import own_home

pytestmark = pytest.mark.process

COUNT, SIZE = 23, 5


class Station(NamedTuple):
    """A place with a deck, and what was seen in its file, deal after deal."""

    top: Path
    seen: list[list[str]]

    @property
    def file(self) -> Path:
        return self.top / "Music" / "today.m3u"

    def words(self) -> list[str]:
        return ["deal", str(self.top / "Music"), "-n", str(SIZE), "--every", "run"]

    def look(self) -> None:
        """Record the content of the file if it has changed."""
        now = listed(self.file) if self.file.exists() else []
        if now and (not self.seen or now != self.seen[-1]):
            self.seen.append(now)

    def deal(self, before: Sequence[str] = ()) -> int:
        code = run(*self.words(), env=own_home(self.top), before=before).code
        self.look()
        return code

    def is_fair(self) -> bool:
        """Return whether all plays are rounds that contain each track once."""
        played = [track for deal in self.seen for track in deal]
        rounds = [played[start : start + COUNT] for start in range(0, len(played), COUNT)]
        names = sorted(f"{number:03}.mp3" for number in range(COUNT))
        return (
            all(sorted(one) == names for one in rounds[:-1])
            and len(set(rounds[-1])) == len(rounds[-1])
            and all(len(deal) == len(set(deal)) == SIZE for deal in self.seen)
        )


def station(top: Path) -> Station:
    numbered(top / "Music", COUNT)
    return Station(top, [])


def killed_at(here: Station, calls: Sequence[tuple[str, int]]) -> int:
    """Kill a deal at each of these calls, with whole deals in between; how many were."""
    killed = 0
    for name, number in calls:
        code = here.deal(before=injected(name, f"signal=KILL:when={number}"))
        # A deal may have a few calls less to make than the one that was looked at.
        killed += code != 0
        assert code in (-signal.SIGKILL, 0), (name, number)
        assert here.deal() == 0, (name, number)
        assert here.is_fair(), (name, number, here.seen[-4:])
    assert sorted(os.listdir(here.top / "Music"))[COUNT:] == ["today.m3u"]
    return killed


@pytest.mark.timeout(900)
@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_a_deal_killed_at_any_write_deals_no_track_twice_and_loses_none(tmp_path: Path, every: int) -> None:
    """At the calls that write; of those inside the database, which are many and alike, at some or at each."""
    stations = [station(tmp_path / str(number)) for number in range(2)]
    found = writing_calls(tmp_path / "log", lambda before: stations[0].deal(before) == 0)
    calls = [(name, number) for name, number in found if name != "pwrite64" or number % every == 0]
    with ThreadPoolExecutor(2) as pool:
        killed = sum(pool.map(lambda mine: killed_at(stations[mine], calls[mine::2]), range(2)))
    assert killed > 0.8 * len(calls)
    assert sum(len(here.seen) for here in stations) > len(calls)


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ("pwrite64", "error=ENOSPC"),
        ("pwrite64", "error=ENOSPC:when=9+"),
        ("fdatasync", "error=EIO"),
        ("fsync", "error=EIO:when=1"),
        ("fsync", "error=EIO:when=5+"),
        ("rename,renameat,renameat2", "error=EROFS"),
        ("write", "error=EDQUOT:when=1"),
    ],
)
def test_a_deal_with_a_disk_error_deals_no_track_twice_and_loses_none(
    tmp_path: Path, calls: str, fault: str
) -> None:
    """Whether the deal came about or not, and whatever could be noted of it."""
    here = station(tmp_path)
    assert here.deal() == 0
    for _ in range(2):
        assert here.deal(before=injected(calls, fault)) in (0, 73)
        assert here.is_fair()
    for _ in range(5):
        assert here.deal() == 0

    assert len(here.seen) >= 6
    assert here.is_fair()


def test_a_deal_that_did_not_reach_the_file_is_finished_by_the_next_run(tmp_path: Path) -> None:
    """And not skipped, though every run is to deal again."""
    here = station(tmp_path)
    assert here.deal() == 0

    assert here.deal(before=injected("rename,renameat,renameat2", "signal=KILL")) == -signal.SIGKILL
    pending = json.loads(run("status", "today", "--json", env=own_home(here.top)).out)["entries"]
    assert len(here.seen) == 1
    assert here.deal() == 0

    assert [os.path.basename(line) for line in pending] == here.seen[-1]
    assert len(here.seen) == 2
