"""Players as processes of their own: private, without sound or window, ended with all they started."""

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
_PATIENCE_S = 30

Opened = Callable[[Path], list[bytes]]


@contextlib.contextmanager
def short_home() -> Iterator[Path]:
    """A home with a short path: the path of a socket has 107 bytes at most."""
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as home:
        yield Path(home)


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment that shares nothing with the user's own players."""
    folders = {
        name: str(home / name.lower())
        for name in (
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "XDG_RUNTIME_DIR",
        )
    }
    for folder in folders.values():
        Path(folder).mkdir(mode=0o700, exist_ok=True)
    plain = {name: value for name, value in os.environ.items() if name in ("PATH", "CI")}
    # In this locale names are passed on as they are; told a charset, some drop those that are not in it.
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
    """Run a program, and end it and all that it started."""
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
    """Wait for something that a player does, as long as it runs."""
    end = time.monotonic() + _PATIENCE_S
    while not happens():
        assert process is None or process.poll() is None, f"it ended with {process.returncode}"
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def listens(path: Path) -> bool:
    """Return whether a player accepts connections: its socket exists a little earlier."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
        return True
    return False


@contextlib.contextmanager
def asked(
    player: str,
    *modules: str,
    package: str,
    before: Sequence[str] = (),
    tools: Sequence[str] = (),
    **env: str,
) -> Iterator[Opened]:
    """A player that `system.py` drives."""
    load = {name: "ctypes.CDLL" if ".so." in name else "importlib.import_module" for name in modules}
    code = "; ".join(["import ctypes, importlib", *(f"{how}({name!r})" for name, how in load.items())])
    if (
        not Path(SYSTEM_PYTHON).exists()
        or subprocess.run([SYSTEM_PYTHON, "-c", code], check=False).returncode
    ):
        unmet(f"{player} is missing: apt install {package}")
    for tool in (*before[:1], *tools):
        need(tool)
    script = Path(__file__).with_name("system.py")
    with (
        short_home() as home,
        started(
            [*before, SYSTEM_PYTHON, script, player],
            environment(home, **env),
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
    """Return the existing files, without dot segments; some players show the rest, none plays it."""
    return [os.path.normpath(path) for path in paths if b"\0" not in path and os.path.exists(path)]
