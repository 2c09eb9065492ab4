"""Define the tools of a run: sources of tags, randomness, time and progress."""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from playshuffle.library.scan import Progress
from playshuffle.shuffle import RandBelow
from playshuffle.system.clock import PATIENCE_S, uptime_s
from playshuffle.tags.reading import ReadAll


class Tools(NamedTuple):
    """The tools of a run.

    Attributes:
        clock: returns Unix time in seconds.
        uptime_s: returns for how many seconds the computer has run.
        patience_s: for how long it must have run until a clock that is behind is believed.
        tags: maps paths of files to fields of `Tags` that replace their tags.
    """

    read_all: ReadAll
    randbelow: RandBelow
    progress: Progress
    clock: Callable[[], float] = time.time
    uptime_s: Callable[[], int] = uptime_s
    patience_s: int = PATIENCE_S
    tags: Mapping[bytes, Mapping[str, Any]] = MappingProxyType({})
