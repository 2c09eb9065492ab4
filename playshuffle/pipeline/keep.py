"""Update one playlist after changes of its tracks: keep its order, or deal from its deck."""

from array import array
from datetime import datetime

from playshuffle.errors import Note, PlayshuffleError
from playshuffle.ordering.running_order import LastOrder, last_order_now, update_order
from playshuffle.pipeline.deal import Dealt, deal
from playshuffle.pipeline.make_again import fitted, make_again
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run
from playshuffle.store.records import SavedDeck, SavedOrder

_CLOCK_TOLERANCE_S = 86_400  # with a clock that is ahead by less, a daily order is late by a day at most


def update(run: Run) -> Report | Dealt:
    """Update a managed playlist, or deal from a deck if a deal is due."""
    return keep(run) if run.request.deal is None else deal(run)


def keep(run: Run) -> Report:
    """Keep the order of a playlist, except for tracks that were added or removed, or have new tags.

    Draw a new order if none exists, if the last one is too old for the request, or if the request has another
    kind of order.
    """
    last, now_s = run.record.order, int(run.now.timestamp())
    if last is None:
        return make_again(run)
    drawn_s, notes = _drawn_s(last.drawn_s, now_s)
    assert run.file is not None
    # Only the file has the name of its order, such as spread.
    is_same_order = run.file.comments().get("ORDER") in (None, run.request.recipe.full_name)
    if not is_same_order or drawn_s < run.request.redraw_before_s:
        try:
            return make_again(run, notes)
        except PlayshuffleError as error:
            if not is_same_order:
                raise
            text = f"The playlist cannot be shuffled again, so it keeps its order. {error}"
            notes.append(Note("not_shuffled", text))
    chosen, digest = run.choice.remaining, run.tracks.digest(run.choice.remaining)
    is_changed = last.digest != digest or len(last.tracks) != len(chosen) + len(last.absent)
    if is_changed or run.record.forgotten:  # else the tracks are the same, and need no comparison
        last_now = last_order_now(last.tracks, last.absent, chosen, run.record.forgotten)
    else:
        last_now = LastOrder(list(last.tracks), last.absent, [], 0, 0)
    (arranged, order), unfit = fitted(
        run,
        lambda fit: update_order(run.chosen, fit, last_now, run.tools.randbelow, is_changed=is_changed),
    )
    now = SavedOrder(array("i", order), last_now.absent, arranged.playlist_length, drawn_s, "", digest)
    saved = run.record.saved
    report = run.write(arranged, now, saved if isinstance(saved, SavedDeck) else None, [*notes, *unfit])
    renamed_count = len(run.library.renamed.intersection(last.tracks, chosen))
    renamed_count += run.record.replaced
    return report._replace(came=last_now.came, went=last_now.went, renamed=renamed_count)


def _drawn_s(drawn_s: int, now_s: int) -> tuple[int, list[Note]]:
    if not drawn_s:
        return now_s, []
    if drawn_s <= now_s + _CLOCK_TOLERANCE_S:
        return drawn_s, []
    day = datetime.fromtimestamp(drawn_s).astimezone().date()
    text = f"The order is dated {day}, which is in the future. It counts as made now."
    return now_s, [Note("future_order", text)]
