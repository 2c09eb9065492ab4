"""The service on a computer that is taken to another time zone."""

import os
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.support.needs import unmet
from tests.support.program import library
from tests.support.service import Service, aged, config, holds, wait_for

pytestmark = [pytest.mark.process, pytest.mark.root]

_ZONES = Path("/usr/share/zoneinfo")
_WEST, _EAST = "Pacific/Pago_Pago", "Pacific/Kiritimati"  # 25 hours apart: it is never the same day there


def test_the_service_notices_that_the_computer_has_another_time_zone(tmp_path: Path) -> None:
    if not (_ZONES / _EAST).exists():
        unmet("the time zones are missing: apt install tzdata")
    zone = tmp_path / "localtime"
    zone.write_bytes((_ZONES / _WEST).read_bytes())
    music = aged(library(tmp_path / "Music", ["a.mp3", "b.ogg"]))
    day = datetime.now(ZoneInfo(_EAST))
    days = f"{day:%m-%d}..{day + timedelta(days=2):%m-%d}"
    here = ["unshare", "-m", "sh", "-c", f'mount --bind {zone} /etc/localtime; exec "$@"', "sh"]
    here += ["env", "-u", "TZ"]

    with Service(tmp_path, config(music, where=f"path:a.mp3 OR today:{days}"), before=here) as service:
        wait_for(holds(music / "all.m3u", "a.mp3"))
        wait_for(lambda: service.playlist("all")["state"] == "managed")
        zone.write_bytes((_ZONES / _EAST).read_bytes())
        os.utime(zone, (0, 0))  # the C library may have read half of it, and compares its time in seconds

        wait_for(holds(music / "all.m3u", "a.mp3", "b.ogg"))
