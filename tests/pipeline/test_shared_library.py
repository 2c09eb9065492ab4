"""Test several playlists and decks over one library: no update of one takes a track from another."""

import os
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import PlayshuffleError
from playshuffle.library import folder_readings
from playshuffle.library.track_table import TrackTable
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.options.table import Options
from playshuffle.ordering.gap import Gap
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline import deal as dealing
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.store.state import State
from playshuffle.system.clock import PATIENCE_S
from playshuffle.tags.reading import Reading
from tests.support import library
from tests.support.library import FRAME, NOON, deal, entries, keep, read_here
from tests.support.sized import SizedMusic


def tools(seed: str, now_s: float = NOON.timestamp()) -> Tools:
    return library.tools(seed=seed, now_s=now_s)


def codes(report: Report) -> list[str]:
    return [note.code for note in report.notes]


class Music(SizedMusic):
    """Playlists and decks over one folder, each with its name as seed."""

    def update(
        self,
        name: str,
        recipe: Recipe | None = None,
        changes: Changes = EVERYWHERE,
        now_s: float = NOON.timestamp(),
        redraw_before_s: float = 0,
    ) -> Report:
        return keep(self.request(name, recipe), tools(name, now_s), changes, redraw_before_s)

    def deal(self, name: str, count: int, every: Every = Every.RUN, day: int = 0) -> Dealt:
        now = NOON + timedelta(days=day)
        return deal(self.request(name), tools(name), count, every, now)

    def peek(self, name: str, count: int, recipe: Recipe | None = None) -> list[bytes]:
        """Return the tracks that are certain to come next."""
        settings = DealSettings(Amount(count), Every.RUN)
        request = self.request(name, recipe, dry_run=True, deal=settings)
        with open_run(request, tools("x")) as run:
            found = dealing.peek_deal(run)
        return found.report.paths()[: found.certain]


def test_a_dealt_track_that_moved_to_a_missing_drive_is_not_dealt_again(tmp_path: Path) -> None:
    """Another file has the old path, and looks like a new version while the drive is missing."""
    here, usb, out = (tmp_path / name for name in ("here", "usb", "out"))
    for number, path in enumerate([here / "1.mp3", here / "2.mp3", usb / "3.mp3", usb / "4.mp3"]):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(FRAME * (20 + number))
    request = Request((bytes(here), bytes(usb)), bytes(tmp_path / "today.m3u"), Recipe("sorted"))

    def dealt(count: int) -> list[str]:
        deal(request, tools("x"), count)
        return sorted(entries(request))

    assert dealt(2) == ["here/1.mp3", "here/2.mp3"]

    (here / "1.mp3").rename(usb / "moved.mp3")
    (here / "1.mp3").write_bytes(FRAME * 30)
    usb.rename(out)
    assert dealt(1) == ["here/1.mp3"]
    out.rename(usb)

    assert dealt(2) == ["usb/3.mp3", "usb/4.mp3"]


