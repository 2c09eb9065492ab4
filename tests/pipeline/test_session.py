"""Test that a run which waited for another process works with what that process saw."""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from playshuffle.dealing.amount import Amount
from playshuffle.dealing.period import Every
from playshuffle.library.scan import Progress
from playshuffle.library.walk import EVERYWHERE
from playshuffle.pipeline.deal import deal_playlist
from playshuffle.pipeline.make import make_playlist
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import Seeded
from playshuffle.tags.reading import ReadAll, Reading, Tags
from tests.support.keeping import keep_playlist as keep
from tests.support.program import listed

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)


def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    return ((number, Reading(Tags(title=os.fsdecode(path)))) for number, path in enumerate(paths))


def interrupted(act: Callable[[], object]) -> ReadAll:
    """Return a tag reader that lets another run act once, while the files of this one are read."""
    acts = [act]

    def reading(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        yield from read_all(paths)
        while acts:
            acts.pop()()

    return reading


def tools(reader: ReadAll) -> Tools:
    return Tools(reader, Seeded("seed"), Progress())


def read_by_name(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    """Read tags whose genre is the name of the file up to a dash."""
    return (
        (number, Reading(Tags(genre=os.path.basename(os.fsdecode(path)).split("-")[0])))
        for number, path in enumerate(paths)
    )


def write_files(music: Path, numbers: range) -> list[str]:
    music.mkdir(exist_ok=True)
    for number in numbers:
        (music / f"{number}.mp3").write_bytes(bytes(number + 1))
    return [f"{number}.mp3" for number in numbers]


def deal_six(request: Request, reader: ReadAll) -> object:
    return deal_playlist(request, tools(reader), Amount(count=6), Every.DAY, NOON)


def keep_all(request: Request, reader: ReadAll) -> object:
    return keep(request, tools(reader), EVERYWHERE)


def make_all(request: Request, reader: ReadAll) -> object:
    return make_playlist(request, tools(reader))


@pytest.mark.parametrize("run", [deal_six, keep_all, make_all])
def test_a_track_that_another_run_wrote_meanwhile_is_not_lost(
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


def test_a_changed_file_keeps_its_place_in_all_decks_beside_a_track_that_is_left_out(tmp_path: Path) -> None:
    music = tmp_path / "Music"
    music.mkdir()
    for size, name in enumerate(["audiobook-0", *(f"jazz-{number}" for number in range(4))], 1):
        (music / f"{name}.mp3").write_bytes(bytes(size))
    decks = [Request((bytes(music),), bytes(tmp_path / f"{name}.m3u")) for name in ("first", "second")]

    def deal_two(request: Request) -> list[str]:
        deal_playlist(request, tools(read_by_name), Amount(count=2), Every.RUN, NOON)
        return listed(tmp_path / os.fsdecode(os.path.basename(request.output or b"")))

    dealt = deal_two(decks[0]), deal_two(decks[1])
    for path in music.glob("jazz-*"):
        path.write_bytes(path.read_bytes() + b"more")

    rounds = [before + deal_two(request) for before, request in zip(dealt, decks, strict=True)]

    for tracks in rounds:
        assert sorted(os.path.basename(track) for track in tracks) == [f"jazz-{n}.mp3" for n in range(4)]
