"""What was played last and a gap in, an order that keeps the gap, around pins, out."""

from bisect import bisect
from collections.abc import Mapping, Sequence

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.shuffle import RandBelow
from playshuffle.shuffle.chance import draws


def after_gap(
    fresh: Sequence[int], played: Sequence[int], gap: int, pins: Mapping[int, int], randbelow: RandBelow
) -> list[int]:
    """Shuffle so that no track is played again before `gap` plays since it was last played.

    Uniform over all orders that keep gap and pins: how many tracks a place may have does not
    depend on the draws before. A pinned track is asked for, and may break the gap. Without
    pins, and with all played, it is what `shuffle.after_gap` makes.

    Args:
        fresh: tracks that were not played last time, and may come at any place.
        played: those that were, in order.
        gap: plays from one playing of a track to its next, 1 or more.
        pins: by place the track that stands there.
        randbelow: drawn from once for each place without a pin.

    Raises:
        PlayshuffleError: there is no such order.

    Cost: O(n log n).
    """
    count = len(fresh) + len(played)
    if gap > count:
        raise PlayshuffleError(
            f"--gap of {gap:,} plays: there are only {count:,} tracks to choose from; take a smaller one.",
            Exit.USAGE,
        )
    held = frozenset(pins.values())
    free = [(0, index) for index in fresh if index not in held]
    free += [
        (max(gap - len(played) + place, 0), index) for place, index in enumerate(played) if index not in held
    ]
    first_places = [place for place, _ in free]
    entries = [index for _, index in free]
    places = [place for place in range(count) if place not in pins]
    ready = [bisect(first_places, place) for place in places]
    bounds = [end - start for start, end in enumerate(ready)]
    if min(bounds, default=1) < 1:
        raise PlayshuffleError(
            f"--pin and --gap leave no track for place {places[bounds.index(0)] + 1}; take a smaller gap.",
            Exit.USAGE,
        )
    # Of entries[start:end] each may come next: those that are ready, without those that came.
    for start, drawn in enumerate(draws(randbelow, bounds)):
        partner = start + drawn
        entries[start], entries[partner] = entries[partner], entries[start]
    order = dict(zip(places, entries, strict=True)) | dict(pins)
    return [order[place] for place in range(count)]
