import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.cache import Cache
from playshuffle.library.folder import NOTHING_ODD, Folder
from playshuffle.library.scan import Place, Progress, scan_places
from playshuffle.library.tag_columns import pack, unpack
from playshuffle.library.walk import EVERYWHERE
from playshuffle.tags.reading import ReadAll, Reading, Tags

_FOLDERS = 600


@pytest.mark.process
def test_a_killed_first_run_keeps_the_tags_read_so_far(tmp_path: Path, home: Path) -> None:
    """After kill -9 the next run reads only the missing tags."""
    for number in range(_FOLDERS):
        folder = tmp_path / f"{number:03}"
        folder.mkdir()
        (folder / "x.mp3").write_bytes(b"x")
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:

        def read_some(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
            for number in range(520):
                yield number, Reading(Tags(title=str(number)))
            os.write(write_end, b"!")
            signal.pause()

        found_with(tmp_path, read_some)
        os._exit(1)
    assert os.read(read_end, 1) == b"!"
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    os.close(read_end)
    os.close(write_end)

    asked: list[bytes] = []

    def read_rest(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        asked.extend(paths)
        return ((number, Reading(Tags())) for number in range(len(paths)))

    assert found_with(tmp_path, read_rest) == _FOLDERS
    assert len(asked) == _FOLDERS - 511  # two batches of 256, one of which holds the root itself


def test_a_scan_without_tags_uses_cached_folders_without_their_tags(tmp_path: Path, home: Path) -> None:
    (tmp_path / "x.mp3").write_bytes(b"x")
    tags = Tags(1_000, artist="A", title="B", genre="audiobook")
    [tagged] = scanned(tmp_path, lambda paths: enumerate([Reading(tags)] * len(paths)))

    [bare] = scanned(tmp_path, None)

    assert (tagged.durations_ms, tagged.artists, tagged.odd.spoken.keys()) != (None, b"", {}.keys())
    assert bare == tagged._replace(durations_ms=None, extinfs=b"", artists=b"", odd=NOTHING_ODD)
    assert len(bare.contents) == 8  # by which it would be recognised


def found_with(root: Path, read_all: ReadAll) -> int:
    return sum(len(folder.file_names()) for folder in scanned(root, read_all))


def scanned(root: Path, read_all: ReadAll | None) -> list[Folder]:
    """Return the folders that a scan finds."""
    with Cache() as cache:
        place = Place((os.fsencode(root),))
        found = scan_places([place], place.roots, cache, read_all, Progress(), EVERYWHERE).places[place]
    return [folder for folders in found.roots.values() for folder in folders]


# Columns of tags


_VALUES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False) | st.text(max_size=3)
_ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.none() | st.lists(_VALUES, min_size=width, max_size=width), max_size=6)
)


@given(_ROWS)
def test_packed_rows_and_columns_are_read_back(rows: list[list[object] | None]) -> None:
    unpacked = unpack(pack(rows).encode())

    assert repr(list(unpacked)) == repr(rows)
    assert len(unpacked) == len(rows)
    assert unpacked == rows
    tagged = [number for number, row in enumerate(rows) if row is not None]
    for index in range(len(rows[tagged[0]] or ())) if tagged else ():
        column = unpacked.column(index)
        assert [repr(column[number]) for number in tagged] == [
            repr(row[index]) for row in rows if row is not None
        ]


def test_a_text_that_all_files_share_is_stored_once() -> None:
    assert pack([["Album", 1], ["Album", 2]]) == '[2, [], ["Album", [1, 2]]]'
