"""Skip a test whose program is missing; fail it in CI."""

import os
import shutil
from importlib.util import find_spec

import pytest

# Where they do not have their package's name.
_PACKAGES = {
    "mkfs.ext4": "e2fsprogs",
    "mkfs.xfs": "xfsprogs",
    "dbus-daemon": "dbus",
    "systemctl": "systemd",
    "systemd-analyze": "systemd",
    "unshare": "util-linux",
    "mount": "util-linux",
    "promtool": "prometheus",
    "setpriv": "util-linux",
}


def need(tool: str) -> None:
    """Skip the test if a program is missing; fail where there must be none missing, in CI."""
    if shutil.which(tool) is None:
        unmet(f"{tool} is missing: apt install {_PACKAGES.get(tool, tool)}")


def unmet(reason: str) -> None:
    """Skip the test for what the machine lacks; fail in CI, where it may lack nothing."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


DEBIAN_BEETS = "/usr/share/beets"


def need_beets() -> None:
    """Skip the test if beets 2 is missing; fail in CI."""
    if find_spec("beets") is None:
        unmet("beets is missing: pip install 'playshuffle[oracle]'")


def need_beets_of_debian() -> None:
    """Skip the test if Debian's package beets is missing; fail in CI."""
    if not os.path.isdir(DEBIAN_BEETS):
        unmet("Debian's beets is missing: apt install beets")
