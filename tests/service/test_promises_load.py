"""The service under load: bursts of changes, lost events, and files made to break readers."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.support.bad_audio import compressed_bomb, nested_bomb, slow_id3_bomb, slow_ogg_bomb
from tests.support.program import DATA, listed, numbered
from tests.support.service import SETTLE_S, Service, add, aged, config, wait_for

pytestmark = pytest.mark.process

ROOMY_MB = 150


def count(playlist: Path) -> int:
    return len(listed(playlist)) if playlist.exists() else 0


def pour(music: Path, folders: int, files: int) -> None:
    """Write N files into each of M folders, as fast as possible."""
    tone = (DATA / "v24.mp3").read_bytes()
    for folder in range(folders):
        for number in range(files):
            with open(f"{music}/{folder}/{number}.mp3", "wb", buffering=0) as file:
                file.write(tone)


@pytest.mark.parametrize(
    ("folders", "files"), [(20, 100), pytest.param(50, 1000, marks=pytest.mark.slow)], ids=["2,000", "50,000"]
)
@pytest.mark.timing
def test_if_many_files_are_added_at_once_all_are_in_the_playlist_within_a_minute(
    tmp_path: Path, folders: int, files: int
) -> None:
    """They are written as fast as possible; the playlist is written fewer than 20 times."""
    music = aged(numbered(tmp_path / "Music", 2))
    for number in range(folders):
        (music / str(number)).mkdir()
    with Service(tmp_path, config(music)) as service:
        wait_for(lambda: count(music / "all.m3u") == 2)
        pour(music, folders, files)

        took_s = wait_for(lambda: count(music / "all.m3u") == 2 + folders * files, 120)

        assert took_s < 60
        assert service.log.count(" tracks written to ") < 20
        print(f"{folders * files} files: {took_s:.1f} s after the last of them")


def test_after_an_overflow_of_the_queue_of_events_a_full_scan_finds_all_files(tmp_path: Path) -> None:
    """The full scan also finds a new folder without an event, which is then watched."""
    music = aged(numbered(tmp_path / "Music", 2))
    for number in range(10):
        (music / str(number)).mkdir()
    with Service(tmp_path, config(music, tags=False)) as service:
        assert service.process is not None
        wait_for(lambda: count(music / "all.m3u") == 2)
        wait_for(lambda: len(service.processes()) == 2)
        os.kill(service.process.pid, signal.SIGSTOP)  # more events than a queue takes, and nobody reads them
        pour(music, 10, 1000)
        (music / "late/folder").mkdir(parents=True)
        os.kill(service.process.pid, signal.SIGCONT)

        wait_for(lambda: count(music / "all.m3u") == 10002)

        wait_for(lambda: "events were lost" in service.log)
        wait_for(lambda: service.status()["roots"][0]["watched"] == "events")
        add(music / "late/folder/last.ogg", music / "all.m3u")


@pytest.mark.parametrize(
    "names", [["memory.mp3", "depth.m4a"], pytest.param(None, marks=pytest.mark.slow)], ids=["two", "all"]
)
@pytest.mark.timing
def test_hostile_files_neither_stop_the_service_nor_make_it_need_much_memory(
    tmp_path: Path, names: list[str] | None
) -> None:
    """They are listed without tags, are not read again until they change, and delay no other file."""
    music = aged(numbered(tmp_path / "Music", 3))
    kinds = {
        "memory.mp3": compressed_bomb,
        "depth.m4a": nested_bomb,
        "slow.ogg": slow_ogg_bomb,
        "slow.mp3": slow_id3_bomb,
    }
    bombs = {name: kinds[name]() for name in names or kinds}
    os.mkfifo(music / "fifo.mp3")
    (music / "zero.mp3").symlink_to("/dev/zero")
    (music / "self.mp3").symlink_to("self.mp3")
    (music / "folder.mp3").mkdir()
    with (music / "sparse.mp3").open("wb") as file:
        file.truncate(1 << 40)
    with Service(tmp_path, config(music)) as service:
        wait_for(lambda: count(music / "all.m3u") >= 3)
        peak_mb = 0.0
        for name, data in bombs.items():
            (music / name).write_bytes(data)
        end = time.monotonic() + 60
        while time.monotonic() < end and count(music / "all.m3u") < 3 + len(bombs):
            peak_mb = max(peak_mb, *(_peak_mb(process) for process in service.processes()[:3]))
            time.sleep(0.02)
        assert sorted(listed(music / "all.m3u")) == sorted(["000.mp3", "001.mp3", "002.mp3", *bombs])
        assert peak_mb < ROOMY_MB

        time.sleep(2 * SETTLE_S)
        took_s = add(music / "new.ogg", music / "all.m3u")

        assert took_s < 8, "the bombs were read again"
        service.signal(signal.SIGHUP)
        wait_for(lambda: "configuration reloaded" in service.log)
        assert add(music / "last.ogg", music / "all.m3u") < 8, "the bombs were read again"
        print(f"peak {peak_mb:.0f} MB")


def _peak_mb(process: int) -> float:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0
