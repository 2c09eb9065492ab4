import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from playshuffle.library.cache import Cache
from playshuffle.library.scan import Place, Progress, scan_places
from playshuffle.library.walk import EVERYWHERE
from playshuffle.tags.reading import Reading, Tags

_FOLDERS = 600


@pytest.mark.process
def test_a_killed_first_run_keeps_the_tags_read_so_far(tmp_path: Path, home: Path) -> None:
    """After kill -9 the next run reads only what is missing."""
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


def found_with(root: Path, read_all: object) -> int:
    with Cache() as cache:
        place = Place((os.fsencode(root),))
        found = scan_places(
            [place],
            [os.fsencode(root)],
            cache,
            read_all,  # type: ignore[arg-type]
            Progress(),
            EVERYWHERE,
        ).places[place]
    return sum(len(folder.file_names()) for root in found.roots.values() for folder in root)
