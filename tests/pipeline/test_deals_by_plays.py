"""Test decks that count plays: a round ends when its tracks were heard. A model is at the end."""

import math
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from playshuffle.dealing.amount import Amount, Count, DealSettings
from playshuffle.dealing.deck import Deck
from playshuffle.dealing.describe import deck_facts, deck_line, next_deal
from playshuffle.dealing.period import Every
from playshuffle.errors import PlayshuffleError
from playshuffle.history.sources import Source
from playshuffle.options.table import Options
from playshuffle.pipeline import deal as dealing
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.request import Request
from playshuffle.playlist.m3u import parse
from playshuffle.store import records
from playshuffle.store.records import SavedDeck
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.tags.reading import Tags
from tests.history.databases import stickers
from tests.pipeline.conftest import LookAt
from tests.support.databases import execute
from tests.support.library import NOON, reader, tools, undo_deal


class KilledError(Exception):
    """Stands for a kill."""


_save = records.save


def _save_and_die(*given: Any, **before: Any) -> None:
    _save(*given, **before)
    raise KilledError


class Listener:
    """Numbered tracks, a player that counts their plays, and a deck that uses the counts.

    The size of its file is the number of a track.
    """

    def __init__(self, top: Path, seed: str = "seed") -> None:
        self.music = top / "Music"
        self.music.mkdir()
        self.file = top / "today.m3u"
        self.tools = tools(reader(lambda path: Tags(title=path[-3:])), seed)
        self.now = NOON
        self.paths: dict[int, Path] = {}
        self.known_as: dict[int, str] = {}  # to the player
        self.database = stickers(top / "sticker.sql", {})
        self.every, self.count, self.options = Every.RUN, Count.PLAYED, Options()
        self.patience: float = 3
        self.was_killed = False

    def add(self, *tracks: int) -> None:
        for track in tracks:
            self.known_as[track] = f"{track * 7919 % 1000:03}-{track}.mp3"
            self.paths[track] = self.music / self.known_as[track]
            self.paths[track].write_bytes(bytes(track))

    def play(self, *tracks: int, name: str = "lastPlayed") -> None:
        rows = [(self.known_as[track], name, str(int(self.now.timestamp()))) for track in tracks]
        if rows:
            execute(self.database, "REPLACE INTO sticker VALUES ('song', ?, ?, ?)", *rows)

    def request(self, size: int = 3) -> Request:
        deal = DealSettings(Amount(size), self.every, self.count, self.patience)
        history = (Source("mpd", bytes(self.database)),)
        return Request(
            (bytes(self.music),), bytes(self.file), options=self.options, history=history, deal=deal
        )

    def deal(
        self,
        size: int = 3,
        *,
        days: int = 1,
        is_now: bool = False,
        is_heard: bool = False,
        is_killed: bool = False,
    ) -> list[int]:
        """Deal a day later, or count the last deal as heard, and return its tracks.

        is_killed: the run ends when the deck is saved, so that the file is not replaced. A deal that is
        only written again is saved if names have changed.
        """
        self.now += timedelta(days=days)
        kill = mock.patch.object(records, "save", _save_and_die) if is_killed else nullcontext()
        self.was_killed = True
        with (
            suppress(KilledError),
            kill,
            open_run(
                self.request(size), self.tools._replace(clock=self.now.timestamp), must_remember=True
            ) as run,
        ):
            if is_heard:
                dealing.count_as_heard(run)
            else:
                dealing.deal(run, is_now=is_now)
            self.was_killed = False
        entries = self.named(self.deck.deal.entries if self.deck.deal is not None else ())
        assert is_killed or self.listed() == entries
        return entries

    def peek(self, size: int = 3) -> dealing.Dealt:
        request = self.request(size)._replace(dry_run=True)
        with open_run(request, self.tools._replace(clock=self.now.timestamp)) as run:
            return dealing.peek_deal(run)

    def undo(self) -> None:
        undo_deal(self.request(), self.tools)

    def content(self) -> bytes:
        return self.file.read_bytes() if self.file.exists() else b""

    def listed(self) -> list[int]:
        tracks = {bytes(path): track for track, path in self.paths.items()}
        paths = parse(self.content(), bytes(self.file.parent)).paths
        return [tracks[path] for path in paths if path in tracks]

    @property
    def deck(self) -> Deck:
        with State(writes=False) as state:
            stored = records.last(state, atomic_file.resolved(bytes(self.file)))
        return stored.deck if isinstance(stored, SavedDeck) else Deck()

    def named(self, numbers: Sequence[int]) -> list[int]:
        """Return the tracks that have these numbers in the state, and that there are."""
        tracks = {bytes(path): track for track, path in self.paths.items()}
        with State(writes=False) as state:
            paths = state.load_tracks().paths_of(numbers)
        return [tracks[paths[number]] for number in numbers if paths.get(number) in tracks]


