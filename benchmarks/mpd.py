"""Run a private MPD over a music folder, for comparison."""

import contextlib
import socket
import subprocess
import time
from pathlib import Path


class Mpd:
    """A private MPD over a library, with its database in a separate folder.

    `more` has further lines of its configuration.
    """

    def __init__(self, music: Path, folder: Path, more: str = "") -> None:
        folder.mkdir()
        self._socket = folder / "socket"
        config = folder / "mpd.conf"
        config.write_text(
            f'music_directory "{music}"\ndb_file "{folder}/db"\nbind_to_address "{self._socket}"\n'
            'audio_output {\n type "null"\n name "null"\n}\n' + more
        )
        self._process = subprocess.Popen(
            ["mpd", "--no-daemon", "--stderr", config], stderr=subprocess.DEVNULL
        )
        self.pid = self._process.pid
        while not self._listens():
            time.sleep(0.05)

    def _listens(self) -> bool:
        """Return whether MPD accepts connections yet; its socket exists earlier."""
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.connect(str(self._socket))
            return True
        return False

    def update(self) -> None:
        subprocess.run(["mpc", "-h", self._socket, "update", "--wait"], check=True, stdout=subprocess.DEVNULL)

    def waiting(self) -> subprocess.Popen[bytes]:
        """Return a process, already connected, that exits when MPD reports a change."""
        idle = subprocess.Popen(["mpc", "-h", self._socket, "idle", "database"], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        return idle

    def songs(self) -> int:
        said = subprocess.check_output(["mpc", "-h", self._socket, "stats"], text=True)
        return next(int(line.split()[1]) for line in said.splitlines() if line.startswith("Songs:"))

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
