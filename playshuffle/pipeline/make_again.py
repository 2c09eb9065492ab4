"""Make a known playlist in a new order, if need be without pins and limits that do not fit any more."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from playshuffle.errors import Note, PlayshuffleError
from playshuffle.ordering.arrange import in_place, total_limit
from playshuffle.ordering.gap import Gap, usual_gap
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import LAST, Recipe
from playshuffle.pipeline.make import draw_order, write_order
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run

Done = TypeVar("Done")


def make_again(run: Run, notes: Sequence[Note] = ()) -> Report:
    """Write a playlist in a new order. If its kind has a gap, the last tracks of the old order come late.

    Raises:
        PlayshuffleError: the playlist cannot be made.
    """
    recipe, unfit = _with_fitting_gap(run)
    arranged, drawn_notes = draw_order(run, recipe)
    return write_order(run, arranged, [*unfit, *drawn_notes, *notes])


def fitted(run: Run, act: Callable[[Recipe], Done]) -> tuple[Done, list[Note]]:
    """Return `act(recipe)`, if need be without the pins and limits that do not fit any more; note these.

    Raises:
        PlayshuffleError: it fails without pins and limits, too.
    """
    recipe, problems = run.complete_recipe(), [*run.choice.pin_problems]
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


def _fitting(run: Run, recipe: Recipe) -> Recipe:
    """Return the recipe, if its pins and limits fit the tracks. Otherwise raise the error of `in_place`."""
    in_place(run.chosen, recipe, run.choice.remaining)
    return recipe


def _with_fitting_gap(run: Run) -> tuple[Recipe, list[Note]]:
    recipe, notes = fitted(run, partial(_fitting, run))
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
