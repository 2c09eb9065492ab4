"""Update a remembered order after tracks were added, removed or renamed.

Vanished tracks leave the playlist, but keep their position in the state for 30 days, so that a drive
that is connected again has its order. New tracks are inserted as the order requires, by default at
random positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from playshuffle.library.identity import Identity, Remembered
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged, in_place, no_tags
from playshuffle.ordering.groups import TagsOf
from playshuffle.ordering.orders import ORDERS, Repair
from playshuffle.ordering.recipe import HERE, Recipe
from playshuffle.ordering.vanished import insert_vanished, recently_vanished
from playshuffle.shuffle import RandBelow, insert


@dataclass(frozen=True, slots=True)
class UpdatedOrder:
    """An updated order.

    Attributes:
        arranged: the order of the present tracks.
        order: the same with the vanished tracks, whose indices begin at `len(tracks)`.
        gone: index in the former order of each vanished track, and when it vanished (Unix seconds).
    """

    arranged: Arranged
    order: list[int]
    gone: list[tuple[int, int]]


def update_order(
    tracks: Tracks,
    recipe: Recipe,
    before: Remembered,
    identity: Identity,
    randbelow: RandBelow,
    tags_of: TagsOf | None,
    *,
    now_s: int,
) -> UpdatedOrder:
    """Update an order after its tracks changed.

    Args:
        tracks: the present tracks, not empty.
        recipe: the order and its options, with resolved pins.
        before: the remembered order.
        identity: which present track each remembered one is.
        randbelow: source of the positions of new tracks.
        tags_of: looks up the tags, for orders that use them.
        now_s: Unix time in seconds.

    Raises:
        PlayshuffleError: a pin or a limit of the recipe has no meaning for these tracks.
    """
    count = len(tracks)
    vanished = identity.absent
    now = identity.indices(-1)
    gone = recently_vanished(before, vanished, now_s)
    for number, (old, _) in enumerate(gone):
        now[old] = count + number
    order = list(map(now.__getitem__, before.places))
    if vanished:
        order = [index for index in order if index >= 0]
    # Where an order goes by tags or paths, a track that has others now may have to move, too.
    row = ORDERS[recipe.order]
    is_changed = not before.is_over(tracks.paths, tracks.marks)
    if is_changed:
        order = _insert_new(tracks, recipe, order, identity.new, randbelow, tags_of)
    present = [index for index in order if index < count] if gone else order
    arranged = in_place(tracks, recipe, present)
    if row.repair and (is_changed or arranged.order != present):
        repair = row.repair(tracks, tags_of or no_tags, recipe)
        arranged = _repaired(arranged, recipe, repair, randbelow)
    if arranged.order != present:
        order = insert_vanished(order, arranged.order)
    return UpdatedOrder(arranged, order, gone)


def _insert_new(
    tracks: Tracks,
    recipe: Recipe,
    order: list[int],
    new: Sequence[int],
    randbelow: RandBelow,
    tags_of: TagsOf | None,
) -> list[int]:
    make_insert = ORDERS[recipe.order].insert_new
    if make_insert is None:
        return _insert_anywhere(order, new, randbelow, recipe)
    present = [index for index in order if index < len(tracks)]
    return insert_vanished(order, make_insert(tracks, tags_of or no_tags, recipe)(present, new, randbelow, 0))


def _insert_anywhere(order: list[int], new: Sequence[int], randbelow: RandBelow, recipe: Recipe) -> list[int]:
    """Insert new tracks at positions that are uniform over all but those of pinned tracks.

    Vanished tracks count, so that the whole stays uniform when they return. A pinned track does not:
    the positions before and behind it become one when it is moved to its own.
    """
    pinned = {pin.track_index for pin in recipe.pins if pin.place != HERE}
    if not pinned:
        return insert(order, new, randbelow)
    free = [index for index in order if index not in pinned]
    coming = [index for index in new if index not in pinned]
    return insert_vanished([*order, *pinned.intersection(new)], insert(free, coming, randbelow))


def _repaired(arranged: Arranged, recipe: Recipe, repair: Repair, randbelow: RandBelow) -> Arranged:
    """Restore the guarantee of the tracks that are played; the pinned ones stay."""
    order, count = arranged.order, arranged.playlist_length
    pins = {order.index(pin.track_index) for pin in recipe.pins}
    return Arranged([*repair(order[:count], pins, randbelow, 0), *order[count:]], count)