def test_a_deck_recognises_tracks_whose_move_only_the_service_observed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were tagged and renamed between two scans, so without birth times only events tell them apart."""
    monkeypatch.setattr(folder_readings, "birth_of", lambda _: None)
    music = Music(tmp_path, 12)
    music.update("all")
    music.deal("today", 5)
    dealt = music.tracks("today")
    paths = music.listed("today")
    for path in paths:
        music.retag(path)
    moved = [(bytes(path), bytes(path.rename(path.with_name(f"new{path.name}")))) for path in paths]
    for _ in range(2):
        music.update("all", changes=Changes(None, frozenset(), tuple(moved), 0))
    music.deal("today", 7)

    assert sorted(dealt + music.tracks("today")) == [*range(1, 13)]


# A new order of a managed playlist


def test_a_reshuffle_that_pin_and_gap_make_impossible_does_not_stop_the_updates(tmp_path: Path) -> None:
    """A pinned track and the gap leave no track for some position."""
    music = Music(tmp_path, 8)
    music.update("all")
    first = music.listed("all")[0]
    request = music.request("all", Recipe(gap=Gap(8)), options=Options(pin=(f"{first}@last",)))
    music.retag(first)

    report = keep(request, tools("x"), EVERYWHERE, NOON.timestamp() + 1)

    assert "not_shuffled" in codes(report)
    assert sorted(music.tracks("all")) == [*range(1, 9)]
    assert music.listed("all")[-1] == first


@pytest.mark.parametrize("redraw_before_s", [0, NOON.timestamp() + 1], ids=["kept", "reshuffled"])
def test_pins_that_no_longer_fit_warn_and_do_not_stop_the_updates(
    tmp_path: Path, redraw_before_s: float
) -> None:
    """One pinned track is deleted, one is renamed, and the list gets shorter than the position of another."""
    music = Music(tmp_path, 12)
    music.update("all")
    first, second, third, *others = music.listed("all")
    pins = (f"{first.name}@2", f"{second}@3", f"{third.stem}@first", f"{others[0]}@12")
    request = music.request("all", options=Options(pin=pins))
    keep(request, tools("x"))
    assert music.listed("all")[:3] == [third, first, second]

    first.unlink()
    renamed = [second.rename(second.with_name("new 2.mp3")), third.rename(third.with_name("new 3.mp3"))]
    late = keep(request, tools("x"), redraw_before_s=redraw_before_s)
    again = keep(request, tools("x"))

    for report in (late, again):
        texts = [note.text for note in report.notes if note.code == "unfit"]
        assert len(texts) == 2
        assert f"the library has no track '{first.name}'." in texts[0]
        assert f"{others[0]} cannot be pinned to position 12: the playlist ends at 11." in texts[1]
    listed = music.listed("all")
    assert (listed[0], listed[2]) == (renamed[1], renamed[0])
    assert sorted(listed) == sorted([*renamed, *others])
    with pytest.raises(PlayshuffleError, match="the library has no track"):
        library.make_playlist(request, tools("x"))


def test_a_limit_that_fits_no_track_any_more_warns_and_does_not_stop_the_updates(tmp_path: Path) -> None:
    music = Music(tmp_path, 4)
    music.update("all")
    report = music.update("all", Recipe(time_ms=1))

    assert "no track is known to fit" in next(note.text for note in report.notes if note.code == "unfit")
    assert len(music.listed("all")) == 4


def test_an_order_whose_date_is_in_the_future_counts_as_drawn_now(tmp_path: Path) -> None:
    """A clock that was once ten years ahead stops no reshuffle."""
    music = Music(tmp_path, 30)
    now_s = NOON.timestamp()
    music.update("all", now_s=now_s + 10 * 365 * 86_400)
    first = music.tracks("all")

    assert "future_order" in codes(music.update("all"))
    assert music.tracks("all") == first
    assert "future_order" not in codes(music.update("all"))

    music.update("all", now_s=now_s + 86_400, redraw_before_s=now_s + 3_600)
    assert music.tracks("all") != first


@pytest.mark.parametrize("every", [Every.DAY, Every.WEEK])
def test_a_deal_whose_date_is_years_ahead_counts_as_made_now(tmp_path: Path, every: Every) -> None:
    """A deck that was dealt once while the clock was wrong must not wait for that day."""
    music = Music(tmp_path, 10)
    music.deal("today", 4, every, day=1740)
    first = music.tracks("today")

    assert "future_deal" in codes(music.deal("today", 4, every).report)
    assert music.tracks("today") == first
    assert "future_deal" not in codes(music.deal("today", 4, every).report)
    music.deal("today", 4, every, day=7)

    assert not {*first} & {*music.tracks("today")}


@pytest.mark.parametrize("every", [Every.DAY, Every.WEEK])
def test_a_computer_that_starts_at_an_old_date_deals_and_shuffles_nothing_new_until_the_clock_is_right(
    tmp_path: Path, every: Every
) -> None:
    """Many small computers have no clock of their own, and get the time from the network."""
    music, day_s = Music(tmp_path, 40), 86_400.0

    def dealt(days: float, uptime_s: float) -> tuple[list[int], list[str]]:
        request, now = music.request("today"), NOON + timedelta(days=days)
        made = tools("today")._replace(uptime_s=lambda: int(uptime_s), patience_s=PATIENCE_S)
        report = deal(request, made, 4, every, now).report
        return music.tracks("today"), codes(report)

    def shuffled(days: float, uptime_s: float) -> list[int]:
        now_s = NOON.timestamp() + days * day_s
        made = tools("all", now_s=now_s)._replace(uptime_s=lambda: int(uptime_s), patience_s=PATIENCE_S)
        keep(music.request("all"), made, EVERYWHERE, now_s - day_s / 2)
        return music.tracks("all")

    first, order = dealt(0, 10)[0], shuffled(0, 10)
    for uptime_s in (10, 10, 100 * day_s):  # also on a computer that has run for long
        for days in (-200, -9000, -30, 0.01):
            assert dealt(days, uptime_s) == (first, ["clock_behind"] if days < 0 else [])
            assert shuffled(days, uptime_s) == order
    assert dealt(8, 10)[0] != first
    assert shuffled(8, 10) != order


def test_after_a_day_of_running_a_clock_that_was_years_ahead_stops_no_deal_and_no_shuffle(
    tmp_path: Path,
) -> None:
    music = Music(tmp_path, 40)

    def dealt(day: int, uptime_s: int, *, is_now: bool = False) -> tuple[list[int], list[str]]:
        now = NOON + timedelta(days=day)
        made = tools("today", now.timestamp())._replace(uptime_s=lambda: uptime_s, patience_s=PATIENCE_S)
        request = music.request("today")._replace(deal=DealSettings(Amount(4), Every.DAY))
        with open_run(request, made) as run:
            report = dealing.deal(run, is_now=is_now).report
        return music.tracks("today"), codes(report)

    first, _ = dealt(3000, 5)
    for day, uptime_s in enumerate((10, 40_000, 10, 20_000)):  # started again after half a day
        assert dealt(day, uptime_s) == (first, ["clock_behind"])
    asked = dealt(4, 20_100, is_now=True)
    assert not {*first} & {*asked[0]}
    believed = dealt(4, 60_000)
    assert believed == (asked[0], ["future_deal"])
    assert not {*dealt(5, 10)[0]} & {*asked[0]}


# Peek and describe


def test_the_option_peek_calls_no_track_certain_if_a_new_order_or_new_files_need_random_draws(
    tmp_path: Path,
) -> None:
    music = Music(tmp_path, 12)
    music.deal("today", 4)
    assert len(music.peek("today", 4)) == 4
    assert music.peek("today", 4, Recipe("light")) == []
    assert len(music.peek("today", 4, Recipe("sorted"))) == 4

    music.add("013.mp3")

    assert music.peek("today", 4) == []


def test_a_round_of_weekly_deals_began_on_the_day_of_its_first_deal_and_not_on_monday(tmp_path: Path) -> None:
    assert Music(tmp_path, 12).deal("today", 4, Every.WEEK).deck.since == NOON.date()


def test_a_note_says_that_the_clock_may_be_wrong_if_the_last_deal_is_dated_later_than_today(
    tmp_path: Path,
) -> None:
    """A week that began before the last deal is no reason for the note."""
    music = Music(tmp_path, 12)
    music.deal("today", 4, Every.DAY)

    assert "no_deal_yet" not in codes(music.deal("today", 4, Every.WEEK).report)
    assert "no_deal_yet" in codes(music.deal("today", 4, Every.DAY, day=-1).report)


@pytest.mark.parametrize(
    ("pins", "gap"), [((), 30), ((), 21), (("001.mp3@last",), 30), (("001.mp3@last",), 20)]
)
def test_a_gap_is_shortened_to_the_number_of_tracks_that_fit_into_the_time_limit(
    tmp_path: Path, pins: tuple[str, ...], gap: int
) -> None:
    """40 tracks, 20 of them too long; one that is pinned to the end is not drawn."""
    music = Music(tmp_path, 40)

    def read_lengths(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for number, reading in read_here(paths):
            assert reading.tags is not None
            length = 10_000 if int(paths[number][-7:-4]) % 2 else 900_000
            yield number, reading._replace(tags=reading.tags._replace(duration_ms=length))

    request = music.request("one", Recipe(gap=Gap(gap), time_ms=400_000), options=Options(pin=pins))
    for seed in ("a", "b"):
        with_lengths = tools(seed)._replace(read_all=read_lengths)
        report = keep(request, with_lengths, EVERYWHERE, NOON.timestamp() + 1)

        assert report.playlist_length == 20
        note = f"The gap of {gap} plays is longer than the playlist, so it is shortened."
        assert note in map(str, report.notes)
        assert "not_shuffled" not in codes(report)


def test_a_link_to_the_folder_of_another_list_does_not_make_tracks_count_as_renamed(tmp_path: Path) -> None:
    music = Music(tmp_path, 5)
    other = tmp_path / "Other"
    other.mkdir()
    (other / "own.mp3").write_bytes(FRAME * 20)
    linked = music.request("linked")._replace(roots=(os.fsencode(other),))
    music.update("all")
    keep(linked, tools("linked"))

    (other / "link").symlink_to(music.folder)

    assert keep(linked, tools("linked")).renamed == 0
    assert music.update("all").renamed == 0
    assert len(entries(linked)) == 6


@pytest.fixture
def are_whole_loads(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each load of the table of tracks was of the whole table."""
    are_whole: list[bool] = []
    load = State.load_tracks

    def load_tracks(state: State, below: Collection[bytes] | None = None) -> TrackTable:
        are_whole.append(below is None)
        return load(state, below)

    monkeypatch.setattr(State, "load_tracks", load_tracks)
    return are_whole


def test_the_numbers_of_all_tracks_are_loaded_once_for_all_lists(
    tmp_path: Path, are_whole_loads: list[bool]
) -> None:
    music = Music(tmp_path, 3)
    music.update("a")
    are_whole_loads.clear()

    with open_library([music.request("a")], tools("x")) as opened:
        assert opened.whole_table() is opened.whole_table()

    assert are_whole_loads == [False, True]


def test_after_a_new_file_the_table_of_tracks_is_loaded_once(
    tmp_path: Path, are_whole_loads: list[bool]
) -> None:
    music = Music(tmp_path, 3)
    music.update("a")
    are_whole_loads.clear()

    music.add("new.mp3")
    music.update("a")

    assert are_whole_loads == [True]
