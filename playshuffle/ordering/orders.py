"""Define the table of orders: what each order does, guarantees and accepts."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, NamedTuple

from playshuffle import shuffle
from playshuffle.errors import OptionError
from playshuffle.ordering import groups
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.groups import ALBUM, ARTIST, FOLDER
from playshuffle.ordering.natural import natural_ranks
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import Inside, RandBelow, Shuffle

_RATING = "rating"
_UNRATED = 0.5
_LIGHTEST = 1e-100  # the minimum for `weighted`: behind all entries with any weight

# (running order, new tracks, randbelow, first unplayed position) -> the order with them.
InsertNew = Callable[[Sequence[int], Sequence[int], RandBelow, int], list[int]]

# (order of the list, pinned positions, randbelow, first unplayed position) -> repaired order.
Repair = Callable[[Sequence[int], Collection[int], RandBelow, int], list[int]]


class Order(NamedTuple):
    """A row of the table of orders.

    Attributes:
        guarantee: what users can rely on; one line.
        drawback: what users cannot rely on; one line.
        takes: keys of options, beside those that every order takes.
        tag: the field that the order uses by default.
        from_last: shuffles the last order, not the order of the library.
        is_of_the_list: the guarantee is about the playlist, so a limited list is shuffled again.
        insert_new: inserts new tracks and keeps the guarantee. If None, they are inserted at random unplayed
            positions.
        repair: restores the guarantee of a changed list by moving few tracks. None if `insert_new` keeps it.
        deck_gap: whether a new round of a deck keeps the gap for each track, attempts to (the best of up to
            ten orders), or has none.
        has_fewest_repeats: no other order has fewer repeats, so `make` suggests no other.
    """

    shuffle: Callable[[Chosen, Recipe], Shuffle]
    guarantee: str
    drawback: str
    takes: tuple[str, ...]
    tag: str | None = None
    from_last: bool = False
    is_of_the_list: bool = False
    insert_new: Callable[[Chosen, Recipe], InsertNew] | None = None
    repair: Callable[[Chosen, Recipe], Repair] | None = None
    deck_gap: Literal["kept", "attempted", "none"] = "attempted"
    has_fewest_repeats: bool = False


def _spread(chosen: Chosen, recipe: Recipe) -> Shuffle:
    keys = groups.group_keys(chosen, recipe.group_by or ARTIST)
    within = groups.group_keys(chosen, ALBUM) if recipe.group_by in (None, ARTIST) else None
    return lambda order, randbelow: shuffle.spread(order, keys, randbelow, within)


def _blocks(chosen: Chosen, recipe: Recipe) -> Shuffle:
    """Return a shuffle of blocks, each in album order, or in path order if blocks are folders."""
    inside = recipe.inside or "none"
    by = recipe.group_by or ORDERS[recipe.order].tag
    assert by is not None
    if by == FOLDER:
        keys = groups.group_keys(chosen, FOLDER)
        in_order = _sorted(chosen)
        return lambda order, randbelow: shuffle.blocks(in_order(order, randbelow), keys, randbelow, inside)
    albums = groups.albums(chosen)
    keys = albums.keys if by == ALBUM else groups.group_keys(chosen, by)
    return lambda order, randbelow: shuffle.blocks(albums.in_order(order), keys, randbelow, inside)


def _insert_apart(chosen: Chosen, recipe: Recipe) -> InsertNew:
    keys = groups.group_keys(chosen, recipe.group_by or ARTIST)
    return lambda order, new, randbelow, first: shuffle.insert_apart(order, new, keys, randbelow, first)


def _repair_spread(chosen: Chosen, recipe: Recipe) -> Repair:
    """Return a repair that moves single tracks, or, if there are pins, swaps tracks."""
    keys = groups.group_keys(chosen, recipe.group_by or ARTIST)

    def repair(order: Sequence[int], pins: Collection[int], randbelow: RandBelow, first: int) -> list[int]:
        if not pins:
            return shuffle.move_apart(order, keys, randbelow, first)
        return shuffle.swap_apart(order, {*range(first), *pins}, keys, randbelow)

    return repair


def _insert_block(chosen: Chosen, recipe: Recipe) -> InsertNew:
    by = recipe.group_by or ORDERS[recipe.order].tag
    assert by is not None
    in_order = list(chosen.indices)
    if by == FOLDER:
        in_order.sort(key=natural_ranks(chosen).__getitem__)
    else:
        in_order = groups.albums(chosen).in_order(in_order)
    keys = groups.group_keys(chosen, by)
    rank = {index: number for number, index in enumerate(in_order)}
    rank_keys = [keys[index] for index in in_order]

    def insert_new(order: Sequence[int], new: Sequence[int], randbelow: RandBelow, first: int) -> list[int]:
        astray = _astray(order, keys, first)
        ranks = [rank[index] for index in order if index not in astray]
        coming = sorted(rank[index] for index in (*new, *astray))
        inside = recipe.inside or "none"
        joined = shuffle.insert_in_block(ranks, coming, rank_keys, randbelow, first, inside)
        joined = _sorted_in_blocks(joined, rank_keys, first, inside)
        return [in_order[number] for number in joined]

    return insert_new


def _sorted_in_blocks(ranks: Sequence[int], keys: Sequence[int], first: int, inside: Inside) -> list[int]:
    """Sort the unplayed tracks of each block, except for blocks that are shuffled inside."""
    if inside == "all":
        return [*ranks]
    blocks = [list(block) for _, block in itertools.groupby(ranks[first:], keys.__getitem__)]
    end = len(blocks) - (inside == "last")
    return [*ranks[:first], *itertools.chain(*map(sorted, blocks[:end]), *blocks[end:])]


def _astray(order: Sequence[int], keys: Sequence[int], first: int) -> set[int]:
    """Return the unplayed tracks that are outside of the longest block of their group."""
    runs: dict[int, list[list[int]]] = {}
    for position, index in enumerate(order):
        if position == 0 or keys[order[position - 1]] != keys[index]:
            runs.setdefault(keys[index], []).append([])
        runs[keys[index]][-1].append(position)
    return {
        order[position]
        for several in runs.values()
        if len(several) > 1
        for run in sorted(several, key=len)[:-1]
        for position in run
        if position >= first
    }


def _insert_sorted(chosen: Chosen, _recipe: Recipe) -> InsertNew:
    rank = natural_ranks(chosen)
    return lambda order, new, _randbelow, _first: sorted([*order, *new], key=rank.__getitem__)


def _favourites(chosen: Chosen, _: Recipe) -> Shuffle:
    ratings = groups.field_values(chosen, _RATING)
    if not any(rating is not None for rating in ratings):
        raise OptionError(
            "{} needs ratings, and no track has one: it would be a plain random order. It reads the tags"
            " POPM, FMPS_RATING, RATING, rate and WM/SharedUserRating. Rate some tracks, or name a playlist"
            " of your favourites: --history FILE.m3u.",
            'order = "favourites"',
        )
    weights = [_UNRATED if rating is None else max(rating, _LIGHTEST) for rating in ratings]
    by_index = chosen.by_index(weights, _UNRATED)
    return lambda order, randbelow: shuffle.weighted(order, by_index, randbelow)


def _plays(chosen: Chosen) -> Sequence[int]:
    return chosen.by_index([count or 0 for count in groups.field_values(chosen, "plays")], 0)


def _rare(chosen: Chosen, _recipe: Recipe) -> Shuffle:
    plays = _plays(chosen)
    return lambda order, randbelow: sorted(shuffle.durstenfeld(order, randbelow), key=plays.__getitem__)


def _insert_rare(chosen: Chosen, _recipe: Recipe) -> InsertNew:
    """Insert each new track among tracks of its play count; sort all unplayed tracks by play count."""
    plays = _plays(chosen)

    def insert_new(order: Sequence[int], new: Sequence[int], randbelow: RandBelow, first: int) -> list[int]:
        equals: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for part, tracks in enumerate((order[first:], new)):
            for index in tracks:
                equals[plays[index]][part].append(index)
        inserted = (shuffle.insert(*equals[count], randbelow) for count in sorted(equals))
        return [*order[:first], *itertools.chain.from_iterable(inserted)]

    return insert_new


def _sorted(chosen: Chosen, *_: object) -> Shuffle:
    rank = natural_ranks(chosen)
    return lambda order, _randbelow: sorted(order, key=rank.__getitem__)


# To add an order: a shuffle, its row here, and a test of its guarantee. In the order of the help.
ORDERS: Mapping[str, Order] = {
    "random": Order(
        lambda *_: shuffle.durstenfeld,
        "every order is equally likely (Durstenfeld)",
        "the same artist may come several times in a row",
        ("gap", "pin", "rest"),
        deck_gap="kept",
    ),
    "spread": Order(
        _spread,
        "avoids two tracks in a row by one artist or from one album",
        "not every order can come, and --pin may cause a repeat",
        ("group_by", "pin", "rest"),
        tag=ARTIST,
        is_of_the_list=True,
        insert_new=_insert_apart,
        repair=_repair_spread,
        has_fewest_repeats=True,
    ),
    "albums": Order(
        _blocks,
        "albums in random order, each complete, by disc and track number",
        "two albums by the same artist may follow each other",
        ("inside", "rest"),
        tag=ALBUM,
        insert_new=_insert_block,
    ),
    "favourites": Order(
        _favourites,
        "a track with twice the rating is twice as likely to be next",
        "unrated tracks count as half, and low ratings can come first",
        ("pin", "rest"),
        tag=_RATING,
    ),
    "rare": Order(
        _rare,
        "least played first, equally often played tracks in random order",
        "needs a play history, and the most played tracks come last",
        ("pin", "rest"),
        insert_new=_insert_rare,
    ),
    "sattolo": Order(
        lambda *_: shuffle.sattolo,
        "no track has the position that it had last time (Sattolo)",
        "the tracks that ended the last list may begin this one",
        ("pin",),
        from_last=True,
    ),
    "sorted": Order(
        _sorted,
        "sorted by path, not shuffled: track 2 before track 10",
        "nothing is random",
        ("pin",),
        insert_new=_insert_sorted,
        deck_gap="none",
    ),
    "folders": Order(
        _blocks,
        "folders in random order, each complete, by path; needs no tags",
        "the discs of an album may be far apart",
        ("inside", "rest"),
        tag=FOLDER,
        insert_new=_insert_block,
    ),
    "groups": Order(
        _blocks,
        "groups in random order, each complete: albums, genres",
        "a track without the field is a group of its own",
        ("group_by", "inside", "rest"),
        tag=ALBUM,
        insert_new=_insert_block,
    ),
    "light": Order(
        lambda *_: lambda order, randbelow: shuffle.semi_shuffle(order, 1, 0, randbelow),
        "a light shuffle that stays close to the last order",
        "about a third of the tracks keep their position",
        ("pin",),
        from_last=True,
    ),
}
