"""Keep the order of one playlist while its tracks change."""

from array import array
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from operator import ne
from typing import NamedTuple

from playshuffle.errors import PlayshuffleError
from playshuffle.library.identity import Identity, Remembered
from playshuffle.library.marks import MARK_BYTES, mark_at
from playshuffle.library.tracks import Tracks
from playshuffle.library.walk import Changes
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.running_order import UpdatedOrder, update_order
from playshuffle.pipeline.make import draw_order, new_record
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.session import OrderRecord, Session, open_session
from playshuffle.pipeline.sources import Tools
from playshuffle.pipeline.target import Target
from playshuffle.store.deck_renames import follow_renames

_CLOCK_TOLERANCE_S = 86_400  # less delays a daily order by a day at most


def keep(request: Request, tools: Tools, changes: Changes, redraw_before_s: float = 0) -> Report:
    """Keep one playlist as it is, except for tracks that were added, removed, renamed or tagged.

    Its order is drawn again if there is none yet, or if it was drawn as another order than the
    request asks for.

    Args:
        request: the playlist; it has an output.
        tools: what to work with.
        changes: what to look at again.
        redraw_before_s: draw a new order if the present one is older than this time (Unix seconds).

    Raises:
        PlayshuffleError: the playlist could not be updated; the file was not changed.
    """
    with open_session(
        request, tools, changes, must_remember=True, keeps_choice_from_s=redraw_before_s
    ) as run:
        assert run.target is not None, "a kept playlist is a file"
        now_s = int(tools.clock())
        if run.target.remembered is None:
            arranged, notes = draw_order(run, tools.randbelow, is_update=True)
            return run.replace(run.report(arranged, notes), new_record(run, arranged, now_s))
        update = _update(run, tools, changes.moved, redraw_before_s, now_s)
        report = run.report(update.arranged, update.notes)
        came, went, renamed = update.counts
        return run.replace(report._replace(came=came, went=went, renamed=renamed), update.record)


class _Update(NamedTuple):
    """What becomes of a remembered order; counts: of tracks that came, went and were renamed."""

    arranged: Arranged
    record: OrderRecord
    notes: list[str]
    counts: tuple[int, int, int] = (0, 0, 0)


def _update(
    run: Session, tools: Tools, moved: Sequence[tuple[bytes, bytes]], redraw_before_s: float, now_s: int
) -> _Update:
    """Update the remembered order of a playlist, or draw a new one if that is due."""
    target = run.target
    assert target is not None, "a kept playlist is a file"
    before = target.remembered
    assert before is not None, "an update needs a last order"
    drawn_s, notes = _drawn_s(target, now_s)
    # Among all tracks that were found: one that is left out must not be taken for a deleted one.
    tracks = run.library.tracks
    identity = target.identity(before, tracks, moved)
    # Before the playlist, so that a run that is killed in between is repeated for both.
    follow_renames(run.state, target.path, before, identity, tracks.paths, tracks.marks)
    identity = _with_copies(identity, before, tracks, run.choice.kept)
    files = identity.now
    identity = _among(identity, tracks, run.tracks)
    is_same_order = target.order in (None, run.request.recipe.order_name)
    if not is_same_order or drawn_s < redraw_before_s:
        try:
            arranged, drawn_notes = draw_order(run, tools.randbelow, is_update=True)
            run.check_losses(arranged)  # while the last order can still be kept
            return _Update(arranged, new_record(run, arranged, now_s), [*drawn_notes, *notes])
        except PlayshuffleError as error:
            if not is_same_order:
                raise
            notes.append(f"The playlist cannot be shuffled again, so it keeps its order. {error}")
    updated = update_order(
        run.tracks, run.recipe, before, identity, tools.randbelow, run.tags_of, now_s=now_s
    )
    counts = _changed(before, identity, run.tracks)
    return _Update(updated.arranged, _record(run, before, updated, files, drawn_s), notes, counts)


def _drawn_s(target: Target, now_s: int) -> tuple[int, list[str]]:
    """Return when the last order was drawn, in Unix seconds, and notes for the user."""
    drawn_s = target.last.shuffled_s if target.last is not None else now_s
    if drawn_s <= now_s + _CLOCK_TOLERANCE_S:
        return drawn_s, []
    day = datetime.fromtimestamp(drawn_s).astimezone().date()
    return now_s, [f"The order is dated {day}, which is in the future. It counts as made now."]


def _with_copies(
    identity: Identity, before: Remembered, found: Tracks, kept: Mapping[bytes, bytes]
) -> Identity:
    """Return the same with each new track that replaces a copy of it in the place of that copy."""
    new = set(identity.new)
    if not kept or not new:
        return identity
    index_of = {path: index for index, path in enumerate(found.paths)}
    now = list(identity.now)
    # Copies that are in the playlist come before those that have vanished from it.
    for old in sorted(before.places, key=before.gone.__contains__):
        index = now[old]
        best = kept.get(found.paths[index]) if index is not None else None
        if best is not None and index_of[best] in new:
            now[old] = index_of[best]
            new.discard(index_of[best])
    return Identity(now, [index for index in identity.new if index in new])


def _among(identity: Identity, all_tracks: Tracks, tracks: Tracks) -> Identity:
    """Return the same with the indices of some of the tracks, as if the others were not there."""
    if len(all_tracks) == len(tracks):
        return identity
    index_of = {path: index for index, path in enumerate(tracks.paths)}
    new_indices = [index_of.get(path) for path in all_tracks.paths]
    new = [index for old in identity.new if (index := new_indices[old]) is not None]
    return Identity([None if old is None else new_indices[old] for old in identity.now], new)


def _changed(before: Remembered, identity: Identity, tracks: Tracks) -> tuple[int, int, int]:
    """Return how many tracks came, went and were renamed, as a report has them."""
    absent = identity.now.count(None)
    still_gone = sum(identity.now[old] is None for old in before.gone)
    paths_now = [*tracks.paths, b""]
    moved = sum(map(ne, before.paths, map(paths_now.__getitem__, identity.indices(-1))))
    return len(identity.new) + len(before.gone) - still_gone, absent - still_gone, moved - absent


def _record(
    run: Session, before: Remembered, updated: UpdatedOrder, files: Sequence[int | None], drawn_s: int
) -> OrderRecord:
    """Return the record of an updated order, vanished tracks included.

    files: of each remembered track its index among all tracks that were found. One that is left out
    may be renamed and tagged like any other, so it is recorded as its file is now.
    """
    tracks, found = run.tracks, run.library.tracks
    digest = tracks.digest
    gone_paths: list[bytes] = []
    gone_marks = b""
    if updated.gone:
        now = [files[old] for old, _ in updated.gone]
        old_marks = before.marks or bytes(MARK_BYTES * len(before.paths))
        gone_paths = [
            before.paths[old] if index is None else found.paths[index]
            for (old, _), index in zip(updated.gone, now, strict=True)
        ]
        digest = blake2b(b"\0".join([digest, *gone_paths]), digest_size=16).digest()
        gone_marks = b"".join(
            mark_at(old_marks, old) if index is None else mark_at(found.marks, index)
            for (old, _), index in zip(updated.gone, now, strict=True)
        )

    gone = {len(tracks) + number: since for number, (_, since) in enumerate(updated.gone)}
    order = Remembered(
        [*tracks.paths, *gone_paths], tracks.marks + gone_marks, array("I", updated.order), gone
    )
    return OrderRecord(digest, order, drawn_s, is_known=before == order)
