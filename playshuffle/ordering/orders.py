"""The table of orders: what each one does, promises and takes; and what it cannot take."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import groups
from playshuffle.ordering.groups import ALBUM, ARTIST, FOLDER, TagsOf
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import (
    RandBelow,
    Shuffle,
    blocks,
    cut,
    durstenfeld,
    insert_apart,
    insert_in_block,
    restore,
    sattolo,
    semi_shuffle,
    spread,
    weighted,
)

_RATING = "rating"
_UNRATED = 0.5
_LIGHTEST = 1e-100  # that `weighted` takes: behind all that have any weight

# A running order, new tracks, draws and the first place still to come in; the order with them out.
LetIn = Callable[[Sequence[int], Sequence[int], RandBelow, int], list[int]]


class Order(NamedTuple):
    """A row of the table of orders.

    shuffle: made for these tracks and this recipe.
    promise, but: what can be relied on, and what cannot; a line each.
    takes: options, beside those that every order takes.
    goes_by: what of a track it goes by, unless --by says otherwise.
    from_last: the last order, not the library's, is what gets shuffled.
    is_of_the_list: the promise is one on the list as it is played, so that the tracks chosen
        by a limit are shuffled once more among themselves.
    let_in: made like `shuffle`, lets new tracks into a running order by the law of the order;
        None where a place drawn among those still to come is the law.
    """

    shuffle: Callable[[Tracks, TagsOf, Recipe], Shuffle]
    promise: str
    but: str
    takes: tuple[str, ...]
    goes_by: str | None = None
    from_last: bool = False
    is_of_the_list: bool = False
    let_in: Callable[[Tracks, TagsOf, Recipe], LetIn] | None = None


def _spread(tracks: Tracks, tags_of: TagsOf, recipe: Recipe) -> Shuffle:
    keys = groups.group_keys(tracks, tags_of, recipe.by or ARTIST)
    within = groups.group_keys(tracks, tags_of, ALBUM) if recipe.by in (None, ARTIST) else None
    return lambda order, randbelow: spread(order, keys, randbelow, within)


def _blocks(tracks: Tracks, tags_of: TagsOf, recipe: Recipe) -> Shuffle:
    """Blocks in which tracks stand as on their albums; folders and those of one size know only paths.

    A limit cuts the last block where it falls.
    """
    inside = recipe.inside or "none"
    if (size := recipe.block_size) is not None:
        return lambda order, randbelow: cut(order, size, randbelow, inside)
    by = recipe.by or ORDERS[recipe.order].goes_by
    assert by is not None  # or `check` has refused it
    if by == FOLDER:
        keys = groups.group_keys(tracks, tags_of, FOLDER)
        return lambda order, randbelow: blocks(order, keys, randbelow, inside)
    albums = groups.albums(tracks, tags_of)
    keys = albums.keys if by == ALBUM else groups.group_keys(tracks, tags_of, by)
    return lambda order, randbelow: blocks(albums.in_order(order), keys, randbelow, inside)


def _let_in_apart(tracks: Tracks, tags_of: TagsOf, recipe: Recipe) -> LetIn:
    keys = groups.group_keys(tracks, tags_of, recipe.by or ARTIST)
    return lambda order, new, randbelow, first: insert_apart(order, new, keys, randbelow, first)


def _let_in_blocks(tracks: Tracks, tags_of: TagsOf, recipe: Recipe) -> LetIn:
    """A new track joins its block, where it stands on its album; of blocks of one size none is torn apart."""
    if recipe.block_size is not None:
        return lambda order, new, _randbelow, _first: [*order, *new]
    by = recipe.by or ORDERS[recipe.order].goes_by
    assert by is not None  # or `check` has refused it
    in_order = list(range(len(tracks)))
    if by != FOLDER:
        in_order = groups.albums(tracks, tags_of).in_order(in_order)
    keys = groups.group_keys(tracks, tags_of, by)
    rank = {index: number for number, index in enumerate(in_order)}
    rank_keys = [keys[index] for index in in_order]

    def let_in(order: Sequence[int], new: Sequence[int], randbelow: RandBelow, first: int) -> list[int]:
        astray = _astray(order, keys, first)
        ranks = [rank[index] for index in order if index not in astray]
        coming = sorted(rank[index] for index in (*new, *astray))
        joined = insert_in_block(ranks, coming, rank_keys, randbelow, first)
        return [in_order[number] for number in joined]

    return let_in


def _astray(order: Sequence[int], keys: Sequence[int], first: int) -> set[int]:
    """Tracks still to come that belong to another block now: all but the longest run of each group."""
    runs: dict[int, list[list[int]]] = {}
    for place, index in enumerate(order):
        if place == 0 or keys[order[place - 1]] != keys[index]:
            runs.setdefault(keys[index], []).append([])
        runs[keys[index]][-1].append(place)
    return {
        order[place]
        for several in runs.values()
        if len(several) > 1
        for run in sorted(several, key=len)[:-1]
        for place in run
        if place >= first
    }


def _let_in_sorted(_tracks: Tracks, _tags_of: TagsOf, _recipe: Recipe) -> LetIn:
    return lambda order, new, _randbelow, _first: sorted([*order, *new])


def _weighted(tracks: Tracks, tags_of: TagsOf, _: Recipe) -> Shuffle:
    ratings = groups.ratings(tracks, tags_of)
    if not any(rating is not None for rating in ratings):
        raise PlayshuffleError(
            "--order weighted goes by ratings, and no track has one; rate some, or take another order.",
            Exit.USAGE,
        )
    weights = [_UNRATED if rating is None else max(rating, _LIGHTEST) for rating in ratings]
    return lambda order, randbelow: weighted(order, weights, randbelow)


def _sorted(order: Sequence[int], _: RandBelow) -> list[int]:
    return restore(order)


# To add an order: a shuffle, its row here, and its law as a test.
ORDERS: Mapping[str, Order] = {
    "uniform": Order(
        lambda *_: durstenfeld,
        "every order is equally likely (Durstenfeld)",
        "one artist may well come several times in a row",
        ("--gap", "--part", "--pin"),
    ),
    "sattolo": Order(
        lambda *_: sattolo,
        "no track has the place it had last time (Sattolo)",
        "what ended the last list may begin this one",
        ("--part", "--pin"),
        from_last=True,
    ),
    "spread": Order(
        _spread,
        "one artist follows himself as seldom as can be; his albums likewise",
        "not every order can come; --pin may cost a neighbour more",
        ("--by", "--pin"),
        goes_by=ARTIST,
        is_of_the_list=True,
        let_in=_let_in_apart,
    ),
    "albums": Order(
        _blocks,
        "albums in any order, each whole, by disc and track number",
        "two albums by one artist may follow each other",
        ("--inside",),
        goes_by=ALBUM,
        let_in=_let_in_blocks,
    ),
    "folders": Order(
        _blocks,
        "folders in any order, each whole, by path; needs no tags",
        "the discs of an album may be far apart",
        ("--inside",),
        goes_by=FOLDER,
        let_in=_let_in_blocks,
    ),
    "blocks": Order(
        _blocks,
        "blocks in any order, each whole: --by a tag, or of --block-size",
        "blocks of one size, cut from the order by path, know no albums",
        ("--block-size", "--by", "--inside"),
        let_in=_let_in_blocks,
    ),
    "semi": Order(
        lambda *_: lambda order, randbelow: semi_shuffle(order, 1, 0, randbelow),
        "half as many swaps as tracks, so that the last order still shows",
        "some tracks stay; how many is left to chance",
        ("--part", "--pin"),
        from_last=True,
    ),
    "weighted": Order(
        _weighted,
        "what is rated twice as high is twice as likely to be next",
        "what is not rated counts as half; a low one may still come first",
        ("--part", "--pin"),
        goes_by=_RATING,
    ),
    "sorted": Order(
        lambda *_: _sorted,
        "the natural order: by path",
        "nothing is left to chance",
        ("--pin",),
        let_in=_let_in_sorted,
    ),
}

_WHY_NOT = {
    "--block-size": "only blocks may all be of one size",
    "--by": "it says what spread keeps apart and blocks keeps together",
    "--gap": "its own rule and a gap may contradict each other",
    "--inside": "it has no blocks",
    "--part": "its promise is one on the whole list",
    "--pin": "a pinned track would be torn out of its block",
}


def check(recipe: Recipe, *, has_pins: bool, has_tags: bool) -> None:
    """Refuse what has no meaning, whatever the tracks are.

    Raises:
        PlayshuffleError: options exclude each other, or one is missing.
    """
    order = ORDERS[recipe.order]
    asked = {
        "--block-size": recipe.block_size is not None,
        "--by": recipe.by is not None,
        "--gap": recipe.gap is not None,
        "--inside": recipe.inside is not None,
        "--part": recipe.part is not None,
        "--pin": has_pins,
    }
    for option, is_asked in asked.items():
        if is_asked and option not in order.takes:
            takers = ", ".join(name for name, other in ORDERS.items() if option in other.takes)
            raise PlayshuffleError(
                f"{option} does not go with --order {recipe.order}: {_WHY_NOT[option]}."
                f" It goes with {takers}.",
                Exit.USAGE,
            )
    if recipe.order == "blocks" and asked["--by"] == asked["--block-size"]:
        raise PlayshuffleError(
            "--order blocks takes either --by (what is kept together) or --block-size (how many tracks).",
            Exit.USAGE,
        )
    if recipe.block_size is not None and recipe.block_size < 1:
        raise PlayshuffleError("--block-size takes a number from 1.", Exit.USAGE)
    if recipe.gap is not None and recipe.part is not None:
        raise PlayshuffleError(
            "--gap does not go with --part: what is not in the part stays where it was.",
            Exit.USAGE,
        )
    by = recipe.by or order.goes_by
    if not has_tags and by not in (None, FOLDER):
        raise PlayshuffleError(
            f"--order {recipe.order} goes by {by}, which only the tags tell; leave --no-tags away.",
            Exit.USAGE,
        )
