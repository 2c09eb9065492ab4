"""New songs that last as long as deleted ones are songs of their own."""

import os
import random
import wave
from pathlib import Path

import pytest

from playshuffle.pipeline.request import Request
from playshuffle.store.state import State
from tests.support.library import deal, keep, read_here, tools

RATE = 8000


def songs(folder: Path, numbers: range) -> None:
    """Write songs with audio of their own, a hundred of which have the same length."""
    folder.mkdir(exist_ok=True)
    for number in numbers:
        with wave.open(str(folder / f"{number:04}.wav"), "wb") as file:
            file.setparams((1, 1, RATE, 0, "NONE", ""))
            file.writeframes(random.Random(number).randbytes(RATE // 10 + number % 10))


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_new_song_inherits_the_number_of_a_deleted_one(tmp_path: Path, count: int) -> None:
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
