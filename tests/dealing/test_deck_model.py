"""Whatever happens to a deck, in any sequence, held against what a person would note down."""

from datetime import datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from playshuffle.dealing.deck import Deck, end_round, mark_written
from playshuffle.dealing.next_deal import is_due, next_deal
from playshuffle.dealing.period import Every, period_start
from playshuffle.dealing.sizes import ByCount
from playshuffle.shuffle import Seeded
from playshuffle.store import records
from playshuffle.store.records import SavedDeck
from playshuffle.store.state import State
from tests.support.decks import Uniform, check

EVERY = st.sampled_from([Every.DAY, Every.DAY, Every.WEEK, Every.RUN])


class Decks(RuleBasedStateMachine):
    """The model knows what was played, in order.

    It has one rule for all: a track that was heard in the round comes again only when all
    that are here were heard; then all marks are wiped away.
    """

    @initialize(count=st.one_of(st.integers(1, 9), st.integers(30, 90)), seed=st.integers())
    def begin(self, count: int, seed: int) -> None:
        self.state = State(writes=False)  # in memory
        self.deck = Deck()
        self.before = Deck()
        self.order = Uniform(Seeded(str(seed)))
        self.now = datetime(2026, 3, 28, 12)  # noqa: DTZ001 - a clock on the wall
        self.here: set[int] = set()
        self.is_whole = True
        self.expected: set[int] = set()
        self.expected_before: set[int] = set()
        self.made = 0  # tracks have the numbers from 1 to this one
        self.dealt: set[int] = set()
        self.heard_before: set[int] = set()
        self.played: list[int] = []
        self.last: list[int] = []
        self.last_before: list[int] | None = None
        self.add(count)

    def teardown(self) -> None:
        self.state.__exit__(None, None, None)

    @rule(count=st.integers(1, 9))
    def add(self, count: int) -> None:
        self.here.update(range(self.made + 1, self.made + count + 1))
        self.made += count

    @rule(rest=st.integers(0, 3), share=st.integers(2, 9))
    def remove(self, rest: int, share: int) -> None:
        gone = {number for number in self.here if number % share == rest}
        self.here -= gone if gone < self.here else set()

    @rule(drive=st.integers(0, 3))
    def a_drive_goes(self, drive: int) -> None:
        """While it is away, whatever is not here may be on it."""
        gone = {number for number in self.here if number % 4 == drive}
        if gone < self.here:
            self.here -= gone
            self.is_whole = False

    @rule()
    def all_is_back(self) -> None:
        """What was deleted, too: out of some backup."""
        self.here = {*range(1, self.made + 1)}
        self.is_whole = True

    @rule()
    def missing_tracks_are_accepted(self) -> None:
        self.is_whole = True

    @precondition(lambda self: self.deck.round and not self.deck.is_ended)
    @rule()
    def reset(self) -> None:
        """Break the round off, with missing and deleted tracks in it."""
        self.before, self.heard_before, self.last_before = self.deck, self.dealt, self.last
        self.expected_before = set(self.expected)
        self.deck = end_round(self.deck)
        self.dealt, self.last = set(), []

    @rule(days=st.integers(-3, 9), hours=st.integers(0, 23))
    def move_the_clock(self, days: int, hours: int) -> None:
        self.now += timedelta(days=days, hours=hours)

    @rule(count=st.one_of(st.integers(1, 12), st.integers(1, 99)), every=EVERY, days=st.integers(0, 2))
    def run(self, count: int, every: Every, days: int) -> None:
        self.now += timedelta(days=days)
        present = sorted(self.here, key=lambda number: number * 7919 % 1000)
        last = self.deck.deal
        if not is_due(self.deck, every, self.now, present):
            assert last is not None
            assert every is not Every.RUN
            assert period_start(every, self.now) <= last.period
            assert list(last.entries) == self.last
            return
        expected = self.here if self.is_whole else self.here | self.expected
        size, period = ByCount(count), period_start(every, self.now)
        is_waiting = not expected - self.here <= self.dealt
        if is_waiting and self.here <= self.dealt:
            with pytest.raises(ValueError, match="are missing"):
                next_deal(self.deck, present, self.order, size, period, is_whole=self.is_whole)
            return
        after = next_deal(self.deck, present, self.order, size, period, is_whole=self.is_whole)
        assert after.deal is not None
        assert after.deal.is_pending
        assert not is_due(after, Every.RUN, self.now, present)
        entries = list(after.deal.entries)

        most = len(self.here - self.dealt) if is_waiting else len(self.here)
        assert len(entries) == len(set(entries)) == min(count, most)
        assert after.track_count == len(expected)
        assert self.here.issuperset(entries)
        heard = set(self.dealt)
        for number in entries:
            if number in heard:
                assert expected <= heard, "a round ended before every track was dealt"
                heard.clear()
            heard.add(number)
        gap = min(len(present) // 4, 100)
        plays = self.played + entries
        for at, number in enumerate(entries, len(self.played)):
            assert number not in plays[max(at - gap + 1, 0) : at]
        if not self.deck.is_ended:
            self.before, self.heard_before, self.last_before = self.deck, self.dealt, self.last
            self.expected_before = self.expected
        self.deck = mark_written(after)
        self.dealt, self.last, self.played = heard, entries, plays
        self.expected = set(expected)

    @precondition(lambda self: self.last_before is not None)
    @rule()
    def undo(self) -> None:
        assert self.last_before is not None
        self.deck, self.dealt = self.before, self.heard_before
        self.played = self.played[: len(self.played) - len(self.last)]
        self.last, self.last_before = self.last_before, None
        self.expected = self.expected_before

    @invariant()
    def each_deck_passes_the_check_of_the_loader(self) -> None:
        check(self.deck)
        check(self.before)
        if self.deck.is_ended:  # a new round is begun and dealt from at once, so that is never stored
            return
        before = SavedDeck(self.before, "1-1")
        records.save(self.state, b"/m/today.m3u", SavedDeck(self.deck, "2-2"), before=before)
        loaded, previous = records.load(self.state, b"/m/today.m3u").values()
        assert isinstance(loaded, SavedDeck)
        assert isinstance(previous, SavedDeck)
        assert (loaded.deck, previous.deck, self.state.notes) == (self.deck, self.before, [])


TestDecks = Decks.TestCase
TestDecks.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
