"""Query and control the user's systemd with its own programs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.text import shell_word

_PATIENCE_S = 120  # a service may take this long to report that it is ready
_UP = {"initializing", "starting", "running", "degraded", "maintenance", "stopping"}
_NO_NAMESPACES = {217, 226}  # exit codes of a service without namespaces


class Answer(NamedTuple):
    """The exit code and the output of a program."""

    code: int
    text: str


def is_there() -> bool:
    """Return whether a systemd runs for this user and answers."""
    return shutil.which("systemctl") is not None and ask("is-system-running").text in _UP


def may_be_there() -> bool:
    """Return whether a systemd seems to run for this user, without asking it."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return bool(runtime) and os.path.exists(f"{runtime}/systemd/private")


_JOBS = {"watch": "keep lists up to date", "listen": "write down plays"}


def instead(command: str = "watch") -> str:
    """Return what works without systemd, and the line that replaces the service of a command."""
    program = os.path.abspath(sys.argv[0])  # cron has a short PATH
    program = shell_word(program) if os.path.basename(program) == "playshuffle" else "playshuffle"
    at_start = f", or in crontab -e: @reboot {program} {command}" if shutil.which("crontab") else ""
    return (
        "No systemd runs for this user, so no service starts. make and deal work without it. To"
        f" {_JOBS.get(command, 'feed MPD')}: playshuffle {command}{at_start}"
    )


def ask(*words: str) -> Answer:
    """Run systemctl for the units of this user."""
    return _run(["systemctl", "--user", *words])


def show(unit: str, *keys: str) -> dict[str, str]:
    """Return properties of a unit by name; an unknown one is empty."""
    lines = ask("show", f"--property={','.join(keys)}", unit).text.splitlines()
    properties = dict(line.partition("=")[::2] for line in lines)
    return {key: properties.get(key, "") for key in keys}


def can_run(words: Sequence[str]) -> bool:
    """Return whether a command runs in the root folder with an empty environment, as in a service."""
    return _run(["env", "-i", "-C", "/", *words]).code == 0


def gives_namespaces() -> bool | None:
    """Return whether services of this user can have namespaces; None if unknown.

    Ubuntu 24.04 refuses them to users.
    """
    if shutil.which("systemd-run") is None:
        return None
    wish = ["--property=PrivateUsers=yes", "--property=ProtectSystem=strict", "--property=PrivateTmp=yes"]
    code = _run(["systemd-run", "--user", "--quiet", "--wait", "--collect", *wish, "true"]).code
    return True if code == 0 else False if code in _NO_NAMESPACES else None


def lingers() -> bool | None:
    """Return whether this user's services run while nobody is logged in; None if unknown."""
    if shutil.which("loginctl") is None:
        return None
    words = ["loginctl", "show-user", str(os.getuid()), "--property=Linger", "--value"]
    return {"yes": True, "no": False}.get(_run(words).text)


def _run(words: list[str]) -> Answer:
    environment = os.environ | {"LC_ALL": "C.UTF-8", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": ""}
    try:
        process = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Answer(-1, str(error))
    return Answer(process.returncode, process.stdout.decode(errors="replace").strip())
