"""Files keep their positions when a tagger retags them and moves them into new folders.

As `beet import`, Picard and EasyTAG do: tags before or after the move, within one file system or from
another one, with a picture, into folders by artist and album.
"""

import os
import shutil
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from mutagen.id3 import APIC, ID3, TALB, TIT2, TPE1

from tests.support import damage
from tests.support.music import own_audio
from tests.support.needs import unmet
from tests.support.program import listed
from tests.support.service import Service, wait_for

_COUNT, _IMPORTED = 300, 100


def _retag(path: Path, number: int) -> None:
    """Write tags and a cover, as mutagen does for Picard and beets."""
    tags = ID3()
    tags.add(TPE1(text=f"Artist {number % 7}"))
    tags.add(TALB(text=f"Album {number % 13}"))
    tags.add(TIT2(text=f"Title {number}"))
    tags.add(APIC(mime="image/png", data=bytes(100 * number)))
    tags.save(path)


def _fill(folder: Path, numbers: Sequence[int]) -> None:
    """Write MP3 files, each of its own length and audio."""
    folder.mkdir()
    for number in numbers:
        (folder / f"rip {number:03}.mp3").write_bytes(own_audio(number, 20 + number))


@pytest.fixture
def other_disk() -> Iterator[Path]:
    """A folder on another file system than that of the temporary folder."""
    if (
        not os.access("/dev/shm", os.W_OK)
        or os.stat("/dev/shm").st_dev == os.stat(tempfile.gettempdir()).st_dev
    ):
        unmet("/dev/shm is not another file system that can be written to")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def _import(source: Path, library: Path, pause_s: float, *, retag_first: bool) -> dict[Path, int]:
    """Retag the files of a folder, move them into new folders, and return their numbers by new path."""
    numbers = {}
    for file in sorted(source.iterdir()):
        number = int(file.stem.removeprefix("rip "))
        target = library / f"Artist {number % 7}" / f"Album {number % 13}" / f"Title {number}.mp3"
        target.parent.mkdir(parents=True, exist_ok=True)
        if retag_first:
            _retag(file, number)
        shutil.move(file, target)
        if not retag_first:
            _retag(target, number)
        numbers[target] = number
        time.sleep(pause_s)  # the speed of the import, not a wait
    return numbers


def _longest_rise(numbers: Sequence[int]) -> int:
    """Return the length of the longest increasing subsequence."""
    ends: list[int] = []
    for number in numbers:
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
    return len(ends)


_SPEEDS = [0, 0.1, pytest.param(1, marks=pytest.mark.slow)]


@pytest.mark.process
@pytest.mark.parametrize("pause_s", _SPEEDS)
@pytest.mark.parametrize("retag_first", [True, False], ids=["tags first", "move first"])
@pytest.mark.parametrize("disks", [1, 2])
def test_at_least_98_of_100_files_keep_their_positions_when_they_are_retagged_and_moved(
    tmp_path: Path, other_disk: Path, disks: int, retag_first: bool, pause_s: float
) -> None:
    library = tmp_path / "Music"
    _fill(library, range(_IMPORTED, _COUNT))
    source = (other_disk if disks == 2 else tmp_path) / "Rips"
    _fill(source, range(_IMPORTED))
    playlist = tmp_path / "all.m3u"
    text = f'folders = ["{library}", "{source}"]\n[playlist.all]\noutput = "{playlist}"\npaths = "absolute"\n'
    with Service(tmp_path, text) as service:
        wait_for(lambda: playlist.exists() and len(listed(playlist)) == _COUNT)
        before = listed(playlist)
        number_of = {str(path): int(path.stem[4:]) for top in (library, source) for path in top.iterdir()}

        new = _import(source, library, pause_s, retag_first=retag_first)

        wait_for(lambda: set(map(str, new)) <= set(entries := listed(playlist)) and len(entries) == _COUNT)
        after = listed(playlist)
        assert damage.STATE_DAMAGED not in service.log
        assert "Traceback" not in service.log
    number_of |= {str(path): number for path, number in new.items()}
    place_of = {number_of[path]: place for place, path in enumerate(before)}
    places = [place_of[number_of[path]] for path in after]
    assert sorted(places) == [*range(_COUNT)]
    assert _COUNT - _longest_rise(places) <= 2
