"""Test `undo` where it is killed, and while other runs work on the same list."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.options.table import Options
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.pipeline.undo import record_before
from playshuffle.pipeline.undo import undo as undo_run
from playshuffle.shuffle import System
from playshuffle.store import records
from playshuffle.store.state import State
from tests.support import library
from tests.support.library import NO_TAGS, NOON, deal, entries, keep, make_playlist, put, undo
from tests.support.program import numbered
from tests.support.refusals import refusal
from tests.support.tagging import tag, tagged_library


def tools(now_s: float | None = None) -> Tools:
    return library.tools(NO_TAGS, now_s=now_s)._replace(randbelow=System())


class KilledError(Exception):
    """Stands for a kill."""


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    music = numbered(tmp_path / "Music", 12)
    return Request((bytes(music),), bytes(tmp_path / "all.m3u"), options=Options(title="first"))


def made(request: Request) -> list[str]:
    """Make the playlist in a new order, and return its entries."""
    make_playlist(request, tools())
    return entries(request)


def dealt(request: Request) -> list[str]:
    deal(request, tools(), 3)
    return entries(request)


def undone(request: Request) -> list[str]:
    undo(request, tools())
    return entries(request)


def kept(request: Request) -> list[str]:
    keep(request, tools())
    return entries(request)


@pytest.mark.parametrize(("write", "settings"), [(made, None), (dealt, DealSettings())])
def test_an_undo_killed_before_it_saves_the_state_is_finished_by_the_next_undo(
    request_: Request, write: Callable[[Request], list[str]], settings: DealSettings | None
) -> None:
    first, second = (write(request_._replace(options=Options(title=title))) for title in ("first", "second"))
    request = request_._replace(deal=settings)
    with mock.patch.object(records, "save", side_effect=KilledError), pytest.raises(KilledError):
        undo(request, tools())

    assert entries(request) == first
    assert [undone(request) for _ in range(3)] == [first, second, first]
    with State(writes=False) as state:
        before = record_before(state, request.output or b"")
    assert before.options == Options(title="second")


def test_undo_takes_back_a_run_of_make_that_was_killed_before_it_wrote_the_file(request_: Request) -> None:
    first = made(request_)
    prepared = "playshuffle.system.atomic_file.Prepared.replace"
    with mock.patch(prepared, side_effect=KilledError), pytest.raises(KilledError):
        made(request_._replace(options=Options(title="second")))

    assert undone(request_) == first
    assert kept(request_) == first


def test_undo_restores_the_order_before_the_last_make_though_the_list_was_updated_since(
    request_: Request, tmp_path: Path
) -> None:
    """The service inserts a new track, and the user takes back the last make."""
    first, _ = made(request_), made(request_)
    put(tmp_path / "Music", "new.mp3")
    for _ in range(2):
        assert len(kept(request_)) == 13

    assert undone(request_) == first
    assert [name for name in kept(request_) if "new" not in name] == first
    assert len(entries(request_)) == 13


def test_undo_restores_a_deck_after_a_make_and_an_order_after_a_deal(request_: Request) -> None:
    deck = request_._replace(options=Options(title="dealt"), deal=DealSettings(Amount(3)))
    first, second = made(request_), dealt(deck)

    assert undone(request_) == first
    assert undone(deck) == second
    made(request_)
    assert undone(deck) == second


def test_a_deck_goes_on_with_its_round_after_the_command_make_has_replaced_its_list(
    request_: Request,
) -> None:
    before = deal(request_, tools(), 3).deck.dealt
    made(request_)

    assert deal(request_, tools(), 3).deck.dealt[:3] == before


def test_undo_refuses_if_the_list_was_made_again_since_undo_chose_what_to_restore(request_: Request) -> None:
    for _ in range(2):
        made(request_)
    with State(writes=False) as state:
        before = record_before(state, request_.output or b"")
    last = made(request_)

    with (
        open_run(request_, tools(), must_remember=True) as run,
        pytest.raises(PlayshuffleError, match="made or dealt at the same time"),
    ):
        undo_run(run, before)

    assert entries(request_) == last


def test_two_undos_and_a_make_at_once_leave_the_same_whole_order_in_file_and_state(request_: Request) -> None:
    for _ in range(2):
        made(request_)
    with ThreadPoolExecutor(3) as pool:
        for run in [pool.submit(act, request_, tools()) for act in (undo, undo, make_playlist)]:
            run.result()

    names = entries(request_)
    assert sorted(names) == [f"Music/{number:03}.mp3" for number in range(12)]
    assert kept(request_) == names


def test_undo_restores_tracks_that_the_options_exclude_now(request_: Request, tmp_path: Path) -> None:
    first, _ = made(request_), made(request_)
    (tmp_path / "Music/003.mp3").unlink()
    (tmp_path / "no.m3u").write_text("Music/004.mp3\n")

    options = Options(where=("path:00[2-6]",), no_duplicates=True)
    report = undo(request_._replace(options=options, without=(bytes(tmp_path / "no.m3u"),)), tools())

    assert report.is_changed
    assert entries(request_) == [name for name in first if "003" not in name]


def test_undo_refuses_if_no_track_of_the_order_to_restore_exists(request_: Request, tmp_path: Path) -> None:
    _, before = made(request_), made(request_)
    for file in (tmp_path / "Music").iterdir():
        file.unlink()
    put(tmp_path / "Music", "new.mp3")

    assert "No track that was in" in refusal(Exit.NOTHING_TO_PLAY, undo, request_, tools())
    assert entries(request_) == before


@pytest.mark.parametrize("count", [1, 2])
def test_an_undone_deal_is_not_dealt_again_on_the_same_day(
    request_: Request, tmp_path: Path, count: int
) -> None:
    """Also if a new file comes. The list keeps its tracks if there was no deal before."""

    def deal_on(day: int, hour: int = 12) -> Dealt:
        now = NOON.replace(hour=hour) + timedelta(days=day)
        return deal(request_, tools(), 3, Every.DAY, now)

    deal_on(1)
    before = entries(request_)
    if count == 2:
        deal_on(2)
    undo(request_._replace(deal=DealSettings()), tools())

    put(tmp_path / "Music", "new.mp3")
    assert [deal_on(count, hour=23).is_new for _ in range(2)] == [False, False]
    assert entries(request_) == before
    dealt = deal_on(count + 1)
    assert (dealt.is_new, dealt.deck.round, len(dealt.deck.dealt)) == (True, 1, 3 * count)


def test_after_an_undo_no_new_order_is_drawn_before_the_next_reshuffle_is_due(request_: Request) -> None:
    day_s, now_s = 86_400, NOON.timestamp()

    def keep_at(after_s: float, redraw_before_s: float = 0) -> list[str]:
        """Update the list so many seconds after noon."""
        keep(request_, tools(now_s + after_s), redraw_before_s=redraw_before_s)
        return entries(request_)

    first = keep_at(-day_s)
    keep_at(0, now_s - day_s / 2)
    undo(request_, tools(now_s))

    assert keep_at(60, now_s - day_s / 2) == first
    assert keep_at(day_s, now_s + day_s / 2) != first


def test_if_an_undo_cannot_be_saved_the_error_says_that_the_file_was_restored(request_: Request) -> None:
    for _ in range(2):
        made(request_)
    full = PlayshuffleError("The disk is full. No playlist was changed.", Exit.CANNOT_CREATE)
    with mock.patch.object(records, "save", side_effect=full):
        text = refusal(Exit.CANNOT_CREATE, undo, request_, tools())

    path = os.fsdecode(request_.output or b"")
    assert text.startswith(f"{path} is as before, but this could not be saved")


def test_an_update_after_an_undo_writes_the_titles_that_the_files_have_then(tmp_path: Path) -> None:
    """The undo writes titles that were changed since the restored make; then they are changed back."""
    music = tagged_library(tmp_path / "Music", {f"{number}.ogg": {"title": "old"} for number in range(3)})
    request = Request((bytes(music),), bytes(tmp_path / "all.m3u"))

    def retitle(title: str) -> None:
        for path in music.iterdir():
            tag(path, {"title": title})

    make_playlist(request, library.tools())
    retitle("new")
    make_playlist(request, library.tools())
    undo(request, library.tools())
    assert (tmp_path / "all.m3u").read_text().count("new") == 3

    retitle("old")
    keep(request, library.tools())
    assert (tmp_path / "all.m3u").read_text().count("old") == 3
