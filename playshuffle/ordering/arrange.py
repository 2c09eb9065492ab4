"""Arrange tracks into an order: apply a recipe."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from playshuffle.duration import words
from playshuffle.errors import OptionError
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.gap import Gap
from playshuffle.ordering.groups import ARTIST, group_keys
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import HERE, LAST, Pin, Recipe
from playshuffle.ordering.resting import resting_tracks, with_rest
from playshuffle.shuffle import (
    EmptyPositionError,
    RandBelow,
    Shuffle,
    not_before,
    pinned,
    soonest_after,
    swap_apart,
)
from playshuffle.text import counted


class Arranged(NamedTuple):
    """All tracks in order; the first `playlist_length` are the playlist."""

    order: Sequence[int]
    playlist_length: int

    @property
    def played(self) -> Sequence[int]:
        return self.order[: self.playlist_length]


def needs_last(recipe: Recipe) -> bool:
    """Return whether the new order depends on the playlist's last order."""
    return (
        ORDERS[recipe.order].from_last
        or recipe.gap is not None
        or any(pin.position == HERE for pin in recipe.pins)
    )


def last_order(indices: Sequence[int], last: Sequence[int], count: int | None = None) -> Arranged:
    """Return the last order reduced to the chosen tracks `indices`, with new tracks appended.

    The first `count` tracks of `last` were in the playlist; if `count` is None, all were.
    """
    chosen, listed = frozenset(indices), frozenset(last)
    order = [index for index in last if index in chosen]
    played = len(order) if count is None else len(chosen.intersection(last[:count]))
    return Arranged(order + [index for index in indices if index not in listed], played)


def arrange(chosen: Chosen, recipe: Recipe, last: Arranged | None, randbelow: RandBelow) -> Arranged:
    """Put the chosen tracks, at least one, in order, and decide how many are in the playlist.

    Raises:
        PlayshuffleError: an option of the recipe is invalid, or impossible for these tracks.
    """
    order, tracks = ORDERS[recipe.order], chosen.tracks
    base = list(last.order if last is not None and order.from_last else chosen.indices)
    plan = _planned(tracks, recipe, base, chosen.indices if last is None else last.order)
    resting = resting_tracks(chosen, recipe)
    shuffle = with_rest(order.shuffle(chosen, recipe), resting, chosen, recipe)
    result = _shuffled(recipe, plan.base, plan.pinned_at, last, shuffle, randbelow, resting)
    result, count = _counted(tracks, recipe, plan, result)
    if order.is_of_the_list and count < len(result):
        result[:count] = pinned(result[:count], plan.pinned_at, shuffle, randbelow)
    if order.is_of_the_list and plan.pinned_at:
        keys = group_keys(chosen, recipe.group_by or ARTIST)
        beside = {at + step for at in plan.pinned_at for step in (-1, 1)}
        for part in (True, False) if resting else (True,):  # no track moves to the other part
            others = (
                {at for at, index in enumerate(result[:count]) if (index in resting) is part}
                if resting
                else set()
            )
            staying = others.union(plan.pinned_at)
            result[:count] = swap_apart(result[:count], staying, keys, randbelow, positions=beside)
    return Arranged(result + plan.left_out, count)


def in_place(tracks: Tracks, recipe: Recipe, order: Sequence[int]) -> Arranged:
    """Keep an order but move the pinned tracks, and decide how many tracks are in the playlist.

    Raises:
        PlayshuffleError: as `arrange` does, for pins and limits.
    """
    base = list(order)
    for pin in recipe.pins:
        if pin.position == LAST and recipe.time_ms is not None:
            base.append(base.pop(base.index(pin.track_index)))
    plan = _planned(tracks, recipe, base, order)
    pins.move_in(plan.base, plan.pinned_at)
    result, count = _counted(tracks, recipe, plan, plan.base)
    return Arranged(result + plan.left_out, count)


class _Layout(NamedTuple):
    """The tracks to put in order, and the tracks with a fixed position.

    Attributes:
        left_out: tracks too long for the time limit, or of unknown length.
        playlist_length: maximum number of tracks in the playlist, without `closing`.
        closing: the track pinned to the end of a list with a time limit, if any.
    """

    base: list[int]
    left_out: list[int]
    playlist_length: int
    pinned_at: dict[int, int]
    closing: list[int]


