"""Deal the next tracks of a deck into its playlist.

A deal is saved before the file is replaced, and is pending until the file has its tracks. If a run is
killed in between, the next run finishes the deal.
"""

import contextlib
import math
import os
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from playshuffle.dealing.amount import Amount, Count, DealSettings
from playshuffle.dealing.deck import Deal, Deck, mark_written
from playshuffle.dealing.fed import NOTHING_PASSED, Fed, Outcome, Passed, give_back, put_off
from playshuffle.dealing.heard import count_deal, mark_heard, tracks_again
from playshuffle.dealing.next_deal import (
    DealRules,
    end_round,
    is_due,
    next_deal,
    update_deck,
    waits_for_missing,
)
from playshuffle.dealing.period import Every, is_of_the_future, period_start
from playshuffle.dealing.rounds import Rounds, deal_size
from playshuffle.dealing.sizes import Limited
from playshuffle.errors import Exit, MissingError, Note, PlayshuffleError, shown
from playshuffle.options.table import Options
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.limit_per_tag import values
from playshuffle.ordering.orders import ORDERS
from playshuffle.pipeline.make import notes_on_fields
from playshuffle.pipeline.record import confirm
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run
from playshuffle.store.records import SavedDeck, SavedRecord
from playshuffle.tags.cause import SPOKEN, WHERE
from playshuffle.text import counted

_FED = 40  # tracks promised to a player: a deal takes long, so it is made once for many tracks


class Dealt(NamedTuple):
    """The result of a deal.

    Attributes:
        deck: the deck after the deal; for `--peek`, after a deal that is not made.
        certain: how many of the first entries no later random draw can change.
        former: options of the last deal, if this run has other options.
        left: number of tracks of the last deal that new options removed.
        is_heard: the last deal was counted as heard.
    """

    report: Report
    deck: Deck
    is_new: bool
    certain: int
    is_again: bool = False
    former: Options | None = None
    left: int = 0
    is_heard: bool = False


def deal(run: Run, *, is_now: bool = False, is_new_round: bool = False, has_options: bool = False) -> Dealt:
    """Deal tracks if this period has no deal yet; otherwise restore its deal in the file if necessary.

    Args:
        is_now: deal even if no deal is due; if a deal is pending, write that deal instead.
        has_options: the user gave options; `undo` will restore the former ones, too.

    Raises:
        PlayshuffleError: nothing could be dealt.
    """
    if is_now or is_new_round:
        run = run._replace(record=run.record._replace(deck=_not_fed(deck_of(run))))
    deck = with_heard(run)
    if run.record.has_other and not (is_now or is_new_round):
        return _keep_file(run, deck)
    is_asked_for = is_new_round or (is_now and not (deck.deal is not None and deck.deal.is_pending))
    if is_asked_for or is_due(deck, _settings(run).every, run.now, _staying(run)):
        rules = _rules(run)
        updated = update_deck(end_round(deck) if is_new_round else deck, rules)
        following = _next_deck(run, updated, rules, is_now=is_now)
        before = run.record.saved or SavedDeck(Deck(), "", run.request.saved_options)
        before = before._replace(deck=deck) if isinstance(before, SavedDeck) else before
        notes = [*_notes_on_limit(run, following), *notes_on_fields(run)]
        report = _write(run, following, before, notes)
        return Dealt(report, mark_written(following), is_new=True, certain=report.playlist_length)
    return _repeat_deal(run, deck, run.record.saved if has_options and _former(run) else None)


def deal_again(run: Run, *, has_options: bool = False) -> Dealt:
    """Write the last deal again, even if a new deal is due, without tracks that the options exclude now.

    Raises:
        PlayshuffleError: nothing was dealt yet, or no track is left.
    """
    last, excluded = _last_deal(run, "--again"), _excluded(run)
    kept = last.only(frozenset(last.entries).difference(excluded))
    if not kept.entries:
        raise PlayshuffleError(
            f"The options exclude all tracks of the last deal of {shown(run.path)}, so it was not changed.",
            Exit.NOTHING_TO_PLAY,
        )
    left = len(last.entries) - len(kept.entries)
    deck = deck_of(run)._replace(deal=kept)
    is_step = left > 0 or (has_options and _former(run) is not None)
    dealt = _repeat_deal(run, deck, run.record.saved if is_step else None)
    return dealt._replace(is_again=True, left=left)


