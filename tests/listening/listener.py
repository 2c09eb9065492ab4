"""Run `playshuffle listen` with its own home and session bus, and write silent music."""

import contextlib
import csv
import re
import subprocess
import sys
import wave
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.players.drivers.process import environment, listens, started
from tests.support.needs import need
from tests.support.service import wait_for

_RATE = 44_100  # MPD counts the position in steps of 4 KiB


class Listening:
    """A running `playshuffle listen`, with its own home."""

    def __init__(self, home: Path, process: subprocess.Popen[bytes]) -> None:
        self.home = home
        self.process = process

    def messages(self) -> str:
        return (self.home / "messages").read_text()

    def lines(self) -> list[dict[str, str]]:
        """Return the lines of the file of plays."""
        (file,) = (self.home / "xdg_data_home/playshuffle/plays").glob("*.csv")
        return list(csv.DictReader(file.read_text().splitlines()))

    def heard(self) -> list[str]:
        """Return the printed plays and skips, such as "played 1.mp3"."""
        text = (self.home / "out").read_text()
        return [" ".join(each) for each in re.findall(r"(played|skipped) +(?:\S*/)?(\S+) \(", text)]


@contextlib.contextmanager
def listening(home: Path, *words: str, bus: str = "") -> Iterator[Listening]:
    env = environment(home, **({"DBUS_SESSION_BUS_ADDRESS": bus} if bus else {}))
    with (
        (home / "out").open("wb") as out,
        (home / "messages").open("wb") as err,
        subprocess.Popen(
            [sys.executable, "-m", "playshuffle", "listen", *words], env=env, stdout=out, stderr=err
        ) as process,
    ):
        try:
            yield Listening(home, process)
        except BaseException:  # the reason of a failure
            print((home / "out").read_text(), (home / "messages").read_text())
            raise
        finally:
            process.terminate()


@contextlib.contextmanager
def session_bus(home: Path) -> Iterator[str]:
    need("dbus-daemon")
    address = f"unix:path={home}/bus"
    words = ["dbus-daemon", "--session", "--nofork", f"--address={address}"]
    with started(words, environment(home)):
        wait_for(lambda: listens(home / "bus"))
        yield address


def write_silence(paths: Iterable[Path], seconds: int) -> None:
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 1, _RATE, 0, "NONE", ""))
            file.writeframes(bytes([128]) * seconds * _RATE)
