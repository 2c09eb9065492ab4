"""What every test gets: a home of its own, and a word on what it needs and does not find."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

_XDG = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
}
_REAL = [Path(os.environ.get(name) or Path.home() / folder) for name, folder in _XDG.items()]

# Where they do not have their package's name.
_PACKAGES = {
    "mkfs.ext4": "e2fsprogs",
    "mkfs.xfs": "xfsprogs",
    "dbus-daemon": "dbus",
    "systemctl": "systemd",
    "systemd-analyze": "systemd",
    "unshare": "util-linux",
    "mount": "util-linux",
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.geteuid() != 0:
        for item in items:
            if item.get_closest_marker("root"):
                item.add_marker(pytest.mark.skip(reason="needs root: run pytest with sudo"))
    if "slow" not in config.option.markexpr:
        slow = [item for item in items if item.get_closest_marker("slow")]
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=slow)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, in which alone the program may leave anything."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name, folder in _XDG.items():
        monkeypatch.setenv(name, str(home / folder))
    for name in ("XDG_RUNTIME_DIR", "XDG_MUSIC_DIR", "NOTIFY_SOCKET"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(autouse=True, scope="session")
def _real_home_is_left_alone() -> Iterator[None]:
    before = _traces()
    yield
    assert _traces() == before, "a test wrote into the real home"


def _traces() -> dict[Path, int]:
    """Everything of ours in the real home, and when it was changed."""
    ours = (
        path
        for folder in _REAL
        for place in (folder, folder / "systemd/user")
        for path in place.glob("playshuffle*")
    )
    return {path: path.lstat().st_mtime_ns for top in ours for path in (top, *top.rglob("*"))}
