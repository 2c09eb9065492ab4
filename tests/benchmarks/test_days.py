"""Run four programs of the benchmark of a hundred days for ten days, and check its measures."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.days import music, page
from benchmarks.days.__main__ import KINDS
from benchmarks.days.listener import ROWS, Day, listen
from benchmarks.days.measures import measure, shares
from tests.support.needs import need

_DAYS = 10


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The music library; each program of the benchmark gets a copy."""
    need("ffmpeg")
    folder = tmp_path_factory.mktemp("source")
    music.make(folder)
    return folder


def _played(key: str, source: Path, home: Path) -> list[Day]:
    library = music.Library(source, home)
    program = KINDS[ROWS[key].kind](ROWS[key], home, library)
    try:
        return list(listen(program, library, "all", _DAYS))
    finally:
        program.close()


@pytest.mark.process
@pytest.mark.parametrize("key", ["mpd", "mpv", "shuf"])
def test_a_player_that_plays_40_tracks_a_day_repeats_some_of_them_within_ten_days(
    key: str, source: Path, tmp_path: Path
) -> None:
    for tool in {"mpd": ("mpd",), "mpv": ("mpv",), "shuf": ("bash", "mpv", "openssl")}[key]:
        need(tool)
    days = _played(key, source, tmp_path)
    assert [len(day.played) for day in days] == [40] * _DAYS
    assert all(set(day.played) <= set(day.present) for day in days)
    assert 0.2 < shares(days)[-1] < 0.4
    assert measure(days).again > 0


@pytest.mark.process
def test_ten_daily_deals_of_forty_tracks_repeat_no_track(source: Path, tmp_path: Path) -> None:
    for tool in ("bash", "mpv", "faketime"):
        need(tool)
    days = _played("deal", source, tmp_path)
    assert shares(days)[-1] == 0.4
    assert measure(days).again == 0


def _days(*plays: list[int]) -> list[Day]:
    return [Day(played, played, 0, list(range(1000))) for played in plays]


def test_a_track_counts_as_repeated_if_it_is_played_again_within_seven_days_but_not_later() -> None:
    assert measure(_days([1, 2], [3], [4], [5], [6], [7], [1])).again == 1
    assert measure(_days([1, 2], [3], [4], [5], [6], [7], [8], [1])).again == 0


def test_the_share_of_tracks_heard_until_a_day_counts_only_tracks_in_the_library_on_that_day() -> None:
    first, second = _days([1, 2], [3, 4])
    second.present = [1, 2, 3, 5]
    assert shares([first, second]) == [0.002, 0.75]


def test_the_benchmark_writes_its_results_into_its_page_in_place_of_older_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "page.md"
    written.write_text("before\n<!-- found -->\nformer run\n<!-- end -->\nafter\n")
    monkeypatch.setattr(page, "_PAGE", written)
    monkeypatch.setattr(page, "_draw", lambda _: None)
    monkeypatch.setattr(page, "_version", lambda _: "1.0")
    days = [asdict(day) for day in _days(*([at, at + 1] for at in range(0, 200, 2)))]
    for variant in ("all", "skips"):
        (tmp_path / f"shuf-{variant}.json").write_text(json.dumps(days))

    page.write(tmp_path)

    text = written.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "former run" not in text
    cells = [line.count(" |") for line in text.splitlines() if line.startswith("| `shuf` |")]
    assert cells == [10, 10, 8, 3]