@pytest.fixture
def ann(tmp_path: Path) -> Listener:
    listener = Listener(tmp_path)
    listener.add(*range(1, 13))
    return listener


def test_a_play_counts_in_a_deck_though_the_query_then_excludes_the_played_track(ann: Listener) -> None:
    ann.options = Options(where=("plays:0",))
    first = ann.deal()
    ann.play(first[0])
    second = ann.deal()

    assert second[:2] == first[1:]
    assert len(second) == 3


def test_nothing_new_is_dealt_until_a_track_was_heard_and_the_status_says_since_when_none_was(
    ann: Listener,
) -> None:
    ann.every = Every.DAY
    first = ann.deal(4)
    day = ann.now.date()
    assert next_deal(deck_facts(ann.deck), day) == "tomorrow 00:00"
    assert ann.deal(4, days=5) == first
    assert (
        next_deal(deck_facts(ann.deck), ann.now.date()) == f"when some of it was heard, nothing since"
        f" {day.day} {day:%B %Y}"
    )
    assert "dealt 4 of 12 (33%), heard 0," in deck_line(deck_facts(ann.deck))

    ann.play(first[2])
    assert ann.deal(4, days=0) != first
    assert "dealt 5 of 12 (41%), heard 1," in deck_line(deck_facts(ann.deck))


def test_a_list_stays_our_own_if_writing_its_deal_again_with_new_names_was_killed(ann: Listener) -> None:
    """It must not count as written by another computer."""
    first = ann.deal(2)
    ann.paths[first[0]] = ann.paths[first[0]].rename(ann.music / "new.mp3")
    ann.deal(2, is_killed=True)

    assert ann.deal(2) == first
    ann.undo()


def test_counting_a_deal_as_heard_changes_nothing_in_a_deck_that_does_not_count_plays(ann: Listener) -> None:
    with pytest.raises(PlayshuffleError, match="Nothing was dealt to"):
        ann.deal(is_heard=True)
    ann.count = Count.DEALT
    first = ann.deal()
    deck = ann.deck

    assert ann.deal(is_heard=True) == first
    assert ann.deck == deck


def test_plays_before_the_option_count_played_was_given_do_not_count_in_a_deck(ann: Listener) -> None:
    ann.count = Count.DEALT
    first = ann.deal(4)
    assert deck_facts(ann.deck)["heard"] is None
    ann.play(*first[:2])
    ann.count = Count.PLAYED
    second = ann.deal(4)
    assert not {*second} & {*first}
    ann.count = Count.DEALT

    assert not {*ann.deal(4)} & {*first, *second}
    assert ann.deck.unheard == ()


def test_a_track_stays_heard_though_the_player_forgets_its_plays_after_the_next_deal(ann: Listener) -> None:
    first = ann.deal(4)
    ann.play(*first[:2])
    ann.every = Every.DAY
    ann.deal(4, days=0)
    execute(ann.database, "DELETE FROM sticker")

    assert ann.deal(4)[:2] == first[2:]


