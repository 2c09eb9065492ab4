"""Test that a clock that is behind is distrusted for a day of running."""

from datetime import timedelta
from pathlib import Path

import pytest

from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.store import schema
from playshuffle.system.clock import PATIENCE_S, Began, Clock
from tests.support.library import NO_TAGS, NOON, keep, put, tools
from tests.support.program import listed

DAY_S = 86_400


def test_the_time_never_goes_back_unless_the_computer_runs_for_a_day_with_it() -> None:
    clock = Clock().at(9 * DAY_S, 50)
    assert clock.believed(9 * DAY_S) == 9 * DAY_S
    assert clock.at(9 * DAY_S - 60, 100) is clock  # the network corrected it
    for uptime_s in (70, 70_000, 20, 16_000):
        clock = clock.at(DAY_S, uptime_s)
        assert clock.believed(DAY_S) == 9 * DAY_S
    assert clock.at(10 * DAY_S, 17_000) == Clock(10 * DAY_S)
    assert clock.at(DAY_S, 17_000) == Clock(DAY_S)


def test_a_process_that_began_at_an_old_date_began_later_once_the_clock_is_right() -> None:
    began = Began(100, 20)
    assert began.at(100 + 50, 70) == began.at(100 + 51, 70) == 100
    assert began.at(9 * DAY_S, 70) == 9 * DAY_S - 50 - 600


def test_a_process_that_began_with_a_clock_years_ahead_did_not_begin_in_the_future() -> None:
    assert Began(900 * DAY_S, 20).at(DAY_S, 70) == DAY_S - 50


def test_an_update_without_changes_is_done_though_its_time_cannot_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "song.mp3")
    request = Request((bytes(tmp_path),), bytes(tmp_path / "all.m3u"))
    keep(request, tools(NO_TAGS, now_s=NOON.timestamp()))
    replace = schema.replace
    wrong = {"clock": "INSERT INTO missing VALUES (?, ?, ?)"}
    monkeypatch.setattr(schema, "replace", lambda table: wrong.get(table) or replace(table))

    assert not keep(request, tools(NO_TAGS, now_s=NOON.timestamp() + DAY_S)).is_changed


def test_a_clock_that_is_behind_ends_no_season(tmp_path: Path) -> None:
    put(tmp_path, "all/song.mp3", "carol.mp3")
    query = ("path:all OR today:12-01..12-24",)
    request = Request((bytes(tmp_path),), bytes(tmp_path / "all.m3u"), options=Options(where=query))

    def kept(day: float) -> int:
        made = tools(NO_TAGS, now_s=NOON.timestamp() + day * DAY_S)
        keep(request, made._replace(uptime_s=lambda: 10, patience_s=PATIENCE_S))
        return len(listed(tmp_path / "all.m3u"))

    assert [kept(day) for day in (255, -300, 256, 280)] == [2, 2, 2, 1]


def test_the_note_about_a_clock_that_is_hours_behind_has_both_times(tmp_path: Path) -> None:
    put(tmp_path, "song.mp3")
    request = Request((bytes(tmp_path),), bytes(tmp_path / "all.m3u"))

    def notes(hours: int) -> list[str]:
        made = tools(NO_TAGS, now_s=NOON.timestamp() + hours * 3600)
        return [note.text for note in keep(request, made._replace(patience_s=PATIENCE_S)).notes]

    assert notes(3) == []
    shown, was = (f"{NOON.astimezone() + timedelta(hours=hours):%Y-%m-%d %H:%M}" for hours in (0, 3))
    assert [note.partition(". ")[0] for note in notes(0)] == [
        f"The clock shows {shown}, but a run was at {was}"
    ]
