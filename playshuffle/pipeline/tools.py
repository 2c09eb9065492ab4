"""Define the tools of a run: sources of tags, randomness, time and progress."""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from playshuffle.library.scan import Progress
from playshuffle.shuffle import RandBelow
from playshuffle.tags.reading import ReadAll


class Tools(NamedTuple):
    """The tools of a run.

    Attributes:
        clock: returns Unix time in seconds.
        tags: maps paths of files to fields of `Tags` that replace their tags.
    """

    read_all: ReadAll
    randbelow: RandBelow
    progress: Progress
    clock: Callable[[], float] = time.time
    tags: Mapping[bytes, Mapping[str, Any]] = MappingProxyType({})
