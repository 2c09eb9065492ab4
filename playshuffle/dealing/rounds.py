"""The library and a recipe in, the law by which a deck's rounds over it are ordered out."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from playshuffle.dealing.amount import Amount, ByAlbums, ByCount, ByTime
from playshuffle.dealing.deck import Size
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import no_tags
from playshuffle.ordering.groups import ALBUM, FOLDER, TagsOf, group_keys
from playshuffle.ordering.orders import ORDERS, LetIn, check
from playshuffle.ordering.recipe import Recipe, usual_gap
from playshuffle.shuffle import RandBelow, Shuffle, insert, not_before

_ATTEMPTS = 10
_ALBUMS, _FOLDERS = "albums", "folders"


class Rounds:
    """The law of an order, as a deck wants it.

    The uniform order keeps the gap for each track, and is uniform over all orders that do. Any
    other is made up to ten times, and the one taken in which the fewest tracks come too soon:
    so its own promise stays whole, and the gap is kept as far as that allows. The natural order
    has no gap.
    """

    def __init__(self, tracks: Tracks, recipe: Recipe, randbelow: RandBelow, tags_of: TagsOf | None) -> None:
        check(recipe, has_pins=bool(recipe.pins), has_tags=tags_of is not None)
        self.name = recipe.law
        self.keeps_gap = recipe.order == "uniform"
        self._tracks = tracks
        self._recipe = recipe
        self._randbelow = randbelow
        self._tags_of = tags_of or no_tags

    def gap(self, tracks: int) -> int:
        """From one playing of a track to its next, so many plays at the least."""
        if self._recipe.order == "sorted":
            return 0
        gap = self._recipe.gap
        return usual_gap(tracks) if gap is None else gap.plays(tracks)

    def arrange(self, tracks: Sequence[bytes], soonest: Mapping[bytes, int]) -> list[bytes]:
        """Put tracks in order; `soonest` is the first place that some may have."""
        base = [self._index_of[track] for track in tracks]
        firsts = {self._index_of[track]: place for track, place in soonest.items()}
        if self.keeps_gap:
            order = not_before(base, firsts, self._randbelow)
        else:
            order = self._best(base if ORDERS[self._recipe.order].from_last else sorted(base), firsts)
        return [self._tracks.paths[index] for index in order]

    def let_in(self, to_come: Sequence[bytes], new: Sequence[bytes], before: bytes | None) -> list[bytes]:
        """Let new tracks in among those still to come, by the law of the order."""
        played = [] if before is None else [before]
        running = [self._index_of[track] for track in [*played, *to_come]]
        order = self._let_in(running, [self._index_of[track] for track in new], self._randbelow, len(played))
        return [self._tracks.paths[index] for index in order[len(played) :]]

    def _best(self, base: Sequence[int], firsts: Mapping[int, int]) -> list[int]:
        """Of several orders the one in which the fewest come before their first place."""
        best: list[int] = []
        fewest = len(base) + 1
        for _ in range(_ATTEMPTS):
            order = self._shuffle(base, self._randbelow)
            early = sum(firsts.get(index, 0) > place for place, index in enumerate(order))
            if early < fewest:
                best, fewest = order, early
            if not early:
                break
        return best

    @cached_property
    def _index_of(self) -> dict[bytes, int]:
        return {path: index for index, path in enumerate(self._tracks.paths)}

    @cached_property
    def _shuffle(self) -> Shuffle:
        return ORDERS[self._recipe.order].shuffle(self._tracks, self._tags_of, self._recipe)

    @cached_property
    def _let_in(self) -> LetIn:
        made = ORDERS[self._recipe.order].let_in
        return insert if made is None else made(self._tracks, self._tags_of, self._recipe)


def size(amount: Amount, tracks: Tracks, recipe: Recipe, tags_of: TagsOf | None) -> Size:
    """How large a deal of these tracks is.

    Raises:
        PlayshuffleError: albums are asked for of an order that does not keep them together.
    """
    if amount.time_ms is not None:
        return ByTime(amount.time_ms, dict(zip(tracks.paths, tracks.durations_ms, strict=True)))
    if amount.count is not None:
        return ByCount(amount.count)
    assert amount.albums is not None
    if recipe.order not in (_ALBUMS, _FOLDERS):
        raise PlayshuffleError(
            f"--albums does not go with --order {recipe.order}, which does not keep them together;"
            " it goes with albums and folders.",
            Exit.USAGE,
        )
    keys = group_keys(tracks, tags_of or no_tags, ALBUM if recipe.order == _ALBUMS else FOLDER)
    return ByAlbums(amount.albums, dict(zip(tracks.paths, keys, strict=True)))
