"""An order in which pins may stand beside their own group in, one in which they do not out."""

from collections.abc import Collection, Sequence

from playshuffle.shuffle import RandBelow


def part_from_pins(
    order: Sequence[int], pins: Collection[int], keys: Sequence[int], randbelow: RandBelow
) -> list[int]:
    """Swap away what stands beside a pin and is of its group, if that leaves fewer neighbours.

    The fewest there can be are nearly always reached, but not where one group has most entries.

    Args:
        order: n distinct indices; not changed.
        pins: places whose entries stay.
        keys: `keys[entry]` is the group of an entry.
        randbelow: drawn from once for each swap, with the number of those that are best.

    Cost: O(n) for each neighbour of a pin that is of its group.
    """
    parted = list(order)
    free = [place for place in range(len(order)) if place not in pins]

    def gain(one: int, other: int) -> int:
        places = {start for place in (one, other) for start in (place - 1, place)}
        before = sum(map(is_neighbour, places))
        parted[one], parted[other] = parted[other], parted[one]
        after = sum(map(is_neighbour, places))
        parted[one], parted[other] = parted[other], parted[one]
        return before - after

    def is_neighbour(start: int) -> bool:
        return 0 <= start < len(parted) - 1 and keys[parted[start]] == keys[parted[start + 1]]

    for place in sorted(beside for pin in pins for beside in (pin - 1, pin + 1)):
        if place in free and (is_neighbour(place - 1) or is_neighbour(place)):
            gains = [gain(place, other) for other in free]
            most = max(gains)
            if most > 0:
                best = [other for other, gained in zip(free, gains, strict=True) if gained == most]
                other = best[randbelow(len(best))]
                parted[place], parted[other] = parted[other], parted[place]
    return parted
