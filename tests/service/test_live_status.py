"""The log of the service, its published status and its metrics name what happened to the user's files."""

import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest

from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.errors import Note
from playshuffle.pipeline.request import Request
from playshuffle.service import status_file
from playshuffle.service.live_status import LiveStatus
from playshuffle.service.metrics import metrics
from playshuffle.service.status_json import PlaylistStatus, RootStatus, Service, Status
from playshuffle.service.status_publisher import StatusFile
from playshuffle.service.update_protocol import PlaylistUpdated
from tests.support.needs import need
from tests.support.processes import finished

UPDATED = PlaylistUpdated(
    playlist="car", status=PlaylistStatus("car", "/m/car.m3u", "managed", tracks=9), is_changed=False,
    added=0, removed=0, renamed=0, growing=[], is_cached=True, unreadable=[], folders=[], notes=[],
)  # fmt: skip

ODD = 'a "b" \\n \n \udce9 {x}'
STATUS = Status(
    (),
    (RootStatus("/m", "ok", tracks=3), RootStatus(ODD, "missing")),
    (PlaylistStatus("all", "/m/all.m3u", tracks=3, last_write=7), PlaylistStatus(ODD, "", last_error="no")),
    (),
)


@pytest.fixture
def status() -> LiveStatus:
    car = ConfiguredPlaylist("car", Request((b"/m",), b"/m/car.m3u"))
    config = SimpleNamespace(playlists=(car,), path=None, page=None)
    return LiveStatus(cast(Any, config), {}, 0, cast(Any, None))


def test_the_log_counts_the_changes_of_a_playlist(
    status: LiveStatus, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        status.note_message(UPDATED._replace(is_changed=True, removed=1))

    assert "car: 1 removed; 9 tracks written to /m/car.m3u" in caplog.text


def test_a_note_is_not_logged_again_while_only_its_numbers_change(
    status: LiveStatus, caplog: pytest.LogCaptureFixture
) -> None:
    def note(*texts: str) -> None:
        status.note_message(UPDATED._replace(notes=[Note("waiting", text, b"/m") for text in texts]))

    for text in ("4 of 9", "4 of 10", "4 of 1,234"):
        note(text)
    assert [record.getMessage() for record in caplog.records] == ["car: 4 of 9"]

    note()
    note("4 of 8")
    assert len(caplog.records) == 2


def test_the_status_has_all_services_though_in_containers_they_have_the_same_process_number() -> None:
    def since() -> set[int]:
        return {status.services[0].since for status in status_file.services()}

    with StatusFile() as first:
        first.publish(STATUS._replace(services=(Service(1, 100, None),)))
        with StatusFile() as second:
            second.publish(STATUS._replace(services=(Service(1, 200, None),)))
            assert since() == {100, 200}
        assert since() == {100}
    assert since() == set()


def test_each_metric_is_one_line_and_a_metric_without_a_known_value_has_no_line() -> None:
    lines = [line for line in metrics(STATUS) if line[0] != "#"]

    assert "playshuffle_services 0" in lines
    assert 'playshuffle_folder_tracks{folder="/m"} 3' in lines
    assert 'playshuffle_playlist_failed{playlist="all",output="/m/all.m3u"} 0' in lines
    assert 'playshuffle_playlist_written_timestamp_seconds{playlist="all",output="/m/all.m3u"} 7' in lines
    assert len(lines) == 8


@pytest.mark.process
def test_the_checker_of_prometheus_finds_no_fault_in_the_metrics() -> None:
    need("promtool")
    done = finished(["promtool", "check", "metrics"], input="".join(f"{line}\n" for line in metrics(STATUS)))

    assert (done.returncode, done.stderr) == (0, "")
