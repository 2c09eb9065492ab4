"""Test drives that come back under another device name, over whole runs."""

import subprocess
from pathlib import Path

import pytest

from tests.pipeline.test_missing_drives import Library
from tests.support.file_systems import mount_new, plugged_in
from tests.support.forked import forked

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
