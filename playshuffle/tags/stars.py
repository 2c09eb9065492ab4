"""Read ratings in tags of many programs, as shares of the best rating."""

from collections.abc import Mapping, Sequence
from typing import Any

# Values in POPM of Windows, MusicBee, MediaMonkey and Winamp, by half stars: 13 is half a star,
# and 1 is one star. Then the values of Windows in ASF, by stars.
_POPM_HALF_STARS = {13: 1, 1: 2, 54: 3, 64: 4, 118: 5, 128: 6, 186: 7, 196: 8, 242: 9, 255: 10}
_ASF_STARS = {1: 1, 25: 2, 50: 3, 75: 4, 99: 5}
_LINEAR = "quodlibet"  # in the address that signs shares instead of stars

POPM, _ASF, _EITHER = "popm", "wm/shareduserrating", "rating"
# The value of POPM is from `popularity`.
_BEST = {"fmps_rating": 1, POPM: 1, "rate": 100, "sdb/rating": 100, _ASF: 99}
NAMES = frozenset((*_BEST, _EITHER))


def popularity(address: str, rating: int, plays: int) -> list[tuple[str, list[Any]]]:
    """Return the values of an ID3 frame POPM by name. `address` names the program or person that rated.

    A rating of 0 means no rating, and 0 plays mean no count: some programs write only ratings.
    """
    half_stars = None if _LINEAR in address.lower() else _POPM_HALF_STARS.get(rating)
    share = rating / 255 if half_stars is None else half_stars / 10
    return [(POPM, [share] if rating else []), *([("popm:count", [plays])] if plays else [])]


def rating_of(values_of: Mapping[str, Sequence[Any]]) -> float | None:
    """Return the rating in the values of tags, from 0 to 1; None without one."""
    if NAMES.isdisjoint(values_of):
        return None
    for name, best in _BEST.items():
        for value in values_of.get(name, ()):
            rating = _share(value, best)
            if name == _ASF and rating is not None:
                stars = _ASF_STARS.get(round(rating * best))
                rating = (rating if stars is None else stars / 5) or None  # 0 means no rating
            if rating is not None:
                return rating
    for value in values_of.get(_EITHER, ()):  # up to five stars, or per cent
        if (rating := _share(value, 5)) is not None or (rating := _share(value, 100)) is not None:
            return rating
    return None


def _share(value: Any, best: int) -> float | None:
    try:
        rating = float(value.replace(",", ".") if isinstance(value, str) else value)
    except ValueError:
        return None
    return rating / best if 0 <= rating <= best else None
