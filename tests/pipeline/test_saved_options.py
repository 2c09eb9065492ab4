"""Test that each run saves the options of its playlist, together with its order or deck."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from playshuffle.dealing.amount import Amount
from playshuffle.dealing.period import Every
from playshuffle.library.scan import Progress
from playshuffle.pipeline.deal import deal_playlist
from playshuffle.pipeline.make import make_playlist
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import Seeded
from playshuffle.store import decks
from playshuffle.store.state import State
from playshuffle.tags.reading import Reading, Tags
from tests.support.decks import undo_deal
from tests.support.keeping import keep_playlist
from tests.support.program import numbered

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)


def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    return ((index, Reading(Tags(60_000))) for index in range(len(paths)))


def tools() -> Tools:
    return Tools(read_all, Seeded("seed"), Progress())


def test_changed_options_are_saved_though_the_playlist_stays(tmp_path: Path) -> None:
    out = bytes(tmp_path / "all.m3u")
    request = Request((bytes(numbered(tmp_path / "Music", 3)),), out, options="first")
    make_playlist(request, tools())
    with State(writes=False) as state:
        [made] = state.orders(out)

    report = keep_playlist(request._replace(options="second"), tools())

    with State(writes=False) as state:
        [kept] = state.orders(out)
    assert (made.options, kept, report.is_changed) == ("first", made._replace(options="second"), False)


def test_a_deck_has_the_options_of_its_file_also_after_undo(tmp_path: Path) -> None:
    out = bytes(tmp_path / "today.m3u")
    request = Request((bytes(numbered(tmp_path / "Music", 6)),), out, options="first")

    def options(age: int = 0) -> str | None:
        with State(writes=False) as state:
            stored = decks.load(state, out, age)
            return stored and stored.options

    for text in ("first", "second"):
        deal_playlist(request._replace(options=text), tools(), Amount(count=2), Every.RUN, NOON)
        assert options() == text
    assert options(1) == "first"
    deal_playlist(request._replace(options="again"), tools(), Amount(count=2), Every.DAY, NOON)
    assert (options(), options(1)) == ("again", "first")
    for undone, redone in (("first", "again"), ("again", "first")):
        undo_deal(request, tools())
        assert (options(), options(1)) == (undone, redone)


def test_an_order_and_its_options_are_saved_in_one_change(tmp_path: Path) -> None:
    """Nobody sees one without the other, also if the process is killed."""
    out = bytes(tmp_path / "all.m3u")
    request = Request((bytes(numbered(tmp_path / "Music", 3)),), out, options="first")
    make_playlist(request, tools())

    with mock.patch.object(State, "change", autospec=True, side_effect=State.change) as change:
        make_playlist(request._replace(options="second"), tools())

    assert change.call_count == 1
