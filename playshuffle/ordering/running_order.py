"""Update the last order of a playlist after tracks were added or removed, or got new tags.

All other tracks stay where they are. An absent track keeps its position, so that it has it when it returns,
until it is forgotten. New tracks are inserted as the order requires, by default at random positions.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged, in_place
from playshuffle.ordering.orders import ORDERS, Repair
from playshuffle.ordering.recipe import HERE, Recipe
from playshuffle.shuffle import RandBelow, insert


@dataclass(frozen=True, slots=True)
class LastOrder:
    """The last order of a playlist, over the tracks of now.

    Attributes:
        order: indices of tracks; the absent ones have the indices from `len(tracks)` on.
        absent: number of each absent track.
        new: indices of the tracks that it lacks, ascending.
        came: number of tracks that were absent until now. went: that are absent from now on.
    """

    order: list[int]
    absent: list[int]
    new: list[int]
    came: int
    went: int

    def numbers(self, tracks: Tracks, order: Sequence[int]) -> "array[int]":
        """Return the numbers of the tracks in an order that may have the absent ones, too."""
        numbers = tracks.numbers + array("I", self.absent)
        return array("I", map(numbers.__getitem__, order))


def last_order_now(
    numbers: Sequence[int], absent: Collection[int], tracks: Tracks, forgotten: Collection[int]
) -> LastOrder:
    """Return a saved order over the tracks of now.

    Args:
        numbers: of the tracks in order.
        absent: numbers of the tracks that were absent before.
        tracks: the tracks of now.
        forgotten: numbers of the tracks that do not keep their positions any more.
    """
    count = len(tracks)
    order = tracks.indices_of(numbers)
    is_listed = bytearray(count + 1)  # the last one is for missing tracks
    for index in order:
        is_listed[index] = True
    new = [index for index in range(count) if not is_listed[index]]
    missing: list[int] = []
    still_absent: list[int] = []
    if -1 in order:
        missing = [number for number, index in zip(numbers, order, strict=True) if index < 0]
        still_absent = [number for number in missing if number not in forgotten]
        absent_index = {number: index for index, number in enumerate(still_absent, count)}
        order = [absent_index.get(number, index) for number, index in zip(numbers, order, strict=True)]
        order = [index for index in order if index >= 0]
    were_absent = frozenset(absent).intersection(missing)
    returned = len(frozenset(absent).intersection(numbers)) - len(were_absent)
    return LastOrder(order, still_absent, new, len(new) + returned, len(missing) - len(were_absent))


def update_order(
    tracks: Tracks,
    recipe: Recipe,
    last: LastOrder,
    randbelow: RandBelow,
    tags_of: TagsOf,
    *,
    is_changed: bool,
) -> tuple[Arranged, list[int]]:
    """Update an order after its tracks changed.

    Args:
        tracks: the present tracks, not empty.
        recipe: the order and its options, with resolved pins.
        last: the last order.
        randbelow: source of the positions of new tracks.
        tags_of: looks up the tags, for orders that use them.
        is_changed: tracks came or went, or have other paths or tags.

    Returns:
        The order of the present tracks, and the same with the absent ones, whose indices begin at
        `len(tracks)`.

    Raises:
        PlayshuffleError: a pin or a limit of the recipe has no meaning for these tracks.
    """
    count = len(tracks)
    order = last.order
    # Where an order works with tags or paths, a track that has others now may have to move, too.
    if is_changed:
        order = _insert_new(tracks, recipe, order, last.new, randbelow, tags_of)
    present = [index for index in order if index < count] if last.absent else order
    arranged = in_place(tracks, recipe, present)
    make_repair = ORDERS[recipe.order].repair
    if make_repair and (is_changed or arranged.order != present):
        repair = make_repair(tracks, tags_of, recipe)
        arranged = _repaired(arranged, recipe, repair, randbelow)
    if arranged.order != present:
        order = _insert_absent(order, arranged.order)
    return arranged, order


def _insert_new(
    tracks: Tracks,
    recipe: Recipe,
    order: list[int],
    new: Sequence[int],
    randbelow: RandBelow,
    tags_of: TagsOf,
) -> list[int]:
    make_insert = ORDERS[recipe.order].insert_new
    if make_insert is None:
        return _insert_anywhere(order, new, randbelow, recipe)
    present = [index for index in order if index < len(tracks)]
    return _insert_absent(order, make_insert(tracks, tags_of, recipe)(present, new, randbelow, 0))


def _insert_anywhere(order: list[int], new: Sequence[int], randbelow: RandBelow, recipe: Recipe) -> list[int]:
    """Insert new tracks at positions that are uniform over all but those of pinned tracks.

    Absent tracks count, so that the whole stays uniform when they return. A pinned track does not:
    the positions before and behind it become one when it is moved to its own.
    """
    pinned = {pin.track_index for pin in recipe.pins if pin.position != HERE}
    if not pinned:
        return insert(order, new, randbelow)
    free = [index for index in order if index not in pinned]
    coming = [index for index in new if index not in pinned]
    return _insert_absent([*order, *pinned.intersection(new)], insert(free, coming, randbelow))


def _repaired(arranged: Arranged, recipe: Recipe, repair: Repair, randbelow: RandBelow) -> Arranged:
    """Restore the guarantee of the tracks that are played; the pinned ones stay."""
    order, count = arranged.order, arranged.playlist_length
    pins = {order.index(pin.track_index) for pin in recipe.pins}
    return Arranged([*repair(order[:count], pins, randbelow, 0), *order[count:]], count)


def _insert_absent(order: Sequence[int], present: Sequence[int]) -> list[int]:
    """Insert the tracks of an order that another one lacks into that one, each after its predecessor.

    Mostly these are the absent tracks, and the other order has the present ones.
    """
    present_set = frozenset(present)
    if present_set.issuperset(order):
        return list(present)
    behind: dict[int, list[int]] = defaultdict(list)
    before = -1
    for index in order:
        if index in present_set:
            before = index
        else:
            behind[before].append(index)
    result = list(behind[-1])
    for index in present:
        result.append(index)
        result += behind.get(index, ())
    return result
