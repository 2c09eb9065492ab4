"""Arrange tracks into an order: apply a recipe."""

from collections.abc import Collection, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from playshuffle.duration import words
from playshuffle.errors import OptionError
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.gap import Gap
from playshuffle.ordering.groups import ARTIST, group_keys
from playshuffle.ordering.orders import ORDERS, block_keys
from playshuffle.ordering.recipe import HERE, LAST, Pin, Recipe
from playshuffle.ordering.resting import resting_tracks, with_rest
from playshuffle.shuffle import (
    EmptyPositionError,
    RandBelow,
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
        ORDERS[recipe.order_name].from_last
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
    order = ORDERS[recipe.order_name]
    base = list(last.order if last is not None and order.from_last else chosen.indices)
    layout = _Layout(chosen.tracks, recipe, base, chosen.indices if last is None else last.order)
    pinned_at, resting = layout.pinned_at, resting_tracks(chosen, recipe)
    shuffle = with_rest(order.shuffle(chosen, recipe), resting, chosen, recipe)
    if recipe.gap is not None:
        result = _after_gap(recipe.gap, layout, last.played if last is not None else (), randbelow, resting)
    else:
        pins.swap_in(layout.base, pinned_at)
        base = layout.base
        result = pinned(base, pinned_at, shuffle, randbelow) if pinned_at else shuffle(base, randbelow)
    count = layout.close(result) if recipe.group_count is None else _end_of_groups(chosen, recipe, result)
    if order.is_of_the_list and count < len(result):
        result[:count] = pinned(result[:count], pinned_at, shuffle, randbelow)
    if order.is_of_the_list and pinned_at:
        keys = group_keys(chosen, recipe.group_by or ARTIST)
        beside = {at + step for at in pinned_at for step in (-1, 1)}
        for part in (True, False) if resting else (True,):  # no track moves to the other part
            others = {at for at, index in enumerate(result[:count]) if (index in resting) is part}
            staying = others.union(pinned_at)
            result[:count] = swap_apart(result[:count], staying, keys, randbelow, positions=beside)
    return Arranged(result + layout.left_out, count)


def in_place(chosen: Chosen, recipe: Recipe, order: Sequence[int]) -> Arranged:
    """Keep an order but move the pinned tracks, and decide how many tracks are in the playlist.

    Raises:
        PlayshuffleError: as `arrange` does, for pins and limits.
    """
    base = list(order)
    for pin in recipe.pins:
        if pin.position == LAST and total_limit(recipe, chosen.tracks)[0] is not None:
            base.append(base.pop(base.index(pin.track_index)))
    if recipe.group_count is not None:
        return Arranged(base, _end_of_groups(chosen, recipe, base))
    layout = _Layout(chosen.tracks, recipe, base, order)
    pins.move_in(layout.base, layout.pinned_at)
    count = layout.close(layout.base)
    return Arranged(layout.base + layout.left_out, count)


def _end_of_groups(chosen: Chosen, recipe: Recipe, order: Sequence[int]) -> int:
    """Return how many tracks the first groups of the recipe have."""
    blocks = groupby(order, block_keys(chosen, recipe).__getitem__)
    return sum(len(list(block)) for _, block in islice(blocks, recipe.group_count))


def total_limit(recipe: Recipe, tracks: Tracks) -> tuple[int | None, Sequence[int]]:
    """Return the maximum of all tracks together, and the amount of each: milliseconds, or bytes."""
    if recipe.size is not None:
        return recipe.size, tracks.stick_sizes
    return recipe.time_ms, tracks.durations_ms


class _Layout:
    """The tracks to put in order, and the tracks with a fixed position.

    Attributes:
        base: all tracks in an order, except `left_out` and `closing`.
        left_out: tracks too long for the time limit, or too large for the size, or of unknown length.
        pinned_at: maps positions to tracks.
    """

    def __init__(self, tracks: Tracks, recipe: Recipe, base: list[int], last: Sequence[int]) -> None:
        self._tracks = tracks
        self._total, self._amounts = total_limit(recipe, tracks)
        self._option = "time" if recipe.size is None else "size"
        self.base, self.left_out = base, list[int]()
        if self._total is not None:
            self._leave_out_long(recipe.pins, self._total)
        count = len(self.base) if recipe.limit is None else min(recipe.limit, len(self.base))
        self.pinned_at = pins.positions(recipe.pins, tracks, last, count)
        self._closing: list[int] = []  # the track pinned to the end of a list with such a limit, if any
        if self._total is not None and any(pin.position == LAST for pin in recipe.pins):
            # Its position is unknown until the fitting tracks are counted. The last track takes its position.
            count -= 1
            self._closing = [self.pinned_at.pop(count)]
            pins.swap_in(self.base, {len(self.base) - 1: self._closing[0]})
            self.base.pop()
        self._most = count  # maximum number of tracks in the playlist, without `_closing`

    def _leave_out_long(self, pinned: Sequence[Pin], most: int) -> None:
        amounts, order = self._amounts, self.base
        self.base = [index for index in order if 0 < amounts[index] <= most]
        if not self.base:
            limit = words(most) if self._option == "time" else f"{most / 1e6:,.1f} MB"
            raise OptionError("{} {limit}: no track is known to fit. Allow more.", self._option, limit=limit)
        for pin in pinned:
            if not 0 < amounts[pin.track_index] <= most:
                why = "it is longer" if amounts[pin.track_index] else "its length is not known"
                path = self._tracks.paths[pin.track_index]
                raise OptionError("{path} cannot be pinned with {}: {why}.", self._option, path=path, why=why)
        fitting = frozenset(self.base)
        self.left_out = [index for index in order if index not in fitting]

    def close(self, order: list[int]) -> int:
        """Return how many tracks of an order are in the playlist, and insert the last one if it is pinned."""
        if self._total is None:
            return self._most
        pinned_at = self.pinned_at
        count = self._fitting(order, self._total)
        if count <= max(pinned_at, default=-1):
            raise pins.beyond(self._tracks.paths[pinned_at[max(pinned_at)]], max(pinned_at), count)
        for index in self._closing:
            pinned_at[count] = index
            order.insert(count, index)
        return count + len(self._closing)

    def _fitting(self, order: Sequence[int], most: int) -> int:
        amounts = self._amounts
        left = most - sum(amounts[index] for index in (*self.pinned_at.values(), *self._closing))
        if left < 0:
            text = "The pinned tracks alone are longer than {}. Allow more, or pin fewer tracks."
            raise OptionError(text, self._option)
        count = len(self.pinned_at)
        for position, index in enumerate(order[: self._most]):
            if position not in self.pinned_at:
                left -= amounts[index]
                if left < 0:
                    break
                count += 1
        return count


def _after_gap(
    minimum: Gap, layout: _Layout, last: Sequence[int], randbelow: RandBelow, resting: Collection[int]
) -> list[int]:
    among, count = frozenset(layout.base), len(layout.base)
    played = [index for index in last if index in among]
    was_played = frozenset(played)
    unplayed = [index for index in layout.base if index not in was_played]
    gap = minimum.plays(count)
    if gap > count:
        raise OptionError(
            "{} {gap:,} is too large: there are only {tracks}. Choose a smaller gap.",
            "gap",
            gap=gap,
            tracks=counted(count, "track"),
        )
    soonest = soonest_after(played, gap)
    try:
        return not_before([*unplayed, *played], soonest, randbelow, layout.pinned_at, resting)
    except EmptyPositionError as error:
        raise OptionError(
            "{} and {} leave no track for position {position}. Choose a smaller gap.",
            "pin",
            "gap",
            position=error.position + 1,
        ) from error
