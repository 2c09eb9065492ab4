"""Order the rounds of a deck by any of the orders."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from playshuffle.dealing.amount import Amount
from playshuffle.dealing.sizes import ByAlbums, ByCount, ByTime, Size
from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.gap import usual_gap
from playshuffle.ordering.groups import group_keys
from playshuffle.ordering.orders import ORDERS, InsertNew
from playshuffle.ordering.recipe import Recipe
from playshuffle.ordering.resting import resting_tracks
from playshuffle.shuffle import RandBelow, Shuffle, insert, not_before

_ATTEMPTS = 10


class Rounds:
    """An order of the recipe, in the form that a deck needs.

    The uniform order keeps the gap for each track, and is uniform over all orders that do. Any
    other order is made up to ten times, and the one with the fewest tracks that come too soon is
    used: it keeps its own guarantee, and the gap as far as possible. `sorted` has no gap.
    """

    def __init__(self, tracks: Tracks, recipe: Recipe, randbelow: RandBelow, tags_of: TagsOf) -> None:
        self.name = recipe.order_name
        self.keeps_gap = ORDERS[recipe.order].deck_gap == "kept"
        self._tracks = tracks
        self._recipe = recipe
        self._randbelow = randbelow
        self._tags_of = tags_of

    @cached_property
    def resting(self) -> frozenset[int]:
        """The indices of tracks that are dealt after all others."""
        return resting_tracks(self._tracks, self._tags_of, self._recipe)

    def gap(self, tracks: int) -> int:
        """Return the minimum number of plays before a track repeats, in a library of that size."""
        if ORDERS[self._recipe.order].deck_gap == "none":
            return 0
        gap = self._recipe.gap
        return usual_gap(tracks) if gap is None else gap.plays(tracks)

    def arrange(self, tracks: Sequence[int], soonest: Mapping[int, int]) -> list[int]:
        """Order tracks; `soonest` maps some to their first allowed position."""
        base = [self._index_of[track] for track in tracks]
        firsts = {self._index_of[track]: position for track, position in soonest.items()}
        if self.keeps_gap:
            order = not_before(base, firsts, self._randbelow)
        else:
            order = self._best(base if ORDERS[self._recipe.order].from_last else sorted(base), firsts)
        return [self._tracks.numbers[index] for index in order]

    def insert_new(self, upcoming: Sequence[int], new: Sequence[int], before: int | None) -> list[int]:
        """Insert new tracks among those still to come and restore what the order guarantees."""
        played = [] if before is None else [before]
        running = [self._index_of[track] for track in [*played, *upcoming]]
        order = self._insert_new(
            running, [self._index_of[track] for track in new], self._randbelow, len(played)
        )
        if (make_repair := ORDERS[self._recipe.order].repair) is not None:
            repair = make_repair(self._tracks, self._tags_of, self._recipe)
            order = repair(order, (), self._randbelow, len(played))
        # Not by position: `sorted` sorts the dealt track, too.
        return [self._tracks.numbers[index] for index in order if index not in running[: len(played)]]

    def _best(self, base: Sequence[int], firsts: Mapping[int, int]) -> list[int]:
        """Return the best of several orders: the fewest tracks come before their first position."""
        best: list[int] = []
        fewest = len(base) + 1
        for _ in range(_ATTEMPTS):
            order = self._shuffle(base, self._randbelow)
            early = sum(firsts.get(index, 0) > position for position, index in enumerate(order))
            if early < fewest:
                best, fewest = order, early
            if not early:
                break
        return best

    @cached_property
    def _index_of(self) -> dict[int, int]:
        return {number: index for index, number in enumerate(self._tracks.numbers)}

    @cached_property
    def _shuffle(self) -> Shuffle:
        return ORDERS[self._recipe.order].shuffle(self._tracks, self._tags_of, self._recipe)

    @cached_property
    def _insert_new(self) -> InsertNew:
        make_insert = ORDERS[self._recipe.order].insert_new
        return insert if make_insert is None else make_insert(self._tracks, self._tags_of, self._recipe)


def deal_size(amount: Amount, tracks: Tracks, recipe: Recipe, tags_of: TagsOf) -> Size:
    """Return how large deals of these tracks are."""
    if amount.time_ms is not None:
        return ByTime(amount.time_ms, dict(zip(tracks.numbers, tracks.durations_ms, strict=True)))
    if amount.count is not None:
        return ByCount(amount.count)
    assert amount.albums is not None
    tag = ORDERS[recipe.order].tag
    assert tag is not None, "an order that is dealt by albums"
    keys = group_keys(tracks, tags_of, tag)
    return ByAlbums(amount.albums, dict(zip(tracks.numbers, keys, strict=True)))
