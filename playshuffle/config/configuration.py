"""Load the configuration if there is one; otherwise the modules that parse it are not imported."""

from typing import TYPE_CHECKING

from playshuffle.config.places import find, is_any

if TYPE_CHECKING:
    from playshuffle.config.model import Config


def load_if_any(name: str | None) -> "Config | None":
    """Return the configuration; None if --config names none and none exists."""
    return load_named(name) if is_any(name) else None


def load_named(name: str | None = None) -> "Config":
    """Return the configuration `name` (--config), or else the usual one.

    Raises:
        PlayshuffleError: it does not exist, or cannot be read.
    """
    from playshuffle.config.load import load  # most users have none

    return load(find(name))
