"""Test that a run which waited for another process works with what that process saw."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from playshuffle.dealing.period import Every
from playshuffle.pipeline.request import Request
from playshuffle.tags.reading import ReadAll, Reading, Tags
from tests.support.library import deal, keep, make_playlist, reader, tools
from tests.support.program import listed

read_all = reader(lambda path: Tags(title=path))


def interrupted(act: Callable[[], object]) -> ReadAll:
    """Return a tag reader that lets another run act once, while the files of this one are read."""
    acts = [act]

    def reading(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        yield from read_all(paths)
        while acts:
            acts.pop()()

    return reading


def write_files(music: Path, numbers: range) -> list[str]:
    music.mkdir(exist_ok=True)
    for number in numbers:
        (music / f"{number}.mp3").write_bytes(bytes(number + 1))
    return [f"{number}.mp3" for number in numbers]


def deal_six(request: Request, reader: ReadAll) -> object:
    return deal(request, tools(reader), 6, Every.DAY)


def keep_all(request: Request, reader: ReadAll) -> object:
    return keep(request, tools(reader))


def make_all(request: Request, reader: ReadAll) -> object:
    return make_playlist(request, tools(reader))


@pytest.mark.parametrize("run", [deal_six, keep_all, make_all])
def test_a_track_that_another_run_adds_while_this_run_reads_tags_is_not_lost(
    tmp_path: Path, run: Callable[[Request, ReadAll], object]
) -> None:
    music, playlist = tmp_path / "Music", tmp_path / "Music" / "today.m3u"
    names = write_files(music, range(5))
    request = Request((bytes(music),), bytes(playlist))

    def other_run() -> None:
        names.extend(write_files(music, range(5, 6)))
        run(request, read_all)
        assert sorted(listed(playlist)) == names

    run(request, interrupted(other_run))

    assert sorted(listed(playlist)) == names
    assert len(names) == 6