def feed(run: Run, passed: Passed) -> Fed:
    """Deal the tracks that a player gets one by one: those still to be played, and the next ones.

    The same call after a killed run gives the same tracks: `passed` counts only if its deal is the last one.

    Raises:
        PlayshuffleError: nothing can be dealt now.
    """
    settings, deck = _settings(run), deck_of(run)
    if passed.deal[0] and run.record.saved_order is not None:
        raise PlayshuffleError(
            f"{shown(run.path)} was made since it began to feed a player, so no more tracks come from it. To"
            " go on, deal it again, or feed from another list."
        )
    paths = _real_paths(run.tracks.paths)
    index_of = {path: index for index, path in enumerate(paths)}
    played, skipped, removed, refused = (
        [index_of[path] for path, outcome in passed.outcomes.items() if outcome is each and path in index_of]
        for each in Outcome
    )
    if deck.is_fed and (deck.round, deck.number) == passed.deal:
        in_list = frozenset((*run.choice.remaining, *deck.unheard))
        deck = put_off(mark_heard(deck, in_list.intersection(played)), skipped, settings.patience)
        deck = give_back(deck, [*removed, *refused])
    always = settings._replace(amount=Amount(_FED), every=Every.RUN, patience=math.inf)
    run = run._replace(request=run.request._replace(deal=always))
    rules, unknown = _rules(run), frozenset(refused)
    rules = rules._replace(present=[index for index in rules.present if index not in unknown])
    if unknown and not rules.present:
        raise PlayshuffleError("The player knows none of the tracks.", Exit.NO_INPUT)
    updated = update_deck(deck._replace(heard_from_s=deck.heard_from_s or int(run.now.timestamp())), rules)
    following = _next_deck(run, updated, rules)
    assert following.deal is not None
    # Infinite patience counts no deals, but a track that was put off has had some.
    more = Counter(updated.unheard) - Counter(frozenset(updated.unheard))
    last, unheard = following.deal._replace(is_fed=True), following.unheard
    unheard += tuple(track for track in more.elements() if track in unheard)
    following = following._replace(unheard=unheard, deal=last)
    _write(run, following, None)
    entries = arranged_entries(run, last.entries).played
    return Fed(
        following.round,
        following.number,
        following.heard_count,
        following.track_count,
        settings.done_when is Count.PLAYED,
        [os.fsdecode(paths[index]) for index in entries],
    )


def _real_paths(paths: Sequence[bytes]) -> list[bytes]:
    """Return paths without links to folders, as players know them."""
    real, split = cache(os.path.realpath), map(os.path.split, paths)
    return [os.path.join(real(folder), name) for folder, name in split]


def _not_fed(deck: Deck) -> Deck:
    """Return the deck as if what a player still had to play was not dealt."""
    return give_back(deck, deck.unheard)._replace(heard_from_s=0) if deck.is_fed else deck


def count_as_heard(run: Run) -> Dealt:
    """Count the last deal as heard if the deck counts plays, and write it again if its file has changed.

    Raises:
        PlayshuffleError: nothing was dealt yet.
    """
    last, deck = _last_deal(run, "--heard"), with_heard(run)
    if not deck.heard_from_s:
        note = Note("counts_when_dealt", "In this list a track counts when it is dealt, heard or not.")
        return _repeat_deal(run, deck, notes=[note])
    heard = mark_heard(deck, last.entries)
    dealt = _repeat_deal(run, heard, None if heard == deck else run.record.saved)
    return dealt._replace(is_heard=True)


def _last_deal(run: Run, option: str) -> Deal:
    last = deck_of(run).deal
    if last is None or not last.entries:
        raise PlayshuffleError(f"Nothing was dealt to {shown(run.path)} yet. Remove {option} to deal now.")
    return last


