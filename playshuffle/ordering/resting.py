"""Put recently heard tracks behind all others."""

from collections.abc import Sequence

from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.groups import group_keys
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import RandBelow, Shuffle, behind


def resting_tracks(chosen: Chosen, recipe: Recipe) -> frozenset[int]:
    """Return the tracks that come behind all others: resting ones, and their groups as a whole."""
    order = ORDERS[recipe.order]
    by = recipe.group_by or order.tag
    if not recipe.resting or by is None or "inside" not in order.takes:
        return recipe.resting
    keys = group_keys(chosen, by)
    heard = {keys[index] for index in recipe.resting}
    return frozenset(index for index in chosen.indices if keys[index] in heard)


def with_rest(shuffle: Shuffle, resting: frozenset[int], chosen: Chosen, recipe: Recipe) -> Shuffle:
    """Return a shuffle in two parts that keeps the guarantee of the order across their border, too."""
    if not resting:
        return shuffle
    make_repair = ORDERS[recipe.order].repair
    repair = make_repair(chosen, recipe) if make_repair is not None else None

    def in_two_parts(order: Sequence[int], randbelow: RandBelow) -> list[int]:
        result = behind(order, resting, shuffle, randbelow)
        if repair is None:
            return result
        return repair(result, (), randbelow, sum(index not in resting for index in order))

    return in_two_parts
