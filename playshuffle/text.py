"""A name that a user said -> one of those that there are, or an error that tells the nearest."""

from collections.abc import Iterable

from playshuffle.errors import Exit, PlayshuffleError, shown


def known(what: str, name: str, names: Iterable[str]) -> str:
    """Return the name, if it is one of those.

    Raises:
        PlayshuffleError: it is not; says which one is nearest.
    """
    names = list(names)
    if name in names:
        return name
    from difflib import get_close_matches  # only where something is misspelt

    near = get_close_matches(name, names, 1, 0.4)
    hint = f"did you mean '{near[0]}'? " if near else ""
    raise PlayshuffleError(
        f"There is no {what} '{shown(name)}'; {hint}Known are {', '.join(names)}.", Exit.USAGE
    )