def test_the_option_peek_says_how_many_unheard_tracks_the_next_deal_deals_again(ann: Listener) -> None:
    first = ann.deal(4)
    ann.play(first[0])
    dealt = ann.peek(5)
    assert "Comes again, unless you hear it by then: 3 tracks of earlier deals." in map(
        str, dealt.report.notes
    )
    assert dealt.certain == 5
    assert dealt.deck.deal is not None

    paths = [dealt.report.library.tracks.paths[index] for index in dealt.deck.deal.entries]
    assert paths == [bytes(ann.paths[track]) for track in ann.deal(5)]


def test_the_number_of_deals_left_includes_unheard_tracks_that_are_dealt_again(ann: Listener) -> None:
    ann.deal(4)
    ann.deal(4, is_now=True)
    assert ann.deck.deals_left == 2

    ann.play(*ann.deal(4, days=0)[:1])
    ann.deal(5)
    assert ann.deck.deals_left == 2


def test_the_command_why_says_of_a_dealt_track_whether_it_was_heard_in_this_round(
    ann: Listener, look_at: LookAt
) -> None:
    first = ann.deal(4)
    ann.play(first[0])
    ann.deal(3)
    ann.deal(4, is_now=True)
    stages = look_at(ann.request(), ann.tools)

    assert stages.explain(bytes(ann.paths[first[0]])).text == "heard in this round"
    assert stages.explain(bytes(ann.paths[first[1]])).text == (
        "dealt before, in this round; not heard yet, so it comes in the next deal"
    )


@pytest.mark.parametrize(("patience", "deals"), [(1, 1), (2, 2), (5, 5), (math.inf, 9)])
def test_an_unheard_track_comes_in_as_many_deals_as_the_option_patience_says(
    ann: Listener, look_at: LookAt, patience: float, deals: int
) -> None:
    ann.patience = patience
    ann.add(*range(13, 40))
    first, heard = ann.deal(3)[:2]
    count = 1
    for _ in range(8):
        ann.play(heard)
        entries = ann.deal(3)
        count += first in entries
        heard = entries[-1]
    assert count == deals
    if deals < 9:
        reason = look_at(ann.request(), ann.tools).explain(bytes(ann.paths[first])).text
        assert reason == f"dealt before, in this round; dealt {deals} time{'s' * (deals > 1)}"


def test_with_patience_always_a_deal_replaces_only_the_heard_tracks_of_the_deal_before(ann: Listener) -> None:
    ann.patience = math.inf
    ann.add(*range(13, 40))
    before = ann.deal(6)
    for week in range(10):
        heard = before[week % 2 : 3]
        ann.play(*heard)
        after = ann.deal(6)
        assert [track for track in before if track not in heard] == after[: 6 - len(heard)]
        assert {*after}.isdisjoint(heard)
        assert len(ann.deck.unheard) <= 12  # not one more for each deal
        before = after


def test_a_note_at_the_first_deal_says_if_the_player_has_counted_no_play_yet(ann: Listener) -> None:
    def warnings() -> list[str]:
        return [str(note) for note in ann.peek().report.notes if note.code == "never_played"]

    [text] = warnings()
    assert text == (
        "MPD counted no play yet. Until then the same tracks are dealt again. MPD itself counts none."
        " To count them: playshuffle service install --listen. To count deals instead: --count dealt"
    )
    first = ann.deal()
    execute(ann.database, "INSERT INTO sticker VALUES ('song', ?, 'rating', '8')", (ann.known_as[first[0]],))
    assert warnings()
    ann.play(first[0])
    assert not warnings()


def test_a_track_whose_last_play_is_dated_in_the_future_is_still_dealt_in_each_round(ann: Listener) -> None:
    ann.now += timedelta(days=35)
    ann.play(1)
    ann.now -= timedelta(days=35)
    dealt: list[int] = []
    for _ in range(16):
        dealt += (entries := ann.deal(3))
        ann.play(*(track for track in entries if track != 1))

    assert dealt.count(1) >= 3


