"""Test runs that write the last deal again: after a request, and with a clock that was set back."""

from datetime import timedelta
from pathlib import Path

import pytest

from playshuffle.dealing.amount import DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import PlayshuffleError
from playshuffle.options.table import Options
from playshuffle.pipeline.deal import Dealt, deal_again
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.request import Request
from tests.support.library import NO_TAGS, NOON, deal, tools, undo_deal
from tests.support.program import listed, numbered


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    return Request(
        (bytes(numbered(tmp_path / "Music", 9)),), bytes(tmp_path / "all.m3u"), deal=DealSettings()
    )


def again(request: Request, without: str = "nothing") -> Dealt:
    request = request._replace(options=Options(where=(f"-path::{without}",)))
    with open_run(request, tools(NO_TAGS), must_remember=True) as run:
        return deal_again(run)


def test_the_last_deal_is_written_again_without_the_tracks_that_new_options_exclude(
    request_: Request, tmp_path: Path
) -> None:
    deal(request_, tools(NO_TAGS), 4)
    first = listed(tmp_path / "all.m3u")
    (tmp_path / "all.m3u").unlink()

    assert again(request_).left == 0
    assert listed(tmp_path / "all.m3u") == first
    assert again(request_, "|".join(first[1:])).left == 3
    assert listed(tmp_path / "all.m3u") == first[:1]
    with pytest.raises(PlayshuffleError, match="The options exclude all tracks of the last deal"):
        again(request_, "|".join(first))
    assert listed(tmp_path / "all.m3u") == first[:1]


def test_undo_brings_back_the_tracks_that_new_options_have_excluded(
    request_: Request, tmp_path: Path
) -> None:
    deal(request_, tools(NO_TAGS), 4)
    first = listed(tmp_path / "all.m3u")
    again(request_, "|".join(first[1:]))

    undo_deal(request_, tools(NO_TAGS))

    assert listed(tmp_path / "all.m3u") == first


@pytest.mark.parametrize(
    ("days", "code"), [(1, "no_deal_yet"), (3650, "future_deal")], ids=["a day ahead", "ten years ahead"]
)
def test_a_deal_dated_later_than_today_stays_and_a_note_says_so(
    request_: Request, tmp_path: Path, days: int, code: str
) -> None:
    deal(request_, tools(NO_TAGS), 3, Every.DAY, NOON + timedelta(days))
    first = listed(tmp_path / "all.m3u")

    dealt = deal(request_, tools(NO_TAGS), 3, Every.DAY, NOON)

    assert (dealt.is_new, listed(tmp_path / "all.m3u")) == (False, first)
    assert code in [note.code for note in dealt.report.notes]
