"""Test `undo` where it is killed, and while other runs work on the same list."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.options.table import Options
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.pipeline.undo import record_before
from playshuffle.pipeline.undo import undo as undo_run
from playshuffle.shuffle import System
from playshuffle.store import records
from playshuffle.store.state import State
from tests.support import library
from tests.support.library import NO_TAGS, NOON, deal, keep, make_playlist, undo
from tests.support.program import listed, numbered
from tests.support.refusals import refusal


def tools() -> Tools:
    return library.tools(NO_TAGS)._replace(randbelow=System())


class KilledError(Exception):
    """What a kill would be."""


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    return Request(
        (bytes(numbered(tmp_path / "Music", 9)),), bytes(tmp_path / "all.m3u"), options=Options(title="first")
    )


@pytest.mark.parametrize("is_dealt", [False, True])
def test_an_undo_killed_before_it_saves_the_state_is_finished_by_the_next_undo(
    request_: Request, tmp_path: Path, is_dealt: bool
) -> None:
    contents = []
    settings = DealSettings() if is_dealt else None
    for text in ("first", "second"):
        request = request_._replace(options=Options(title=text))
        if is_dealt:
            deal(request, tools(), 3)
        else:
            make_playlist(request, tools())
        contents.append(listed(tmp_path / "all.m3u"))
    with mock.patch.object(records, "save", side_effect=KilledError), pytest.raises(KilledError):
        undo(request_._replace(deal=settings), tools())

    assert listed(tmp_path / "all.m3u") == contents[0]
    for content in (contents[0], contents[1], contents[0]):
        undo(request_._replace(deal=settings), tools())
        assert listed(tmp_path / "all.m3u") == content
    with State(writes=False) as state:
        before = record_before(state, request_.output or b"")
    assert before.options == Options(title="second")


def test_a_make_that_is_killed_before_it_writes_the_file_can_be_undone(
    request_: Request, tmp_path: Path
) -> None:
    make_playlist(request_, tools())
    first = listed(tmp_path / "all.m3u")
    prepared = "playshuffle.playlist.parts.PreparedParts.replace"
    with mock.patch(prepared, side_effect=KilledError), pytest.raises(KilledError):
        make_playlist(request_._replace(options=Options(title="second")), tools())

    undo(request_, tools())

    assert listed(tmp_path / "all.m3u") == first
    keep(request_, tools())
    assert listed(tmp_path / "all.m3u") == first


def test_undo_restores_the_order_before_the_last_make_though_updates_came_after_it(
    request_: Request, tmp_path: Path
) -> None:
    """The service inserts a new track, and the user takes back the last make."""
    make_playlist(request_, tools())
    first = listed(tmp_path / "all.m3u")
    make_playlist(request_, tools())
    (tmp_path / "Music/new.mp3").write_bytes((tmp_path / "Music/000.mp3").read_bytes() + b"new")
    for _ in range(2):
        keep(request_, tools())
    assert len(listed(tmp_path / "all.m3u")) == 10

    undo(request_, tools())
    assert listed(tmp_path / "all.m3u") == first
    keep(request_, tools())

    assert [name for name in listed(tmp_path / "all.m3u") if "new" not in name] == first
    assert len(listed(tmp_path / "all.m3u")) == 10


def test_undo_restores_a_deck_after_a_make_and_an_order_after_a_deal(
    request_: Request, tmp_path: Path
) -> None:
    made, dealt = request_, request_._replace(options=Options(title="dealt"), deal=DealSettings(Amount(3)))
    make_playlist(made, tools())
    first = listed(tmp_path / "all.m3u")
    deal(dealt, tools(), 3)
    second = listed(tmp_path / "all.m3u")

    undo(made, tools())
    assert listed(tmp_path / "all.m3u") == first
    undo(dealt, tools())
    assert listed(tmp_path / "all.m3u") == second

    make_playlist(made, tools())
    undo(dealt, tools())
    assert listed(tmp_path / "all.m3u") == second


def test_a_deck_goes_on_with_its_round_though_a_make_wrote_its_file_once(
    request_: Request, tmp_path: Path
) -> None:
    dealt = deal(request_, tools(), 3).deck.dealt
    make_playlist(request_, tools())

    assert deal(request_, tools(), 3).deck.dealt[:3] == dealt


def test_undo_refuses_if_the_list_was_made_again_after_undo_had_chosen_what_to_restore(
    request_: Request, tmp_path: Path
) -> None:
    path = request_.output or b""
    for _ in range(2):
        make_playlist(request_, tools())
    with State(writes=False) as state:
        before = record_before(state, path)
    make_playlist(request_, tools())
    made = listed(tmp_path / "all.m3u")

    with (
        open_run(request_, tools(), must_remember=True) as run,
        pytest.raises(PlayshuffleError, match="made or dealt at the same time"),
    ):
        undo_run(run, before)

    assert listed(tmp_path / "all.m3u") == made


def test_two_undos_and_a_make_at_once_leave_the_same_whole_order_in_file_and_state(
    request_: Request, tmp_path: Path
) -> None:
    for _ in range(2):
        make_playlist(request_, tools())
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(undo, request_, tools()) for _ in range(2)]
        runs.append(pool.submit(make_playlist, request_, tools()))
        for run in runs:
            run.result()

    names = listed(tmp_path / "all.m3u")
    assert sorted(names) == [f"Music/{number:03}.mp3" for number in range(9)]
    keep(request_, tools())
    assert listed(tmp_path / "all.m3u") == names


def test_undo_restores_tracks_that_the_options_exclude_now(request_: Request, tmp_path: Path) -> None:
    make_playlist(request_, tools())
    first = listed(tmp_path / "all.m3u")
    make_playlist(request_, tools())
    (tmp_path / "Music/003.mp3").unlink()
    (tmp_path / "no.m3u").write_text("Music/004.mp3\n")

    options = Options(where=("path:00[2-6]",), no_duplicates=True)
    report = undo(request_._replace(options=options, without=(bytes(tmp_path / "no.m3u"),)), tools())

    assert report.is_changed
    assert listed(tmp_path / "all.m3u") == [name for name in first if "003" not in name]


def test_undo_refuses_if_all_tracks_of_the_order_to_restore_are_gone(
    request_: Request, tmp_path: Path
) -> None:
    for _ in range(2):
        make_playlist(request_, tools())
    before = listed(tmp_path / "all.m3u")
    for file in (tmp_path / "Music").iterdir():
        file.unlink()
    (tmp_path / "Music/new.mp3").write_bytes(b"new")

    assert "No track that was in" in refusal(Exit.NOTHING_TO_PLAY, undo, request_, tools())
    assert listed(tmp_path / "all.m3u") == before


@pytest.mark.parametrize("deals", [1, 2])
def test_an_undone_deal_is_not_dealt_again_that_day(request_: Request, tmp_path: Path, deals: int) -> None:
    """Also if a new file arrives. The list keeps its tracks where there was no deal before."""
    deal(request_, tools(), 3, Every.DAY, NOON)
    before = listed(tmp_path / "all.m3u")
    for day in range(1, deals):
        deal(request_, tools(), 3, Every.DAY, NOON + timedelta(days=day))
    undone_on, next_day = NOON + timedelta(days=deals - 1), NOON + timedelta(days=deals)
    undo(request_._replace(deal=DealSettings()), tools())

    (tmp_path / "Music/new.mp3").write_bytes((tmp_path / "Music/000.mp3").read_bytes() + b"new")
    for _ in range(2):
        assert not deal(request_, tools(), 3, Every.DAY, undone_on + timedelta(hours=11)).is_new
        assert listed(tmp_path / "all.m3u") == before
    dealt = deal(request_, tools(), 3, Every.DAY, next_day)

    assert dealt.is_new
    assert (dealt.deck.round, len(dealt.deck.dealt)) == (1, 3 * deals)


def test_after_an_undo_no_new_order_is_drawn_before_the_next_reshuffle_is_due(
    request_: Request, tmp_path: Path
) -> None:
    day_s, now_s = 86_400, NOON.timestamp()
    keep(request_, tools()._replace(clock=lambda: now_s - day_s))
    first = listed(tmp_path / "all.m3u")
    keep(request_, tools()._replace(clock=lambda: now_s), redraw_before_s=now_s - day_s / 2)
    undo(request_, tools()._replace(clock=lambda: now_s))

    keep(request_, tools()._replace(clock=lambda: now_s + 60), redraw_before_s=now_s - day_s / 2)
    assert listed(tmp_path / "all.m3u") == first
    keep(request_, tools()._replace(clock=lambda: now_s + day_s), redraw_before_s=now_s + day_s / 2)
    assert listed(tmp_path / "all.m3u") != first


def test_if_an_undo_cannot_be_saved_the_error_says_that_the_file_was_restored(
    request_: Request, tmp_path: Path
) -> None:
    for _ in range(2):
        make_playlist(request_, tools())
    full = PlayshuffleError("The disk is full. No playlist was changed.", Exit.CANNOT_CREATE)
    with mock.patch.object(records, "save", side_effect=full):
        text = refusal(Exit.CANNOT_CREATE, undo, request_, tools())

    assert text.startswith(f"{tmp_path}/all.m3u is as before, but this could not be saved")
