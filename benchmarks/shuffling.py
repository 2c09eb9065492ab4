"""Measure the shuffles: medians of ratios to the standard library, each pair run back to back.

Run as `python -m benchmarks.shuffling` from the checkout. Only the ratios carry over to
another machine.
"""

import random
import statistics
import time
import tracemalloc
from array import array
from collections.abc import Callable, Sequence
from functools import partial

from playshuffle.shuffle import Seeded, System, durstenfeld, sattolo, sparse_deal, spread, weighted

TRACKS, ARTISTS = 100_000, 8_000
# Numbers of pairs, so that each row takes a few seconds at most.
PAIRS = {10_000: 61, 100_000: 15, 1_000_000: 5}


def seconds(work: Callable[[], object]) -> float:
    """Return the time of one run."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def compare(
    work: Callable[[], object], reference: Callable[[], object], pairs: int
) -> tuple[float, float, float]:
    """Return the median seconds of both functions, and the median of the ratios pair by pair."""
    times = [(seconds(work), seconds(reference)) for _ in range(pairs)]
    ours, theirs = zip(*times, strict=True)
    ratios = [one / other for one, other in times]
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios)


def standard_shuffle(order: Sequence[int]) -> list[int]:
    """Shuffle with the standard library, with a copy of the order as our shuffles make one."""
    shuffled = list(order)
    random.shuffle(shuffled)
    return shuffled


def uniform_orders() -> None:
    """Measure orders of the size of a small, a large and a huge library."""
    print(f"{'to random.shuffle':32}{'tracks':>10}{'ns/track':>10}{'its ns':>10}{'ratio':>8}{'goal':>8}")
    goals = {
        "durstenfeld, system": {10_000: 0.5, 100_000: 0.55, 1_000_000: 0.65},
        "weighted, system": {100_000: 2.5},
    }
    for tracks, pairs in PAIRS.items():
        order = list(range(tracks))
        rows: list[tuple[str, Callable[[], object]]] = [
            ("durstenfeld, system", partial(durstenfeld, order, System())),
            ("durstenfeld, seeded", partial(durstenfeld, order, Seeded("1"))),
            ("sattolo, system", partial(sattolo, order, System())),
            ("weighted, system", partial(weighted, order, [1.0 + entry % 7 for entry in order], System())),
        ]
        for name, work in rows:
            ours, theirs, ratio = compare(work, partial(standard_shuffle, order), pairs)
            goal = goals.get(name, {}).get(tracks, "")
            print(
                f"{name:32}{tracks:10,}{ours / tracks * 1e9:10.0f}{theirs / tracks * 1e9:10.0f}"
                f"{ratio:8.2f}{goal:>8}"
            )


def spread_orders() -> None:
    """Measure spreading. A few artists have hundreds of tracks, most a handful, on up to three albums."""
    draw = random.Random(1)
    artists = [int(ARTISTS * draw.random() ** 2) for _ in range(TRACKS)]
    albums = [3 * artist + draw.randrange(3) for artist in artists]
    order = range(TRACKS)
    source = System()

    def sort_and_shuffle(keys: Sequence[int]) -> None:
        sorted(order, key=keys.__getitem__)
        durstenfeld(order, source)

    print(f"\n{'to sort by key + durstenfeld':32}{'tracks':>10}{'ms':>10}{'its':>10}{'ratio':>8}{'goal':>8}")
    rows: list[tuple[str, Sequence[int], Callable[[], object], str]] = [
        ("spread by artist", artists, lambda: spread(order, artists, source), "3"),
        ("spread, an artist each", order, lambda: spread(order, order, source), "3"),
        ("spread by artist and album", artists, lambda: spread(order, artists, source, albums), ""),
    ]
    for name, keys, work, goal in rows:
        ours, theirs, ratio = compare(work, partial(sort_and_shuffle, keys), 11)
        print(f"{name:32}{TRACKS:10,}{ours * 1e3:10.0f}{theirs * 1e3:10.0f}{ratio:8.2f}{goal:>8}")


def sparse_deals() -> None:
    """Show that time and memory follow the number of dealt tracks alone."""
    print(f"\n{'sparse deal':32}{'of':>16}{'ms':>10}{'peak KB':>10}")
    for count, tracks in [(50, 10**9), (50, 10**15), (10_000, 10**9)]:
        deal = partial(sparse_deal, tracks, count, System())
        taken = statistics.median(seconds(deal) for _ in range(9))
        tracemalloc.start()
        deal()
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{count:<32,}{tracks:16,}{taken * 1e3:10.2f}{peak_bytes / 1e3:10.1f}")


def order_at_rest() -> None:
    """Measure the memory of an order: as a list with its integers, and packed."""
    print(f"\n{'an order of 100,000 at rest':32}{'bytes/track':>16}")
    packed = array("I", durstenfeld(range(TRACKS), System()))
    for kind in (list, partial(array, "I")):
        tracemalloc.start()
        kept = kind(packed)
        held_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{type(kept).__name__:32}{held_bytes / TRACKS:16.1f}")


if __name__ == "__main__":
    uniform_orders()
    spread_orders()
    sparse_deals()
    order_at_rest()
