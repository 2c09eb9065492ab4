"""Test that a run which waited for another process works with what that process saw."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from playshuffle.dealing.period import Every
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.tags.reading import ReadAll, Reading, Tags
from tests.support.library import deal, entries, keep, make_playlist, put, reader, tools

read_all = reader(lambda path: Tags(title=path))


def interrupted(act: Callable[[], object]) -> ReadAll:
    """Return a tag reader that calls `act` once, before the run that reads tags goes on."""
    acts = [act]

    def reading(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        yield from read_all(paths)
        while acts:
            acts.pop()()

    return reading


@pytest.mark.parametrize("run", [partial(deal, count=6, every=Every.DAY), keep, make_playlist])
def test_a_track_that_another_run_adds_while_this_run_reads_tags_is_not_lost(
    tmp_path: Path, run: Callable[[Request, Tools], object]
) -> None:
    request = Request((bytes(tmp_path),), bytes(tmp_path / "today.m3u"))
    names = [f"{number}.mp3" for number in range(5)]
    put(tmp_path, *names)

    def other_run() -> None:
        put(tmp_path, "5.mp3")
        run(request, tools(read_all))
        assert sorted(entries(request)) == [*names, "5.mp3"]

    run(request, tools(interrupted(other_run)))

    assert sorted(entries(request)) == [*names, "5.mp3"]
