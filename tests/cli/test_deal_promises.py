"""Test that kills and disk errors in the middle of `playshuffle deal` neither repeat nor lose a track."""

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


class Listener(NamedTuple):
    """A home with a deck, and the contents that the file of this deck has had."""

    home: Path
    seen: list[list[str]]

    def deal(self, before: Sequence[str] = ()) -> int:
        """Deal, record the file if it has changed, and return the exit code."""
        words = ("deal", self.home / "Music", "-n", str(SIZE), "--every", "run")
        code = run(*words, env=own_home(self.home), before=before).code
        file = self.home / "Music/today.m3u"
        if file.exists() and listed(file) not in self.seen[-1:]:
            self.seen.append(listed(file))
        return code

    def has_fair_rounds(self) -> bool:
        """Return whether the deals so far consist of rounds that contain each track once."""
        played = [track for deal in self.seen for track in deal]
        rounds = [played[start : start + COUNT] for start in range(0, len(played), COUNT)]
        names = sorted(f"{number:03}.mp3" for number in range(COUNT))
        return (
            all(sorted(one) == names for one in rounds[:-1])
            and len(set(rounds[-1])) == len(rounds[-1])
            and all(len(deal) == len(set(deal)) == SIZE for deal in self.seen)
        )


def listener(home: Path) -> Listener:
    numbered(home / "Music", COUNT)
    return Listener(home, [])


def killed_at(ann: Listener, calls: Sequence[tuple[str, int]]) -> int:
    """Kill a deal at each of these calls, and deal again after it; return how many deals were killed."""
    killed = 0
    for name, number in calls:
        code = ann.deal(before=injected(name, f"signal=KILL:when={number}"))
        # A deal may make a few calls less than the deal in which the calls were counted.
        killed += code != 0
        assert code in (-signal.SIGKILL, 0), (name, number)
        assert ann.deal() == 0, (name, number)
        assert ann.has_fair_rounds(), (name, number, ann.seen[-4:])
    assert sorted(os.listdir(ann.home / "Music"))[COUNT:] == ["today.m3u"]
    return killed


@pytest.mark.timeout(900)
@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_a_deal_killed_at_any_write_deals_no_track_twice_and_loses_none(tmp_path: Path, every: int) -> None:
    """Of the many similar writes inside the database, every eleventh is tried, or each if slow."""
    pair = [listener(tmp_path / str(number)) for number in range(2)]
    found = writing_calls(tmp_path / "log", lambda before: pair[0].deal(before) == 0)
    calls = [(name, number) for name, number in found if name != "pwrite64" or number % every == 0]
    with ThreadPoolExecutor(2) as pool:
        killed = sum(pool.map(lambda mine: killed_at(pair[mine], calls[mine::2]), range(2)))
    assert killed > 0.8 * len(calls)
    assert sum(len(one.seen) for one in pair) > len(calls)


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
    """The deal may succeed or fail, and its saved state may be complete or not."""
    ann = listener(tmp_path)
    assert ann.deal() == 0
    for _ in range(2):
        assert ann.deal(before=injected(calls, fault)) in (0, 73)
        assert ann.has_fair_rounds()
    for _ in range(5):
        assert ann.deal() == 0

    assert len(ann.seen) >= 6
    assert ann.has_fair_rounds()


def test_a_deal_that_was_saved_but_not_written_to_the_playlist_is_written_by_the_next_run(
    tmp_path: Path,
) -> None:
    """That run deals no other tracks, although a deal is due at each run."""
    ann = listener(tmp_path)
    assert ann.deal(before=["env"]) == 0  # a new process compiles modules, which renames files, too

    assert ann.deal(before=injected("rename,renameat,renameat2", "signal=KILL")) == -signal.SIGKILL
    pending = json.loads(run("status", "today", "--json", env=own_home(ann.home)).out)["entries"]
    assert len(ann.seen) == 1
    assert "the last deal was not written to the file" in run("status", env=own_home(ann.home)).out.decode()
    assert ann.deal() == 0
    assert "not written" not in run("status", env=own_home(ann.home)).out.decode()

    assert [os.path.basename(line) for line in pending] == ann.seen[-1]
    assert len(ann.seen) == 2
