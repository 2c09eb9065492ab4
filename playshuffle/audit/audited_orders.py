"""The name of an order in, what can be audited out: the shuffle itself and the law it is held against."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count, islice, repeat
from typing import NamedTuple

from playshuffle import shuffle
from playshuffle.audit import laws
from playshuffle.audit.laws import Law
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.shuffle import RandBelow, Shuffle
from playshuffle.shuffle.specimens import SPECIMENS
from playshuffle.text import known

SPECIMEN = "specimen:"
FEWEST_TRACKS, MOST_TRACKS = 3, 1000
_TABLE_TRACKS = 8
_WEIGHT = 3

_Lawful = tuple[Shuffle, Law]


class Audited(NamedTuple):
    """An order of so many tracks, ready to be made often.

    law: what it is held against.
    flaw: what is known to be wrong with it, if it is kept to be caught.
    entropy_bits: of a generator of its own; None if it uses the one that it is given.
    """

    name: str
    tracks: int
    shuffle: Shuffle
    law: Law
    flaw: str = ""
    entropy_bits: int | None = None


def audited(name: str, tracks: int) -> Audited:
    """Look up an order, or `specimen:` and the name of a bad one.

    Raises:
        PlayshuffleError: there is none of this name, or not for so many tracks.
    """
    known("order", name, NAMES)
    if not FEWEST_TRACKS <= tracks <= MOST_TRACKS:
        raise PlayshuffleError(f"--tracks takes a number from {FEWEST_TRACKS} to {MOST_TRACKS}.", Exit.USAGE)
    if name == "table" and tracks > _TABLE_TRACKS:
        raise PlayshuffleError(
            f"The table of all orders goes up to {_TABLE_TRACKS} tracks; say --tracks {_TABLE_TRACKS}.",
            Exit.USAGE,
        )
    if name.startswith(SPECIMEN):
        bad, entropy_bits, shows = SPECIMENS[name.removeprefix(SPECIMEN)]
        sentence = (bad.__doc__ or "").split("\n")[0]
        flaw = f"{sentence} It shows as {shows}."
        return Audited(name, tracks, bad, laws.uniform(tracks), flaw, entropy_bits)
    if name in _UNIFORM:
        return Audited(name, tracks, _UNIFORM[name], laws.uniform(tracks))
    return Audited(name, tracks, *_OWN[name](tracks))


def artists(tracks: int) -> list[int]:
    """Tracks by so many artists in path order: the first has 1, and then 1, 2, 3, … of them."""
    sizes = chain([1], count(1))
    return list(islice(chain.from_iterable(repeat(key, size) for key, size in enumerate(sizes)), tracks))


def _dealt_in_full(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    return shuffle.sparse_deal(len(order), len(order), randbelow)


def _grown(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """The later half comes when the earlier one is already in order."""
    half = len(order) // 2
    return shuffle.insert(shuffle.durstenfeld(order[:half], randbelow), order[half:], randbelow)


def _half_dealt(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    hand, rest = shuffle.deal(order, len(order) // 2, randbelow)
    return hand + rest


def _pinned(tracks: int) -> _Lawful:
    pins = range(0, tracks, 3)
    free = frozenset(range(tracks)).difference(pins)
    law = laws.among(tracks, free)
    return lambda order, draw: shuffle.pinned(order, pins, shuffle.durstenfeld, draw), law


def _part(tracks: int) -> _Lawful:
    places = range(0, tracks, 2)
    law = laws.among(tracks, places)
    return lambda order, draw: shuffle.part(order, places, shuffle.durstenfeld, draw), law


def _semi(tracks: int) -> _Lawful:
    return lambda order, draw: shuffle.semi_shuffle(order, 1, 0, draw), laws.swapped(tracks, tracks // 2)


def _blocks(tracks: int) -> _Lawful:
    keys = artists(tracks)
    return lambda order, draw: shuffle.blocks(order, keys, draw), laws.together(keys)


def _spread(tracks: int) -> _Lawful:
    keys = artists(tracks)
    return lambda order, draw: shuffle.spread(order, keys, draw), laws.apart(keys)


def _gap(tracks: int) -> _Lawful:
    plays = max(tracks // 4, 2)
    return lambda order, draw: shuffle.after_gap(order, plays, draw), laws.gap(tracks, plays)


def _weighted(tracks: int) -> _Lawful:
    heavy = tracks // 2
    weights = [_WEIGHT] * heavy + [1] * (tracks - heavy)
    return lambda order, draw: shuffle.weighted(order, weights, draw), laws.favoured(tracks, heavy, _WEIGHT)


_UNIFORM: Mapping[str, Shuffle] = {
    "uniform": shuffle.durstenfeld,
    "forward": shuffle.forward_durstenfeld,
    "fisher-yates": shuffle.fisher_yates,
    "inside-out": shuffle.inside_out,
    "by-keys": shuffle.by_keys,
    "insertion": shuffle.insertion,
    "top-in": shuffle.top_in_at_random,
    "table": shuffle.from_table,
    "sparse-deal": _dealt_in_full,
    "running": _grown,
}

_OWN: Mapping[str, Callable[[int], _Lawful]] = {
    "deal": lambda tracks: (_half_dealt, laws.dealt(tracks, tracks // 2)),
    "sattolo": lambda tracks: (shuffle.sattolo, laws.one_ring(tracks)),
    "pinned": _pinned,
    "part": _part,
    "semi": _semi,
    "blocks": _blocks,
    "spread": _spread,
    "gap": _gap,
    "weighted": _weighted,
}

NAMES = (*_UNIFORM, *_OWN, *(SPECIMEN + name for name in SPECIMENS))