def peek_deal(run: Run, passed: Passed = NOTHING_PASSED) -> Dealt:
    """Return the next deal, and change nothing; for a player, what it still has to play of its deal.

    Raises:
        PlayshuffleError: no track can be dealt.
    """
    deck, rules = with_heard(run), _rules(run)
    if deck.deal is not None and deck.is_fed:
        paths = _real_paths(run.tracks.paths)
        left = [index for index in deck.deal.entries if paths[index] not in passed.outcomes]
        return Dealt(run.report(arranged_entries(run, left)), deck, is_new=True, certain=len(left))
    updated = update_deck(deck, rules)
    following = _next_deck(run, updated, rules)
    entries = following.deal.entries if following.deal is not None else ()
    notes = []
    if again := frozenset(entries).intersection(deck.unheard):
        text = f"Comes again, unless you hear it by then: {counted(len(again), 'track')} of earlier deals."
        notes.append(Note("comes_again", text))
    report = run.report(arranged_entries(run, entries), notes=notes)
    return Dealt(report, following, is_new=True, certain=_certain(run, deck, updated, entries))


def _certain(run: Run, deck: Deck, updated: Deck, entries: Sequence[int]) -> int:
    """Return how many of the first entries no later random draw can change."""
    staying = frozenset(updated.upcoming)
    is_drawn = ORDERS[run.request.recipe.order_name].deck_gap != "none"  # only random orders have a gap
    before = tuple(track for track in deck.upcoming if track in staying)
    if is_drawn and (deck.order_name, before) != (updated.order_name, updated.upcoming):
        return 0
    expected = frozenset(() if deck.is_ended else staying).union(deck.unheard)
    return next((position for position, track in enumerate(entries) if track not in expected), len(entries))


def with_heard(run: Run) -> Deck:
    """Return the deck; if it counts plays, with the heard tracks marked."""
    deck = deck_of(run)
    if deck.is_fed:
        return deck
    if _settings(run).done_when is Count.DEALT or run.history is None:
        return deck._replace(unheard=(), heard_from_s=0)
    now_s = int(run.now.timestamp())
    if not (deck.heard_from_s and deck.round):  # after an undo of the first deal, no plays are known
        return deck._replace(heard_from_s=now_s)
    deck = deck._replace(heard_from_s=min(deck.heard_from_s, now_s))  # the clock may have been ahead
    heard = run.history.heard_since(deck.heard_from_s)
    return mark_heard(deck, heard.intersection((*run.choice.remaining, *deck.unheard)))


def _rules(run: Run) -> DealRules:
    chosen, recipe, limit = run.chosen, run.complete_recipe(), run.request.most
    away = run.library.all_waiting
    rounds = Rounds(chosen, recipe, run.tools.randbelow)
    size = deal_size(_settings(run).amount, chosen, recipe)
    if limit is not None:
        size = Limited(size, limit.number, values(chosen, limit.tag))
    present = [index for index in chosen.indices if index not in away]
    waiting = [index for index in chosen.indices if index in away]
    return DealRules(present, rounds, size, rounds.resting, waiting)


def _next_deck(run: Run, updated: Deck, rules: DealRules, *, is_now: bool = False) -> Deck:
    """Return the deck after its next deal. With `is_now`, unheard tracks come in a later deal."""
    if not rules.present or waits_for_missing(updated):
        left = frozenset(updated.missing or run.choice.remaining)
        root = max(run.library.missing, key=lambda root: len(left.intersection(run.library.waiting[root])))
        error = run.library.missing[root]
        raise MissingError(
            root,
            error.why,
            error.advice,
            f"{error.summary}, and all remaining tracks of this round ({len(left):,}) are on it",
        )
    period = period_start(_settings(run).every, run.now)
    patience = _settings(run).patience
    again = tracks_again(updated, patience)
    deck = next_deal(updated, rules, period, today=run.now.date(), again=again, is_now=is_now)
    if deck.deal is not None:
        deck = deck._replace(deal=deck.deal._replace(every=_settings(run).every))
    return count_deal(updated, deck, int(run.now.timestamp()), patience) if deck.heard_from_s else deck


