"""Define shuffles that are known to be bad, to show that an audit finds their flaws.

Nothing else may use them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.shuffle.chance import RandBelow, draws
from playshuffle.shuffle.uniform import Shuffle, durstenfeld

_FEW_KEYS = 8
_STATE_BITS = 16


class Specimen(NamedTuple):
    """A bad shuffle, and how its flaw shows.

    Attributes:
        entropy_bits: bits of its own generator; None if it uses the given `randbelow`.
    """

    shuffle: Shuffle
    entropy_bits: int | None
    shows: str


def swap_any(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Swap each position with any position: n^n paths cannot fall evenly on n! orders."""
    shuffled = list(order)
    positions = range(len(shuffled) - 1, -1, -1)
    for position, partner in zip(positions, draws(randbelow, [len(shuffled)] * len(shuffled)), strict=True):
        shuffled[position], shuffled[partner] = shuffled[partner], shuffled[position]
    return shuffled


def random_swaps(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Swap two random positions n times: one entry in seven (e⁻²) is never touched."""
    shuffled = list(order)
    for _ in shuffled:
        first, second = randbelow(len(shuffled)), randbelow(len(shuffled))
        shuffled[first], shuffled[second] = shuffled[second], shuffled[first]
    return shuffled


def coin_sort(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Sort by insertion with a coin for a comparison: half of the time the last entry stays last."""
    shuffled: list[int] = []
    for entry in order:
        position = len(shuffled)
        while position and randbelow(2):
            position -= 1
        shuffled.insert(position, entry)
    return shuffled


def tied_keys(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Sort by keys from 0 to 7: entries with equal keys keep their old order."""
    keys = list(draws(randbelow, [_FEW_KEYS] * len(order)))
    return [order[position] for position in sorted(range(len(order)), key=keys.__getitem__)]


def little_state(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle well, but with draws that follow from 16 bits: from 9 entries on most orders never come."""
    state = randbelow(1 << _STATE_BITS)

    def congruential(bound: int) -> int:
        nonlocal state
        state = (25173 * state + 13849) % (1 << _STATE_BITS)
        return state * bound >> _STATE_BITS

    return durstenfeld(order, congruential)


SPECIMENS = {
    "swap-any": Specimen(swap_any, None, "a tilt across the whole matrix"),
    "random-swaps": Specimen(random_swaps, None, "a bright diagonal: entries stay where they were"),
    "coin-sort": Specimen(coin_sort, None, "entries stay near where they were, the last most of all"),
    "tied-keys": Specimen(tied_keys, None, "a ramp in each row: equal keys keep the old order"),
    "little-state": Specimen(little_state, _STATE_BITS, "fewer bits than the orders need"),
}
