"""Read the keys of the configuration that deal a playlist, as options."""

from collections.abc import Mapping
from typing import Any

from playshuffle import duration
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, OptionError, PlayshuffleError


def read_deal(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `Options` that the deal of a playlist's table gives; none if it has no deal.

    Raises:
        OptionError: a value is wrong, or does not work with the others.
    """
    if "deal" not in given:
        for key in ("every", "count"):
            if key in given:
                raise OptionError(
                    "{0} works only with deal, such as deal = 40. Add deal, or remove {0}.",
                    key,
                    code=Exit.CONFIG,
                )
        return {}
    for other in ("reshuffle", "limit", "time"):
        if other in given:
            raise OptionError(
                "Remove {}: deal and every already say how much is dealt, and how often.",
                other,
                code=Exit.CONFIG,
            )
    size = given["deal"]
    every = given.get("every", Every.DAY.value)
    if isinstance(size, str):
        try:
            duration.parse(size)
        except PlayshuffleError as error:
            raise OptionError("{}: {problem}", "deal", code=error.code, problem=error) from error
        return {"time": size, "every": every}
    if size < 1:
        raise OptionError("{} must be a number from 1, not {size}.", "deal", code=Exit.CONFIG, size=size)
    return {"limit": size, "every": every}