def _notes_on_limit(run: Run, deck: Deck) -> list[Note]:
    limit, count = run.request.most, _settings(run).amount.tracks
    entries = deck.deal.entries if deck.deal is not None else ()
    if limit is None or count is None or not deck.upcoming or len(entries) >= count:
        return []
    text = f"{counted(len(entries), 'track')} instead of {count:,}, since a deal has at most {limit}."
    return [Note("limit", text)]


def _repeat_deal(
    run: Run, deck: Deck, before: SavedRecord | None = None, notes: Sequence[Note] = ()
) -> Dealt:
    """Write the last deal again, if the file has lost it or tracks were renamed.

    `before` is the record that `undo` will restore; None keeps the saved one.
    """
    now, every = run.now, _settings(run).every
    assert deck.deal is not None
    last, period = deck.deal._replace(every=every), period_start(every, now)
    if not last.entries:  # it was undone, and the file keeps its tracks
        return _keep_file(run, deck)
    notes = [*notes]
    if deck.is_fed:
        notes.append(Note("fed", "A player gets these tracks one by one. To deal others: --now"))
    if is_of_the_future(now, last.period):
        text = f"The last deal is dated {last.period}, which is in the future. It counts as made now."
        notes.append(Note("future_deal", text))
        last = last._replace(period=period)
    elif now.date() < last.period:
        text = f"The last deal is dated {last.period}, but today is {now.date()}, so nothing new is dealt"
        text += " until then. If the clock was wrong at the last deal, --now deals."
        notes.append(Note("no_deal_yet", text))
    elif last.is_pending:  # it never reached the file, so it is the deal of this period
        last = last._replace(period=max(last.period, period))
    if not isinstance(run.record.saved, SavedDeck):  # `make` has written the list since
        before = run.record.saved
    report = _write(run, deck._replace(deal=last), before, notes)
    deck = mark_written(deck._replace(deal=last))
    return Dealt(report, deck, is_new=False, certain=report.playlist_length, former=_former(run))


def _keep_file(run: Run, deck: Deck) -> Dealt:
    """Save the deck, but keep the file: it has an undone deal, or a deal of another computer."""
    assert deck.deal is not None
    saved = run.record.saved
    content = saved.content if saved is not None and not run.record.has_other else ""
    run.check()
    record = SavedDeck(deck, content)
    report = run.report(arranged_entries(run, deck.deal.entries), record)
    if run.request.writes:
        run.save(report.with_options(record))
    return Dealt(report, deck, is_new=False, certain=report.playlist_length, former=_former(run))


def _former(run: Run) -> Options | None:
    saved = run.record.saved
    options = saved.options if isinstance(saved, SavedDeck) else None
    return None if options == run.request.saved_options else options


def _write(run: Run, deck: Deck, before: SavedRecord | None, notes: Sequence[Note] = ()) -> Report:
    assert deck.deal is not None
    record = SavedDeck(deck, "")
    report = run.write(arranged_entries(run, deck.deal.entries), record, before, notes)
    if deck.deal.is_pending and run.request.writes:
        with contextlib.suppress(PlayshuffleError):  # the next run compares the file itself
            written = report.completed(record)
            assert isinstance(written, SavedDeck)
            confirm(run.opened.state, run.path, written.translated(run.tracks.numbers_of))
    return report


def arranged_entries(run: Run, entries: Sequence[int]) -> Arranged:
    """Return the existing tracks of a deal, in order, even tracks that a new query excludes."""
    staying = _staying(run)
    order = [index for index in entries if index in staying]
    return Arranged(order, len(order))


def _staying(run: Run) -> frozenset[int]:
    return _excluded(run).union(run.choice.remaining)


def _excluded(run: Run) -> frozenset[int]:
    stages = (run.choice.stage(code) for code in (SPOKEN, WHERE))
    return frozenset(index for stage in stages if stage is not None for index in stage.indices)


def deck_of(run: Run) -> Deck:
    """Return the deck of a dealt playlist."""
    assert run.record.deck is not None
    return run.record.deck


def _settings(run: Run) -> DealSettings:
    assert run.request.deal is not None
    return run.request.deal
