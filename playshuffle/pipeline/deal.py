"""A deck on the table -> its next deal, or the last one again -> its playlist.

What is dealt is committed before the file is replaced, and is pending until the file has it. A
run that was killed in between is finished by the next one: no deal is skipped, none made twice.
"""

import contextlib
from dataclasses import dataclass, replace
from datetime import datetime

from playshuffle.dealing.amount import Amount
from playshuffle.dealing.deck import Deck, emitted, is_due, settled
from playshuffle.dealing.deck import deal as next_deal
from playshuffle.dealing.period import Every, begun
from playshuffle.dealing.rounds import Rounds, size
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library.scan import Progress
from playshuffle.library.tracks import ReadAll
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.pipeline.deal_session import Table, laid
from playshuffle.pipeline.request import Report, Request
from playshuffle.playlist import parts
from playshuffle.shuffle import RandBelow
from playshuffle.store import decks


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted: a playlist dealt from folders, how much at a time, and how often."""

    request: Request
    amount: Amount
    every: Every = Every.DAY


@dataclass(frozen=True, slots=True)
class Dealt:
    """What was done.

    deck: as it stands now; where nothing is to be moved, as it would. is_new: it was dealt from;
        else the last deal was left, or written once more.
    certain: so many entries are what they are; the others hang on draws that are yet to be made.
    """

    report: Report
    deck: Deck
    is_new: bool
    certain: int


def deal(
    wish: Wish,
    now: datetime,
    randbelow: RandBelow,
    read_all: ReadAll,
    progress: Progress,
    changes: Changes = EVERYWHERE,
) -> Dealt:
    """Deal once in each period; else see that the file has the deal of this period.

    Raises:
        PlayshuffleError: it could not be done; deck and file are as they were.
    """
    _check(wish.request)
    with laid(wish.request, read_all, progress, writes=True, changes=changes) as found:
        table = _with_what_the_file_has(found)
        present = frozenset(table.playable.paths)
        if not table.is_whole:
            present |= table.deck.known
        if is_due(table.deck, wish.every, now, present):
            deck = _dealt(table, wish, now, randbelow)
            before = table.kept or decks.Kept(Deck(), "", [], b"")
            report = _written(table, deck, before._replace(deck=table.deck))
            return Dealt(report, emitted(deck), is_new=True, certain=report.count)
        return _again(table, wish, now)


def again(wish: Wish, now: datetime, read_all: ReadAll, progress: Progress) -> Dealt:
    """See that the file has the last deal, whatever period this is.

    Raises:
        PlayshuffleError: there is none, or it could not be done.
    """
    with laid(wish.request, read_all, progress, writes=True) as table:
        if table.deck.deal is None:
            raise PlayshuffleError(
                f"Nothing was dealt into {shown(table.target.path)} yet; leave --again away.", Exit.USAGE
            )
        return _again(_with_what_the_file_has(table), wish, now)


def peek(wish: Wish, now: datetime, randbelow: RandBelow, read_all: ReadAll, progress: Progress) -> Dealt:
    """Look at the deal that comes after the last one, and move nothing.

    Raises:
        PlayshuffleError: there is none.
    """
    _check(wish.request)
    with laid(wish.request, read_all, progress, writes=False) as table:
        deck = _dealt(table, wish, now, randbelow)
        last = deck.deal
        entries = last.entries if last is not None else ()
        still = frozenset(table.deck.to_come)
        certain = next((at for at, track in enumerate(entries) if track not in still), len(entries))
        return Dealt(_told(table, table.report(entries)), deck, is_new=True, certain=certain)


def undo(wish: Wish, read_all: ReadAll, progress: Progress) -> Dealt:
    """Take the last deal back: deck and file are as they were before.

    Raises:
        PlayshuffleError: there is none, or what there was before is not known any more.
    """
    with laid(wish.request, read_all, progress, writes=True) as table:
        if table.before is None:
            raise PlayshuffleError(
                f"There is no deal of {shown(table.target.path)} to take back; only the last one can be.",
                Exit.USAGE,
            )
        deck = table.before.deck
        report = _told(table, table.report(deck.deal.entries if deck.deal is not None else ()))
        report.notes.append("The last deal was taken back, and comes with the next one.")
        if report.count:
            report.is_changed = parts.write(
                table.target.path,
                report.text,
                lambda: decks.back(table.state, table.target.path),
                force=wish.request.force,
            )
        else:
            decks.back(table.state, table.target.path)
            report.notes.append(f"{shown(table.target.path)} stays as it is until then.")
        return Dealt(report, deck, is_new=False, certain=report.count)


def _check(request: Request) -> None:
    recipe = request.recipe
    for option, is_asked in {
        "--pin": bool(request.pins),
        "--part": recipe.part is not None,
        "--seed": request.seed is not None,
        "--no-tags": not request.tags,
    }.items():
        if is_asked:
            raise PlayshuffleError(
                f"{option} does not go with a deal, which goes on from the last one; leave it away.",
                Exit.USAGE,
            )


def _with_what_the_file_has(table: Table) -> Table:
    """The table, with a deal that is pending no longer if it did reach the file."""
    last = table.deck.deal
    if (
        last is None
        or not last.is_pending
        or table.kept is None
        or table.target.content != table.kept.content
    ):
        return table
    decks.confirm(table.state, table.target.path)
    return replace(table, deck=emitted(table.deck), kept=table.kept._replace(deck=emitted(table.kept.deck)))


def _dealt(table: Table, wish: Wish, now: datetime, randbelow: RandBelow) -> Deck:
    """The deck after its next deal."""
    recipe = wish.request.recipe
    law = Rounds(table.playable, recipe, randbelow, table.tags_of)
    here, is_whole = table.playable.paths, table.is_whole
    deck = settled(table.deck, here, law, is_whole=is_whole)
    if deck.away and not deck.to_come:
        raise PlayshuffleError(
            f"{table.away[0].said}. All that is still to come in this round, {len(deck.away):,} tracks, is"
            " there, so the playlist was left as it is. Mount the drive and try again, or say"
            " --allow-shrink to go on without it.",
            Exit.AWAY,
        )
    how_much = size(wish.amount, table.playable, recipe, table.tags_of)
    return next_deal(deck, here, law, how_much, begun(wish.every, now), is_whole=is_whole)


def _again(table: Table, wish: Wish, now: datetime) -> Dealt:
    """Write the last deal once more, where the file has it no longer, or some of it is called otherwise."""
    deck = table.deck
    last = deck.deal
    assert last is not None
    if last.is_pending:
        # It never was heard, so it is the deal of this period.
        deck = replace(deck, deal=replace(last, period=max(last.period, begun(wish.every, now))))
    report = table.report(last.entries)
    if report.count < len(last.entries) and table.target.exists and not table.is_whole:
        return Dealt(_told(table, report), deck, is_new=False, certain=report.count)
    report = _written(table, deck, table.before)
    if begun(wish.every, now) < last.period:
        report.notes.append(
            f"The clock says {now.date()}, but the last deal is of {last.period}; it stays until then."
            " If it is the clock that was wrong then, --every run deals anew, and by today's date."
        )
    return Dealt(report, emitted(deck), is_new=False, certain=report.count)


def _written(table: Table, deck: Deck, before: decks.Kept | None) -> Report:
    """Have the deck and its file agree: the one committed, then the other replaced."""
    assert deck.deal is not None
    path = table.target.path
    report = _told(table, table.report(deck.deal.entries))
    is_same = table.kept is not None and table.kept.deck == deck

    def commit() -> None:
        content = report.text.fingerprint
        if table.kept is None or not is_same or table.kept.content != content:
            decks.keep(table.state, path, deck, content, table.marks(), before, table.roots)

    report.is_changed = parts.write(path, report.text, commit, force=table.request.force)
    if deck.deal.is_pending:
        with contextlib.suppress(PlayshuffleError):  # the next run sees for itself what the file has
            decks.confirm(table.state, path)
    return report


def _told(table: Table, report: Report) -> Report:
    report.notes += [f"{error.said}; what is there is passed over, and comes later." for error in table.away]
    return report
