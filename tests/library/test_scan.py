import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from playshuffle.library.cache import Cache
from playshuffle.library.folder import NO_ALBUM, NOTHING_ODD, Folder
from playshuffle.library.scan import Place, Progress, scan_places
from playshuffle.library.walk import EVERYWHERE
from playshuffle.tags.reading import ReadAll, Reading, Tags
from tests.support.tree import files, put

_FOLDERS = 600


@pytest.mark.process
def test_a_killed_first_run_has_cached_the_tags_that_it_had_read(tmp_path: Path, home: Path) -> None:
    """The next run reads only the tags that are not in the cache."""
    put(bytes(tmp_path), *(b"%03d/x.mp3" % number for number in range(_FOLDERS)))
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:

        def read_some(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
            yield from enumerate([Reading(Tags())] * 520)
            os.write(write_end, b"!")
            signal.pause()

        scanned(tmp_path, read_some)
        os._exit(1)
    assert os.read(read_end, 1) == b"!"
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    os.close(read_end)
    os.close(write_end)

    asked: list[bytes] = []

    def read_rest(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        asked.extend(paths)
        return enumerate([Reading(Tags())] * len(paths))

    assert len(files(scanned(tmp_path, read_rest))) == _FOLDERS
    assert len(asked) == _FOLDERS - 511  # two batches of 256, one of which holds the root itself


def test_a_scan_without_tags_takes_folders_but_no_tags_from_the_cache(tmp_path: Path, home: Path) -> None:
    put(bytes(tmp_path), b"x.mp3")
    tags = Tags(1_000, artist="A", title="B", genre="audiobook")
    [tagged] = scanned(tmp_path, lambda paths: enumerate([Reading(tags)] * len(paths)))

    [bare] = scanned(tmp_path, None)

    assert (tagged.durations_ms, tagged.artists, tagged.odd.spoken.keys()) != (None, b"", {}.keys())
    assert bare == tagged._replace(
        durations_ms=None, extinfs=b"", artists=b"", albums=(NO_ALBUM,), odd=NOTHING_ODD
    )
    assert len(bare.contents) == 8  # the checksums that recognise the file


def scanned(root: Path, read_all: ReadAll | None) -> list[Folder]:
    """Scan a folder with the cache, and return it with all folders below."""
    with Cache() as cache:
        place = Place((bytes(root),))
        found = scan_places([place], place.roots, cache, read_all, Progress(), EVERYWHERE).places[place]
    return [folder for folders in found.roots.values() for folder in folders]
