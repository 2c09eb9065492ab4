"""The metrics of the status, read by Prometheus' own checker."""

import subprocess

import pytest

from playshuffle.service.metrics import metrics
from playshuffle.service.status_json import PlaylistStatus, RootStatus, Status
from tests.support.needs import need

ODD = 'a "b" \\n \n \udce9 {x}'
STATUS = Status(
    (),
    (RootStatus("/m", "ok", tracks=3), RootStatus(ODD, "missing")),
    (PlaylistStatus("all", "/m/all.m3u", tracks=3, last_write=7), PlaylistStatus(ODD, "", last_error="no")),
    (),
)


def test_each_fact_is_a_line_and_unknown_ones_are_left_out() -> None:
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
