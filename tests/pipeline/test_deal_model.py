"""Test decks over real folders against a model, through sequences of changes, runs and crashes."""

import os
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from playshuffle.dealing.period import Every, is_new_period, period_start
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.pipeline import record
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.playlist.m3u import parse
from playshuffle.shuffle import Seeded
from playshuffle.store import records
from playshuffle.store.records import SavedDeck
from playshuffle.store.state import State
from playshuffle.tags.reading import Tags
from tests.support.library import deal, reader, tools, undo_deal

CRASHES = st.sampled_from(["", "", "", "before commit", "before replace", "before confirm"])
EVERY = st.sampled_from([Every.DAY, Every.DAY, Every.WEEK, Every.RUN])


class CrashError(Exception):
    """What a kill would be."""


class Dealing(RuleBasedStateMachine):
    """Two folders; one may be missing. A track is its file's size, whatever its name."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp())
        self.file = self.top / "today.m3u"
        self.roots = [self.top / "a", self.top / "b"]
        self.now = datetime(2026, 3, 28, 12, tzinfo=UTC)
        self.where: dict[int, Path] = {}
        self.made = 100
        self.is_away = False
        self.dealt: set[int] = set()
        self.expected: set[int] = set()
        self.seen: set[int] = set()  # by any scan: its tracks are saved, even if the deal is not
        self.last: list[int] = []
        self.period: date | None = None
        self.pending: tuple[date, set[int]] | None = None
        self.before: tuple[Any, ...] | None = None
        self.is_moved = False

    def teardown(self) -> None:
        shutil.rmtree(self.top)

    @initialize(count=st.integers(2, 9), seed=st.integers())
    def begin(self, count: int, seed: int) -> None:
        self.randbelow = Seeded(str(seed))
        for number in range(count):
            self.add(number % 2)
        self.deal(3, Every.DAY, 0, "")

    @property
    def here(self) -> set[int]:
        return {track for track, path in self.where.items() if path.parent.exists()}

    def at(self, root: int) -> list[int]:
        return sorted(track for track in self.here if self.where[track].parent == self.roots[root])

    @rule(root=st.integers(0, 1))
    def add(self, root: int) -> None:
        if root == 1 and self.is_away:
            return
        self.made += 1
        self.where[self.made] = path = self.roots[root] / f"{self.made * 7919 % 1000:03}.mp3"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(self.made))

    @rule(root=st.integers(0, 1), which=st.integers(0, 99))
    def delete(self, root: int, which: int) -> None:
        """But never the last one of a folder, which would look as if that were away."""
        tracks = self.at(root)
        if len(tracks) > 1:
            self.where.pop(tracks[which % len(tracks)]).unlink()

    @rule(which=st.integers(0, 99), root=st.integers(0, 1), name=st.integers(0, 99))
    def rename(self, which: int, root: int, name: int) -> None:
        track = sorted(self.here)[which % len(self.here)]
        old, new = self.where[track], self.roots[root] / f"n{name}.mp3"
        is_alone = len([one for one in self.here if self.where[one].parent == old.parent]) == 1
        if not new.exists() and new.parent.exists() and (not is_alone or new.parent == old.parent):
            self.where[track] = old.rename(new)
            self.is_moved |= new.parent != old.parent or root == 1

    @precondition(lambda self: not self.is_moved)  # nobody would know what was moved to it or renamed on it
    @rule()
    def a_drive_goes(self) -> None:
        if not self.is_away:
            self.roots[1].rename(self.top / "drawer")
            self.is_away = True

    @precondition(lambda self: self.is_away)
    @rule()
    def a_drive_comes_back(self) -> None:
        (self.top / "drawer").rename(self.roots[1])
        self.is_away = False

    @property
    def request(self) -> Request:
        return Request(tuple(map(os.fsencode, self.roots)), os.fsencode(self.file))

    @property
    def tools(self) -> Tools:
        return tools(reader(lambda path: Tags(title=path[-3:])))._replace(randbelow=self.randbelow)

    def listed(self) -> list[int]:
        """The tracks in the file; of one that is away or gone the name is known."""
        if not self.file.exists():
            return []
        names = {os.fsencode(path): track for track, path in self.where.items()}
        return [
            names[path]
            for path in parse(self.file.read_bytes(), os.fsencode(self.top)).paths
            if path in names
        ]

    @rule(count=st.integers(1, 7), every=EVERY, days=st.integers(-1, 2), crash=CRASHES)
    def deal(self, count: int, every: Every, days: int, crash: str) -> None:
        self.now += timedelta(days=days)
        here = self.here
        self.seen |= here
        expected = here | (self.seen & self.where.keys()) if self.is_away else here
        awaited = expected if self.is_away else here
        left = self.pending[1] if self.pending is not None else set(self.last)
        # Without tracks, the deal of this period was undone, and there was none before.
        is_left = bool(left & awaited) or (not left and self.period is not None)
        is_due = (
            not is_left
            or (self.period is None)
            or (self.pending is None and is_new_period(every, self.now, self.period))
        )
        content = self.file.read_bytes() if self.file.exists() else b""
        kept: list[Any] = []
        code = self.crashing(crash, kept, lambda: deal(self.request, self.tools, count, every, self.now))
        is_stuck = self.is_away and not expected - here <= self.dealt and here <= self.dealt
        if is_due and is_stuck:
            assert code == Exit.MISSING
            assert (self.file.read_bytes() if self.file.exists() else b"") == content
            return
        assert code in (Exit.DONE, None)
        if code is None and crash == "before commit":
            assert (self.file.read_bytes() if self.file.exists() else b"") == content
            return
        self.is_moved &= code is None
        self.mend_period(every, is_saved=bool(kept) and not is_due)
        if is_due:
            self.before = (self.dealt, self.expected, self.last, self.period)
            self.expected = expected
            if code is None and crash == "before replace":
                assert (self.file.read_bytes() if self.file.exists() else b"") == content
                names = {os.fsencode(path): track for track, path in self.where.items()}
                with State(writes=False) as state:
                    paths = state.load_tracks().paths_of(kept[0].deck.deal.entries).values()
                self.pending = (period_start(every, self.now), {names[path] for path in paths})
                self.period = self.pending[0]
                return
            self.heard_now(self.listed(), count, expected)
            self.period = period_start(every, self.now)
            self.pending = None
        elif self.pending is not None:
            if code is None and crash == "before replace":
                self.period = max(self.pending[0], period_start(every, self.now))
                self.pending = (self.period, self.pending[1])
                return
            assert set(self.listed()) == self.pending[1] & self.where.keys()
            self.heard_now(self.listed(), None, expected & self.expected)
            self.period = max(self.pending[0], period_start(every, self.now))
            self.pending = None
        elif code is Exit.DONE and self.last:
            assert self.listed() == [track for track in self.last if track in self.where]

    def mend_period(self, every: Every, *, is_saved: bool) -> None:
        """A last deal that is dated more than a day ahead counts as made now, as soon as that is saved."""
        if is_saved and self.period is not None and self.period > self.now.date() + timedelta(days=1):
            self.period = period_start(every, self.now)
            self.pending = self.pending and (self.period, self.pending[1])

    def heard_now(self, tracks: list[int], count: int | None, expected: set[int]) -> None:
        here = self.here
        assert len(set(tracks)) == len(tracks)
        assert (here if count is not None else here | expected).issuperset(tracks)
        heard = set(self.dealt)
        is_waiting = not expected - here <= heard
        if count is not None:
            assert len(tracks) == min(count, len(here - heard) if is_waiting else len(here))
        for track in tracks:
            if track in heard:
                assert expected <= heard, "a round ended before every track was dealt"
                heard.clear()
            heard.add(track)
        self.dealt, self.last = heard, tracks

    def crashing(self, crash: str, kept: list[Any], act: Callable[[], object]) -> Exit | None:
        """Do it, and perhaps crash on the way: then None."""
        save, confirm = records.save, record.confirm

        def saving(*given: Any, **before: Any) -> None:
            if crash == "before commit":
                raise CrashError
            save(*given, **before)
            kept.append(given[2])
            if crash == "before replace":
                raise CrashError

        def confirming(*given: Any) -> SavedDeck:
            if crash == "before confirm" and kept:
                raise CrashError
            with mock.patch.object(records, "save", save):
                return confirm(*given)

        with (
            mock.patch.object(records, "save", saving),
            mock.patch("playshuffle.pipeline.deal.confirm", confirming),
            mock.patch("playshuffle.pipeline.record.confirm", confirming),
        ):
            try:
                act()
            except CrashError:
                return None
            except PlayshuffleError as error:
                return error.code
        return Exit.DONE

    @precondition(lambda self: not self.is_away and self.before != ())
    @rule()
    def undo(self) -> None:
        self.seen |= self.here
        code = self.crashing("", [], lambda: undo_deal(self.request, self.tools))
        if self.before is None:
            assert code == Exit.USAGE
            return
        assert code == Exit.DONE
        now = self.dealt, self.expected, self.last, self.period
        undone_period = self.period
        self.dealt, self.expected, self.last, self.period = self.before
        self.period = max(filter(None, (self.period, undone_period)), default=None)
        # What a deal that did not reach the file would have dealt is not known here.
        self.before, self.pending = () if self.pending is not None else now, None
        left = [track for track in self.last if track in self.here]
        if left:
            assert self.listed() == left


TestDealing = Dealing.TestCase
TestDealing.settings = settings(
    max_examples=15, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
