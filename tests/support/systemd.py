"""Boot a real systemd for tests, with a user who has the program installed as pipx does it."""

import contextlib
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from tests.support.needs import need, unmet
from tests.support.processes import finished
from tests.support.service import wait_for

ROOT = Path(__file__).parents[2]
USER = "lab"
HOME = f"/home/{USER}"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Not the Python of the tests, which may be readable for root only.
_PYTHON = "/usr/bin/python3"
VENV = f"{HOME}/.local/share/pipx/venvs/playshuffle"
PROGRAM = f"{HOME}/.local/bin/playshuffle"


class Lab:
    """A booted systemd; commands run in it as root or as its user."""

    def __init__(self, first: int, shared: Path) -> None:
        self.first = first
        self.shared = shared
        """A folder that has the same path inside and outside."""

    def root(self, script: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self._run(["bash", "-euc", script], {"HOME": "/root"}, check)

    def user(self, script: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a shell script as the user, in the environment of a login."""
        uid = self.root(f"id -u {USER}").stdout.strip()
        become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--init-groups"]
        environment = {
            "HOME": HOME,
            "USER": USER,
            "XDG_RUNTIME_DIR": f"/run/user/{uid}",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path=/run/user/{uid}/bus",
        }
        return self._run([*become, "bash", "-euc", f"cd; {script}"], environment, check)

    def show(self, unit: str, key: str) -> str:
        """Return a property of a unit of the user."""
        return self.user(f"systemctl --user show -P {key} {unit}").stdout.strip()

    def journal(self, unit: str) -> str:
        self.root("journalctl --sync")
        return self.root(f"journalctl -o cat _SYSTEMD_USER_UNIT={unit} + USER_UNIT={unit}").stdout

    def start(self, unit: str) -> None:
        done = self.user(f"systemctl --user start {unit}", check=False)
        assert done.returncode == 0, self.journal(unit)

    def write(self, path: str, text: str, *, mode: int = 0o644) -> None:
        """Write a file, as the user if it is below the user's home."""
        draft = self.shared / "draft"
        draft.write_text(text)
        draft.chmod(mode)
        script = f"mkdir -p '{os.path.dirname(path)}' && cp --no-preserve=ownership '{draft}' '{path}'"
        (self.user if path.startswith(HOME) else self.root)(script)

    @contextlib.contextmanager
    def manager_with(self, setting: str) -> Iterator[None]:
        """Restart the user manager with a setting, and afterwards without it."""
        folder = "/etc/systemd/system/user@.service.d"
        restart = f"systemctl daemon-reload; systemctl restart user@$(id -u {USER})"
        self.write(f"{folder}/test.conf", f"[Service]\n{setting}\n")
        try:
            self.root(restart)
            yield
        finally:
            self.root(f"rm -r {folder}; {restart}")

    def _run(
        self, command: list[str], environment: dict[str, str], check: bool
    ) -> subprocess.CompletedProcess[str]:
        settings = {
            "PATH": f"{HOME}/.local/bin:{_PATH}",
            "LANG": "C.UTF-8",
            "SYSTEMD_COLORS": "0",
            "SYSTEMD_PAGER": "",
        }
        words = [f"{name}={value}" for name, value in (settings | environment).items()]
        done = finished(
            ["nsenter", "-t", str(self.first), "-a", "--", "env", "-i", *words, *command],
            stdin=subprocess.DEVNULL,
        )
        assert not check or done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
        return done


@contextlib.contextmanager
def lab(shared: Path) -> Iterator[Lab]:
    """Boot systemd, with a user manager that lingers, and the program installed for that user."""
    for tool in ("systemctl", "dbus-daemon"):
        need(tool)
    if not os.path.exists(_PYTHON):
        unmet(f"{_PYTHON} is missing: apt install python3")
    shared.chmod(0o755)
    with subprocess.Popen(
        [ROOT / "tests/support/with_systemd.sh", "--bind", shared],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as boot:
        assert boot.stdin is not None
        assert boot.stdout is not None
        line = boot.stdout.readline()
        if not line:
            unmet("systemd does not come up here: tests/support/with_systemd.sh true tells why")
        place = Lab(int(line), shared)
        try:
            _install(shared / "venv")
            place.root(
                f"useradd --create-home --shell /bin/bash {USER}; loginctl enable-linger {USER};"
                f"mkdir -p {os.path.dirname(VENV)} {HOME}/.local/bin;"
                f"cp -r {shared}/venv {VENV}; ln -s {VENV}/bin/playshuffle {PROGRAM};"
                f"chown -R {USER}: {HOME}"
            )
            wait_for(
                lambda: place.user("systemctl --user is-system-running", check=False).stdout == "running\n"
            )
            yield place
        finally:
            boot.stdin.close()


def _install(venv: Path) -> None:
    """Make the virtual environment that pipx would make, without a network."""
    version = subprocess.check_output([_PYTHON, "-c", "import sys; print(sys.version_info[1])"], text=True)
    packages = venv / f"lib/python3.{int(version)}/site-packages"
    packages.mkdir(parents=True)
    (venv / "bin").mkdir()
    (venv / "bin/python").symlink_to(_PYTHON)
    (venv / "pyvenv.cfg").write_text(f"home = {os.path.dirname(_PYTHON)}\n")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "playshuffle", packages / "playshuffle", ignore=ignore)
    shutil.copytree(ROOT / "systemd", packages / "playshuffle/systemd")
    for name in _needed():
        for file in metadata.distribution(name).files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                target = packages / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), target)
    script = venv / "bin/playshuffle"
    script.write_text(f"#!{VENV}/bin/python\nfrom playshuffle.__main__ import main\nmain()\n")
    script.chmod(0o755)


def _needed() -> set[str]:
    """Return all dependencies of the program, and theirs."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    found: set[str] = set()
    while wanted:
        requirement = wanted.pop()
        name = requirement.partition(";")[0].strip()
        name = name[: next((i for i, c in enumerate(name) if not (c.isalnum() or c in "-_.")), len(name))]
        if ";" not in requirement and name not in found:
            found.add(name)
            wanted += metadata.requires(name) or []
    return found
