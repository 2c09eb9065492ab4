"""Files that are exchanged while an update reads their tags."""

import os
import shutil
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from playshuffle.library import folder_readings
from playshuffle.library.cache import Cache
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.request import Request
from playshuffle.tags.reading import Reading
from playshuffle.tags.tag_reader import read
from tests.support.library import FRAME, keep, read_here, tools
from tests.support.program import listed
from tests.support.sized import rotate


@pytest.mark.parametrize("has_birth_times", [True, False])
@pytest.mark.parametrize("touched", ["0", "1", "01"])
@pytest.mark.parametrize("read_before", [0, 1])
@pytest.mark.parametrize("has_tags", [True, False])
def test_files_that_are_exchanged_after_they_were_listed_keep_their_positions(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_birth_times: bool,
    touched: str,
    read_before: int,
    has_tags: bool,
) -> None:
    """Also if another process has stored other tags of their folder since."""
    if not has_birth_times:
        monkeypatch.setattr(folder_readings, "birth_of", lambda _: None)
    music = tmp_path / "music"
    music.mkdir()
    for number in range(9):
        (music / f"{number}.mp3").write_bytes(FRAME * (20 + number))
    first, second = music / "0.mp3", music / "1.mp3"
    playlist = tmp_path / "all.m3u"
    request = Request((os.fsencode(music),), os.fsencode(playlist), Recipe())
    keep(request, tools(seed="1"))
    before = [Path(entry).name for entry in listed(playlist)]
    for name in touched:
        os.utime(music / f"{name}.mp3", (1, 1))  # so that it is read again

    def exchange_and_read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for number, path in enumerate(paths):
            if number == read_before:
                rotate(first, second)
            yield number, read(path)

    with monkeypatch.context() as patch:
        if not has_tags:
            patch.setattr(Cache, "fields", lambda *_: [])
        keep(request, tools(exchange_and_read_all, "2"))
    if has_tags and touched != "01" and read_before == 1:  # there was one file to read
        rotate(first, second)
    keep(request, tools(seed="3"))

    other = {first.name: second.name, second.name: first.name}
    assert [Path(entry).name for entry in listed(playlist)] == [other.get(name, name) for name in before]


@pytest.mark.parametrize("has_birth_times", [True, False])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("at_reads", [*combinations_with_replacement(range(3), 3)])
def test_files_that_exchange_names_while_all_tags_are_read_lose_no_position(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_birth_times: bool,
    is_first: bool,
    at_reads: tuple[int, int, int],
) -> None:
    """In the first scan of all, or in one without a cache. They may exchange their positions."""
    if not has_birth_times:
        monkeypatch.setattr(folder_readings, "birth_of", lambda _: None)
    music = tmp_path / "music"
    music.mkdir()
    for number in range(5):
        (music / f"{number}.mp3").write_bytes(FRAME * (20 + number))
    first, second, between = (music / name for name in ("0.mp3", "1.mp3", "between"))
    playlist = tmp_path / "all.m3u"
    request = Request((os.fsencode(music),), os.fsencode(playlist), Recipe())
    if not is_first:
        keep(request, tools(seed="1"))
        shutil.rmtree(Path(os.environ["XDG_CACHE_HOME"]))

    def exchange_and_read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        renames = [(second, between), (first, second), (between, first)]
        for number, path in enumerate([*paths, b""]):
            for source, target in (one for one, at in zip(renames, at_reads, strict=True) if at == number):
                source.rename(target)
            if path:
                yield number, read(path)

    before = [] if is_first else [Path(entry).name for entry in listed(playlist)]
    keep(request, tools(exchange_and_read_all, "2"))
    before = before or [Path(entry).name for entry in listed(playlist)]
    keep(request, tools(seed="3"))
    after = [Path(entry).name for entry in listed(playlist)]

    other = {first.name: second.name, second.name: first.name}
    assert len(after) == 5
    if len(before) == 5:  # else a file was not there when it was to be read, and is new now
        assert after in (before, [other.get(name, name) for name in before])


@pytest.mark.parametrize("has_birth_times", [True, False])
def test_a_file_of_the_far_future_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_birth_times: bool
) -> None:
    if not has_birth_times:
        monkeypatch.setattr(folder_readings, "birth_of", lambda _: None)
    music = tmp_path / "music"
    music.mkdir()
    file = music / "0.mp3"
    file.write_bytes(FRAME * 20)
    os.utime(file, (0, 15_000_000_000))  # in nanoseconds, this takes more than 64 bits with sign
    read_count = 0

    def read_and_count(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        nonlocal read_count
        read_count += len(paths)
        return read_here(paths)

    request = Request((os.fsencode(music),), os.fsencode(tmp_path / "all.m3u"), Recipe())
    reports = [keep(request, tools(read_and_count)) for _ in range(2)]

    assert all(report.library.tracks.durations_ms[0] for report in reports)
    assert read_count == 1
