"""Test that each run saves the options of its playlist, together with its order or deck."""

from pathlib import Path
from unittest import mock

from playshuffle.dealing.period import Every
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.store import records
from playshuffle.store.records import SavedOrder
from playshuffle.store.state import State
from tests.support.library import NO_TAGS, deal, keep, make_playlist, tools, undo_deal
from tests.support.program import numbered

FIRST, SECOND, AGAIN = (Options(groups=number) for number in (1, 2, 3))


def test_changed_options_are_saved_though_the_playlist_does_not_change(tmp_path: Path) -> None:
    out = bytes(tmp_path / "all.m3u")
    request = Request((bytes(numbered(tmp_path / "Music", 3)),), out, options=FIRST)
    make_playlist(request, tools(NO_TAGS))
    with State(writes=False) as state:
        made = records.last(state, out)

    report = keep(request._replace(options=SECOND), tools(NO_TAGS))

    with State(writes=False) as state:
        kept = records.last(state, out)
    assert isinstance(made, SavedOrder)
    assert (made.options, kept, report.is_changed) == (FIRST, made._replace(options=SECOND), False)


def test_a_deck_is_saved_with_the_options_of_the_deal_in_its_file_also_after_undo(tmp_path: Path) -> None:
    out = bytes(tmp_path / "today.m3u")
    request = Request((bytes(numbered(tmp_path / "Music", 6)),), out, options=FIRST)

    def options(age: int = records.LAST) -> Options | None:
        with State(writes=False) as state:
            return records.load(state, out)[age].options

    for changed in (FIRST, SECOND):
        deal(request._replace(options=changed), tools(NO_TAGS), 2)
        assert options() == changed
    assert options(records.BEFORE) == FIRST
    deal(request._replace(options=AGAIN), tools(NO_TAGS), 2, Every.DAY)
    assert (options(), options(records.BEFORE)) == (AGAIN, FIRST)
    deal(request._replace(options=SECOND), tools(NO_TAGS), 2, Every.DAY)
    deal(request._replace(options=AGAIN), tools(NO_TAGS), 2, Every.DAY, has_options=True)
    assert (options(), options(records.BEFORE)) == (AGAIN, SECOND)  # options that the user gave are a step
    for undone, redone in ((SECOND, AGAIN), (AGAIN, SECOND)):
        undo_deal(request, tools(NO_TAGS))
        assert (options(), options(records.BEFORE)) == (undone, redone)


def test_an_order_and_its_options_are_saved_in_one_transaction(tmp_path: Path) -> None:
    """So no process sees an order without its options, even after a kill."""
    out = bytes(tmp_path / "all.m3u")
    request = Request((bytes(numbered(tmp_path / "Music", 3)),), out, options=FIRST)
    make_playlist(request, tools(NO_TAGS))

    with mock.patch.object(State, "change", autospec=True, side_effect=State.change) as change:
        make_playlist(request._replace(options=SECOND), tools(NO_TAGS))

    assert change.call_count == 1
