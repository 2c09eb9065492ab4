"""Make one playlist in a new order."""

from array import array
from bisect import bisect
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, groupby
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
    notes += _notes_on(run, recipe, last)
    arranged = arrange(run.chosen, recipe, last, run.tools.randbelow)
    if not keeps_gap:
        notes += [*_notes_on_short_time(recipe, _lengths_ms(run)), *notes_on_mpd(run.request)]
        notes += _notes_on_cut_group(run.chosen, recipe, arranged)
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
    return done, [_unfit(problem) for problem in problems]


def _unfit(problem: PlayshuffleError) -> Note:
    text = f"{problem} The playlist goes on without it."
    return Note("unfit", text, text.encode(errors="replace"))


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


def _lengths_ms(run: Run) -> list[int]:
    return list(map(run.tracks.durations_ms.__getitem__, run.choice.remaining))


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


def _notes_on_short_time(recipe: Recipe, lengths_ms: Sequence[int]) -> list[Note]:
    total_ms = sum(lengths_ms)
    if recipe.time_ms is None or recipe.limit is not None or total_ms >= recipe.time_ms:
        return []
    text = f"All tracks together last {words(total_ms)}, less than {words(recipe.time_ms)}."
    return [Note("short_time", text)]


def _notes_on_cut_group(chosen: Chosen, recipe: Recipe, arranged: Arranged) -> list[Note]:
    order, count = arranged.order, arranged.playlist_length
    if (
        "inside" not in ORDERS[recipe.order_name].takes
        or recipe.group_count is not None
        or count == len(order)
    ):
        return []
    keys = block_keys(chosen, recipe)
    blocks = [len(list(block)) for _, block in groupby(order, keys.__getitem__)]
    ends = list(accumulate(blocks))
    if count in ends:
        return []
    whole = bisect(ends, count)
    noun = "album" if recipe.order_name == "albums" else "group"
    text = f"The last {noun} is cut: {count - ends[whole] + blocks[whole]:,} of its {blocks[whole]:,} tracks."
    return [Note("cut_group", f"{text} For whole {noun}s: --{noun}s {max(whole, 1):,}")]


def notes_on_fields(run: Run) -> list[Note]:
    """Return notes about fields that the request uses, and that many tracks lack."""
    recipe, limit = run.request.recipe, run.request.most
    total, order = len(run.choice.remaining), ORDERS[recipe.order_name]
    notes = []
    if "group_by" in order.takes and (tag := recipe.group_by or order.tag) is not None:
        lacking = _lacking(run.chosen, tag)
        if lacking == total:
            notes.append(f"No track has the tag {tag}, so each track is a group of its own.")
        elif 2 * lacking > total:
            rest = f"{total - lacking:,} of {counted(total, 'track')}"
            notes.append(f"Tracks with the tag {tag}: {rest}. Each other track is a group of its own.")
    if limit is not None and _lacking(run.chosen, limit.tag) == total:
        notes.append(f"No track has the tag {limit.tag}, so the limit of {limit} omits none.")
    if (tag := field_of(recipe.order_name)) is not None and (
        lacking := sort_keys(run.chosen, tag).count(None)
    ):
        text = f"{lacking:,} of {counted(total, 'track')} without {tag}, at the end."
        notes.append(f"No track has the tag {tag}, so the order is random." if lacking == total else text)
    return [Note("lacking_tags", text) for text in notes]


def _lacking(chosen: Chosen, tag: str) -> int:
    """Return how many tracks are groups of their own, since they have no tag."""
    keys = group_keys(chosen, tag)
    return sum(keys[index] < 0 for index in chosen.indices)


def _notes_on(run: Run, recipe: Recipe, last: Arranged | None) -> list[Note]:
    texts: dict[str, str] = {}
    if isinstance(run.record.saved, SavedDeck):
        texts["was_dealt"] = "This playlist was dealt. Until its next make, undo brings its deck back."
    if recipe.time_ms is not None:
        lengths_ms = _lengths_ms(run)
        unknown = lengths_ms.count(0)
        longer = sum(length > recipe.time_ms for length in lengths_ms)
        if unknown:
            tracks_of = f"{counted(unknown, 'track')} of unknown length"
            texts["unknown_length"] = f"{tracks_of} skipped, since the playing time is limited"
        if longer:
            texts["too_long"] = (
                f"{counted(longer, 'track')} longer than the limit of the playing time skipped"
            )
    if ORDERS[recipe.order_name].from_last and (last is None or not last.playlist_length):
        name = recipe.order_name
        texts["no_last_order"] = f"This playlist has no last order, so {name} starts from the order by path."
    if recipe.order_name == "favourites":
        ratings = field_values(run.chosen, "rating")
        rated, count = len(ratings) - ratings.count(None), len(ratings)
        if 0 < rated < count:
            verb = "has" if rated == 1 else "have"
            total = counted(count, "track")
            texts["ratings"] = f"{rated:,} of {total} {verb} a rating. The others count as half of the best."
    if recipe.rests:
        count, times = len(recipe.resting), ((words(time_ms), field) for field, time_ms in recipe.rests)
        time = " or ".join(f"{time} (same {field})" if field else time for time, field in times)
        texts["rest"] = f"Played in the last {time}, so at the end: {counted(count, 'track')}"
        if not count:
            texts["rest"] = f"No track was played in the last {time}, so none comes last."
    return [*(Note(code, text) for code, text in texts.items()), *notes_on_fields(run)]
