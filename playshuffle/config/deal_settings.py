"""Read how much a playlist of the configuration deals, and how often."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from playshuffle import duration
from playshuffle.dealing.amount import Amount
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.text import known

# What the values of a key name, as in `text.known`.
_NAMED = {"for": "player", "every": "period"}


@dataclass(frozen=True, slots=True)
class DealSettings:
    """How much is dealt, and how often."""

    amount: Amount
    every: Every


def known_value(key: str, value: str, values: Iterable[str]) -> str:
    """Return the value of a key if it is one of these.

    Raises:
        PlayshuffleError: it is not; names the key.
    """
    try:
        return known(_NAMED.get(key, key), value, values)
    except PlayshuffleError as error:
        raise PlayshuffleError(str(error), error.code, [key]) from error


def read_deal(given: Mapping[str, Any]) -> DealSettings | None:
    """Return the deal of a playlist's table; None if it has none.

    Raises:
        PlayshuffleError: a value is wrong, or does not work with the others; names its key.
    """
    if "deal" not in given:
        if "every" in given:
            raise PlayshuffleError(
                "every works only with deal, such as deal = 40. Add deal, or remove every.",
                Exit.CONFIG,
                ["every"],
            )
        return None
    for other in ("reshuffle", "limit", "time"):
        if other in given:
            raise PlayshuffleError(
                f"Remove {other}: deal and every already say how much is dealt, and how often.",
                Exit.CONFIG,
                [other, "deal"],
            )
    size = given["deal"]
    every = Every(known_value("every", given.get("every", Every.DAY), Every))
    if isinstance(size, str):
        try:
            return DealSettings(Amount(time_ms=duration.parse(size)), every)
        except PlayshuffleError as error:
            raise PlayshuffleError(str(error), error.code, ["deal"]) from error
    if size < 1:
        raise PlayshuffleError(f"deal must be a number from 1, not {size}.", Exit.CONFIG, ["deal"])
    return DealSettings(Amount(count=size), every)
