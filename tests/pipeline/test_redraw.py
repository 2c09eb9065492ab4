"""An update that draws a new order."""

import os
from pathlib import Path

from playshuffle.errors import PlayshuffleError
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from tests.support.library import keep, tools
from tests.support.program import listed


def test_a_new_order_that_would_lose_a_track_is_not_taken(tmp_path: Path) -> None:
    music, playlist = tmp_path / "music", tmp_path / "all.m3u"
    music.mkdir()
    lost = " a.mp3"  # MPD takes the space away
    for name in ("1.mp3", "2.mp3", "3.mp3", lost):
        (music / name).write_bytes(b"x")
    request = Request(
        roots=(os.fsencode(music),),
        output=os.fsencode(playlist),
        recipe=Recipe(limit=2),
        player="mpd",
        strict=True,
        tags=False,
    )

    def redraw(seed: int) -> Report:
        return keep(request, tools(seed=str(seed)), redraw_before_s=float("inf"))

    seeds = iter(range(1000))
    while not playlist.exists():
        try:
            redraw(next(seeds))
        except PlayshuffleError as error:  # the playlist has not been written yet
            assert lost in str(error)  # noqa: PT017 - it is not known which draw fails
    while True:
        before = listed(playlist)
        report = redraw(next(seeds))
        if report.notes:
            break
        assert lost not in str(listed(playlist))

    assert "keeps its order" in report.notes[0]
    assert listed(playlist) == before
