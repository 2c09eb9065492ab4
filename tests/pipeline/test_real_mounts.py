"""Test drives that come back with other names and numbers, over whole runs."""

import os
import subprocess
from pathlib import Path

import pytest

from playshuffle.pipeline.request import Request
from tests.pipeline.test_missing_drives import Library
from tests.support.file_systems import mount_new, plugged_in, remote_drive
from tests.support.forked import forked
from tests.support.library import NO_TAGS, deal, entries, tools

pytestmark = [pytest.mark.process, pytest.mark.root]


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_a_drive_with_another_device_name_is_there_though_a_track_was_deleted_on_it(
    tmp_path: Path, kind: str
) -> None:
    def act() -> tuple[int, int, int]:
        with plugged_in(tmp_path, kind) as elsewhere:
            library = Library(tmp_path, home=5)
            (tmp_path / "Music/disk").mkdir()
            subprocess.run(["mount", "--move", elsewhere.here, tmp_path / "Music/disk"], check=True)
            disk = elsewhere._replace(here=tmp_path / "Music/disk")
            for number in range(30):
                library.add(f"disk/{number}.mp3")
            before = library.update()
            disk.unplug()
            missing = library.update()
            (tmp_path / "other").mkdir()
            with plugged_in(tmp_path / "other", "ext4"):  # it takes the device name
                mount_new(disk.image, disk.here)
                (disk.here / "7.mp3").unlink()
                library.add("disk/new.mp3")
                after = library.update()
                disk.unplug()
            mount_new(disk.image, tmp_path / "disk")  # where `plugged_in` expects it
            assert missing == before
            return len(before), len(set(before).intersection(after)), len(after)

    assert forked(act, own_mounts=True) == (35, 34, 35)


def test_on_a_drive_of_sshfs_no_track_is_dealt_twice_in_a_round_though_each_mount_renumbers_the_files(
    tmp_path: Path,
) -> None:
    """All files have the same size and time. Another folder is listed first at each mount."""
    (tmp_path / "real").mkdir()
    with remote_drive(tmp_path / "real", seen := tmp_path / "seen"):
        for path in [seen / f"{number:02}.wav" for number in range(24)]:
            path.write_bytes(path.name.encode() * 8)
            os.utime(path, (10**9, 10**9))
    seen.rmdir()
    dealt: list[str] = []
    inodes = set[tuple[int, ...]]()
    for mount in range(4):
        with remote_drive(tmp_path / "real", seen):
            for name in sorted(os.listdir(seen), key=lambda name: (int(name[:2]) * 7 + mount) % 24):
                (seen / name).stat()
            inodes.add(tuple(path.stat().st_ino for path in sorted(seen.iterdir())))
            request = Request((bytes(seen),), bytes(tmp_path / "list.m3u"))
            deal(request, tools(NO_TAGS), 6)
            dealt += entries(request)
        seen.rmdir()
    assert len(set(dealt)) == 24
    assert len(inodes) > 1
