"""Make one playlist in a new order."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from playshuffle.duration import words
from playshuffle.errors import Note, PlayshuffleError
from playshuffle.ordering.arrange import (
    Arranged,
    arrange,
    block_keys,
    in_place,
    last_order,
    needs_last,
    total_limit,
)
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.gap import Gap, usual_gap
from playshuffle.ordering.groups import field_values, group_keys, sort_keys
from playshuffle.ordering.orders import KEPT, ORDERS, field_of
from playshuffle.ordering.recipe import LAST, Recipe
from playshuffle.pipeline.entry_writer import notes_on_mpd
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run
from playshuffle.store.records import NOTHING, SavedDeck, SavedOrder
from playshuffle.text import counted

Done = TypeVar("Done")


def make(run: Run, *, keeps_gap: bool = False, notes: Sequence[Note] = ()) -> Report:
    """Write a playlist in a new order.

    With `keeps_gap`, the last tracks of the old order come late in the new one, if its kind has a gap.

    Raises:
        PlayshuffleError: the playlist cannot be made.
    """
    arranged, drawn_notes = _draw_order(run, keeps_gap=keeps_gap)
    digest = run.tracks.digest(run.choice.remaining)
    drawn_s, order = int(run.now.timestamp()), array("i", arranged.order)
    record = SavedOrder(order, frozenset(), arranged.playlist_length, drawn_s, "", digest)
    return run.write(arranged, record, run.record.saved or NOTHING, [*drawn_notes, *notes])


def _draw_order(run: Run, *, keeps_gap: bool) -> tuple[Arranged, list[Note]]:
    if not keeps_gap and run.choice.pin_problems:
        raise run.choice.pin_problems[0]
    recipe, notes = _with_fitting_gap(run) if keeps_gap else (run.complete_recipe(), [])
    last = _last_order(run) if needs_last(recipe) else None
    notes += [*_notes_on_order(run, recipe, last), *_notes_on_time(run, recipe), *notes_on_fields(run)]
    arranged = arrange(run.chosen, recipe, last, run.tools.randbelow)
    if not keeps_gap:
        notes += [*notes_on_mpd(run.request), *_notes_on_cut_group(run.chosen, recipe, arranged)]
    return arranged, notes


def fitted(run: Run, recipe: Recipe, act: Callable[[Recipe], Done]) -> tuple[Done, list[Note]]:
    """Return `act(recipe)`, if need be without the pins and limits that do not fit any more; note these.

    Raises:
        PlayshuffleError: it fails without pins and limits, too.
    """
    problems = [*run.choice.pin_problems]
    try:
        done = act(recipe)
    except PlayshuffleError as error:
        done, unfit = _without_unfit(recipe, act, error)
        problems += unfit
    texts = [f"{problem} The playlist goes on without it." for problem in problems]
    return done, [Note("unfit", text, text.encode(errors="replace")) for text in texts]


def _without_unfit(
    recipe: Recipe, act: Callable[[Recipe], Done], error: PlayshuffleError
) -> tuple[Done, list[PlayshuffleError]]:
    done: Done | None = None
    unfit: list[PlayshuffleError] = []
    fit = recipe._replace(pins=())
    for pin in recipe.pins:
        more = fit._replace(pins=(*fit.pins, pin))
        try:
            done, fit = act(more), more
        except PlayshuffleError as pin_error:
            unfit.append(pin_error)
    if done is not None:
        return done, unfit
    try:
        return act(fit), unfit
    except PlayshuffleError:
        return act(fit._replace(time_ms=None, size=None)), [error]


def _last_order(run: Run) -> Arranged | None:
    if run.request.files is not None and run.request.recipe.order_name == KEPT:
        return last_order(run.choice.remaining, run.tracks.indices_at(run.request.files))
    if run.file is None:
        return None
    if run.record.order is None:
        return last_order(run.choice.remaining, ())
    return last_order(run.choice.remaining, run.record.order.present_then, run.record.order.length)


def _fitting(run: Run, recipe: Recipe) -> Recipe:
    """Return the recipe, if its pins and limits fit the tracks. Otherwise raise the error of `in_place`."""
    in_place(run.chosen, recipe, run.choice.remaining)
    return recipe


def _with_fitting_gap(run: Run) -> tuple[Recipe, list[Note]]:
    recipe, notes = fitted(run, run.complete_recipe(), partial(_fitting, run))
    count = _count_to_choose_from(recipe, run)
    usual = usual_gap(count)
    is_free = not recipe.gap and run.request.options.seed is None and "gap" in ORDERS[recipe.order_name].takes
    if run.record.order is not None and usual >= 2 and is_free:
        recipe = recipe._replace(gap=Gap(usual))
    if recipe.gap is None or recipe.gap.plays(count) <= count:
        return recipe, notes
    text = f"The gap of {recipe.gap.size:,} plays is longer than the playlist, so it is shortened."
    return recipe._replace(gap=Gap(count)), [*notes, Note("gap", text)]


def _count_to_choose_from(recipe: Recipe, run: Run) -> int:
    """Count the tracks not longer or larger than the limit, except a track pinned to the end."""
    most, amounts = total_limit(recipe, run.tracks)
    if most is None:
        return len(run.choice.remaining)
    fitting = sum(0 < amounts[index] <= most for index in run.choice.remaining)
    return fitting - any(pin.position == LAST for pin in recipe.pins)


def _notes_on_order(run: Run, recipe: Recipe, last: Arranged | None) -> Iterator[Note]:
    if isinstance(run.record.saved, SavedDeck):
        text = "This playlist was dealt. Until its next make, undo brings its deck back."
        yield Note("was_dealt", text)
    if ORDERS[recipe.order_name].from_last and (last is None or not last.playlist_length):
        text = f"This playlist has no last order, so {recipe.order_name} starts from the order by path."
        yield Note("no_last_order", text)
    if recipe.order_name == "favourites":
        ratings = field_values(run.chosen, "rating")
        if 0 < ratings.count(None) < len(ratings):
            rated = f"{len(ratings) - ratings.count(None):,} of {counted(len(ratings), 'track')}"
            yield Note("ratings", f"Tracks with a rating: {rated}. The others count as half of the best.")
    if recipe.rests:
        times = ((words(time_ms), field) for field, time_ms in recipe.rests)
        time = " or ".join(f"{time} (same {field})" if field else time for time, field in times)
        text = f"No track was played in the last {time}, so none comes last."
        if recipe.resting:
            text = f"Played in the last {time}, so at the end: {counted(len(recipe.resting), 'track')}"
        yield Note("rest", text)


def _notes_on_time(run: Run, recipe: Recipe) -> Iterator[Note]:
    if recipe.time_ms is None:
        return
    lengths_ms = list(map(run.tracks.durations_ms.__getitem__, run.choice.remaining))
    if unknown := lengths_ms.count(0):
        tracks = f"{counted(unknown, 'track')} of unknown length"
        yield Note("unknown_length", f"{tracks} skipped, since the playing time is limited")
    if longer := sum(length_ms > recipe.time_ms for length_ms in lengths_ms):
        text = f"{counted(longer, 'track')} longer than the limit of the playing time skipped"
        yield Note("too_long", text)
    if recipe.limit is None and sum(lengths_ms) < recipe.time_ms:
        text = f"All tracks together last {words(sum(lengths_ms))}, less than {words(recipe.time_ms)}."
        yield Note("short_time", text)


def _notes_on_cut_group(chosen: Chosen, recipe: Recipe, arranged: Arranged) -> list[Note]:
    order, count, is_whole = arranged.order, arranged.playlist_length, recipe.group_count is not None
    if "inside" not in ORDERS[recipe.order_name].takes or is_whole or not 0 < count < len(order):
        return []
    keys = block_keys(chosen, recipe)
    groups = [keys[index] for index in order]
    cut = groups[count - 1]
    if groups[count] != cut:
        return []
    whole = max(len({*groups[:count]}) - 1, 1)
    noun = "album" if recipe.order_name == "albums" else "group"
    text = f"The last {noun} is cut: {groups[:count].count(cut):,} of its {groups.count(cut):,} tracks."
    return [Note("cut_group", f"{text} For whole {noun}s: --{noun}s {whole:,}")]


def notes_on_fields(run: Run) -> Iterator[Note]:
    """Yield notes about fields that the request uses, and that many tracks lack."""
    recipe, limit, chosen = run.request.recipe, run.request.most, run.chosen
    total, order = len(chosen.indices), ORDERS[recipe.order_name]
    if "group_by" in order.takes and (tag := recipe.group_by or order.tag) is not None:
        lacking = _lacking(chosen, tag)
        if 2 * lacking > total:
            text = f"Tracks with the tag {tag}: {total - lacking:,} of {counted(total, 'track')}."
            yield Note("lacking_tags", f"{text} Each other track is a group of its own.")
    if limit is not None and _lacking(chosen, limit.tag) == total:
        text = f"No track has the tag {limit.tag}, so the limit of {limit} omits none."
        yield Note("lacking_tags", text)
    if (tag := field_of(recipe.order_name)) is not None and (lacking := sort_keys(chosen, tag).count(None)):
        text = f"{lacking:,} of {counted(total, 'track')} without {tag}, at the end in random order."
        yield Note("lacking_tags", text)


def _lacking(chosen: Chosen, tag: str) -> int:
    """Return how many tracks are groups of their own, since they have no tag."""
    keys = group_keys(chosen, tag)
    return sum(keys[index] < 0 for index in chosen.indices)
