"""Test that exchanged and converted files keep their positions, and that new files get new numbers."""

import os
import random
import shutil
import subprocess
import wave
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from playshuffle.library import folder_readings
from playshuffle.library.cache import Cache
from playshuffle.pipeline.request import Request
from playshuffle.store.state import State
from playshuffle.tags.reading import Reading
from playshuffle.tags.tag_reader import read
from tests.support.library import FRAME, deal, entries, keep, read_here, tools
from tests.support.needs import need
from tests.support.sized import rotate
from tests.support.tagging import tag


@pytest.fixture(params=[True, False], ids=["birth times", "no birth times"])
def _birth_times(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.setattr(folder_readings, "birth_of", lambda _: None)


def write_music(top: Path, count: int) -> tuple[Path, Request]:
    """Write audio files of different lengths; return their folder, and the request for their playlist."""
    music = top / "music"
    music.mkdir()
    for number in range(count):
        (music / f"{number}.mp3").write_bytes(FRAME * (20 + number))
    return music, Request((bytes(music),), bytes(top / "all.m3u"))


def stems(request: Request) -> list[str]:
    return [Path(entry).stem for entry in entries(request)]


EXCHANGED = {"0": "1", "1": "0"}


@pytest.mark.usefixtures("_birth_times")
@pytest.mark.parametrize("touched", ["0", "1", "01"])
@pytest.mark.parametrize("read_before", [0, 1])
@pytest.mark.parametrize("has_tags", [True, False])
def test_files_that_exchange_names_after_the_scan_found_them_keep_their_positions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, touched: str, read_before: int, has_tags: bool
) -> None:
    """Also if another process has stored tags of the folder since the scan."""
    music, request = write_music(tmp_path, 9)
    first, second = music / "0.mp3", music / "1.mp3"
    keep(request, tools(seed="1"))
    before = stems(request)
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

    assert stems(request) == [EXCHANGED.get(stem, stem) for stem in before]


@pytest.mark.usefixtures("_birth_times")
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("at_reads", [*combinations_with_replacement(range(3), 3)])
def test_no_position_is_lost_if_files_exchange_names_while_all_tags_are_read(
    tmp_path: Path, is_first: bool, at_reads: tuple[int, int, int]
) -> None:
    """All tags are read in the first scan, and without a cache. The files may exchange positions."""
    music, request = write_music(tmp_path, 5)
    first, second, between = (music / name for name in ("0.mp3", "1.mp3", "between"))
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

    before = [] if is_first else stems(request)
    keep(request, tools(exchange_and_read_all, "2"))
    before = before or stems(request)
    keep(request, tools(seed="3"))

    assert len(stems(request)) == 5
    if len(before) == 5:  # else a file was not there when it was to be read, and is new now
        assert stems(request) in (before, [EXCHANGED.get(stem, stem) for stem in before])


@pytest.mark.usefixtures("_birth_times")
def test_the_tags_of_a_file_dated_in_the_far_future_are_read_only_once(tmp_path: Path) -> None:
    music, request = write_music(tmp_path, 1)
    os.utime(music / "0.mp3", (0, 15_000_000_000))  # in nanoseconds, this takes more than 64 bits with sign
    read_count = 0

    def read_and_count(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        nonlocal read_count
        read_count += len(paths)
        return read_here(paths)

    reports = [keep(request, tools(read_and_count)) for _ in range(2)]

    assert all(report.library.tracks.durations_ms[0] for report in reports)
    assert read_count == 1


# A library that was converted to another format


COUNT = 300


def to_opus(files: list[Path]) -> None:
    """Convert files beside themselves, with their tags, as converters do."""
    words = [word for file in files for word in ("-i", str(file))]
    for number, file in enumerate(files):
        words += "-map", f"{number}", "-map_metadata", f"{number}", str(file.with_suffix(".opus"))
    subprocess.run(["ffmpeg", "-v", "error", *words], check=True, timeout=500)


@pytest.mark.process
@pytest.mark.parametrize("deletes_first", [False, True])
def test_tracks_keep_positions_and_count_as_dealt_after_their_files_were_converted_to_opus(
    tmp_path: Path, deletes_first: bool
) -> None:
    """Also if the new files appear only after an update without the old ones."""
    need("ffmpeg")
    music = tmp_path / "Music"
    music.mkdir()
    files = [music / f"{number:03}.mp3" for number in range(COUNT)]
    for number, file in enumerate(files):
        file.write_bytes(FRAME * (20 + number % 30))
        if number % 5:  # the others are known by their names
            tag(file, {"artist": f"Artist {number % 7}", "title": f"Title {number % 50}"})
    kept = Request((bytes(music),), bytes(tmp_path / "kept.m3u"))
    dealt = kept._replace(output=bytes(tmp_path / "dealt.m3u"))
    keep(kept, tools(seed="1"))
    order = stems(kept)
    deal(dealt, tools(), COUNT // 2)
    first_half = stems(dealt)

    to_opus(files)
    for file in files[COUNT // 2 :] if deletes_first else files:
        file.unlink()
    if deletes_first:
        hidden = music.rename(tmp_path / "hidden") / "."
        music.mkdir()
        for file in hidden.glob("*.mp3"):
            file.rename(music / file.name)
        keep(kept, tools(seed="2"))
        assert len(stems(kept)) == COUNT // 2
        for file in files[: COUNT // 2]:
            file.unlink()
        for file in hidden.glob("*.opus"):
            file.rename(music / file.name)
    report = keep(kept, tools(seed="2"))

    assert stems(kept) == order
    assert {Path(entry).suffix for entry in entries(kept)} == {".opus"}
    assert deletes_first or (report.came, report.went, report.renamed) == (0, 0, COUNT)
    deal(dealt, tools(), COUNT // 2)
    assert sorted(first_half + stems(dealt)) == sorted(order)


# Files of equal lengths


def songs(folder: Path, numbers: range) -> None:
    """Write songs of different audio, in only ten different lengths."""
    folder.mkdir(exist_ok=True)
    for number in numbers:
        with wave.open(str(folder / f"{number:04}.wav"), "wb") as file:
            file.setparams((1, 1, 8000, 0, "NONE", ""))
            file.writeframes(random.Random(number).randbytes(800 + number % 10))


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_new_songs_are_not_taken_for_deleted_songs_of_equal_length_in_a_list_or_deck(
    tmp_path: Path, count: int
) -> None:
    """In a kept list, and in a deck of which half was dealt."""
    music = tmp_path / "Music"
    songs(music, range(2 * count))
    kept = Request((bytes(music),), bytes(tmp_path / "all.m3u"))
    dealt = kept._replace(output=bytes(tmp_path / "today.m3u"))
    keep(kept, tools(read_here))
    deck = deal(dealt, tools(read_here), count).deck
    with State(writes=False) as state:
        next_number = state.load_tracks().next_number
    for number in range(count):
        os.unlink(music / f"{number:04}.wav")
    songs(music, range(2 * count, 3 * count))

    report = keep(kept, tools(read_here))
    deck = deal(dealt, tools(read_here), 1).deck

    assert (report.came, report.went, report.renamed) == (count, count, 0)
    with State(writes=False) as state:
        [folder] = state.load_tracks().folders.values()
    new = {number for name, number in folder.numbers_by_name().items() if name >= b"%04d" % (2 * count)}
    assert len(new) == count
    assert min(new) >= next_number
    assert len(deck.upcoming) == 2 * count - (len(deck.dealt) - len(deck.removed))
    assert len(deck.dealt) == count + 1
