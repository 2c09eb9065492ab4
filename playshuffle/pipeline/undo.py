"""Undo the last deal of a deck, or its reset."""

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.deal import Dealt, deck_of, entries_report
from playshuffle.pipeline.run import Run
from playshuffle.store import decks


def undo_deal(run: Run) -> Dealt:
    """Take the last deal back: deck and file are as they were before.

    A reset did not change the file, so its undo does not, either.

    Raises:
        PlayshuffleError: there is no deal, or the deck of before is not known any more. Deck and file are as
            they were.
    """
    state, path, record = run.opened.state, run.path, deck_of(run)
    before = record.before
    if before is None:
        raise PlayshuffleError(
            f"There is no deal of {shown(path)} to undo. Only the last one can be undone, and once.",
            Exit.USAGE,
        )
    entries = before.deck.deal.entries if before.deck.deal is not None else ()
    report = entries_report(run, entries)
    if record.deck.is_ended:
        notes = ["The reset was undone. The round continues."]
    elif before.deck.round:
        notes = ["The last deal was undone. Its tracks come with the next deal."]
    else:
        notes = ["The first deal was undone. The next one draws from all tracks again."]
    if not record.deck.is_ended and report.playlist_length:
        report = run.write(
            report._replace(notes=notes),
            lambda _stamp: decks.restore_previous(state, path, run.request.options),
        )
    else:
        decks.restore_previous(state, path, before.options)
        if not record.deck.is_ended:
            notes.append(f"{shown(path)} keeps its tracks until then.")
        report = run.finish(report._replace(notes=notes), is_changed=False)
    return Dealt(report, before.deck, is_new=False, certain=report.playlist_length)
