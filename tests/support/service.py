"""Run `playshuffle watch` in a separate process, with folders and a configuration, and read its log."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from tests.support import damage
from tests.support.program import DATA, PROGRAM, environment, listed, run

PATIENCE_S = 300.0  # on a busy machine
SETTLE_S = 1  # the minimum

Status = dict[str, Any]


def wait_for(what: Callable[[], object], patience_s: float = PATIENCE_S) -> float:
    """Wait until a condition holds; return the seconds."""
    began = time.monotonic()
    while not what():
        if time.monotonic() - began > patience_s:
            pytest.fail(f"it did not come about within {patience_s:g} seconds")
        time.sleep(0.02)
    return time.monotonic() - began


class Service:
    """A service that updates the playlists of a configuration; a context manager.

    Args:
        top: the folder of its log and configuration.
        config: the text of the configuration; the settle time is put in front.
        before: words of a program that starts it.
    """

    def __init__(
        self,
        top: Path,
        config: str,
        *,
        before: Sequence[str] = (),
        words: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.top = top
        self.file = top / "config.toml"
        self.log_file = top / "log"
        self.env = {"PLAYSHUFFLE_CONFIG": str(self.file), **(env or {})}
        self.configure(config)
        self._before = before
        self._words = words
        self.process: subprocess.Popen[bytes] | None = None

    def configure(self, config: str) -> None:
        self.file.write_text(f'settle = "{SETTLE_S}s"\n{config}')

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        damage.note_output(self.log)

    def start(self) -> None:
        """Start it, and wait until its first scan has ended."""
        already = self.log.count("watching ")
        process = self.begin()
        wait_for(lambda: self.log.count("watching ") > already or process.poll() is not None)

    def begin(self, before: Sequence[str] | None = None) -> subprocess.Popen[bytes]:
        """Start it in its own session, optionally by another program."""
        if self.process is not None:
            self.process.wait(PATIENCE_S)
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [*(self._before if before is None else before), *PROGRAM, "watch", *self._words],
                env=environment(**self.env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        return self.process

    def processes(self) -> list[int]:
        """Return all its living processes, the oldest first: itself, the forking process, an update."""
        assert self.process is not None
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                facts = (folder / "stat").read_text().rpartition(") ")[2].split()
                if int(facts[3]) == self.process.pid and facts[0] not in "ZX":
                    found.append((int(facts[19]), int(folder.name)))
        return [process for _, process in sorted(found)]

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def status(self) -> Status:
        """Return the result of `playshuffle status`."""
        done = run("status", "--json", env=self.env)
        assert done.code in (0, 1), done.err
        said: Status = json.loads(done.out)
        return said

    def playlist(self, name: str) -> Status:
        found: Status = next(one for one in self.status()["playlists"] if one["name"] == name)
        return found

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def stop(self) -> int:
        assert self.process is not None
        self.signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def kill(self, which: int | None = None) -> None:
        """Kill it and all its processes, as a power cut would; or only one process, if it exists."""
        if self.process is None:
            return
        for process in self.processes() if which is None else self.processes()[which : which + 1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if not which:
            self.process.wait()


def holds(playlist: Path, *names: str) -> Callable[[], bool]:
    """Return a function that returns whether a playlist has these entries, in any order, each once."""

    def is_so() -> bool:
        with contextlib.suppress(FileNotFoundError):
            return sorted(listed(playlist)) == sorted(names)
        return False

    return is_so


def add(path: Path, playlist: Path) -> float:
    """Add a track, and wait until a playlist has it; return the seconds."""
    shutil.copyfile(DATA / "tone.ogg", path)
    return wait_for(lambda: os.path.relpath(path, playlist.parent) in listed(playlist))


def config(music: Path, **keys: object) -> str:
    """Return a configuration with one playlist, `all`, in the music folder."""
    lines = [f"folders = [{json.dumps(str(music))}]", "[playlist.all]"]
    return "\n".join([*lines, *(f"{key} = {json.dumps(value)}" for key, value in keys.items()), ""])


def own_home(top: Path) -> dict[str, str]:
    """Return an environment with all files of a program below a folder."""
    return {"HOME": str(top), **dict.fromkeys(("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"), "")}


def aged(folder: Path) -> Path:
    """Make all files in a folder look old."""
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (time.time() - 100, time.time() - 100))
    return folder


def left(before: list[str], after: list[str]) -> list[str]:
    """Return the elements of both lists, in the order of the second one."""
    return [entry for entry in after if entry in before]
