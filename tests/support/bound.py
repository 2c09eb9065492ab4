"""Show a folder through another process, as a share on a network is."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support.needs import need_bindfs, unmet
from tests.support.service import wait_for


@contextlib.contextmanager
def bound(real: Path, seen: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Show a folder through another process; it hangs when that does."""
    need_bindfs()
    seen.mkdir()
    with subprocess.Popen(["bindfs", "-f", "--no-allow-other", real, seen]) as drive:
        try:
            wait_for(lambda: os.path.ismount(seen) or drive.poll() is not None)
            if drive.poll() is not None:
                unmet("the kernel refuses to mount with bindfs")
            yield drive
        finally:
            drive.send_signal(signal.SIGCONT)
            subprocess.run(["umount", "-l", seen], check=False)
            drive.terminate()