def _planned(tracks: Tracks, recipe: Recipe, base: list[int], last: Sequence[int]) -> _Layout:
    left_out: list[int] = []
    if recipe.time_ms is not None:
        base, left_out = _by_length(tracks, base, recipe.pins, recipe.time_ms)
    count = len(base) if recipe.limit is None else min(recipe.limit, len(base))
    pinned_at = pins.positions(recipe.pins, tracks, last, count)
    closing: list[int] = []
    if recipe.time_ms is not None and any(pin.position == LAST for pin in recipe.pins):
        # Its position is unknown until the fitting tracks are counted. The last track takes its position.
        count -= 1
        closing = [pinned_at.pop(count)]
        pins.swap_in(base, {len(base) - 1: closing[0]})
        base.pop()
    return _Layout(base, left_out, count, pinned_at, closing)


def _counted(tracks: Tracks, recipe: Recipe, plan: _Layout, result: list[int]) -> tuple[list[int], int]:
    count, pinned_at = plan.playlist_length, plan.pinned_at
    if recipe.time_ms is not None:
        count = _fitting(tracks.durations_ms, recipe.time_ms, result[:count], pinned_at, plan.closing)
        if count <= max(pinned_at, default=-1):
            raise pins.beyond(tracks.paths[pinned_at[max(pinned_at)]], max(pinned_at), count)
        for index in plan.closing:
            pinned_at[count] = index
            result.insert(count, index)
            count += 1
    return result, count


def _by_length(
    tracks: Tracks, order: Sequence[int], pinned: Sequence[Pin], time_ms: int
) -> tuple[list[int], list[int]]:
    durations_ms = tracks.durations_ms
    fitting = [index for index in order if 0 < durations_ms[index] <= time_ms]
    if not fitting:
        raise OptionError(
            "{} {time}: no track is known to be that short. Allow more time.", "time", time=words(time_ms)
        )
    for pin in pinned:
        if not 0 < durations_ms[pin.track_index] <= time_ms:
            why = "it is longer" if durations_ms[pin.track_index] else "its length is not known"
            path = tracks.paths[pin.track_index]
            raise OptionError("{path} cannot be pinned with {}: {why}.", "time", path=path, why=why)
    fitting_set = frozenset(fitting)
    return fitting, [index for index in order if index not in fitting_set]


def _shuffled(
    recipe: Recipe,
    base: list[int],
    pinned_at: Mapping[int, int],
    last: Arranged | None,
    shuffle: Shuffle,
    randbelow: RandBelow,
    resting: Collection[int],
) -> list[int]:
    if recipe.gap is not None:
        last_played = last.played if last is not None else []
        return _after_gap(recipe.gap, base, last_played, pinned_at, randbelow, resting)
    pins.swap_in(base, pinned_at)
    return pinned(base, pinned_at, shuffle, randbelow) if pinned_at else shuffle(base, randbelow)


def _after_gap(
    minimum: Gap,
    base: Sequence[int],
    last_played: Sequence[int],
    pins: Mapping[int, int],
    randbelow: RandBelow,
    resting: Collection[int],
) -> list[int]:
    among = frozenset(base)
    played = [index for index in last_played if index in among]
    was_played = frozenset(played)
    unplayed = [index for index in base if index not in was_played]
    gap, count = minimum.plays(len(base)), len(base)
    if gap > count:
        raise OptionError(
            "{} {gap:,} is too large: there are only {tracks}. Choose a smaller gap.",
            "gap",
            gap=gap,
            tracks=counted(count, "track"),
        )
    try:
        return not_before([*unplayed, *played], soonest_after(played, gap), randbelow, pins, resting)
    except EmptyPositionError as error:
        raise OptionError(
            "{} and {} leave no track for position {position}. Choose a smaller gap.",
            "pin",
            "gap",
            position=error.position + 1,
        ) from error


def _fitting(
    durations_ms: Sequence[int],
    time_ms: int,
    order: Sequence[int],
    pinned_at: Mapping[int, int],
    closing: Sequence[int],
) -> int:
    left_ms = time_ms - sum(durations_ms[index] for index in (*pinned_at.values(), *closing))
    if left_ms < 0:
        raise OptionError(
            "The pinned tracks alone are longer than {}. Allow more time, or pin fewer tracks.", "time"
        )
    count = len(pinned_at)
    for position, index in enumerate(order):
        if position not in pinned_at:
            left_ms -= durations_ms[index]
            if left_ms < 0:
                break
            count += 1
    return count
