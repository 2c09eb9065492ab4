"""Find the tracks that the pins of a request name."""

from playshuffle.errors import OptionError, PlayshuffleError, shown
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.choice import WHERE, Choice
from playshuffle.pipeline.request import Request


def recipe_with_pins(request: Request, choice: Choice, tracks: Tracks) -> Recipe:
    """Return the recipe of a request, with its pins as indices of tracks.

    Raises:
        PlayshuffleError: a pin names no track, several tracks, or one that is left out.
    """
    if not request.pins:
        return request.recipe
    resolved_pins = []
    for text in request.pins:
        try:
            resolved_pins.append(pins.resolve(text, tracks.paths, request.roots))
        except PlayshuffleError:
            _check_pin(text, request, choice)
            raise
    return request.recipe._replace(pins=tuple(resolved_pins))


def _check_pin(text: str, request: Request, choice: Choice) -> None:
    """Raise an error if a pinned track was found, but is left out."""
    index = pins.resolve(text, choice.found.paths, request.roots).track_index
    path, why = choice.found.paths[index], choice.why_not(index)
    if why is not None:
        code, reason = why
        raise OptionError(
            "{}: {path} is skipped by {}: {reason}. Change the query, or remove the pin."
            if code == WHERE
            else "{}: {path} is skipped: {reason}. Remove the pin.",
            "pin",
            "where",
            path=shown(path),
            reason=reason,
        )
