"""The log of the service names what happened to the user's files."""

import logging
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from playshuffle.errors import Note
from playshuffle.service.live_status import LiveStatus
from playshuffle.service.status_json import PlaylistStatus
from playshuffle.service.update_protocol import PlaylistUpdated

UPDATED = PlaylistUpdated(
    playlist="car", status=PlaylistStatus("car", "/m/car.m3u", "managed", tracks=9), is_changed=False,
    added=0, removed=0, renamed=0, growing=[], is_cached=True, unreadable=[], folders=[], notes=[],
)  # fmt: skip


@pytest.fixture
def status() -> LiveStatus:
    request = SimpleNamespace(output=b"/m/car.m3u", roots=(b"/m",))
    config = SimpleNamespace(playlists=(SimpleNamespace(name="car", request=request),), path=None, page=None)
    return LiveStatus(cast(Any, config), {}, 0, cast(Any, None))


def test_removed_part_files_are_named_in_the_log(
    status: LiveStatus, caplog: pytest.LogCaptureFixture
) -> None:
    parts = [b"/m/car-3.m3u", b"/m/car-4.m3u"]

    with caplog.at_level(logging.INFO):
        status.note_message(replace(UPDATED, is_changed=True, removed=1, removed_files=parts))

    assert "; removed /m/car-3.m3u; removed /m/car-4.m3u" in caplog.text


def test_a_note_is_logged_once_while_only_its_numbers_change(
    status: LiveStatus, caplog: pytest.LogCaptureFixture
) -> None:
    for count in (9, 10, 1_234):
        status.note_message(
            replace(UPDATED, notes=[Note("waiting", f"4 of {count} tracks wait for /m.", b"/m")])
        )
    assert [record.getMessage() for record in caplog.records] == ["car: 4 of 9 tracks wait for /m."]

    status.note_message(UPDATED)
    status.note_message(replace(UPDATED, notes=[Note("waiting", "4 of 8 tracks wait for /m.", b"/m")]))

    assert len(caplog.records) == 2
