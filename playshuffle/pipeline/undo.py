"""Undo the last deal of a deck, or its reset."""

from collections.abc import Sequence

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library.missing import below
from playshuffle.pipeline.deal import Dealt, entries_report, history_of, target_of
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.session import Session, open_session
from playshuffle.pipeline.sources import Tools
from playshuffle.playlist import parts
from playshuffle.store import decks
from playshuffle.text import counted


def undo_deal(request: Request, tools: Tools) -> Dealt:
    """Take the last deal back: deck and file are as they were before.

    A reset did not change the file, so its undo does not, either.

    Args:
        request: the playlist.
        tools: what to work with.

    Raises:
        PlayshuffleError: there is no deal, the deck of before is not known any more, or tracks
            of the deal before are on a missing drive. Deck and file are as they were.
    """
    with open_session(request, tools, deals=True) as run:
        path, before = target_of(run).path, history_of(run).before
        if before is None:
            raise PlayshuffleError(
                f"There is no deal of {shown(path)} to undo. Only the last one can be undone, and once.",
                Exit.USAGE,
            )
        entries = before.deck.deal.entries if before.deck.deal is not None else ()
        is_reset = history_of(run).deck.is_ended
        if not is_reset:
            _check_missing(run, entries)
        if is_reset:
            notes = ["The reset was undone. The round continues."]
        elif before.deck.round:
            notes = ["The last deal was undone. Its tracks come with the next deal."]
        else:
            notes = ["The first deal was undone. The next one draws from all tracks again."]
        report = entries_report(run, entries)
        if is_reset:
            decks.restore_previous(run.state, path)
            is_changed = False
            if run.missing:
                report = report._replace(kept_count=len(target_of(run).entries()))
        elif report.playlist_length:
            with parts.prepared(path, report.text, force=request.force) as ready:
                decks.restore_previous(run.state, path)
                is_changed = ready.replace()
        else:
            decks.restore_previous(run.state, path)
            is_changed = False
            notes.append(f"{shown(path)} keeps its tracks until then.")
        report = run.finish(report._replace(notes=notes), is_changed=is_changed)
        return Dealt(report, before.deck, is_new=False, certain=report.playlist_length)


def _check_missing(run: Session, entries: Sequence[bytes]) -> None:
    """Check that no track to be restored is on a missing drive.

    Raises:
        PlayshuffleError: one is.
    """
    lost = sorted(frozenset(entries).difference(run.tracks.paths))
    for error in run.missing:
        if count := len(below(error.path, lost)):
            raise PlayshuffleError(
                f"{error.summary}. {counted(count, 'track')} of the deal before the last one"
                f" {'is' if count == 1 else 'are'} on it, so nothing was undone. Mount the drive and try"
                " again, or add --allow-shrink.",
                Exit.MISSING,
            )
