"""What `playshuffle status` shows on a terminal, and what group commands do by themselves."""

import re
import sys

import pytest

from playshuffle.cli import main
from playshuffle.cli.screen import Screen
from playshuffle.cli.status import _tables
from playshuffle.service.status_model import PlaylistStatus, RootStatus, Service, Status

NOW_S = 1_700_000_000
REPORT = Status(
    services=(Service(4711, NOW_S - 120, None),),
    roots=(
        RootStatus("/music", "ok", "ext4", "events", tracks=668, last_full_scan=NOW_S - 30),
        RootStatus("/mnt/nas", "missing", advice="mount it"),
    ),
    playlists=(
        PlaylistStatus("calm", "/music/calm.m3u", "managed", 35, order="spread", last_write=NOW_S - 180),
        PlaylistStatus("far", "/mnt/nas/far.m3u", "missing", last_error="The drive is missing."),
    ),
    notes=(),
)


def test_status_on_a_terminal_is_a_verdict_and_two_tables() -> None:
    screen = Screen(width=80, has_unicode=True, now_s=NOW_S)

    assert list(_tables(REPORT, screen)) == [
        "● running since 2 min ago",
        "",
        "FOLDER    STATE    TRACKS  WATCHED      LAST SCAN",
        "/music    ok          668  events       just now",
        "/mnt/nas  missing          not watched",
        "  Try       mount it",
        "",
        "PLAYLIST          TRACKS  ORDER   WRITTEN    STATE",
        "/music/calm.m3u       35  spread  3 min ago  managed",
        "/mnt/nas/far.m3u                             missing",
        "  /mnt/nas/far.m3u: The drive is missing.",
    ]


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "expected"),
    [("deck", "There is no deck yet"), ("config", "Usage: playshuffle config"), ("service", "installed: no")],
)
def test_a_group_command_alone_shows_what_is_useful(
    command: str, expected: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["playshuffle", command])

    assert main() in {0, 1}
    assert re.search(expected, "".join(capfd.readouterr()))
