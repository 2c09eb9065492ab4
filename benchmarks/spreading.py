"""Compare ways to keep artists apart: repeats, gaps, positions, how easily they are guessed, and their cost.

Run as `python -m benchmarks.spreading [LISTS]` from the checkout; `--picture` draws its picture, and
`--kept` measures lists that tracks have joined and left since they were made.

The ways of others are written from their published rules:

* Fiedler: Martin Fiedler, The art of shuffling music (keyj.emphy.de/balanced-shuffle, 2007)
* Spotify 2014: Lukáš Poláček, How to shuffle songs? (engineering.atspotify.com, 2014). It names no numbers;
  here a distance varies by a fifth at most.
* Musium: Ruud van Asseldonk, An algorithm for shuffling playlists (ruudvanasseldonk.com, 2023)

Spread before: exactly even distances, and others beside a majority in random order.
"""

import math
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from playshuffle.audit.mix import predictable
from playshuffle.shuffle import System, durstenfeld, fewest_repeats, insert_apart, move_apart, repeats, spread

PICTURE = Path(__file__).parent.parent / "docs/pictures/spreading.svg"
# Paul Tol's "muted" colours and grey, which colour-blind people can distinguish (personal.sron.nl/~pault).
COLOURS = ("#332288", "#88CCEE", "#44AA99", "#117733", "#999933", "#DDCC77", "#CC6677", "#882255", "#AA4499")
GREY = "#999999"

# (artist of each track, album of each track) -> order.
Way = Callable[[Sequence[int], Sequence[int]], list[int]]


def by_sizes(sizes: Iterable[int]) -> list[int]:
    """Return a group for each entry; groups have these sizes."""
    return [group for group, size in enumerate(sizes) for _ in range(size)]


