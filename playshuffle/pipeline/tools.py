"""Define what a run works with."""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from playshuffle.library.scan import Progress
from playshuffle.shuffle import RandBelow
from playshuffle.tags.reading import ReadAll


class Tools(NamedTuple):
    """What a run works with: the tag reader, the source of randomness, the progress display, the clock.

    tags: fields of `Tags` that replace those of files, by path.
    """

    read_all: ReadAll
    randbelow: RandBelow
    progress: Progress
    clock: Callable[[], float] = time.time
    tags: Mapping[bytes, Mapping[str, Any]] = MappingProxyType({})
