"""Run the program as a user does, on real audio files, and read its output."""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
import wave
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from playshuffle import __main__, cli
from playshuffle.cli.run_lists import run_lists
from playshuffle.config.load import load
from playshuffle.pipeline.keep import update
from playshuffle.store import schema
from playshuffle.store.state import State
from playshuffle.system.sqlite import Connection
from tests.support import damage

CHECKOUT = Path(__file__).parents[2]


DATA = CHECKOUT / "tests" / "data"


PROGRAM = [sys.executable, "-m", "playshuffle"]


TRACKS = (
    "1/01.mp3", "1/02.flac", "1/03.ogg", "1/10.opus", "2/a.m4a", "2/b.wav", "2/c.aiff", "2/Ä.wv",
    "deep/er/x.tta", "deep/er/y.wma", "top.aac", "top.ac3", "top.spx",
)  # fmt: skip


class Done(NamedTuple):
    """The result of a run: its exit code, and its output."""

    code: int
    out: bytes
    err: str


# Compiled once for all runs, whatever the environment says: it is a quarter of their time.
_COMPILED = tempfile.mkdtemp()
atexit.register(shutil.rmtree, _COMPILED, ignore_errors=True)


def environment(**changes: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": str(CHECKOUT), "PYTHONPYCACHEPREFIX": _COMPILED, **changes}


def run(
    *words: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    stdin: Path | None = None,
) -> Done:
    """Run the program to its end; `before` are the words of a program that starts it."""
    variables = environment(**(env or {}))
    if before or stdin or any(name.startswith(_OF_START) for name in env or ()):
        with open(stdin or os.devnull, "rb") as given:
            started = subprocess.run(
                [*before, *PROGRAM, *words],
                cwd=cwd,
                env=variables,
                stdin=given,
                capture_output=True,
                check=False,
                timeout=500,
            )
        done = Done(started.returncode, started.stdout, started.stderr.decode())
    else:
        done = _run_forked([str(word) for word in words], cwd, variables)
    damage.note_output(done.err)
    return done


_OF_START = ("PYTHON", "LC_", "LANG", "LD_")  # variables that count when a process starts


def _run_forked(words: Sequence[str], cwd: Path | None, variables: Mapping[str, str]) -> Done:
    """Run the program in a copy of this process, which takes a tenth of the time of a new Python."""
    for module in pkgutil.iter_modules(cli.__path__, "playshuffle.cli."):
        importlib.import_module(module.name)  # once for all runs
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # from Python 3.12 on, of threads, such as those of pytest-xdist
            child = os.fork()
        if child == 0:
            try:
                _become_program(words, cwd, variables, out.fileno(), err.fileno())
                __main__.main()
                sys.exit()
            except SystemExit as end:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(end.code if isinstance(end.code, int) else end.code is not None)
            except BaseException:  # noqa: BLE001 - it is the end of the process
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for file in (out, err):
            file.seek(0)
        return Done(code, out.read(), err.read().decode())


def _become_program(
    words: Sequence[str], cwd: Path | None, variables: Mapping[str, str], out: int, err: int
) -> None:
    """Make this process look like one that Python has just started; it never returns to the tests."""
    gc.disable()  # otherwise objects of the tests would close files that have reused their numbers
    for number, descriptor in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
        os.dup2(descriptor, number)
    os.closerange(3, 1 << 16)
    if cwd is not None:
        os.chdir(cwd)
    os.environ.clear()
    os.environ.update(variables)
    warnings.simplefilter("ignore")
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - they live as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = [__main__.__file__, *words]


def mpd_conf(config: Path, music: Path, playlists: Path, **settings: object) -> None:
    """Write the configuration of an MPD with these folders into a `.config` folder."""
    (config / "mpd").mkdir(parents=True, exist_ok=True)
    settings = {"music_directory": music, "playlist_directory": playlists, **settings}
    (config / "mpd/mpd.conf").write_text("".join(f'{key} "{value}"\n' for key, value in settings.items()))


def program_in(folder: Path) -> Path:
    """Make a new folder with the command `playshuffle`, and return the folder."""
    folder.mkdir()
    (folder / "playshuffle").write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    (folder / "playshuffle").chmod(0o755)
    return folder


def ran(*words: str | Path, **settings: Any) -> Done:
    """Run the program with the arguments of `run`; it must succeed."""
    done = run(*words, **settings)
    assert done.code == 0, done.err
    return done


def make(*words: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Make a playlist and return the report."""
    return ran("make", *words, cwd=cwd, env=env).err


def refused(code: int, *words: str | Path, cwd: Path | None = None) -> str:
    """Run the program; it must exit with this code and print only an error. Return the error."""
    done = run(*words, cwd=cwd)
    assert (done.code, done.out, done.err[:7]) == (code, b"", "error: "), done.err
    return done.err


def report(*words: str | Path, command: str = "make") -> dict[str, Any]:
    """Make or deal a playlist; return the report about it as JSON."""
    done = run(command, *words, "--json", "-q")
    assert (done.code, done.err) == (0, "")
    said: dict[str, Any] = json.loads(done.out)
    return said


def library(folder: Path, names: Iterable[str] = TRACKS) -> Path:
    """Make a folder of real audio files with these names."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        suffix = Path(name).suffix
        shutil.copyfile(DATA / ("v24.mp3" if suffix == ".mp3" else f"tone{suffix}"), folder / name)
    return folder


def numbered(folder: Path, count: int) -> Path:
    return library(folder, [f"{number:03}.mp3" for number in range(count)])


def minutes(folder: Path, names: Iterable[str], count: int = 1, rate: int = 100) -> Path:
    """Make a folder of audio files that play for a minute each, or for `count` minutes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        with wave.open(str(folder / name), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(1)
            file.setframerate(rate)
            file.writeframes(bytes([128]) * (60 * count * rate))
    return folder


def change_options(options: str) -> None:
    """Replace the saved options of all playlists by a JSON text; an empty text means unknown options."""
    query = "SELECT path, age, kind, json_set(facts, '$.options', ?), content, digest FROM record"

    def change(database: Connection) -> None:
        rows = database.execute(query, (options,)).fetchall()
        database.executemany(schema.replace("record"), rows)

    with State() as state:
        state.change(change)


def configured(text: str) -> Path:
    """Write the configuration of the user, which all commands read."""
    file = Path.home() / ".config/playshuffle/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def update_configured(text: str) -> None:
    """Update the lists of a configuration as the service does, in this process."""
    config = load(os.fsencode(configured(text)))
    requests = {each.name: each.request._replace(redraw_before_s=0) for each in config.playlists}
    assert run_lists(requests, update, quiet=True)[1] == []


def entries(content: bytes) -> list[str]:
    """Return the entries that players read from a playlist: each line that is not a comment."""
    assert content.startswith(b"#EXTM3U\n")
    assert content.endswith(b"\n")
    return [os.fsdecode(line) for line in content.split(b"\n")[:-1] if not line.startswith(b"#")]


def listed(playlist: Path) -> list[str]:
    """Return the entries of a playlist without './'."""
    return [entry.removeprefix("./") for entry in entries(playlist.read_bytes())]


def moved(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether every track has another position than before."""
    assert sorted(before) == sorted(after)
    return all(old != new for old, new in zip(before, after, strict=True))


def state_file(home: Path) -> Path:
    return home / ".local/state/playshuffle/state.db"
