"""Run players as private processes, without sound or window, and kill them with their children at the end."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.support.needs import need, unmet

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's, which has the modules of its players
_PATIENCE_S = 300

Opened = Callable[[Path], list[bytes]]


@contextlib.contextmanager
def short_home() -> Iterator[Path]:
    """Make a home with a short path, for sockets in it: their paths may have at most 107 bytes."""
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as home:
        yield Path(home)


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment that shares nothing with the user's own players."""
    folders = {
        f"XDG_{name}": str(home / f"xdg_{name.lower()}")
        for name in ("CONFIG_HOME", "CACHE_HOME", "DATA_HOME", "STATE_HOME", "RUNTIME_DIR")
    }
    for folder in folders.values():
        Path(folder).mkdir(mode=0o700, exist_ok=True)
    plain = {name: value for name, value in os.environ.items() if name in ("PATH", "CI")}
    # In this locale, players pass names on unchanged. In another, some drop names that it cannot encode.
    fixed = {
        "LC_ALL": "C.UTF-8", "HOME": str(home), "TERM": "linux", "QT_QPA_PLATFORM": "offscreen",
        "JACK_NO_START_SERVER": "1", "PULSE_SERVER": "none", "SDL_AUDIODRIVER": "dummy",
    }  # fmt: skip
    return {**plain, **fixed, **folders, **more}


@contextlib.contextmanager
def started(
    command: Sequence[str | Path],
    env: dict[str, str],
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program; at the end, kill it and its children."""
    log = Path(env["HOME"]) / "stderr"
    with (
        log.open("ab") as stderr,
        subprocess.Popen(
            command, env=env, stdin=stdin, stdout=stderr if stdout is None else stdout, stderr=stderr,
            start_new_session=True,
        ) as process,
    ):  # fmt: skip
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def until(happens: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until a condition is true; fail if the player's process ends before, or after five minutes."""
    end = time.monotonic() + _PATIENCE_S
    while not happens():
        assert process is None or process.poll() is None, f"it ended with {process.returncode}"
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def listens(path: Path) -> bool:
    """Return whether a socket accepts connections; its file exists a little earlier."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
        return True
    return False


@contextlib.contextmanager
def asked(
    player: str, music: Path, module: str, packages: str, *, needs_dbus: bool = False
) -> Iterator[Opened]:
    """Start `system.py` for a player; yield a function that returns the files opened from a playlist.

    Args:
        module: a module or library of the player, which Debian's Python must find.
        packages: its Debian packages, for the message.
        needs_dbus: the player is a program that needs a private D-Bus.
    """
    load = "ctypes.CDLL" if ".so." in module else "importlib.import_module"
    command = [SYSTEM_PYTHON, "-c", f"import ctypes, importlib; {load}({module!r})"]
    if not Path(SYSTEM_PYTHON).exists() or subprocess.run(command, check=False).returncode:
        unmet(f"{player} is missing: apt install {packages}")
    if needs_dbus:
        need("dbus-run-session")
        need(player)
    before = ["dbus-run-session", "--"] * needs_dbus
    script = Path(__file__).with_name("system.py")
    with (
        short_home() as home,
        started(
            [*before, SYSTEM_PYTHON, script, player],
            environment(home, XDG_MUSIC_DIR=str(music)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process,
    ):
        requests, answers = process.stdin, process.stdout
        assert requests is not None
        assert answers is not None

        def opened(playlist: Path) -> list[bytes]:
            requests.write(json.dumps(str(playlist)).encode() + b"\n")
            requests.flush()
            answer = answers.readline()
            assert answer, (home / "stderr").read_text(errors="replace")
            return existing(os.fsencode(path) for path in json.loads(answer))

        yield opened


def existing(paths: Iterator[bytes]) -> list[bytes]:
    """Return the existing paths, without dot segments; some players show missing files, none plays them."""
    return [os.path.normpath(path) for path in paths if b"\0" not in path and os.path.exists(path)]
