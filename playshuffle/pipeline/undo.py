"""Undo the last make or deal of a list: restore its order or deck, its file and its options.

The file is replaced before the state. If a run is killed in between, the next `undo` does both.
"""

from collections.abc import Iterable

from playshuffle.dealing.deck import mark_written
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.ordering.arrange import Arranged
from playshuffle.pipeline.other_computers import OTHER_DEAL
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run
from playshuffle.pipeline.skip_lists import reasons_to_skip
from playshuffle.store import records
from playshuffle.store.records import SavedDeck, SavedOrder, SavedRecord
from playshuffle.store.state import State
from playshuffle.tags.cause import NAME


def record_before(state: State, playlist: bytes) -> SavedRecord:
    """Return the record of a playlist before its last make or deal.

    Raises:
        PlayshuffleError: the playlist was made or dealt only once, or it feeds a player.
    """
    stored = records.load(state, playlist)
    last, before = stored.get(records.LAST), stored.get(records.BEFORE)
    if isinstance(last, SavedDeck) and last.deck.is_fed:
        raise PlayshuffleError(
            f"A player gets the tracks of {shown(playlist)} one by one, so there is no deal to take back."
            " Remove a track from its queue, and it comes later."
        )
    if before is None:
        raise PlayshuffleError(
            f"{shown(playlist)} was made or dealt only once, so there is nothing to go back to."
        )
    return before


def undo(run: Run, before: SavedRecord) -> Report:
    """Write the playlist as it was before its last make or deal; a second undo reverses the first.

    The file gets the old tracks in the old order, even tracks that options exclude now, but no deleted
    ones, and none that the command `never` has removed since. Undoing does not make the next deal or new
    order due. `run` was opened with the options of `before`.

    Raises:
        PlayshuffleError: no old track exists, or another run or computer has written the list.
    """
    if record_before(run.opened.state, run.path) != before:
        raise PlayshuffleError(
            f"{shown(run.path)} was made or dealt at the same time, so it was not changed. Undo it again.",
            Exit.CANNOT_CREATE,
        )
    if any(note.code == OTHER_DEAL for note in run.record.notes):
        raise PlayshuffleError(
            f"Another computer has dealt {shown(run.path)}, so it was not changed. Undo that there, or deal"
            " the next tracks: playshuffle deal --now",
            Exit.CANNOT_CREATE,
        )
    before = run.record.with_same_copies(before.translated(run.tracks.indices_of))
    state, path = run.opened.state, run.path
    undone = records.last(state, path)
    before = _counting_as(undone, before)
    restored, report = _undo_make(run, before) if isinstance(before, SavedOrder) else _undo_deal(run, before)
    restored = restored.translated(run.tracks.numbers_of)
    try:
        records.save(state, path, restored, before=undone)
    except PlayshuffleError as error:
        if not report.is_changed:
            raise
        raise PlayshuffleError(
            f"{shown(path)} is as before, but this could not be saved, so the next update may replace it."
            " Make room on the disk of the saved state, and undo again.",
            Exit.CANNOT_CREATE,
        ) from error
    return report


def _counting_as(undone: SavedRecord | None, restored: SavedRecord) -> SavedRecord:
    """Return the restored record, dated as the undone one.

    Otherwise the service would deal or shuffle again at once. A deal without tracks stands for no deal.
    """
    if isinstance(restored, SavedOrder):
        drawn_s = undone.drawn_s if isinstance(undone, SavedOrder) else 0
        return restored._replace(drawn_s=max(restored.drawn_s, drawn_s))
    undone_deal = undone.deck.deal if isinstance(undone, SavedDeck) else None
    if undone_deal is None:
        return restored
    deal = restored.deck.deal or undone_deal._replace(entries=(), is_pending=False)
    deal = deal._replace(period=max(deal.period, undone_deal.period))
    return restored._replace(deck=restored.deck._replace(deal=deal))


def _existing(run: Run, tracks: Iterable[int]) -> list[int]:
    stage = run.choice.stage(NAME)
    unwritable = frozenset(stage.indices if stage is not None else ())
    never = [skip_list for skip_list in run.choice.lists if skip_list.path == run.request.never]
    out = unwritable.union(reasons_to_skip(run.tracks, never, run.rows_of)[0])
    return [index for index in tracks if index >= 0 and index not in out]


def _undo_make(run: Run, before: SavedOrder) -> tuple[SavedRecord, Report]:
    absent = before.absent.union(before.tracks).difference(_existing(run, before.present_then))
    order = [index for index in before.tracks if index not in absent]
    count = sum(index not in absent for index in before.present_then[: before.length])
    if not count:
        raise PlayshuffleError(
            f"No track that was in {shown(run.path)} before is left. Nothing was changed.",
            Exit.NOTHING_TO_PLAY,
        )
    report = run.replace(run.report(Arranged(order, count), before))
    return report.with_file(before._replace(absent=absent, length=count)), report


def _undo_deal(run: Run, before: SavedDeck) -> tuple[SavedRecord, Report]:
    """Undo a deal. If no track of the earlier deal exists, the playlist file stays as it is."""
    deck = before.deck
    entries = _existing(run, deck.deal.entries if deck.deal is not None else ())
    arranged = Arranged(entries, len(entries))
    if not arranged.playlist_length:
        undone, file = run.record.saved, run.file
        if undone is not None and file is not None and file.fingerprint() == undone.content:
            before = before._replace(content=undone.content)
        return before, run.report(arranged)
    report = run.replace(run.report(arranged, before))
    return report.with_file(before._replace(deck=mark_written(deck))), report