def libraries() -> dict[str, tuple[list[int], list[int]]]:
    """Return the artist and the album of each track of some libraries."""
    skewed = [max(5, int(145 / (1 + artist * 0.35))) for artist in range(60)]
    artists = {
        "10 artists of 10": by_sizes([10] * 10),
        "60 artists, skewed": by_sizes(skewed)[:1000],
        "60 of 100 by one artist": by_sizes([60] + [5] * 8),
        "100 singles, 5 artists of 20": by_sizes([1] * 100 + [20] * 5),
        "8 compilations of 15": by_sizes([1] * 120),
        "161 files, 83 without artist": by_sizes([1] * 83 + [12, 11, 11, 11, 11, 11, 11]),
    }
    albums = {name: [track // 10 for track in range(len(keys))] for name, keys in artists.items()}
    albums["8 compilations of 15"] = by_sizes([15] * 8)
    albums["161 files, 83 without artist"] = by_sizes([20, 20, 20, 23, 13, 13, 13, 13, 13, 13])
    return {name: (keys, albums[name]) for name, keys in artists.items()}


def members(keys: Sequence[int]) -> list[list[int]]:
    """Return the entries of each group, shuffled."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for entry, key in enumerate(keys):
        groups[key].append(entry)
    for group in groups.values():
        random.shuffle(group)
    return list(groups.values())


def by_chance(keys: Sequence[int], _albums: Sequence[int]) -> list[int]:
    """Shuffle uniformly."""
    return durstenfeld(range(len(keys)), System())


def now(keys: Sequence[int], albums: Sequence[int]) -> list[int]:
    """Shuffle as `--order spread` does."""
    return spread(range(len(keys)), keys, System(), albums)


def fiedler(keys: Sequence[int], _albums: Sequence[int]) -> list[int]:
    """Pad all groups to one length at nearly even distances, rotate each, and shuffle each column."""
    groups = members(keys)
    length = max(map(len, groups))
    columns: list[list[int]] = [[] for _ in range(length)]
    for group in groups:
        rotation, at = random.randrange(length), 0
        for number, entry in enumerate(group):
            columns[(at + rotation) % length].append(entry)
            left = len(group) - number
            step = round((length - at) / left * random.uniform(0.9, 1.1))
            at += min(max(step, 1), length - at - left + 1)
    for column in columns:
        random.shuffle(column)
    return [entry for column in columns for entry in column]


def spotify(keys: Sequence[int], _albums: Sequence[int]) -> list[int]:
    """Place each group on a line: a random start, and distances that vary by a fifth."""
    places: list[tuple[float, int]] = []
    for group in members(keys):
        start = random.random()
        for number, entry in enumerate(group):
            places.append(((number + start + random.uniform(-0.1, 0.1)) / len(group), entry))
    return [entry for _, entry in sorted(places)]


def musium(keys: Sequence[int], albums: Sequence[int]) -> list[int]:
    """Merge albums into artists and artists into a list, the smallest first."""

    def merged(parts: list[list[int]], values: Sequence[int]) -> list[int]:
        random.shuffle(parts)
        result: list[int] = []
        for part in sorted(parts, key=len):
            pairs = [
                at for at, (one, other) in enumerate(pairwise(result), 1) if values[one] == values[other]
            ]
            if len(result) < len(part) or (len(result) == len(part) and random.random() < 0.5):
                result = interleaved(part, result)
            elif pairs and len(result) > len(part) + 1:
                result = broken_up(result, part, pairs)
            else:
                result = interleaved(result, part)
        return result

    artists: defaultdict[int, list[list[int]]] = defaultdict(list)
    for album in members([*map(hash, zip(keys, albums, strict=True))]):
        artists[keys[album[0]]].append(album)
    return merged([merged(parts, albums) for parts in artists.values()], keys)


def interleaved(long: Sequence[int], short: Sequence[int]) -> list[int]:
    """Put the entries of `short` between equal spans of `long`; random spans have one more."""
    count = min(len(short) + 1, len(long))
    size, rest = divmod(len(long), count)
    sizes = [size + 1] * rest + [size] * (count - rest)
    random.shuffle(sizes)
    ends = [sum(sizes[: number + 1]) for number in range(count)]
    return broken_up(long, short, ends[: len(short)])


def broken_up(long: Sequence[int], short: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Insert the entries of `short` before these positions of `long`."""
    result, begin = [], 0
    for end, entry in zip(ends, short, strict=False):
        result += [*long[begin:end], entry]
        begin = end
    more = short[len(ends) :]  # too few pairs: the others go to the end of no span
    return [*result, *long[begin:], *more]


def before(keys: Sequence[int], _albums: Sequence[int]) -> list[int]:
    """Lay groups out at even distances on a ring, and others beside a majority in random order."""
    groups = members(keys)
    largest = max(groups, key=len)
    others = [entry for group in groups if group is not largest for entry in group]
    if len(largest) > len(others):
        random.shuffle(others)
        return between(largest, others)
    places: list[tuple[float, int]] = []
    for group in groups:
        start = random.random()
        places += [((number + start) / len(group), entry) for number, entry in enumerate(group)]
    ring = apart([entry for _, entry in sorted(places)], keys)
    opening = random.randrange(len(ring))
    return ring[opening:] + ring[:opening]


def between(largest: Sequence[int], others: Sequence[int]) -> list[int]:
    """Put the others into evenly chosen gaps of the largest group."""
    gaps = len(largest) - 1
    phase = random.randrange(gaps)
    filled = {(turn * gaps + phase) // len(others): entry for turn, entry in enumerate(others)}
    result = []
    for gap, own in enumerate(largest):
        result.append(own)
        if gap in filled:
            result.append(filled[gap])
    return result


def apart(ring: Sequence[int], keys: Sequence[int]) -> list[int]:
    """Let each entry that follows its own group wait until it fits, around the ring."""
    result: list[int] = []
    waiting: list[int] = []
    for entry in (*ring, *([None] * len(ring))):
        turn = [] if entry is None else [entry]
        for candidate in (*turn, *waiting):
            if not result or keys[result[-1]] != keys[candidate]:
                result.append(candidate)
                if candidate in waiting:
                    waiting.remove(candidate)
            elif candidate not in waiting:
                waiting.append(candidate)
    for entry in waiting:  # back to the start of the ring
        key = keys[entry]
        at = next(at for at in range(len(result)) if key not in (keys[result[at - 1]], keys[result[at]]))
        result.insert(at, entry)
    return result


WAYS: dict[str, Way] = {
    "random": by_chance,
    "spread before": before,
    "Fiedler 2007": fiedler,
    "Spotify 2014": spotify,
    "Musium 2023": musium,
    "**spread now**": now,
}


def gap_deviation(keys: Sequence[int], albums: Sequence[int]) -> float:
    """Return the deviation of a group's gaps, in mean gaps; of albums if all artists have one track."""
    groups = keys if max(Counter(keys).values()) > 2 else albums
    positions: defaultdict[int, list[int]] = defaultdict(list)
    for position, group in enumerate(groups):
        positions[group].append(position)
    found = []
    for at in positions.values():
        if 2 < len(at) <= len(groups) / 2:
            gaps = [later - earlier for earlier, later in pairwise(at)]
            mean = sum(gaps) / len(gaps)  # `statistics` is exact, and a hundred times slower
            found.append(math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) / mean)
    return sum(found) / len(found)


def unevenness(orders: Sequence[Sequence[int]]) -> float:
    """Return chi-square / degrees of freedom, for each track in each tenth of the list: 1 if even."""
    count, parts = len(orders[0]), 10
    bounds = [count * part // parts for part in range(parts + 1)]
    share = [(end - begin) / count for begin, end in pairwise(bounds)]
    cells = [[0] * parts for _ in range(count)]
    for order in orders:
        for part, (begin, end) in enumerate(pairwise(bounds)):
            for entry in order[begin:end]:
                cells[entry][part] += 1
    total = sum(
        (seen - len(orders) * expected) ** 2 / (len(orders) * expected)
        for row in cells
        for seen, expected in zip(row, share, strict=True)
    )
    return total / ((count - 1) * (parts - 1))


def bits(lists: Sequence[Sequence[int]]) -> float:
    """Return the bits that the next artist has if the last one is known, over all lists."""
    after = Counter(pair for keys in lists for pair in pairwise(keys))
    known: Counter[int] = Counter()
    for (one, _), seen in after.items():
        known[one] += seen
    total = sum(known.values())
    return -sum(seen / total * math.log2(seen / known[one]) for (one, _), seen in after.items())


def measured(way: Way, keys: Sequence[int], albums: Sequence[int], lists: int) -> list[str]:
    """Return the row of a way for a library."""
    begun = time.process_time()
    orders = [way(keys, albums) for _ in range(lists)]
    cost = (time.process_time() - begun) * 1e6 / lists / len(keys)
    of_artists = [[keys[entry] for entry in order] for order in orders]
    of_albums = [[albums[entry] for entry in order] for order in orders]
    few = of_artists[:200]
    deviation = statistics.mean(map(gap_deviation, few, of_albums))
    return [
        f"{statistics.mean(map(repeats, of_artists)):.2f}",
        f"{fewest_repeats(keys)}",
        f"{statistics.mean(map(repeats, of_albums)):.2f}",
        f"{deviation:.2f}",
        f"{unevenness(orders):.2f}",
        f"{statistics.mean(map(predictable, few)):.0%}",
        f"{bits(of_artists):.2f}",
        f"{cost:.1f}",
    ]


def table(lists: int) -> None:
    """Print a table for each library."""
    for name, (keys, albums) in libraries().items():
        print(f"\n{name}:\n")
        print("| order | repeats | fewest | of albums | gaps | positions | predictable | bits | µs a track |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for title, way in WAYS.items():
            print(f"| {' | '.join([title, *measured(way, keys, albums, lists)])} |", flush=True)


def best_insertion(
    order: Sequence[int], entries: Sequence[int], keys: Sequence[int], _randbelow: System
) -> list[int]:
    """Insert an entry apart from its group, where the gaps of all groups deviate least."""
    [entry] = entries
    orders = [[*order[:at], entry, *order[at:]] for at in range(len(order) + 1)]
    lists = [[keys[each] for each in every] for every in orders]
    fewest = min(map(repeats, lists))
    marks = {at: gap_deviation(one, one) for at, one in enumerate(lists) if repeats(one) == fewest}
    return orders[min(marks, key=marks.__getitem__)]


def kept(lists: int) -> None:
    """Print the gaps of lists of 10 artists after 150 removals and 150 new tracks, one after the other."""
    system = System()
    for title, insert, count in (("kept", insert_apart, lists), ("best", best_insertion, lists // 30)):
        found = []
        for _ in range(count):
            keys = by_sizes([10] * 10)
            order = now(keys, keys)
            for entry in range(100, 250):
                order.remove(random.choice(order))
                order = move_apart(order, keys, system)
                keys.append(random.randrange(10))
                order = insert(order, [entry], keys, system)
            old = [keys[entry] for entry in order]
            new = [old[at] for at in now(old, old)]
            found.append(
                [measure for each in (old, new) for measure in (gap_deviation(each, each), predictable(each))]
            )
        print(
            title,
            "gaps {:.2f}, predictable {:.0%}; new lists {:.2f}, {:.0%}".format(
                *map(statistics.mean, zip(*found, strict=True))
            ),
            flush=True,
        )


def draw() -> None:
    """Draw 100 tracks of ten artists in three orders, a colour for each artist."""
    keys = by_sizes([10] * 10)
    random.seed(2026)
    rows = {
        "random: an artist several times in a row": by_chance,
        "spread before: always the same sequence": before,
        "spread now: apart, in no fixed sequence": now,
    }
    cells = []
    for row, (title, way) in enumerate(rows.items()):
        top = 26 + row * 112
        cells.append(f'<text x="0" y="{top - 8}">{title}</text>')
        for at, entry in enumerate(way(keys, keys)):
            x, y = at % 25 * 15, top + at // 25 * 18
            cells.append(
                f'<rect x="{x}" y="{y}" width="14" height="16" fill="{(*COLOURS, GREY)[keys[entry]]}"/>'
            )
    body = "\n".join(cells)
    style = "text{font:15px sans-serif;fill:#57606a}@media (prefers-color-scheme:dark){text{fill:#b0b8c0}}"
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 375 322" width="375" height="322">'
    PICTURE.write_text(f"{head}<style>{style}</style>\n{body}\n</svg>\n")


if __name__ == "__main__":
    if "--picture" in sys.argv:
        draw()
    elif "--kept" in sys.argv:
        kept(300)
    else:
        table(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
