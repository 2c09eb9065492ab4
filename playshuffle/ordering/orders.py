"""Define the table of orders: what each order does, guarantees and accepts."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from playshuffle import shuffle
from playshuffle.errors import OptionError, PlayshuffleError
from playshuffle.ordering import groups
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.groups import ALBUM, ARTIST, FOLDER
from playshuffle.ordering.natural import natural_ranks
from playshuffle.ordering.recipe import Recipe
from playshuffle.selection.fields import COUNT_PLAYS, OF_TRACKS
from playshuffle.shuffle import Inside, RandBelow, Shuffle
from playshuffle.text import UnknownNameError, known

_RATING = "rating"
KEPT, BY_FIELD, _BY = "kept", "by:FIELD", "by:"
_OF_FILES = ("path", "format", "size", "mtime")  # fields that need no tags
_UNRATED = 0.5
_LIGHTEST = 1e-100  # the minimum for `weighted`: behind all entries with any weight

# (running order, new tracks, randbelow, first unplayed position) -> the order with them.
InsertNew = Callable[[Sequence[int], Sequence[int], RandBelow, int], list[int]]

# (order of the list, pinned positions, randbelow, first unplayed position) -> repaired order.
Repair = Callable[[Sequence[int], Collection[int], RandBelow, int], list[int]]

# Returns the rank of each track, by index: tracks of a lower rank come first.
_Ranks = Callable[[Chosen], Sequence[int]]


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
    keys, within = _spread_keys(chosen, recipe)
    return lambda order, randbelow: shuffle.spread(order, keys, randbelow, within)


def _spread_keys(chosen: Chosen, recipe: Recipe) -> tuple[Sequence[int], Sequence[int] | None]:
    """Return the groups to keep apart, and the albums if the groups are artists."""
    by = recipe.group_by or ARTIST
    return groups.group_keys(chosen, by), groups.group_keys(chosen, ALBUM) if by == ARTIST else None


def _blocks(chosen: Chosen, recipe: Recipe) -> Shuffle:
    in_order, keys, inside = _block_order(chosen, recipe), block_keys(chosen, recipe), recipe.inside or "none"
    return lambda order, randbelow: shuffle.blocks(in_order(order), keys, randbelow, inside)


def _block_field(recipe: Recipe) -> str:
    tag = recipe.group_by or ORDERS[recipe.order_name].tag
    assert tag is not None, "an order of groups"
    return tag


def block_keys(chosen: Chosen, recipe: Recipe) -> Sequence[int]:
    """Return the number of each track's group, in an order of whole groups."""
    return groups.group_keys(chosen, _block_field(recipe))


def _block_order(chosen: Chosen, recipe: Recipe) -> Callable[[Sequence[int]], list[int]]:
    """Return a function that sorts by album, or by path if blocks are folders."""
    ranks_of = natural_ranks if _block_field(recipe) == FOLDER else groups.album_ranks
    return partial(sorted, key=ranks_of(chosen).__getitem__)


def _insert_apart(chosen: Chosen, recipe: Recipe) -> InsertNew:
    keys, within = _spread_keys(chosen, recipe)
    return lambda order, new, randbelow, first: shuffle.insert_apart(
        order, new, keys, randbelow, first, within
    )


def _repair_spread(chosen: Chosen, recipe: Recipe) -> Repair:
    """Return a repair that moves single tracks, or, if there are pins, swaps tracks."""
    keys, within = _spread_keys(chosen, recipe)

    def repair(order: Sequence[int], pins: Collection[int], randbelow: RandBelow, first: int) -> list[int]:
        staying = {*range(first), *pins}
        if pins:
            apart = shuffle.swap_apart(order, staying, keys, randbelow)
        else:
            apart = shuffle.move_apart(order, keys, randbelow, first)
        return apart if within is None else shuffle.part_in_order(apart, staying, keys, within)

    return repair


def _insert_block(chosen: Chosen, recipe: Recipe) -> InsertNew:
    in_order, keys = _block_order(chosen, recipe)(chosen.indices), block_keys(chosen, recipe)
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


