"""Put resting tracks, which were heard a short time ago, behind all others."""

from collections.abc import Callable, Collection, Sequence

from playshuffle import duration
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.groups import KEYS, group_keys
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import RandBelow, Shuffle, behind
from playshuffle.text import known


def parse_rest(text: str) -> tuple[tuple[str | None, int], ...]:
    """Return the fields and times in milliseconds in a text such as '30d' or '30d,artist:2h'.

    Raises:
        PlayshuffleError: a field is unknown, or a time is not a duration.
    """
    rests: list[tuple[str | None, int]] = []
    for part in map(str.strip, text.split(",")):
        has_field = ":" in part and not part[0].isdecimal()  # 1:30:00 is a time
        field, time = part.split(":", 1) if has_field else ("", part)
        rests.append((known("field", field, KEYS) if field else None, duration.parse(time)))
    return tuple(rests)


def heard_lately(
    library: Chosen, recipe: Recipe, heard_since: Callable[[float], Collection[int]], now_s: float
) -> frozenset[int]:
    """Return the tracks that were heard within the recipe's times, or share a tag with such a track."""
    resting: set[int] = set()
    for field, time_ms in recipe.rests:
        heard = heard_since(now_s - time_ms / 1000)
        if field is not None and heard:
            keys = group_keys(library, field)
            groups = {keys[index] for index in heard if index >= 0}
            heard = [index for index in library.indices if keys[index] in groups]
        resting.update(heard)
    return frozenset(resting)


def resting_tracks(chosen: Chosen, recipe: Recipe) -> frozenset[int]:
    """Return the resting tracks, or all tracks of their groups if the order keeps groups together."""
    order = ORDERS[recipe.order_name]
    by = recipe.group_by or order.tag
    if not recipe.resting or by is None or "inside" not in order.takes:
        return recipe.resting
    keys = group_keys(chosen, by)
    heard = {keys[index] for index in recipe.resting}
    return frozenset(index for index in chosen.indices if keys[index] in heard)


def with_rest(shuffle: Shuffle, resting: frozenset[int], chosen: Chosen, recipe: Recipe) -> Shuffle:
    """Return a shuffle that puts resting tracks last, and keeps the guarantee also where both parts meet."""
    if not resting:
        return shuffle
    make_repair = ORDERS[recipe.order_name].repair
    repair = make_repair(chosen, recipe) if make_repair is not None else None

    def in_two_parts(order: Sequence[int], randbelow: RandBelow) -> list[int]:
        result = behind(order, resting, shuffle, randbelow)
        if repair is None:
            return result
        return repair(result, (), randbelow, sum(index not in resting for index in order))

    return in_two_parts
