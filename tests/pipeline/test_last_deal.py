"""Test that a run writes the last deal again, without the tracks that new options exclude."""

from pathlib import Path

import pytest

from playshuffle.dealing.amount import DealSettings
from playshuffle.errors import PlayshuffleError
from playshuffle.options.table import Options
from playshuffle.pipeline.deal import deal_again
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.request import Request
from tests.support.library import NO_TAGS, deal, entries, tools
from tests.support.program import numbered


def test_the_last_deal_is_written_again_without_the_tracks_that_new_options_exclude(tmp_path: Path) -> None:
    music, file = numbered(tmp_path / "Music", 9), tmp_path / "all.m3u"
    request = Request((bytes(music),), bytes(file), deal=DealSettings())

    def left(excluded: str) -> int:
        """Write the last deal again; return how many of its tracks the options exclude."""
        options = Options(where=(f"-path::{excluded}",))
        with open_run(request._replace(options=options), tools(NO_TAGS), must_remember=True) as run:
            return deal_again(run).left

    deal(request, tools(NO_TAGS), 4)
    first = entries(request)
    file.unlink()

    assert (left("nothing"), entries(request)) == (0, first)
    assert (left("|".join(first[1:])), entries(request)) == (3, first[:1])
    with pytest.raises(PlayshuffleError, match="The options exclude all tracks of the last deal"):
        left("|".join(first))
    assert entries(request) == first[:1]
