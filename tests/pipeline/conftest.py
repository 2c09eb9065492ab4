"""Fixtures for the tests of whole runs."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from playshuffle.pipeline.explain import PlaylistStages, playlist_stages
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools

LookAt = Callable[[Request, Tools], PlaylistStages]


@pytest.fixture
def look_at() -> Iterator[LookAt]:
    """Return the result of a run's stages for the files of a playlist, valid until the test ends."""
    with ExitStack() as stack:

        def look(request: Request, tools: Tools) -> PlaylistStages:
            opened = stack.enter_context(open_library([request._replace(dry_run=True)], tools))
            return playlist_stages(opened, request, tools, "the next run")

        yield look
