"""Save the options of a playlist as JSON: those that differ from their defaults."""

import json
from typing import Any

from playshuffle.options.table import Options, changed, with_paths
from playshuffle.store.home_paths import named_paths


def pack(options: Options | None) -> str:
    """Return options as JSON, without the home's name in paths; empty for None."""
    return "" if options is None else json.dumps(changed(with_paths(options, named_paths().stored)))


def unpack(text: str) -> Options | None:
    """Return the options of `pack`; None if this version does not know one."""
    try:
        values: dict[str, Any] = json.loads(text)
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return with_paths(Options(**{**values, **lists}), named_paths().absolute)
    except (ValueError, TypeError):
        return None
