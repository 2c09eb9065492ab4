"""Mount file systems: one that hangs, one whose power can be cut, and a FAT stick.

FAT is written by User-mode Linux, a kernel that is a program: the kernel of the machine may not have FAT, or
not allow a mount.
"""

import array
import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.needs import need, need_bindfs, unmet
from tests.support.processes import finished
from tests.support.program import CHECKOUT
from tests.support.service import wait_for


@contextlib.contextmanager
def bound(real: Path, seen: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Show a folder through another process; it hangs when that process does."""
    need_bindfs()
    with _served(["bindfs", "-f", "--no-allow-other", real, seen], seen) as drive:
        yield drive


@contextlib.contextmanager
def small_disk(here: Path, options: str) -> Iterator[None]:
    """Mount a small file system in memory."""
    here.mkdir(parents=True, exist_ok=True)
    words: list[str | Path] = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", here]
    done = finished(words)
    if done.returncode:
        unmet(f"the kernel refuses to mount: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", here], check=True)


@contextlib.contextmanager
def cloud_drive(real: Path, seen: Path) -> Iterator[None]:
    """Show a folder as rclone shows a remote one."""
    need("rclone")
    settings = [f"--cache-dir={real}.cache", "--config=/dev/null", "--vfs-cache-mode=writes"]
    with _served(["rclone", "mount", f":local:{real}", seen, *settings], seen):
        yield


@contextlib.contextmanager
def encrypted_drive(real: Path, seen: Path) -> Iterator[None]:
    """Show a folder through EncFS, whose names may have about 190 bytes."""
    need("encfs")
    with _served(["encfs", "-f", "--standard", "--extpass=echo x", real, seen], seen):
        yield


@contextlib.contextmanager
def remote_drive(real: Path, seen: Path) -> Iterator[None]:
    """Show a folder as sshfs shows a remote one, without a network: it talks to the server of SFTP itself."""
    need("sshfs")
    if not os.access(_SFTP_SERVER, os.X_OK):
        unmet(f"{_SFTP_SERVER} is not installed")
    ssh = real.with_name("ssh")
    ssh.write_text(f"#!/bin/sh\nexec {_SFTP_SERVER}\n")
    ssh.chmod(0o755)
    with _served(["sshfs", "-f", f"nas:{real}", seen, "-o", f"ssh_command={ssh}"], seen):
        yield


@contextlib.contextmanager
def _served(words: Sequence[str | Path], seen: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Mount a file system with a program that runs as long as it is mounted."""
    seen.mkdir()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as drive:
        try:
            wait_for(lambda: os.path.ismount(seen) or drive.poll() is not None)
            if drive.poll() is not None:
                unmet(f"the kernel refuses to mount with {words[0]}")
            yield drive
        finally:
            drive.send_signal(signal.SIGCONT)
            subprocess.run(["umount", "-l", seen], check=False)
            drive.terminate()


_THROUGH_FUSE = {"exfat": (["mkfs.exfat"], "mount.exfat-fuse"), "ntfs": (["mkfs.ntfs", "-qQF"], "ntfs-3g")}


def format_through_fuse(kind: str, image: Path) -> None:
    """Make a file system that no kernel module shows."""
    make, program = _THROUGH_FUSE[kind]
    need(make[0])
    need(program)
    with image.open("wb") as file:
        file.truncate(64 << 20)
    subprocess.run([*make, image], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def mounted_through_fuse(kind: str, image: Path, here: Path) -> Iterator[str]:
    """Mount a file system as desktops mount exFAT and NTFS; yield the name of its device."""
    done = finished(["losetup", "-f", "--show", image])
    if done.returncode:
        unmet(f"no loop device: {done.stderr.strip()}")
    device = done.stdout.strip()
    try:
        if finished([_THROUGH_FUSE[kind][1], device, here]).returncode:
            unmet(f"the kernel refuses to mount with {_THROUGH_FUSE[kind][1]}")
        try:
            yield device
        finally:
            subprocess.run(["umount", here], check=True)
    finally:
        subprocess.run(["losetup", "-d", device], check=True)


_SFTP_SERVER = "/usr/lib/openssh/sftp-server"

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


_MODULES = ("nls/nls_cp437", "nls/nls_iso8859-1", "nls/nls_ascii", "nls/nls_utf8", "fat/fat", "fat/vfat")
_FINIT_MODULE = 313  # of x86_64, the one machine that Debian has this kernel for

_INIT = """#!/bin/sh
mount -t proc proc /proc
mount -t tmpfs tmp /mnt
mkdir /mnt/stick
cd /usr/lib/uml/modules/*/kernel/fs
{python} -c '
import ctypes, os, sys
kernel = ctypes.CDLL(None)
for name in sys.argv[1:]:
    kernel.syscall({call}, os.open(name, os.O_RDONLY), b"", 0)
' {modules}
mount -t vfat -o utf8 /dev/ubda /mnt/stick
export PYTHONPATH={checkout} HOME={top}
cd {top}
{python} script.py > log 2>&1
echo $? > code
umount /mnt/stick
echo o > /proc/sysrq-trigger
read forever < /dev/console
"""


class Stick:
    """A new FAT file system in a file.

    Args:
        top: a folder for it and for all files that scripts write.
        size_mb: size of the stick.
    """

    def __init__(self, top: Path, size_mb: int) -> None:
        for tool in ("linux.uml", "mkfs.vfat", "fsck.vfat", "fatsort"):
            need(tool)
        self.top = top
        self.image = top / "stick.img"
        with self.image.open("wb") as file:
            file.truncate(size_mb << 20)
        subprocess.run(["mkfs.vfat", "-F", "16", "-n", "STICK", self.image], check=True, capture_output=True)

    def run(self, script: str) -> str:
        """Run a Python script with the stick at `/mnt/stick`, and return its output."""
        (self.top / "script.py").write_text(script)
        (self.top / "code").unlink(missing_ok=True)
        modules = " ".join(f"{name}.ko" for name in _MODULES)
        init = self.top / "init"
        init.write_text(
            _INIT.format(
                python=sys.executable, call=_FINIT_MODULE, modules=modules, checkout=CHECKOUT, top=self.top
            )
        )
        init.chmod(0o755)
        words = ["mem=512M", "rootfstype=hostfs", "rootflags=/", "rw", f"init={init}", f"ubd0={self.image}"]
        done = subprocess.run(
            ["linux.uml", *words, "con=null", "quiet"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=500,
            env={"PATH": os.environ["PATH"], "HOME": str(self.top)},  # its socket is there
        )
        log = (self.top / "log").read_text() if (self.top / "log").exists() else ""
        assert (self.top / "code").exists(), done.stdout
        assert (self.top / "code").read_text() == "0\n", log
        return log

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder in FAT's order, after a check of the whole file system."""
        subprocess.run(["fsck.vfat", "-n", self.image], check=True, capture_output=True)
        done = subprocess.run(
            ["fatsort", "-l", "-D", folder, self.image],
            check=True,
            capture_output=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        lines = done.stdout.decode().splitlines()
        return [line for line in lines[lines.index(f"{folder}/") + 1 :] if line]