def _field_ranks(field: str, chosen: Chosen) -> Sequence[int]:
    """Return the rank of each track by a field, descending after a '-'; tracks without a value are last."""
    keys = groups.sort_keys(chosen, field.removeprefix("-"))
    values = sorted({key for key in keys if key is not None}, reverse=field.startswith("-"))
    if not values and field.removeprefix("-") == "plays":  # the play history is missing
        raise OptionError(
            f"{{}} needs plays, and no track has any. Name a play history: {{}} with a source. {COUNT_PLAYS}",
            f'order = "by:{field}"',
            "history",
        )
    ranks = {value: rank for rank, value in enumerate(values)}
    return chosen.by_index([ranks.get(key, len(ranks)) for key in keys], 0)


def _by_rank(ranks_of: _Ranks, chosen: Chosen, _recipe: Recipe) -> Shuffle:
    """Return a shuffle that sorts by rank; tracks of equal rank are in random order."""
    ranks = ranks_of(chosen)
    return lambda order, randbelow: sorted(shuffle.durstenfeld(order, randbelow), key=ranks.__getitem__)


def _insert_by_rank(ranks_of: _Ranks, chosen: Chosen, _recipe: Recipe) -> InsertNew:
    """Insert each new track among tracks of its rank; sort all unplayed tracks by rank."""
    ranks = ranks_of(chosen)

    def insert_new(order: Sequence[int], new: Sequence[int], randbelow: RandBelow, first: int) -> list[int]:
        equals: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for part, tracks in enumerate((order[first:], new)):
            for index in tracks:
                equals[ranks[index]][part].append(index)
        inserted = (shuffle.insert(*equals[rank], randbelow) for rank in sorted(equals))
        return [*order[:first], *itertools.chain.from_iterable(inserted)]

    return insert_new


def _sorted(chosen: Chosen, *_: object) -> Shuffle:
    rank = natural_ranks(chosen)
    return lambda order, _randbelow: sorted(order, key=rank.__getitem__)


class _Orders(dict[str, Order]):
    """The table of orders. Its row `by:FIELD` is for any field, as in by:year and by:-mtime."""

    def __missing__(self, name: str) -> Order:
        field = field_of(name)
        if field is None:
            raise KeyError(name)
        ranks_of = partial(_field_ranks, name.removeprefix(_BY))
        return self[BY_FIELD]._replace(
            shuffle=partial(_by_rank, ranks_of),
            insert_new=partial(_insert_by_rank, ranks_of),
            tag=None if field in _OF_FILES else field,
        )


def field_of(order: str) -> str | None:
    """Return the field of an order such as by:-mtime; None for another order."""
    return order.removeprefix(_BY).removeprefix("-") if order.startswith(_BY) else None


def known_order(name: str) -> str:
    """Return the order that a user means.

    Raises:
        PlayshuffleError: the order, or the field to sort by, is unknown.
    """
    order, colon, field = name.strip().partition(":")
    if order.casefold() != "by":
        if name in OF_TRACKS and name not in ORDERS:
            raise UnknownNameError(name, f"Unknown order '{name}'. To sort by this field: by:{name}")
        return known("order", name, ORDERS)
    if not colon or name == BY_FIELD:
        raise PlayshuffleError(
            "The order 'by' needs a field, as in by:year, or by:-mtime for the newest first."
        )
    sign = "-" if field.startswith("-") else ""
    return _BY + sign + known("field", field.removeprefix("-"), OF_TRACKS)


# To add an order: a shuffle, its row here, and a test of its guarantee. In the order of the help.
_ROWS: Mapping[str, Order] = {
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
        "earlier, not more often: each comes once; unrated ones count as half",
        ("pin", "rest"),
        tag=_RATING,
    ),
    "rare": Order(
        partial(_by_rank, _plays),
        "least played first, equally often played tracks in random order",
        "needs a play history, and the most played tracks come last",
        ("pin", "rest"),
        insert_new=partial(_insert_by_rank, _plays),
    ),
    "sattolo": Order(
        lambda *_: shuffle.sattolo,
        "no track at the position it had last time (Sattolo)",
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
    BY_FIELD: Order(
        partial(_by_rank, natural_ranks),
        "sorted by a field: by:year, or by:-mtime for the newest first",
        "tracks without the field come last; equal ones are in random order",
        ("pin",),
    ),
    "kept": Order(
        lambda *_: lambda order, _randbelow: [*order],
        "as it was: the last order, or that of the list after --from",
        "new tracks come last",
        ("pin",),
        from_last=True,
        insert_new=lambda *_: lambda order, new, _randbelow, _first: [*order, *new],
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
ORDERS: Mapping[str, Order] = _Orders(_ROWS)
