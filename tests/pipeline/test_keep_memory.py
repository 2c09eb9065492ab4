"""Memory of an update: the last order is freed before the text of the playlist is made."""

import os
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.library.scan import Progress
from playshuffle.library.walk import EVERYWHERE
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.session import Session
from playshuffle.pipeline.sources import Tools
from playshuffle.shuffle import Seeded
from playshuffle.store import edits, order_rows
from playshuffle.tags.reader_pool import read_all

COUNT = 400
NAME_LENGTH = 200


@pytest.mark.parametrize("change", ["nothing", "a new file", "another order"])
def test_the_last_order_is_freed_before_the_playlist_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    music = tmp_path / "music"
    music.mkdir()
    for number in range(COUNT):
        (music / f"{number:0{NAME_LENGTH}}.mp3").write_bytes(b"x")
    request = Request(
        roots=(os.fsencode(music),), output=os.fsencode(tmp_path / "all.m3u"), recipe=Recipe(), tags=False
    )
    sizes: list[int] = []
    make_report = Session.report

    def report(run: Session, arranged: Arranged, notes: Sequence[str] = ()) -> Report:
        if tracemalloc.is_tracing():
            snapshot = tracemalloc.take_snapshot()
            store = [tracemalloc.Filter(True, str(module.__file__)) for module in (edits, order_rows)]
            sizes.append(sum(trace.size for trace in snapshot.filter_traces(store).traces))
        return make_report(run, arranged, notes)

    monkeypatch.setattr(Session, "report", report)
    tools = Tools(read_all, Seeded("1"), Progress())
    for extra in ("1", "2"):  # so that the last order is stored as edits
        keep(request, tools, EVERYWHERE)
        (music / f"{extra}.mp3").write_bytes(b"x")
    if change == "nothing":
        keep(request, tools, EVERYWHERE)

    tracemalloc.start()
    try:
        keep(request, tools, EVERYWHERE, redraw_before_s=float("inf") if change == "another order" else 0)
    finally:
        tracemalloc.stop()

    assert sizes
    assert sizes[0] < COUNT * NAME_LENGTH / 4
