"""Run programs of the benchmark of a hundred days for ten days, and check its measures."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.days import music, page
from benchmarks.days.__main__ import KINDS
from benchmarks.days.listener import LISTENERS, ROWS, Day, Program, listen
from benchmarks.days.lists import Listed, Mpv
from benchmarks.days.measures import measure, shares
from benchmarks.days.music import EVENTS
from tests.support.needs import need

_DAYS = 10


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The music library; each program of the benchmark gets a copy."""
    need("ffmpeg")
    folder = tmp_path_factory.mktemp("source")
    music.make(folder)
    return folder


def _program(key: str, source: Path, home: Path) -> Program:
    home.mkdir(exist_ok=True)
    return KINDS[ROWS[key].kind](ROWS[key], home, music.Library(source, home), LISTENERS["40"])


def _played(key: str, source: Path, home: Path) -> list[Day]:
    program = _program(key, source, home)
    try:
        return list(listen(program, 1, _DAYS))
    finally:
        program.close()


@pytest.mark.process
@pytest.mark.parametrize("key", ["random", "mpv", "shuf"])
def test_a_player_that_plays_40_tracks_a_day_repeats_some_of_them_within_ten_days(
    key: str, source: Path, tmp_path: Path
) -> None:
    for tool in {"random": ("mpd",), "mpv": ("mpv",), "shuf": ("bash",)}[key]:
        need(tool)
    days = _played(key, source, tmp_path)
    assert [len(day.played) for day in days] == [40 * (day % 7 != 6) for day in range(_DAYS)]
    assert all(set(day.played) <= set(day.present) for day in days)
    assert 0.15 < shares(days)[-1] < 0.35
    assert measure(days).again > 0


@pytest.mark.process
@pytest.mark.parametrize("key", ["deal", "consume", "heard"])
def test_a_program_that_remembers_what_it_has_played_repeats_only_skipped_tracks(
    key: str, source: Path, tmp_path: Path
) -> None:
    for tool in {"deal": ("bash", "faketime"), "consume": ("mpd",), "heard": ("bash",)}[key]:
        need(tool)
    days = _played(key, source, tmp_path)
    assert len([track for day in days for track in day.played]) == 360
    assert measure(days).again == 0


@pytest.mark.process
def test_mpv_plays_a_list_as_the_benchmark_reads_it_from_its_first_entry_without_missing_files(
    source: Path, tmp_path: Path
) -> None:
    need("mpv")
    (player, reader) = (_program(key, source, tmp_path / key) for key in ("mpv", "shuf"))
    assert isinstance(player, Mpv)
    assert isinstance(reader, Listed)
    files = sorted(map(str, reader.music.rglob("*.ogg")))[:20]
    reader.list.write_text("\n".join(["#EXTM3U", files[0], f"{reader.music}/none.ogg", *files[1:], ""]))
    reader.start(0)
    player.play(f"--playlist={reader.list}")
    for path in files:
        assert (reader.playing(), player.playing()) == (path, path)
        player.next()
    assert reader.playing() is None
    player.stop(0)


def _days(*plays: list[int]) -> list[Day]:
    return [Day(played, played, present=list(range(1000))) for played in plays]


def test_a_track_counts_as_repeated_if_it_is_played_again_within_seven_days_but_not_later() -> None:
    assert measure(_days([1, 2], [3], [4], [5], [6], [7], [1])).again == 1
    assert measure(_days([1, 2], [3], [4], [5], [6], [7], [8], [1])).again == 0


def test_after_a_kill_the_tracks_heard_before_it_count_as_repeated_if_they_are_played_after_it() -> None:
    days = _days(*([number] for number in range(EVENTS["killed"])), [500, 501, 500, 1], [502])
    days[-2].before_kill = 2
    assert measure(days).after["killed"] == 2


def test_the_share_of_tracks_heard_until_a_day_counts_only_tracks_in_the_library_on_that_day() -> None:
    first, second = _days([1, 2], [3, 4])
    second.present = [1, 2, 3, 5]
    assert shares([first, second]) == [0.002, 0.75]


def test_the_benchmark_writes_its_results_into_its_page_in_place_of_older_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "page.md"
    marks = [f"<!-- {name} -->\nformer run\n<!-- end of {name} -->\n" for name in page.PARTS]
    written.write_text(f"before\n{''.join(marks)}after\n")
    monkeypatch.setattr(page, "_PAGE", written)
    monkeypatch.setattr(page, "_draw", lambda _: None)
    monkeypatch.setattr(page, "_version", lambda _: "1.0")
    days = [asdict(day) for day in _days(*([at, at + 1] for at in range(0, 200, 2)))]
    for who in LISTENERS:
        for seed in (1, 2):
            (tmp_path / f"shuf-{who}-{seed}.json").write_text(json.dumps(days))

    page.write(tmp_path)

    text = written.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "former run" not in text
    assert "| `shuf` | 5%, 5% | 20.0%, 20.0% | 0, 0 | 0, 0 | 0, 0 |" in text
