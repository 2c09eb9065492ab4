"""Take back the last make or deal of a list: order or deck, file and options.

The file is replaced before the state is: if a run is killed in between, the next one takes back the same.
"""

from playshuffle.dealing.deck import mark_written
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.ordering.arrange import Arranged
from playshuffle.pipeline.deal import deck_of, entries_report
from playshuffle.pipeline.record import saved_records
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run
from playshuffle.store import decks
from playshuffle.store.state import SavedOrder, State


def record_before(state: State, playlist: bytes) -> SavedOrder | decks.StoredDeck:
    """Return the record of a playlist before its last make or deal.

    Raises:
        PlayshuffleError: there is none.
    """
    is_dealt = any(isinstance(record, decks.StoredDeck) for record in saved_records(state, playlist))
    before = decks.load(state, playlist, age=1) if is_dealt else state.order_before(playlist)
    if before is None:
        raise PlayshuffleError(
            f"{shown(playlist)} was made or dealt only once, so there is nothing to go back to.", Exit.USAGE
        )
    return before


def undo(run: Run, before: SavedOrder | decks.StoredDeck) -> Report:
    """Write the playlist as it was before its last make or deal; a second call returns.

    Tracks that no longer exist are left out.

    Args:
        run: the playlist, opened with the request of the record before.
        before: that record, as it was found without a lock.

    Raises:
        PlayshuffleError: none of its tracks is left, it cannot be written, or it was made or dealt since.
    """
    if record_before(run.opened.state, run.path) != before:
        raise PlayshuffleError(
            f"{shown(run.path)} was made or dealt at the same time, so it was not changed. Undo it again.",
            Exit.CANNOT_CREATE,
        )
    return _undo_make(run, before) if isinstance(before, SavedOrder) else _undo_deal(run)


def _undo_make(run: Run, before: SavedOrder) -> Report:
    state, path = run.opened.state, run.path
    index_of = {number: index for index, number in enumerate(run.tracks.numbers)}
    now_s = int(run.now.timestamp())
    absent = {number: now_s for number in before.numbers if number not in index_of} | dict(before.absent)
    order = [index_of[number] for number in before.numbers if number not in absent]
    count = sum(number not in absent for number in before.present_then[: before.played])
    if not count:
        raise PlayshuffleError(
            f"No track that was in {shown(path)} before is left. Nothing was changed.", Exit.NOTHING_TO_PLAY
        )
    report, stamp = _replaced(run, run.report(Arranged(order, count)))
    restored = before._replace(absent=absent, played=count, content=report.text.fingerprint, stamp=stamp)
    state.save_order(path, restored, None, state.orders(path)[0])
    return report


def _undo_deal(run: Run) -> Report:
    """Write the deal before. If there is none, or no track of it is left, the file keeps its tracks."""
    state, path, record = run.opened.state, run.path, deck_of(run)
    before = record.before
    assert before is not None
    report = entries_report(run, before.deck.deal.entries if before.deck.deal is not None else ())
    if report.playlist_length:
        report, _ = _replaced(run, report)
        before = before._replace(deck=mark_written(before.deck), content=report.text.fingerprint)
    else:
        report = run.finish(report, is_changed=False)
    decks.save(state, path, before, record.stored)
    return report


def _replaced(run: Run, report: Report) -> tuple[Report, str]:
    """Replace the file, and return the report with the stamp of the new one."""
    stamps: list[str] = []
    report = run.write(report, stamps.append)
    return report, stamps[0]
