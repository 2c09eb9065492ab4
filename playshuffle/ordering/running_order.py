"""An order as it was remembered and the tracks of now in; out: the same order over these tracks.

What is gone leaves the playlist, but keeps its place for a while: a drive that returns finds its
order. What is new goes in by the law of the order, at drawn places among those still to come.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from playshuffle.library.identity import Identity, Remembered
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged, in_place, no_tags
from playshuffle.ordering.groups import TagsOf
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import RandBelow, insert

KEPT_S = 30 * 86_400  # so long a track that is gone keeps its place


@dataclass(frozen=True, slots=True)
class Kept:
    """An order over the tracks of now, and over those that are gone but keep their place in it.

    arranged: over the tracks of now. order: the same with the others: indices from
        `len(tracks)` on are those of `gone`. gone: the remembered number of each, and since when
        it is gone, in seconds.
    """

    arranged: Arranged
    order: list[int]
    gone: list[tuple[int, int]]


def keep(
    tracks: Tracks,
    recipe: Recipe,
    before: Remembered,
    identity: Identity,
    randbelow: RandBelow,
    tags_of: TagsOf | None,
    *,
    now_s: int,
    first: int = 0,
) -> Kept:
    """Keep an order while its tracks change.

    Args:
        tracks: those of now, not empty.
        recipe: what the order is to be; its pins are resolved.
        before: the order as it was remembered.
        identity: which track of now each remembered one is.
        randbelow: drawn from for each new track.
        tags_of: looks up the tags, for the orders that go by them.
        now_s: the time, in seconds.
        first: so many places of the remembered order were played: nothing goes in before these.

    Raises:
        PlayshuffleError: a pin or a limit of the recipe has no meaning for these tracks.
    """
    count = len(tracks)
    now = [-1 if index is None else index for index in identity.now]
    gone: list[tuple[int, int]] = []
    for old in [old for old, index in enumerate(now) if index < 0]:
        # A clock that was set back must not keep it for ever.
        since = min(before.gone.get(old, now_s), now_s)
        if now_s - since <= KEPT_S:
            now[old] = count + len(gone)
            gone.append((old, since))
    order = list(map(now.__getitem__, before.places))
    played = first - order[:first].count(-1)
    if -1 in now:
        order = [index for index in order if index >= 0]
    # Where an order goes by tags or paths, a track that has others now may have to move, too.
    if identity.new or (ORDERS[recipe.order].let_in and not before.is_over(tracks.paths, tracks.marks)):
        order = _let_in(tracks, recipe, order, identity.new, randbelow, tags_of, played)
    here = [index for index in order if index < count] if gone else order
    arranged = in_place(tracks, recipe, here)
    return Kept(arranged, order if arranged.order == here else _around(order, arranged.order), gone)


def _let_in(
    tracks: Tracks,
    recipe: Recipe,
    order: list[int],
    new: Sequence[int],
    randbelow: RandBelow,
    tags_of: TagsOf | None,
    first: int,
) -> list[int]:
    made = ORDERS[recipe.order].let_in
    if made is None:  # among those that are gone, too: so the whole stays uniform when they return
        return insert(order, new, randbelow, first)
    count = len(tracks)
    here = [index for index in order if index < count]
    first_here = sum(index < count for index in order[:first])
    return _around(order, made(tracks, tags_of or no_tags, recipe)(here, new, randbelow, first_here))


def _around(order: Sequence[int], here: Sequence[int]) -> list[int]:
    """Put what is gone back into an order of the others: behind what it was behind."""
    if len(here) == len(order):
        return list(here)
    there = frozenset(here)
    behind: dict[int, list[int]] = defaultdict(list)
    before = -1
    for index in order:
        if index in there:
            before = index
        else:
            behind[before].append(index)
    result = list(behind[-1])
    for index in here:
        result.append(index)
        result += behind.get(index, ())
    return result
