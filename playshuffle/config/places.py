"""Find the file of the configuration."""

import os

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system.xdg import config_home
from playshuffle.text import any_of


def places(named: str | None = None) -> list[bytes]:
    """Where the configuration is looked for; where it was named, only there."""
    named = named or os.environ.get("PLAYSHUFFLE_CONFIG") or None
    if named is not None:
        return [os.path.abspath(os.fsencode(named))]
    return [os.path.join(config_home(), b"playshuffle/config.toml"), b"/etc/playshuffle/config.toml"]


def find(named: str | None = None) -> bytes:
    """Find the file of the configuration.

    Args:
        named: what --config said.

    Raises:
        PlayshuffleError: there is none.
    """
    looked = places(named)
    for path in looked:
        if os.path.lexists(path):
            return path
    where = any_of(list(map(shown, looked)))
    raise PlayshuffleError(
        f"There is no configuration: {where} does not exist; `playshuffle config init` writes one.",
        Exit.CONFIG,
    )
