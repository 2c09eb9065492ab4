"""Make a stick with a FAT file system, written by User-mode Linux: a kernel that is a program.

The kernel of the machine may not have FAT, or not allow a mount.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.needs import need
from tests.support.program import CHECKOUT

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
            timeout=200,
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
