"""Run mpv, cmus, Strawberry and Liquidsoap, and find out which files they open from a playlist."""

import contextlib
import fcntl
import json
import os
import pty
import socket
import sqlite3
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

from tests.players.drivers.process import Opened, environment, existing, listens, short_home, started, until
from tests.support.needs import need

# A hook, for which mpv waits: an event may come when the next file is already loading.
_MPV_SCRIPT = """
local out = io.open(mp.get_opt("out"), "wb")
mp.add_hook("on_preloaded", 50, function()
    out:write(mp.get_property("path"), "\\0")
    out:flush()
end)
"""


@contextlib.contextmanager
def mpv(_music: Path) -> Iterator[Opened]:
    """Yield a function that returns the paths that mpv opens as audio, in order."""
    need("mpv")
    with short_home() as home:
        (home / "tell.lua").write_text(_MPV_SCRIPT)

        def opened(playlist: Path) -> list[bytes]:
            (home / "out").write_bytes(b"")
            subprocess.run(
                [
                    "mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null", "--ao-null-untimed",
                    "--length=0.01", f"--script={home}/tell.lua", f"--script-opts=out={home}/out",
                    f"--playlist={playlist}",
                ],
                env=environment(home),
                stdin=subprocess.DEVNULL,
                check=False,  # mpv reports an error if so short a part of a track has no sound
                timeout=500,
            )  # fmt: skip
            return existing(_plain(path) for path in (home / "out").read_bytes().split(b"\0")[:-1])

        yield opened


def _plain(entry: bytes) -> bytes:
    """Return the path that an entry names, a path or a file:// URI."""
    _, scheme, path = entry.partition(b"file:///")
    return b"/" + unquote_to_bytes(path) if scheme else entry


@contextlib.contextmanager
def cmus(_music: Path) -> Iterator[Opened]:
    """Start cmus on a private terminal; yield a function that returns the paths in its queue."""
    need("cmus")
    with short_home() as home:
        (home / "rc").write_text("set output_plugin=alsa\nset mpris=false\n")
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        threading.Thread(target=_drain, args=(outer,), daemon=True).start()
        command = ["cmus", "--listen", str(home / "socket")]
        with started(command, environment(home, CMUS_HOME=str(home)), stdin=inner, stdout=inner) as process:
            os.close(inner)
            until(lambda: listens(home / "socket"), process)
            with socket.socket(socket.AF_UNIX) as remote, remote.makefile("rb") as answers:
                remote.settimeout(300)
                remote.connect(str(home / "socket"))

                def say(command: bytes) -> list[bytes]:
                    remote.sendall(command + b"\n")
                    lines: list[bytes] = []
                    for line in answers:
                        if line == b"\n":
                            return lines
                        lines.append(line.removesuffix(b"\n"))
                    raise AssertionError("cmus hung up")

                last = os.fsencode(Path(__file__).parents[2] / "data" / "tone.ogg")

                def opened(playlist: Path) -> list[bytes]:
                    say(b"clear -q")
                    # It adds files in the background, in order: if the last one is there, all are.
                    say(b"add -q " + os.fsencode(playlist))
                    say(b"add -q " + last)
                    until(lambda: say(b"save -q -")[-1:] == [last], process)
                    return existing(iter(say(b"save -q -")[:-1]))

                yield opened


def _drain(terminal: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(terminal, 65536):
            pass


@contextlib.contextmanager
def strawberry(_music: Path) -> Iterator[Opened]:
    """Yield a function that returns the entries that Strawberry, without a window, saves in its database."""
    need("strawberry")
    need("dbus-run-session")
    last = (Path(__file__).parents[2] / "data" / "tone.ogg").as_uri()
    with short_home() as home:
        database = home / "xdg_data_home/strawberry/strawberry/strawberry.db"
        count = 0

        def urls(name: str) -> list[str]:
            if not database.exists():
                return []
            with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as state:
                query = "select url from playlist_items where playlist ="
                query += " (select max(ROWID) from playlists where name = ?) order by ROWID"
                try:
                    return [str(url) for (url,) in state.execute(query, (name,))]
                except sqlite3.OperationalError:  # it is writing
                    return []

        def opened(playlist: Path) -> list[bytes]:
            nonlocal count
            count += 1
            name = f"list {count}"
            command = ["dbus-run-session", "--", "strawberry", "--create", name, str(playlist), last]
            # In a folder of its own: otherwise another Strawberry of this user, also the last one
            # while it still ends, takes the playlist.
            temporary = home / f"tmp{count}"
            temporary.mkdir()
            with started(command, environment(home, TMPDIR=str(temporary))) as process:
                until(lambda: urls(name)[-1:] == [last], process)
            return existing(_plain(url.encode()) for url in urls(name)[:-1])

        yield opened


# Resolve each entry as Liquidsoap does before it plays one.
_LIQUIDSOAP_SCRIPT = """
def tell(entry) =
  r = request.create(snd(entry))
  if request.resolve(r) then
    print(newline=false, "#{request.filename(r)}\\000")
  end
  request.destroy(r)
end
list.iter(tell, playlist.parse(path=FOLDER, PLAYLIST))
"""


@contextlib.contextmanager
def liquidsoap(_music: Path) -> Iterator[Opened]:
    """Yield a function that returns the files that Liquidsoap resolves; each call takes two seconds."""
    need("liquidsoap")
    with short_home() as home:
        script = home / "tell.liq"

        def opened(playlist: Path) -> list[bytes]:
            # Not by the environment: 2.1 reads it by getenv, 2.3 by environment.get.
            text = _LIQUIDSOAP_SCRIPT.replace("FOLDER", json.dumps(f"{playlist.parent}/"))
            script.write_text(text.replace("PLAYLIST", json.dumps(str(playlist))))
            with started(["liquidsoap", script], environment(home), stdout=subprocess.PIPE) as process:
                out = process.communicate(timeout=500)[0]
            return existing(iter(out.split(b"\0")[:-1]))

        yield opened
