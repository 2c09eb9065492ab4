"""Undo the last make or deal of a list: order or deck, file and options.

The file is replaced before the state is: if a run is killed in between, the next one does the same.
"""

from playshuffle.dealing.deck import mark_written
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.ordering.arrange import Arranged
from playshuffle.pipeline.deal import arranged_entries
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run
from playshuffle.store import records
from playshuffle.store.records import SavedDeck, SavedOrder, SavedRecord
from playshuffle.store.state import State


def record_before(state: State, playlist: bytes) -> SavedRecord:
    """Return the record of a playlist before its last make or deal.

    Raises:
        PlayshuffleError: it has none.
    """
    before = records.load(state, playlist).get(records.BEFORE)
    if before is None:
        raise PlayshuffleError(
            f"{shown(playlist)} was made or dealt only once, so there is nothing to go back to.", Exit.USAGE
        )
    return before


def undo(run: Run, before: SavedRecord) -> Report:
    """Write the playlist as it was before its last make or deal; a second call reverts the first.

    Tracks that no longer exist are omitted.

    Args:
        run: the playlist, opened with the request of `before`.
        before: the record to restore, read without a lock.

    Raises:
        PlayshuffleError: none of its tracks is left, it cannot be written, or it was made or dealt since.
    """
    if record_before(run.opened.state, run.path) != before:
        raise PlayshuffleError(
            f"{shown(run.path)} was made or dealt at the same time, so it was not changed. Undo it again.",
            Exit.CANNOT_CREATE,
        )
    before = run.record.before or before.translated(run.tracks.indices_of)
    restored, report = _undo_make(run, before) if isinstance(before, SavedOrder) else _undo_deal(run, before)
    state, path = run.opened.state, run.path
    records.save(state, path, restored.translated(run.tracks.numbers_of), before=records.last(state, path))
    return report


def _undo_make(run: Run, before: SavedOrder) -> tuple[SavedOrder, Report]:
    chosen = frozenset(run.choice.remaining)
    absent = before.absent.union(index for index in before.tracks if index not in chosen)
    order = [index for index in before.tracks if index not in absent]
    count = sum(index not in absent for index in before.present_then[: before.played])
    if not count:
        raise PlayshuffleError(
            f"No track that was in {shown(run.path)} before is left. Nothing was changed.",
            Exit.NOTHING_TO_PLAY,
        )
    report = run.write(Arranged(order, count), None)
    content = report.text.fingerprint
    return before._replace(absent=absent, played=count, content=content, stamp=report.stamp), report


def _undo_deal(run: Run, before: SavedDeck) -> tuple[SavedDeck, Report]:
    """Write the previous deal. If it does not exist, or has no present track, the file keeps its tracks."""
    deck = before.deck
    arranged = arranged_entries(run, deck.deal.entries if deck.deal is not None else ())
    if not arranged.playlist_length:
        return before, run.report(arranged)
    report = run.write(arranged, None)
    return before._replace(deck=mark_written(deck), content=report.text.fingerprint), report
