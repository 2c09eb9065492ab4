"""Try inside of a systemd unit which actions its sandbox refuses.

    sandbox_probe.py FOLDER MUSIC HOME

FOLDER is a folder of playlists, MUSIC one that is only read, HOME the user's home. The result of each
attempt is written as JSON to FOLDER/probed.json.
"""

import ctypes
import functools
import json
import mmap
import os
import socket
import subprocess
import sys
from collections.abc import Callable

from playshuffle.service import notify
from playshuffle.system import sandbox
from playshuffle.system.xdg import cache_folder, state_folder

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWUSER = 0x10000000


def main() -> None:
    folder, music, home = sys.argv[1:]
    runtime = f"/run/user/{os.getuid()}"
    state = os.fsdecode(state_folder())
    cache = os.fsdecode(cache_folder())
    attempts: dict[str, Callable[[], object]] = {
        "write to the music": lambda: _write(f"{music}/x.mp3"),
        "write to the runtime folder": lambda: _write(f"{runtime}/x"),
        "write to the home": lambda: _write(f"{home}/.bashrc"),
        "write a unit": lambda: _write(f"{home}/.config/systemd/user/x.service"),
        "write a program": lambda: _write(f"{home}/.local/bin/x"),
        "write to /etc": lambda: _write("/etc/x"),
        "write to /usr": lambda: _write("/usr/x"),
        "write to /run": lambda: _write("/run/x"),
        "set the kernel": lambda: _write("/proc/sys/kernel/core_pattern"),
        "read a key": lambda: open(f"{home}/.ssh/id_ed25519").close(),
        "read a token": lambda: open(f"{home}/.netrc").close(),
        "read what the user typed": lambda: open(f"{home}/.bash_history").close(),
        "see temporary files of others": lambda: open("/tmp/of-another").close(),
        "speak on the session bus": lambda: _connect(f"{runtime}/bus"),
        "speak to the manager": lambda: _connect(f"{runtime}/systemd/private"),
        "speak on the system bus": lambda: _connect("/run/dbus/system_bus_socket"),
        "speak IPv4": lambda: socket.socket(socket.AF_INET).close(),
        "speak IPv6": lambda: socket.socket(socket.AF_INET6).close(),
        "speak to the kernel": lambda: socket.socket(socket.AF_NETLINK).close(),
        "map memory to write and run": lambda: mmap.mmap(
            -1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        ),
        "make a user namespace": lambda: _call("unshare", _CLONE_NEWUSER),
        "mount": lambda: _call("mount", b"none", b"/mnt", b"tmpfs", 0, None),
        "take a higher priority": lambda: _call("setpriority", 0, 0, -1),
        "make a program that runs as its owner": lambda: _own(f"{state}/x"),
        **{
            f"run what it wrote to {where}": functools.partial(_run_own, f"{where}/program")
            for where in (state, cache, folder, "/tmp", "/var/tmp", "/dev/shm")
        },
        "open a disk": lambda: open("/dev/kmsg").close(),
        "write to the state": lambda: _write(f"{state}/y"),
        "write to the cache": lambda: _write(f"{cache}/y"),
        "replace a playlist": lambda: os.replace(_write(f"{folder}/y.tmp"), f"{folder}/y"),
        "read the music": lambda: os.listdir(music),
        "start its reader": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    }
    told = {name: _outcome(attempt) for name, attempt in attempts.items()}
    told["sandbox"] = sandbox.of() or ""
    with open(f"{folder}/probed.json", "w") as file:
        json.dump(told, file)
    notify.send("READY=1")


def _outcome(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except (OSError, subprocess.SubprocessError) as error:
        return f"refused: {error}"
    return "done"


def _write(path: str) -> str:
    with open(path, "a") as file:
        file.write("x")
    return path


def _own(path: str) -> None:
    os.chmod(_write(path), 0o4755)


def _connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(path)


def _call(name: str, *arguments: object) -> None:
    if getattr(_LIBC, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _run_own(path: str) -> None:
    with open(path, "w") as file:
        file.write("#!/bin/sh\n")
    os.chmod(path, 0o755)
    subprocess.run([path], check=True)


if __name__ == "__main__":
    main()
