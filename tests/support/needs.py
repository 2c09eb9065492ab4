"""Skip a test whose program is missing; fail it in CI."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

# The package of each program that tests start.
PROGRAMS = dict(
    line.split(maxsplit=1)
    for line in (Path(__file__).parents[1] / "programs").read_text().splitlines()
    if not line.startswith("#")
)


def need(tool: str) -> None:
    """Skip the test if a program is missing; fail in CI, where none may be missing."""
    packages = PROGRAMS[tool]
    if shutil.which(tool) is None:
        unmet(f"{tool} is missing: apt install {packages}")


def not_listed(started: Iterable[str]) -> set[str]:
    """Return the programs, by name or path, whose packages are missing in tests/programs.

    Programs of the virtual environment, of the repository and of the test itself come from no package.
    """
    folders = {"", "/bin", "/sbin", "/usr/bin", "/usr/sbin"}
    programs = (path for path in started if os.path.dirname(path) in folders and path != sys.executable)
    return {os.path.basename(path) for path in programs} - PROGRAMS.keys()


def unmet(reason: str) -> NoReturn:
    """Skip the test because the machine lacks a requirement; fail in CI, which must have all."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def need_bindfs() -> None:
    """Skip the test if bindfs is missing, or the kernel refuses FUSE, as in a container; fail in CI."""
    need("bindfs")
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        unmet(f"the kernel refuses FUSE: {error}")


def need_user_namespaces() -> None:
    """Skip the test if the kernel refuses user namespaces, as in a container; fail in CI."""
    need("unshare")
    done = subprocess.run(["unshare", "-Ur", "true"], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        unmet(f"the kernel refuses user namespaces: {done.stderr.strip()}")


DEBIAN_BEETS = "/usr/share/beets"


def need_beets() -> None:
    """Skip the test if beets 2 is missing; fail in CI."""
    if find_spec("beets") is None:
        unmet("beets is missing: pip install 'playshuffle[oracle]'")


def need_beets_of_debian() -> None:
    """Skip the test if Debian's package beets is missing; fail in CI."""
    if not os.path.isdir(DEBIAN_BEETS):
        unmet("Debian's beets is missing: apt install beets")
