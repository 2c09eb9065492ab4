"""Deal the next tracks of a deck into its playlist.

A deal is remembered before the file is replaced, and is pending until the file has it. A run
that was killed in between is finished by the next one: no deal is skipped, none is made twice.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from playshuffle.dealing.amount import Count, DealSettings
from playshuffle.dealing.deck import Deal, Deck, end_round, mark_written
from playshuffle.dealing.heard import count_deal, mark_heard, tracks_again
from playshuffle.dealing.next_deal import is_due, next_deal, update_deck, waits_for_missing
from playshuffle.dealing.period import is_of_the_future, period_start
from playshuffle.dealing.rounds import Rounds, deal_size
from playshuffle.dealing.sizes import Limited, Size
from playshuffle.errors import Exit, MissingError, Note, PlayshuffleError, shown
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.limit_per_tag import values
from playshuffle.pipeline.record import confirm
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run
from playshuffle.store.records import SavedDeck, SavedRecord
from playshuffle.text import counted


@dataclass(frozen=True, slots=True)
class Dealt:
    """What a deal did.

    deck: as it is now; for a peek, as it would be. is_new: it was dealt from; else the last deal
        was left, or written again.
    certain: the number of entries, from the first, that will not change; the others depend on
        draws that are yet to be made.
    """

    report: Report
    deck: Deck
    is_new: bool
    certain: int


def deal(run: Run, *, is_now: bool = False, is_new_round: bool = False) -> Dealt:
    """Deal once in each period; else check that the file has the deal of this period.

    is_now: deal in any case, but first what did not reach the file. is_new_round: end the round, and deal
    from a new one.

    Raises:
        PlayshuffleError: nothing could be dealt; deck and file are as they were.
    """
    run, playable = _with_heard(run), frozenset(run.tracks.numbers)
    last = deck_of(run).deal
    is_asked_for = is_new_round or (is_now and not (last is not None and last.is_pending))
    if is_asked_for or is_due(deck_of(run), _settings(run).every, run.now, playable):
        deck = _next_deck(run, is_now=is_now, is_new_round=is_new_round)
        return _replace_deal(run, deck, _notes_on_limit(run, deck))
    dealt = _repeat_deal(run)
    return replace(dealt, deck=_with_period(run, dealt.deck))


def deal_again(run: Run) -> Dealt:
    """Check that the file has the last deal, whatever period this is.

    Raises:
        PlayshuffleError: nothing was dealt yet, or the file could not be written.
    """
    _last_deal(run, "--again")
    return _repeat_deal(run)


def count_as_heard(run: Run) -> Dealt:
    """Count the last deal as heard, and check that the file has it.

    Raises:
        PlayshuffleError: nothing was dealt yet, plays do not count, or the deck could not be saved.
    """
    last, run = _last_deal(run, "--heard"), _with_heard(run)
    deck = deck_of(run)
    if not deck.heard_from_s:
        raise PlayshuffleError(
            f"The tracks of {shown(run.path)} are done when they are dealt, so --heard changes nothing."
            " Remove it, or let plays count: --count played",
            Exit.USAGE,
        )
    heard = mark_heard(deck, last.entries)
    marked = run._replace(record=run.record._replace(deck=heard))
    return _repeat_deal(marked, None if heard == deck else run.record.saved)


def _last_deal(run: Run, option: str) -> Deal:
    last = deck_of(run).deal
    if last is None:
        raise PlayshuffleError(
            f"Nothing was dealt to {shown(run.path)} yet. Remove {option} to deal now.", Exit.USAGE
        )
    return last


def peek_deal(run: Run) -> Dealt:
    """Return the deal that comes after the last one, and change nothing.

    Raises:
        PlayshuffleError: there is nothing to deal.
    """
    run = _with_heard(run)
    deck = _next_deck(run)
    entries = deck.deal.entries if deck.deal is not None else ()
    count = len(frozenset(entries).intersection(deck_of(run).unheard))
    text = f"Comes again, unless you hear it by then: {counted(count, 'track')} of earlier deals."
    report = run.report(arranged_entries(run, entries), [Note("comes_again", text)] * bool(count))
    return Dealt(report, deck, is_new=True, certain=_certain(run, entries))


def _certain(run: Run, entries: Sequence[int]) -> int:
    """Return the number of entries, from the first, that depend on no draw."""
    deck, rounds = deck_of(run), Rounds(run.tracks, run.recipe, _no_draw, run.tags_of)
    try:
        upcoming = update_deck(deck, _playable(run), rounds, is_whole=not run.library.missing).upcoming
    except _DrawError:  # new tracks, or another order: any position may change
        return 0
    ordered = frozenset(() if deck.is_ended else upcoming).union(deck.unheard)
    return next((at for at, track in enumerate(entries) if track not in ordered), len(entries))


class _DrawError(Exception):
    """Chance was asked for."""


def _no_draw(_bound: int) -> int:
    raise _DrawError


def _playable(run: Run) -> Sequence[int]:
    """Return the tracks that can be played now: those that wait for no root."""
    waiting = run.library.waiting_numbers
    return (
        [number for number in run.tracks.numbers if number not in waiting] if waiting else run.tracks.numbers
    )


def _with_heard(run: Run) -> Run:
    """Update which dealt tracks were heard, if plays count."""
    deck = deck_of(run)
    if _settings(run).count is Count.DEALT or run.history is None:
        deck = replace(deck, unheard=(), heard_from_s=0)
    elif not (deck.heard_from_s and deck.round):  # of a deck whose first deal was undone nothing is known
        deck = replace(deck, heard_from_s=int(run.now.timestamp()))
    else:
        heard = run.history.heard_since(deck.heard_from_s, with_skips=True)
        deck = mark_heard(deck, heard.intersection((*run.tracks.numbers, *deck.unheard)))
    return run._replace(record=run.record._replace(deck=deck))


def _next_deck(run: Run, *, is_now: bool = False, is_new_round: bool = False) -> Deck:
    """Return the deck after its next deal. With `is_now`, unheard tracks wait for the deal after it."""
    deck = deck_of(run)
    rounds = Rounds(run.tracks, run.recipe, run.tools.randbelow, run.tags_of)
    playable, is_whole = _playable(run), not run.library.missing
    deck = update_deck(end_round(deck) if is_new_round else deck, playable, rounds, is_whole=is_whole)
    before = deck
    if not playable or waits_for_missing(deck):
        root, error = next(iter(run.library.missing.items()))
        count = len(deck.missing) or len(run.tracks)
        raise MissingError(
            root,
            error.why,
            error.advice,
            f"{error.summary}, and all remaining tracks of this round ({count:,}) are on it",
        )
    numbers = run.tracks.numbers
    resting = frozenset(numbers[index] for index in rounds.resting)
    deck = next_deal(
        deck,
        playable,
        rounds,
        _size(run),
        period_start(_settings(run).every, run.now),
        is_whole=is_whole,
        today=run.now.date(),
        resting=resting,
        again=tracks_again(deck),
        is_now=is_now,
    )
    deck = _with_period(run, deck)
    return count_deal(before, deck, int(run.now.timestamp())) if deck.heard_from_s else deck


def _size(run: Run) -> Size:
    """Return how large deals are, and how many tracks of one artist they may have."""
    amount = _settings(run).amount
    size = deal_size(amount, run.tracks, run.recipe, run.tags_of)
    limit = run.request.most
    if limit is None:
        return size
    tag_values = values(run.tracks, run.tags_of, limit.tag)
    return Limited(size, limit.number, dict(zip(run.tracks.numbers, tag_values, strict=True)))


def _with_period(run: Run, deck: Deck) -> Deck:
    return replace(deck, deal=deck.deal and replace(deck.deal, every=_settings(run).every))


def _notes_on_limit(run: Run, deck: Deck) -> list[Note]:
    """Say that the limit of `--most` makes this deal smaller than asked for, if it does."""
    limit, count = run.request.most, _settings(run).amount.count
    if limit is None or count is None or deck.deal is None or not deck.upcoming:
        return []
    entries = counted(len(deck.deal.entries), "track")
    text = f"{entries} instead of {count:,}, since a deal has at most {limit}."
    return [Note("limit", text)] * (len(deck.deal.entries) < count)


def _replace_deal(run: Run, deck: Deck, notes: Sequence[Note]) -> Dealt:
    """Write a new deal, and remember the deck of before to go back to."""
    before = run.record.saved or SavedDeck(Deck(), "", run.request.saved_options)
    if isinstance(before, SavedDeck):
        before = before._replace(deck=deck_of(run))
    report = _write(run, deck, before, notes)
    return Dealt(report, mark_written(deck), is_new=True, certain=report.playlist_length)


def _repeat_deal(run: Run, before: SavedRecord | None = None) -> Dealt:
    """Write the last deal again if the file has it no longer, or if tracks were renamed.

    before: what to go back to; None for the same as until now.
    """
    deck, now, period = deck_of(run), run.now, period_start(_settings(run).every, run.now)
    last = deck.deal
    assert last is not None
    notes = []
    if is_of_the_future(now, last.period):
        deck = replace(deck, deal=replace(last, period=period))
        text = f"The last deal is dated {last.period}, which is in the future. It counts as made now."
        notes.append(Note("future_deal", text))
    elif last.is_pending:
        # It never reached the file, so it is the deal of this period.
        deck = replace(deck, deal=replace(last, period=max(last.period, period)))
    if now.date() < last.period and not notes:
        text = (
            f"The last deal is dated {last.period}, but today is {now.date()}, so nothing new is dealt until"
        )
        text += " then. If the clock was wrong at the last deal, --now deals."
        notes.append(Note("no_deal_yet", text))
    if not isinstance(run.record.saved, SavedDeck):  # made since
        before = run.record.saved
    report = _write(run, deck, before, notes)
    return Dealt(report, mark_written(deck), is_new=False, certain=report.playlist_length)


def _write(run: Run, deck: Deck, before: SavedRecord | None, notes: Sequence[Note] = ()) -> Report:
    """Remember the deck, then replace its file: both or neither."""
    assert deck.deal is not None
    report = run.write(arranged_entries(run, deck.deal.entries), SavedDeck(deck, ""), before, notes)
    if deck.deal.is_pending and run.request.writes:
        with contextlib.suppress(PlayshuffleError):  # the next run compares the file itself
            confirm(
                run.opened.state,
                run.path,
                SavedDeck(deck, report.text.fingerprint, run.request.saved_options),
            )
    return report


def arranged_entries(run: Run, entries: Sequence[int]) -> Arranged:
    """Return those entries that are present, in their order."""
    order = [index for index in run.tracks.indices_of(entries) if index >= 0]
    return Arranged(order, len(order))


def deck_of(run: Run) -> Deck:
    """Return the deck of a playlist that is dealt."""
    assert run.record.deck is not None
    return run.record.deck


def _settings(run: Run) -> DealSettings:
    """Return how much is dealt and how often, of a playlist that is dealt."""
    assert run.request.deal is not None
    return run.request.deal
