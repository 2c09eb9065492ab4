"""Test drives that come back with other names and numbers, over whole runs."""

import os
import subprocess
from pathlib import Path

import pytest

from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from tests.pipeline.test_missing_drives import Library
from tests.support.file_systems import (
    format_through_fuse,
    mount_new,
    mounted_through_fuse,
    plugged_in,
    remote_drive,
)
from tests.support.forked import forked
from tests.support.library import NO_TAGS, deal, entries, keep, put, tools

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


@pytest.mark.parametrize("kind", ["exfat", "ntfs"])
def test_a_drive_of_exfat_or_ntfs_is_there_with_another_device_name_and_keeps_its_tracks_apart(
    tmp_path: Path, kind: str
) -> None:
    """All files have the same size and time, as their numbers may change with each mount."""
    music = put(tmp_path / "Music", *(f"{number}.mp3" for number in range(5)))
    image, disk, options = tmp_path / "image", music / "disk", Options(paths="absolute")
    whole = Request((bytes(music),), bytes(tmp_path / "all.m3u"), options=options)
    part = Request((bytes(disk),), bytes(tmp_path / "dealt.m3u"), options=options)
    disk.mkdir()

    def updated() -> set[str]:
        keep(whole, tools(NO_TAGS))
        return {*entries(whole)}

    def dealt() -> list[str]:
        deal(part, tools(NO_TAGS), 6)
        return entries(part)

    def act() -> list[int]:
        format_through_fuse(kind, image)
        with mounted_through_fuse(kind, image, disk) as device:
            for path in [disk / f"{number:02}.wav" for number in range(30)]:
                path.write_bytes(path.name.encode() * 8)
                os.utime(path, (10**9, 10**9))
            before, of_round = updated(), dealt()
        assert updated() == before
        format_through_fuse(kind, tmp_path / "other")
        (tmp_path / "elsewhere").mkdir()
        with mounted_through_fuse(kind, tmp_path / "other", tmp_path / "elsewhere") as other:
            assert other == device
            for mount in range(4):
                with mounted_through_fuse(kind, image, disk):
                    for name in sorted(os.listdir(disk), key=lambda name: (int(name[:2]) * 7 + mount) % 30):
                        (disk / name).stat()
                    of_round += dealt()
            with mounted_through_fuse(kind, image, disk):
                (disk / "07.wav").unlink()
                (disk / "08.wav").rename(disk / "80.wav")
                put(disk, "new.mp3")
                after = updated()
        return [len(set(of_round)), len(before), len(after - before), len(before - after)]

    assert forked(act, own_mounts=True) == [30, 35, 2, 2]


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
