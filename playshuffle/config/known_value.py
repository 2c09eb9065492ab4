"""Find the value that a user names for an option."""

from collections.abc import Iterable

from playshuffle.errors import OptionError, PlayshuffleError
from playshuffle.text import known


def known_value(key: str, value: str, kind: str, values: Iterable[str]) -> str:
    """Return the one of these values that a user means.

    Args:
        key: of the option.
        value: as the user wrote it.
        kind: what the values are, as in `text.known`.
        values: all that there are.

    Raises:
        OptionError: the value is unknown.
    """
    try:
        return known(kind, value, values)
    except PlayshuffleError as error:
        raise OptionError("{problem}", key, code=error.code, problem=error) from error
