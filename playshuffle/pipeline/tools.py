"""Define the tools of a run: sources of tags, randomness, time and progress."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from playshuffle.library.scan import Progress
from playshuffle.shuffle import RandBelow
from playshuffle.tags.reading import ReadAll


class Tools(NamedTuple):
    """The tools of a run.

    Attributes:
        clock: returns Unix time in seconds.
        uptime_s: returns for how many seconds the machine has run.
        tags: maps paths of files to fields of `Tags` that replace their tags.
    """

    read_all: ReadAll
    randbelow: RandBelow
    progress: Progress
    clock: Callable[[], float] = time.time
    uptime_s: Callable[[], float] = partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    tags: Mapping[bytes, Mapping[str, Any]] = MappingProxyType({})
