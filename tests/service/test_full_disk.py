"""A service that was started while the disk of its state was full."""

import contextlib
import itertools
import signal
from pathlib import Path

import pytest

from playshuffle.service.status_file import services
from playshuffle.system.lock import held
from tests.support.file_systems import small_disk
from tests.support.program import run
from tests.support.service import Service, config, wait_for

MUSIC = 3


def fill(folder: Path, options: str) -> list[Path]:
    """Use up the space of a disk, or its number of files; return the files."""
    if options == "size=1m":
        with contextlib.suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        return [folder / "filler"]
    files = []
    with contextlib.suppress(OSError):
        for number in itertools.count():
            (folder / f"{number}").touch()
            files.append(folder / f"{number}")
    return files


@pytest.mark.process
@pytest.mark.root
@pytest.mark.parametrize("options", ["size=1m", "size=64m,nr_inodes=40"])
def test_a_service_that_was_started_with_a_full_state_disk_is_seen_and_is_the_only_one(
    music: Path, tmp_path: Path, home: Path, options: str
) -> None:
    """If the disk has no room for a lock, this holds as soon as it has."""
    state = home / ".local/state"
    with small_disk(state, options):
        (state / "playshuffle/services").mkdir(parents=True)
        fillers = fill(state, options)
        with Service(tmp_path, config(music)) as service:
            wait_for(lambda: "Nothing can be saved" in service.log)
            assert service.process is not None
            number = str(service.process.pid)
            if options != "size=1m":
                for path in fillers:
                    path.unlink()
                wait_for(lambda: "configuration reloaded" in service.log)  # with the lock of the list
            wait_for(lambda: service.status()["services"])
            assert service.status()["services"][0]["process"] == service.process.pid

            second = run("watch", music, "-o", music / "all.m3u")
            assert second.code == 73
            assert f"Another playshuffle (process {number}) manages" in second.err
            (tmp_path / "Moved").mkdir()
            moved = run("move", music, tmp_path / "Moved", env=service.env)
            assert f"The service is running (process {number})" in moved.err

            for path in fillers:
                path.unlink(missing_ok=True)
            service.signal(signal.SIGHUP)
            wait_for(lambda: service.playlist("all")["state"] == "managed")


def test_a_locked_playlist_whose_fingerprint_has_only_digits_is_not_taken_for_a_service(home: Path) -> None:
    folder = home / ".local/state/playshuffle/services"
    folder.mkdir(parents=True)
    with held(bytes(folder / "1234567890123456.lock"), 0), held(bytes(folder / "12.lock"), 0):
        assert [status.services[0].process for status in services()] == [12]
