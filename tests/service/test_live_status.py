"""The log and the metrics of the service name what happened to the user's files."""

import logging
import subprocess
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.errors import Note
from playshuffle.pipeline.request import Request
from playshuffle.service.live_status import LiveStatus
from playshuffle.service.metrics import metrics
from playshuffle.service.status_json import PlaylistStatus, RootStatus, Status
from playshuffle.service.update_protocol import PlaylistUpdated
from tests.support.needs import need

UPDATED = PlaylistUpdated(
    playlist="car", status=PlaylistStatus("car", "/m/car.m3u", "managed", tracks=9), is_changed=False,
    added=0, removed=0, renamed=0, growing=[], is_cached=True, unreadable=[], folders=[], notes=[],
)  # fmt: skip


@pytest.fixture
def status() -> LiveStatus:
    car = ConfiguredPlaylist("car", Request((b"/m",), b"/m/car.m3u"))
    config = SimpleNamespace(playlists=(car,), path=None, page=None)
    return LiveStatus(cast(Any, config), {}, 0, cast(Any, None))


def test_the_log_names_each_removed_file_of_a_playlist_in_parts(
    status: LiveStatus, caplog: pytest.LogCaptureFixture
) -> None:
    parts = [b"/m/car-3.m3u", b"/m/car-4.m3u"]

    with caplog.at_level(logging.INFO):
        status.note_message(replace(UPDATED, is_changed=True, removed=1, removed_files=parts))

    assert "; removed /m/car-3.m3u; removed /m/car-4.m3u" in caplog.text


def test_a_note_is_not_logged_again_while_only_its_numbers_change(
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


# Metrics, read by the checker of Prometheus


ODD = 'a "b" \\n \n \udce9 {x}'
STATUS = Status(
    (),
    (RootStatus("/m", "ok", tracks=3), RootStatus(ODD, "missing")),
    (PlaylistStatus("all", "/m/all.m3u", tracks=3, last_write=7), PlaylistStatus(ODD, "", last_error="no")),
    (),
)


def test_each_metric_is_a_line_and_unknown_values_are_omitted() -> None:
    lines = [line for line in metrics(STATUS) if line[0] != "#"]

    assert "playshuffle_services 0" in lines
    assert 'playshuffle_folder_tracks{folder="/m"} 3' in lines
    assert 'playshuffle_playlist_failed{playlist="all",output="/m/all.m3u"} 0' in lines
    assert 'playshuffle_playlist_written_timestamp_seconds{playlist="all",output="/m/all.m3u"} 7' in lines
    assert len(lines) == 8


@pytest.mark.process
def test_prometheus_reads_the_metrics() -> None:
    need("promtool")
    text = "".join(f"{line}\n" for line in metrics(STATUS)).encode()
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