@dataclass
class Notes:
    """What a person would note down of a deck.

    done: tracks of this round that were dealt or heard. unheard: the round and the number of deals of each
    track that waits to be heard. last: the last deal. heard, deals: by round and track.
    """

    round: int = 0
    done: set[int] = field(default_factory=set)
    unheard: dict[int, tuple[int, int]] = field(default_factory=dict)
    last: list[int] = field(default_factory=list)
    since: datetime | None = None
    heard: set[tuple[int, int]] = field(default_factory=set)
    deals: Counter[tuple[int, int]] = field(default_factory=Counter)

    @property
    def of_last_round(self) -> set[int]:
        return {*self.unheard, *self.last} - self.done

    def hear(self, tracks: set[int]) -> None:
        for track in tracks:
            if track in self.unheard:
                self.heard.add((self.unheard.pop(track)[0], track))
            elif track not in self.of_last_round | self.done:
                self.heard.add((self.round, track))
                self.done.add(track)


class Listening(RuleBasedStateMachine):
    """A listener hears parts of deals and other tracks, while files come, go and change their names."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp())
        self.made = 0
        self.plays: dict[int, datetime] = {}
        self.read: dict[int, str] = {}
        self.notes, self.before = Notes(), Notes()
        self.is_pending = False

    def teardown(self) -> None:
        shutil.rmtree(self.top)

    @initialize(count=st.integers(4, 9), seed=st.integers(), patience=st.sampled_from([3, 1, math.inf]))
    def begin(self, count: int, seed: int, patience: float) -> None:
        self.listener = Listener(self.top, str(seed))
        self.listener.patience = patience
        self.add(count)
        self.run(3, is_now=False, is_killed=False)

    @property
    def here(self) -> set[int]:
        return {*self.listener.paths}

    @rule(count=st.integers(1, 2))
    def add(self, count: int) -> None:
        for _ in range(count):
            self.made += 1
            self.listener.add(self.made)

    @rule(which=st.integers(0, 99))
    def remove(self, which: int) -> None:
        if len(self.here) > 2:
            self.listener.paths.pop(sorted(self.here)[which % len(self.here)]).unlink()

    @rule(which=st.integers(0, 99), player_follows=st.booleans())
    def rename(self, which: int, player_follows: bool) -> None:
        """A player that does not follow goes on with the old name, once that was read."""
        track = sorted(self.here)[which % len(self.here)]
        name = f"{which}-{len(self.listener.paths[track].name)}-{track}.mp3"
        self.listener.paths[track] = self.listener.paths[track].rename(self.listener.music / name)
        if player_follows or self.read.get(track) != self.listener.known_as[track]:
            names = name, self.listener.known_as[track]
            execute(self.listener.database, "UPDATE sticker SET uri = ? WHERE uri = ?", names)
            self.listener.known_as[track] = name

    @rule(share=st.integers(1, 4), is_skip=st.booleans(), elsewhere=st.integers(0, 99))
    def hear(self, share: int, is_skip: bool, elsewhere: int) -> None:
        tracks = [track for track in self.notes.last if track in self.here and track % share == 0]
        tracks += [track for track in sorted(self.here) if elsewhere < 30 and track % 7 == elsewhere % 7]
        self.listener.now += timedelta(minutes=1)
        self.listener.play(*tracks, name="lastSkipped" if is_skip else "lastPlayed")
        self.plays |= dict.fromkeys(tracks, self.listener.now)
        self.listener.now += timedelta(minutes=1)

    def mark(self) -> None:
        """Note which tracks were heard before a run at this moment."""
        notes, now = self.notes, self.listener.now
        if notes.since is None:
            notes.since = now
        notes.hear({track for track in self.here if self.plays.get(track, NOON) >= notes.since})
        self.read = {track: self.listener.known_as[track] for track in self.plays if track in self.here}

    @rule(size=st.integers(1, 4), is_now=st.booleans(), is_killed=st.sampled_from([False, False, True]))
    def run(self, size: int, is_now: bool, is_killed: bool) -> None:
        self.listener.now += timedelta(hours=6)
        self.mark()
        notes = self.notes
        left = [track for track in notes.last if track in self.here]
        waits = bool(left) and {*notes.last} <= {*notes.unheard}
        is_due = not left or not (self.is_pending or (waits and not is_now))
        marked = deepcopy(notes)
        content = self.listener.content()
        entries = self.listener.deal(size, days=0, is_now=is_now, is_killed=is_killed)
        # A deal that was in the file is not pending, though writing it again with new names was killed.
        is_written = self.listener.content() != content
        self.is_pending = self.listener.was_killed and not is_written and (is_due or self.is_pending)
        if not is_due:
            assert entries == left
            return
        event(f"round {self.listener.deck.round}")
        self.before = marked
        self.check_deal(entries, size, is_now=is_now)

    def check_deal(self, entries: list[int], size: int, *, is_now: bool) -> None:
        notes, deck, here, patience = self.notes, self.listener.deck, self.here, self.listener.patience
        assert len({*entries}) == len(entries) == min(size, len(here))
        waiting = [track for track, (_, deals) in notes.unheard.items() if deals < patience and track in here]
        again = [] if is_now else entries[: min(len(waiting), size)]
        assert {*again} <= {*waiting}
        rest = entries[len(again) :]
        late = notes.of_last_round
        rounds = {track: notes.unheard[track][0] for track in again}
        kept = notes.unheard
        done_before = {*notes.done} if deck.round == notes.round else set()
        if deck.round == notes.round:
            assert notes.done.isdisjoint(rest)
            rounds |= dict.fromkeys(rest, notes.round)
            notes.done |= {*rest}
        else:
            ends = [track for track in rest if track not in notes.done] if notes.round else []
            ends = ends[: len(here - notes.done - {*again})]
            assert here - notes.done - {*again} <= {*ends} or not notes.round
            assert rest[: len(ends)] == ends
            rounds |= dict.fromkeys(ends, notes.round) | dict.fromkeys(rest[len(ends) :], notes.round + 1)
            notes.round, notes.done = notes.round + 1, {*rest[len(ends) :]}
        assert {*self.listener.named(deck.dealt)} == notes.done & here
        for track in entries:
            assert (rounds[track], track) not in notes.heard, "heard, and dealt again in the same round"
            notes.deals[rounds[track], track] += 1
            assert notes.deals[rounds[track], track] <= patience
        if deck.round != self.before.round or late:
            notes.since = self.listener.now
        notes.unheard = {
            track: (number, deals)
            for track, (number, deals) in kept.items()
            if track in here and (deals < patience or track in done_before)
        }
        for track in entries:
            deals = notes.unheard[track][1] if track in notes.unheard else 0
            notes.unheard[track] = rounds[track], deals + 1
        notes.last = entries
        assert Counter(self.listener.named([*dict.fromkeys(deck.unheard)])) == Counter(
            track for track in notes.unheard if track in here
        )

    @precondition(lambda self: self.notes.last)
    @rule()
    def count_as_heard(self) -> None:
        self.mark()
        if {*self.notes.last} & {*self.notes.unheard} - self.here:
            return  # one that is gone was heard if its play was read before
        marked = deepcopy(self.notes)
        self.listener.deal(days=0, is_heard=True)
        self.is_pending = False
        if {*self.notes.last} & {*self.notes.unheard}:
            self.before = marked
        self.notes.hear({*self.notes.last})

    @rule()
    def undo(self) -> None:
        self.listener.undo()
        self.is_pending = False
        self.notes, self.before = self.before, self.notes


TestListening = Listening.TestCase
TestListening.settings = settings(
    max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
