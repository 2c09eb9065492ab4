"""The log of the service names what happened to the user's files."""

import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest

from playshuffle.service.live_status import LiveStatus
from playshuffle.service.update_protocol import PlaylistUpdated


def test_removed_part_files_are_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    request = SimpleNamespace(output=b"/m/car.m3u", roots=(b"/m",))
    config = SimpleNamespace(playlists=(SimpleNamespace(name="car", request=request),), path=None)
    status = LiveStatus(cast(Any, config), {}, 0, cast(Any, None))
    updated = PlaylistUpdated(
        playlist="car", tracks=9, library=9, order="random", is_changed=True, written_s=None, added=0,
        removed=1, renamed=0, growing=[], is_cached=True, unreadable=[], folders=[], notes=[],
        missing_lists=[], removed_files=["/m/car-3.m3u", "/m/car-4.m3u"],
    )  # fmt: skip

    with caplog.at_level(logging.INFO):
        status.note_message(updated)

    assert "; removed /m/car-3.m3u; removed /m/car-4.m3u" in caplog.text
