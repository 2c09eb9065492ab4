"""Read how much a playlist of the configuration deals, and how often."""

from collections.abc import Mapping
from typing import Any

from playshuffle import duration
from playshuffle.config.known_value import known_value
from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, OptionError, PlayshuffleError


def read_deal(given: Mapping[str, Any]) -> DealSettings | None:
    """Return the deal of a playlist's table; None if it has none.

    Raises:
        OptionError: a value is wrong, or does not work with the others.
    """
    if "deal" not in given:
        if "every" in given:
            raise OptionError(
                "{0} works only with deal, such as deal = 40. Add deal, or remove {0}.",
                "every",
                code=Exit.CONFIG,
            )
        return None
    for other in ("reshuffle", "limit", "time"):
        if other in given:
            raise OptionError(
                "Remove {}: deal and every already say how much is dealt, and how often.",
                other,
                code=Exit.CONFIG,
            )
    size = given["deal"]
    every = Every(known_value("every", given.get("every", Every.DAY), "period", Every))
    if isinstance(size, str):
        try:
            return DealSettings(Amount(time_ms=duration.parse(size)), every)
        except PlayshuffleError as error:
            raise OptionError("{}: {problem}", "deal", code=error.code, problem=error) from error
    if size < 1:
        raise OptionError("{} must be a number from 1, not {size}.", "deal", code=Exit.CONFIG, size=size)
    return DealSettings(Amount(count=size), every)
