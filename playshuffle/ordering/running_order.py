"""Update the last order of a playlist after tracks were added or removed, or got new tags.

All other tracks keep their relative order. An absent track keeps its position for its return, until it is
forgotten. New tracks are inserted as the order requires.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from playshuffle.ordering.arrange import Arranged, in_place
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.orders import ORDERS, Repair
from playshuffle.ordering.recipe import HERE, Recipe
from playshuffle.shuffle import RandBelow, insert


class LastOrder(NamedTuple):
    """The last order of a playlist, compared with the present tracks.

    Attributes:
        order: the tracks, absent ones included.
        absent: tracks of `order` that are not chosen now.
        new: chosen tracks that are not in the order, ascending.
        came: number of new tracks, and of absent ones that returned.
        went: number of tracks that became absent.
    """

    order: list[int]
    absent: frozenset[int]
    new: list[int]
    came: int
    went: int


def last_order_now(
    order: Sequence[int], absent: Collection[int], indices: Sequence[int], forgotten: Collection[int]
) -> LastOrder:
    """Compare the last order of a playlist with the present tracks.

    `indices` ascend. `absent` are tracks of the order that were absent before. Tracks in `forgotten`
    lose their positions.
    """
    # For a large library, a byte for each index is much faster than a set.
    end = indices[-1] + 1 if indices else 0
    is_listed = bytearray(end)
    for index in order:
        if 0 <= index < end:
            is_listed[index] = True
    new = [index for index in indices if not is_listed[index]]
    is_whole = len(order) + len(new) == len(indices)
    missing = frozenset() if is_whole else frozenset(order).difference(indices)
    were_absent = missing.intersection(absent)
    returned = len(absent) - len(were_absent)
    gone = missing.intersection(forgotten)
    kept = [index for index in order if index not in gone] if gone else list(order)
    went = len(missing) - len(were_absent)
    return LastOrder(kept, missing.difference(gone), new, len(new) + returned, went)


def update_order(
    chosen: Chosen, recipe: Recipe, last: LastOrder, randbelow: RandBelow, *, is_changed: bool
) -> tuple[Arranged, list[int]]:
    """Return the updated order of the chosen tracks, and the same order with absent tracks in it.

    `recipe` has resolved pins. `is_changed`: tracks were added or removed, or have other paths or tags.

    Raises:
        PlayshuffleError: a pin or a limit of the recipe is impossible for these tracks.
    """
    order = last.order
    # If an order uses tags or paths, a track with new ones may have to move, too.
    if is_changed:
        order = _insert_new(chosen, recipe, last, randbelow)
    present = [index for index in order if index not in last.absent] if last.absent else order
    arranged = in_place(chosen, recipe, present)
    make_repair = ORDERS[recipe.order_name].repair
    if make_repair and (is_changed or arranged.order != present):
        repair = make_repair(chosen, recipe)
        arranged = _repaired(arranged, recipe, repair, randbelow)
    if arranged.order != present:
        order = _insert_absent(order, arranged.order)
    return arranged, order


def _insert_new(chosen: Chosen, recipe: Recipe, last: LastOrder, randbelow: RandBelow) -> list[int]:
    make_insert = ORDERS[recipe.order_name].insert_new
    if make_insert is None:
        return _insert_anywhere(last.order, last.new, randbelow, recipe)
    present = [index for index in last.order if index not in last.absent]
    return _insert_absent(last.order, make_insert(chosen, recipe)(present, last.new, randbelow, 0))


def _insert_anywhere(order: list[int], new: Sequence[int], randbelow: RandBelow, recipe: Recipe) -> list[int]:
    """Insert new tracks at positions that are uniform over all but the pinned positions.

    Positions of absent tracks count, so that the whole stays uniform when they return. A pinned position does
    not count: without its track, the positions before and behind it are one.
    """
    pinned = {pin.track_index for pin in recipe.pins if pin.position != HERE}
    if not pinned:
        return insert(order, new, randbelow)
    free = [index for index in order if index not in pinned]
    coming = [index for index in new if index not in pinned]
    return _insert_absent([*order, *pinned.intersection(new)], insert(free, coming, randbelow))


def _repaired(arranged: Arranged, recipe: Recipe, repair: Repair, randbelow: RandBelow) -> Arranged:
    order, count = arranged.order, arranged.playlist_length
    pins = {order.index(pin.track_index) for pin in recipe.pins}
    return Arranged([*repair(order[:count], pins, randbelow, 0), *order[count:]], count)


def _insert_absent(order: Sequence[int], present: Sequence[int]) -> list[int]:
    present_set = frozenset(present)
    if present_set.issuperset(order):
        return list(present)
    behind: dict[int | None, list[int]] = defaultdict(list)
    before = None
    for index in order:
        if index in present_set:
            before = index
        else:
            behind[before].append(index)
    result = list(behind[None])
    for index in present:
        result.append(index)
        result += behind.get(index, ())
    return result
