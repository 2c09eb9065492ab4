"""Order the rounds of a deck by any order that playlists have."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from playshuffle.dealing.amount import Amount
from playshuffle.dealing.sizes import ByCount, ByGroups, ByTotal, Size
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.gap import usual_gap
from playshuffle.ordering.groups import ARTIST, group_keys
from playshuffle.ordering.orders import ORDERS, InsertNew, block_keys
from playshuffle.ordering.recipe import Recipe
from playshuffle.ordering.resting import resting_tracks
from playshuffle.shuffle import RandBelow, Shuffle, insert, not_before

_ATTEMPTS = 10


class Rounds:
    """Orders the rounds of a deck by the order of a recipe.

    The random order keeps the gap for each track, and is uniform over all orders that keep it. Any other
    order is drawn up to ten times; the draw with the fewest tracks too soon is used. `sorted` has no gap.
    `spread` does not begin with the artist that was dealt last.

    Attributes:
        name: name of the order; if it changes, the upcoming tracks are ordered again.
        keeps_gap: all tracks keep the gap; if false, as far as a few attempts allow.
    """

    def __init__(self, chosen: Chosen, recipe: Recipe, randbelow: RandBelow) -> None:
        self.name = recipe.full_name
        self.keeps_gap = ORDERS[recipe.order_name].deck_gap == "kept"
        self._chosen = chosen
        self._recipe = recipe
        self._randbelow = randbelow

    @cached_property
    def resting(self) -> frozenset[int]:
        return resting_tracks(self._chosen, self._recipe)

    def gap(self, tracks: int) -> int:
        """Return the gap in a library with this number of tracks."""
        if ORDERS[self._recipe.order_name].deck_gap == "none":
            return 0
        gap = self._recipe.gap
        return usual_gap(tracks) if gap is None else gap.plays(tracks)

    def arrange(
        self, tracks: Sequence[int], soonest: Mapping[int, int], before: int | None = None
    ) -> list[int]:
        """Order tracks for a round.

        Args:
            tracks: in their last order.
            soonest: maps tracks to their first allowed positions.
            before: the track dealt last, if it is present.
        """
        if self.keeps_gap:
            return not_before(tracks, soonest, self._randbelow)
        base = tracks if ORDERS[self._recipe.order_name].from_last else sorted(tracks)
        return self._best(base, soonest, before)

    def insert_new(self, upcoming: Sequence[int], new: Sequence[int], before: int | None) -> list[int]:
        """Insert new tracks into the upcoming ones; `before` is the track dealt last."""
        played = [] if before is None else [before]
        order = self._insert_new([*played, *upcoming], new, self._randbelow, len(played))
        if (make_repair := ORDERS[self._recipe.order_name].repair) is not None:
            repair = make_repair(self._chosen, self._recipe)
            order = repair(order, (), self._randbelow, len(played))
        return [track for track in order if track != before]  # `sorted` moves it, too

    def _best(self, base: Sequence[int], firsts: Mapping[int, int], before: int | None) -> list[int]:
        best: list[int] = []
        fewest = (True, len(base) + 1)
        for _ in range(_ATTEMPTS):
            order = self._shuffle(base, self._randbelow)
            early = sum(firsts.get(index, 0) > position for position, index in enumerate(order))
            faults = self._is_repeat(before, order), early
            if faults < fewest:
                best, fewest = order, faults
            if not any(faults):
                break
        return best

    def _is_repeat(self, before: int | None, order: Sequence[int]) -> bool:
        if before is None or not order or self._keys is None:
            return False
        return self._keys[before] == self._keys[order[0]]

    @cached_property
    def _keys(self) -> Sequence[int] | None:
        """The groups that the order keeps apart; None if it keeps none apart."""
        if not ORDERS[self._recipe.order_name].has_fewest_repeats:
            return None
        return group_keys(self._chosen, self._recipe.group_by or ARTIST)

    @cached_property
    def _shuffle(self) -> Shuffle:
        return ORDERS[self._recipe.order_name].shuffle(self._chosen, self._recipe)

    @cached_property
    def _insert_new(self) -> InsertNew:
        make_insert = ORDERS[self._recipe.order_name].insert_new
        return insert if make_insert is None else make_insert(self._chosen, self._recipe)


def deal_size(amount: Amount, chosen: Chosen, recipe: Recipe) -> Size:
    """Return the size of each deal of these tracks."""
    if amount.time_ms is not None:
        durations_ms = chosen.tracks.durations_ms
        return ByTotal(amount.time_ms, {index: durations_ms[index] for index in chosen.indices})
    if amount.size is not None:
        sizes = chosen.tracks.stick_sizes
        return ByTotal(amount.size, {index: sizes[index] for index in chosen.indices})
    if amount.tracks is not None:
        return ByCount(amount.tracks)
    assert amount.groups is not None
    keys = block_keys(chosen, recipe)
    return ByGroups(amount.groups, {index: keys[index] for index in chosen.indices})
