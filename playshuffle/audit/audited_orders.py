"""Look up an order by name, with the guarantee that it is tested against."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count, islice, repeat
from typing import NamedTuple

from playshuffle import shuffle
from playshuffle.audit import guarantees
from playshuffle.audit.guarantees import Guarantee
from playshuffle.errors import PlayshuffleError
from playshuffle.shuffle import RandBelow, Shuffle
from playshuffle.shuffle.specimens import SPECIMENS
from playshuffle.text import known

SPECIMEN = "specimen:"
FEWEST_TRACKS, MOST_TRACKS = 3, 1000
_TABLE_TRACKS = 8
_WEIGHT = 3

_WithGuarantee = tuple[Shuffle, Guarantee]


class Audited(NamedTuple):
    """An order of N tracks, with its shuffle and the guarantee to test.

    Attributes:
        flaw: the known defect of a bad shuffle; else empty.
        entropy_bits: bits of its own generator; None if it uses the given `randbelow`.
    """

    name: str
    tracks: int
    shuffle: Shuffle
    guarantee: Guarantee
    flaw: str = ""
    entropy_bits: int | None = None


def audited(name: str, tracks: int) -> Audited:
    """Look up an order, or a bad shuffle by `specimen:NAME`.

    Raises:
        PlayshuffleError: the name is unknown, or the order cannot have that number of tracks.
    """
    name = known("order to audit", name, NAMES)
    if not FEWEST_TRACKS <= tracks <= MOST_TRACKS:
        raise PlayshuffleError(f"--tracks must be a number from {FEWEST_TRACKS} to {MOST_TRACKS}.")
    if name == "table" and tracks > _TABLE_TRACKS:
        raise PlayshuffleError(
            f"The table of all orders goes up to {_TABLE_TRACKS} tracks; say --tracks {_TABLE_TRACKS}."
        )
    if name.startswith(SPECIMEN):
        bad, entropy_bits, shows = SPECIMENS[name.removeprefix(SPECIMEN)]
        sentence = (bad.__doc__ or "").split("\n")[0]
        flaw = f"{sentence} It shows as {shows}."
        return Audited(name, tracks, bad, guarantees.uniform(tracks), flaw, entropy_bits)
    if name in _UNIFORM:
        return Audited(name, tracks, _UNIFORM[name], guarantees.uniform(tracks))
    return Audited(name, tracks, *_OWN[name](tracks))


def artists(tracks: int) -> list[int]:
    """Return a number for the artist of each track: artists have 1, 1, 2, 3, … tracks, in path order."""
    sizes = chain([1], count(1))
    return list(islice(chain.from_iterable(repeat(key, size) for key, size in enumerate(sizes)), tracks))


def _grown(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    half = len(order) // 2
    return shuffle.insert(shuffle.durstenfeld(order[:half], randbelow), order[half:], randbelow)


def _half_dealt(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    hand, rest = shuffle.deal(order, len(order) // 2, randbelow)
    return hand + rest


def _pinned(tracks: int) -> _WithGuarantee:
    pins = range(0, tracks, 3)
    free = frozenset(range(tracks)).difference(pins)
    guarantee = guarantees.among(tracks, free)
    return lambda order, draw: shuffle.pinned(order, pins, shuffle.durstenfeld, draw), guarantee


def _part(tracks: int) -> _WithGuarantee:
    positions = range(0, tracks, 2)
    guarantee = guarantees.among(tracks, positions)
    return lambda order, draw: shuffle.part(order, positions, shuffle.durstenfeld, draw), guarantee


def _light(tracks: int) -> _WithGuarantee:
    return lambda order, draw: shuffle.semi_shuffle(order, 1, 0, draw), guarantees.swapped(
        tracks, tracks // 2
    )


def _groups(tracks: int) -> _WithGuarantee:
    keys = artists(tracks)
    return lambda order, draw: shuffle.blocks(order, keys, draw), guarantees.together(keys)


def _spread(tracks: int) -> _WithGuarantee:
    keys = artists(tracks)
    return lambda order, draw: shuffle.spread(order, keys, draw), guarantees.apart(keys)


def _gap(tracks: int) -> _WithGuarantee:
    plays = max(tracks // 4, 2)
    soonest = shuffle.soonest_after(range(tracks), plays)
    return lambda order, draw: shuffle.not_before(order, soonest, draw), guarantees.gap(tracks, plays)


def _favourites(tracks: int) -> _WithGuarantee:
    heavy = tracks // 2
    weights = [_WEIGHT] * heavy + [1] * (tracks - heavy)
    return lambda order, draw: shuffle.weighted(order, weights, draw), guarantees.favoured(
        tracks, heavy, _WEIGHT
    )


_UNIFORM: Mapping[str, Shuffle] = {
    "random": shuffle.durstenfeld,
    "forward": shuffle.forward_durstenfeld,
    "fisher-yates": shuffle.fisher_yates,
    "inside-out": shuffle.inside_out,
    "by-keys": shuffle.by_keys,
    "insertion": shuffle.insertion,
    "top-in": shuffle.top_in_at_random,
    "table": shuffle.from_table,
    "sparse-deal": lambda order, draw: shuffle.sparse_deal(len(order), len(order), draw),
    "running": _grown,
}

_OWN: Mapping[str, Callable[[int], _WithGuarantee]] = {
    "deal": lambda tracks: (_half_dealt, guarantees.dealt(tracks, tracks // 2)),
    "sattolo": lambda tracks: (shuffle.sattolo, guarantees.one_ring(tracks)),
    "pinned": _pinned,
    "part": _part,
    "light": _light,
    "groups": _groups,
    "spread": _spread,
    "gap": _gap,
    "favourites": _favourites,
}

NAMES = (*_UNIFORM, *_OWN, *(SPECIMEN + name for name in SPECIMENS))
