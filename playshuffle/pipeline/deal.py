"""Deal the next tracks of a deck into its playlist.

A deal is remembered before the file is replaced, and is pending until the file has it. A run
that was killed in between is finished by the next one: no deal is skipped, none is made twice.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from playshuffle.dealing.amount import Amount
from playshuffle.dealing.deck import Deal, Deck, mark_written
from playshuffle.dealing.limited import LimitedPerValue
from playshuffle.dealing.next_deal import Size, is_due, next_deal, update_deck, waits_for_missing
from playshuffle.dealing.period import Every, is_of_the_future, period_start
from playshuffle.dealing.rounds import Rounds, deal_size
from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.ordering.arrange import Arranged, no_tags
from playshuffle.ordering.limit_per_tag import parse_limit, values
from playshuffle.pipeline.deck_history import DeckHistory
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.session import Session, open_session
from playshuffle.pipeline.sources import Tools
from playshuffle.pipeline.target import Target
from playshuffle.playlist import parts
from playshuffle.store import decks
from playshuffle.store.deck_renames import follow_renames
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


def deal_playlist(
    request: Request,
    tools: Tools,
    amount: Amount,
    every: Every,
    now: datetime,
    changes: Changes = EVERYWHERE,
) -> Dealt:
    """Deal once in each period; else check that the file has the deal of this period.

    Raises:
        PlayshuffleError: nothing could be dealt; deck and file are as they were.
    """
    _check_options(request)
    with open_session(request, tools, changes, deals=True) as run:
        deck = history_of(run).deck
        present = frozenset(run.tracks.paths)
        if is_due(deck, every, now, present | deck.tracks if run.missing else present):
            deck = _next_deck(run, tools, amount, every, now)
            return _replace_deal(run, deck, _notes_on_limit(run, amount, deck))
        dealt = _repeat_deal(run, every, now)
        return replace(dealt, deck=replace(dealt.deck, deal=_with_period(dealt.deck.deal, every)))


def deal_again(request: Request, tools: Tools, every: Every, now: datetime) -> Dealt:
    """Check that the file has the last deal, whatever period this is.

    Raises:
        PlayshuffleError: nothing was dealt yet, or the file could not be written.
    """
    with open_session(request, tools, deals=True) as run:
        if history_of(run).deck.deal is None:
            raise PlayshuffleError(
                f"Nothing was dealt to {shown(target_of(run).path)} yet. Remove --again to deal now.",
                Exit.USAGE,
            )
        return _repeat_deal(run, every, now)


def peek_deal(request: Request, tools: Tools, amount: Amount, every: Every, now: datetime) -> Dealt:
    """Return the deal that comes after the last one, and change nothing.

    Raises:
        PlayshuffleError: there is nothing to deal.
    """
    _check_options(request)
    with open_session(request._replace(dry_run=True), tools, deals=True) as run:
        deck = _next_deck(run, tools, amount, every, now)
        entries = deck.deal.entries if deck.deal is not None else ()
        certain = _certain(run, entries)
        return Dealt(
            run.finish(entries_report(run, entries), is_changed=False), deck, is_new=True, certain=certain
        )


def _certain(run: Session, entries: Sequence[bytes]) -> int:
    """Return the number of entries, from the first, that depend on no draw."""
    deck, rounds = history_of(run).deck, Rounds(run.tracks, run.recipe, _no_draw, run.tags_of)
    try:
        upcoming = update_deck(deck, run.tracks.paths, rounds, is_whole=not run.missing).upcoming
    except _DrawError:  # new tracks, or another order: any position may change
        return 0
    ordered = frozenset(() if deck.is_ended else upcoming)
    return next((at for at, track in enumerate(entries) if track not in ordered), len(entries))


class _DrawError(Exception):
    """Chance was asked for."""


def _no_draw(_bound: int) -> int:
    raise _DrawError


def _check_options(request: Request) -> None:
    recipe = request.recipe
    for option, is_asked in {
        "pin": bool(request.pins),
        "part": recipe.part is not None,
        "seed": request.seed is not None,
        "tags = false": not request.tags,
    }.items():
        if is_asked:
            raise OptionError(
                "{} does not work with a deal, which continues from the last one. Remove it.", option
            )


def _next_deck(run: Session, tools: Tools, amount: Amount, every: Every, now: datetime) -> Deck:
    """Return the deck after its next deal."""
    rounds = Rounds(run.tracks, run.recipe, tools.randbelow, run.tags_of)
    paths, is_whole = run.tracks.paths, not run.missing
    deck = update_deck(history_of(run).deck, paths, rounds, is_whole=is_whole)
    if waits_for_missing(deck):
        raise PlayshuffleError(
            f"{run.missing[0].summary}. All remaining tracks of this round ({len(deck.missing):,}) are on it,"
            " so the playlist was not changed. Mount the drive and try again, or add --allow-shrink.",
            Exit.MISSING,
        )
    size = _size(run, amount)
    period = period_start(every, now)
    deck = next_deal(deck, paths, rounds, size, period, is_whole=is_whole, today=now.date())
    return replace(deck, deal=_with_period(deck.deal, every))


def _size(run: Session, amount: Amount) -> Size:
    """Return how large deals are, and how many tracks of one artist they may have.

    Raises:
        PlayshuffleError: the amount is in albums, which such a limit or the order does not keep together.
    """
    size = deal_size(amount, run.tracks, run.recipe, run.tags_of)
    if run.request.most is None:
        return size
    if amount.albums is not None:
        raise PlayshuffleError(
            "--most does not work with --albums: the albums would have gaps. Remove either.", Exit.USAGE
        )
    limit = parse_limit(run.request.most)
    numbers = values(run.tracks, run.tags_of or no_tags, limit.tag)
    return LimitedPerValue(size, limit.number, dict(zip(run.tracks.paths, numbers, strict=True)))


def _notes_on_limit(run: Session, amount: Amount, deck: Deck) -> list[str]:
    """Return how many deals of the round the limit of `--most` makes shorter than asked for."""
    size = _size(run, amount)
    short_count = size.short_deals(deck.upcoming) if isinstance(size, LimitedPerValue) else 0
    if not short_count:
        return []
    deals, limit = counted(deck.deals_left, "deal"), parse_limit(run.request.most or "")
    note = f"{short_count:,} of the {deals} left in this round will have fewer than {amount.count:,} tracks,"
    return [f"{note} since each has at most {limit}."]


def _with_period(last: Deal | None, every: Every) -> Deal | None:
    return last and replace(last, every=every)


def _replace_deal(run: Session, deck: Deck, notes: Sequence[str]) -> Dealt:
    """Write a new deal, and remember the deck of before to go back to."""
    history = history_of(run)
    before = history.stored or decks.StoredDeck(Deck(), "", [], b"")
    report = _save(run, deck, before._replace(deck=history.deck), notes)
    return Dealt(report, mark_written(deck), is_new=True, certain=report.playlist_length)


def _repeat_deal(run: Session, every: Every, now: datetime) -> Dealt:
    """Write the last deal again if the file has it no longer, or if tracks were renamed."""
    deck, target = history_of(run).deck, target_of(run)
    last = deck.deal
    assert last is not None
    notes = []
    if is_of_the_future(now, last.period):
        deck = replace(deck, deal=replace(last, period=period_start(every, now)))
        notes.append(f"The last deal is dated {last.period}, which is in the future. It counts as made now.")
    elif last.is_pending:
        # It never reached the file, so it is the deal of this period.
        deck = replace(deck, deal=replace(last, period=max(last.period, period_start(every, now))))
    present = frozenset(run.tracks.paths)
    if run.missing and target.exists and not present.issuperset(last.entries):
        report = entries_report(run, last.entries)._replace(kept_count=len(target.entries()))
        report = run.finish(report, is_changed=False)
        return Dealt(report, deck, is_new=False, certain=report.playlist_length)
    if now.date() < last.period and not notes:
        notes.append(
            f"The last deal is dated {last.period}, but today is {now.date()}, so nothing new is dealt until"
            " then. If the clock was wrong at the last deal, --every run deals now."
        )
    report = _save(run, deck, history_of(run).before, notes)
    return Dealt(report, mark_written(deck), is_new=False, certain=report.playlist_length)


def _save(run: Session, deck: Deck, before: decks.StoredDeck | None, notes: Sequence[str] = ()) -> Report:
    """Remember the deck, then replace its file: both or neither."""
    assert deck.deal is not None
    path, stored, identity = target_of(run).path, history_of(run).stored, history_of(run).identity
    report = entries_report(run, deck.deal.entries)._replace(notes=notes)
    if stored is not None and identity is not None:
        tracks = run.library.tracks  # the identity is over all, not over those that match
        follow_renames(run.state, path, stored.remembered(), identity, tracks.paths, tracks.marks)
    with parts.prepared(path, report.text, force=run.request.force) as ready:
        content, marks = report.text.fingerprint, _marks(run)
        if stored is None or stored.deck != deck or stored.content != content or not stored.has_marks(marks):
            decks.save(run.state, path, deck, content, marks, before, run.roots, history_of(run).marks)
        else:  # the folders may have changed beside the tracks of this deck
            run.state.remember_roots(path, run.roots)
        is_changed = ready.replace()
    if deck.deal.is_pending:
        with contextlib.suppress(PlayshuffleError):  # the next run compares the file itself
            decks.confirm(run.state, path)
    return run.finish(report, is_changed=is_changed)


def entries_report(run: Session, entries: Sequence[bytes]) -> Report:
    """Report the playlist of those entries that are present."""
    index_of = {path: index for index, path in enumerate(run.tracks.paths)}
    order = [index_of[path] for path in entries if path in index_of]
    return run.report(Arranged(order, len(order)))


def _marks(run: Session) -> dict[bytes, bytes]:
    """Map each present track to the mark that identifies it."""
    marks = run.tracks.marks
    rows = (marks[row : row + MARK_BYTES] for row in range(0, len(marks), MARK_BYTES))
    return dict(zip(run.tracks.paths, rows, strict=True))


def history_of(run: Session) -> DeckHistory:
    """Return the history of the deck; a session of a deal has one."""
    assert isinstance(run.history, DeckHistory)
    return run.history


def target_of(run: Session) -> Target:
    """Return the playlist file; a session of a deal has one."""
    assert run.target is not None
    return run.target
