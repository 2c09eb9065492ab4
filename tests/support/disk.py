"""Mount a file system in a file and cut its power: unsynced data is lost."""

import array
import contextlib
import fcntl
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.needs import unmet

StrPath = str | bytes | Path

# _IOR('X', 125, __u32), the same for ext4 and XFS: no more is written, not even the log.
_SHUT_DOWN = 0x8004587D
_NOT_EVEN_THE_LOG = 2

_SIZE = {"ext4": 64 << 20, "xfs": 320 << 20}
_MAKE = {"ext4": ["mkfs.ext4", "-qF"], "xfs": ["mkfs.xfs", "-qf"]}


class Disk(NamedTuple):
    """A mounted file system that no other process sees."""

    image: Path
    here: Path
    options: str

    def plug_in(self) -> None:
        subprocess.run(_mount(self.image, self.here, self.options), check=True)

    def cut(self) -> None:
        """Cut the power; every process with an open file must end before it can be plugged in again."""
        folder = os.open(self.here, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, _SHUT_DOWN, array.array("I", [_NOT_EVEN_THE_LOG]))
        finally:
            os.close(folder)

    def unplug(self) -> None:
        for _ in range(100):
            if subprocess.run(["umount", self.here], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return
            time.sleep(0.05)
        subprocess.run(["umount", self.here], check=True)


def _mount(image: StrPath, folder: StrPath, options: str) -> list[StrPath]:
    return ["mount", "-o", ",".join(filter(None, ["loop", options])), image, folder]


def mount_new(image: StrPath, folder: StrPath, options: str = "") -> None:
    """Mount a new file system; skip the test if the kernel refuses, as in a container."""
    done = subprocess.run(_mount(image, folder, options), stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        unmet(f"the kernel refuses to mount a file: {done.stderr.strip()}")


@contextlib.contextmanager
def plugged_in(top: Path, kind: str, options: str = "") -> Iterator[Disk]:
    """Yield a new disk; only in a process with its own mounts."""
    disk = Disk(top / "image", top / "disk", options)
    disk.here.mkdir()
    with disk.image.open("wb") as file:
        file.truncate(_SIZE[kind])
    subprocess.run([*_MAKE[kind], disk.image], check=True)
    mount_new(disk.image, disk.here, options)
    yield disk
    disk.unplug()
