"""Two orders for playshuffle: tempo and riffle."""

from collections.abc import Callable, Sequence

from playshuffle.ordering.plugin_orders import Track


def tempo(tracks: Sequence[Track], randbelow: Callable[[int], int]) -> list[int]:
    """Slow tracks come first and fast ones last; tracks of one tempo in random order."""
    keys = [(track.tags.bpm or 0, randbelow(2**30)) for track in tracks]
    return sorted(range(len(tracks)), key=keys.__getitem__)


def riffle(tracks: Sequence[Track], randbelow: Callable[[int], int]) -> list[int]:
    """Like a deck of cards that is riffled once: the old order still shows."""
    half = len(tracks) // 2
    left, right = list(range(half)), list(range(half, len(tracks)))
    order = []
    while left or right:
        packet = left if randbelow(len(left) + len(right)) < len(left) else right
        order.append(packet.pop(0))
    return order
