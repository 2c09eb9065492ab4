"""Give every test an empty home, select the tests that can run, and check their traces."""

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.support import damage
from tests.support.in_process import Program
from tests.support.needs import not_listed
from tests.support.program import library, numbered
from tests.support.service import aged
from tests.support.tagging import tagged_library

_XDG = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
}
_REAL_FOLDERS = [Path(os.environ.get(name) or Path.home() / folder) for name, folder in _XDG.items()]

# Tests that deal twice on a day fail if midnight comes between. From 20:00 on, the time zone of all tests is
# twelve hours farther west.
if (now := time.localtime()).tm_hour >= 20:
    os.environ["TZ"] = f"WEST{12 - now.tm_gmtoff // 3600}"
    time.tzset()

_PROCESS_EVENTS = {"subprocess.Popen", "os.fork", "os.posix_spawn"}
_started: list[str] = []
_programs: set[str] = set()


def _note_start(event: str, args: tuple[Any, ...]) -> None:
    # matplotlib runs fc-list once, in whichever test imports it first.
    if event in _PROCESS_EVENTS and args[:1] != ("fc-list",):
        _started.append(event)
        if args:
            _programs.add(os.fsdecode(args[0]))


sys.addaudithook(_note_start)

# Usual runs try the same examples each time; `-m slow` tries other ones each time.
# How long an example takes says more about the machine than about the code.
_UNTIMED: dict[str, Any] = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("steady", derandomize=True, **_UNTIMED)
hypothesis.settings.register_profile("nightly", print_blob=True, **_UNTIMED)


# Of several processes each takes the next file. The longest files come first, so that none is left
# over when all others are done. Below tests/.
_LONGEST_FILES = (
    "test_wheel.py", "cli/test_deal_promises.py", "chaos/test_chaos.py", "service/test_promises_power.py",
    "service/test_promises_kill.py", "service/test_promises_model.py", "service/test_promises_import.py",
    "service/test_service.py", "install/test_systemd_service.py", "install/test_systemd_units.py",
    "telling/test_systemd.py", "telling/test_mpd.py", "telling/test_players.py", "cli/test_make.py",
    "cli/test_make_promises.py", "pipeline/test_update_model.py", "selection/test_beets.py",
    "beets/test_plugin.py", "watch/test_watcher.py",
)  # fmt: skip
_RANKS = {Path(__file__).parent / name: rank for rank, name in enumerate(_LONGEST_FILES)}


def pytest_configure(config: pytest.Config) -> None:
    # A job in the background of a shell inherits Ctrl-C ignored, and so would every program started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    profile = "nightly" if "slow" in config.option.markexpr else "steady"
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", profile))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.geteuid() != 0:
        for item in items:
            if item.get_closest_marker("root"):
                item.add_marker(pytest.mark.skip(reason="needs root: run pytest with sudo"))
    if "slow" not in config.option.markexpr:
        slow = [item for item in items if item.get_closest_marker("slow")]
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=slow)
    items.sort(
        key=lambda item: (item.get_closest_marker("timing") is not None, _RANKS.get(item.path, len(_RANKS)))
    )


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, the only place where the program may write without being told to."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name, folder in _XDG.items():
        monkeypatch.setenv(name, str(home / folder))
    for name in ("XDG_RUNTIME_DIR", "XDG_MUSIC_DIR", "NOTIFY_SOCKET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MPD_HOST", str(home / "no-mpd"))  # not one of this machine
    return home


@pytest.fixture
def music(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Audio files, not new, that MUSIC in the module describes: tags by name, names, or a count."""
    asked, folder = request.module.MUSIC, tmp_path / "Music"
    if isinstance(asked, Mapping):
        tagged_library(folder, asked)
    else:
        library(folder, asked) if not isinstance(asked, int) else numbered(folder, asked)
    return aged(folder)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Program:
    """The program, run in this process."""
    return Program(monkeypatch, capsysbinary)


@pytest.fixture(autouse=True)
def _state_is_never_damaged(request: pytest.FixtureRequest, home: Path) -> Iterator[None]:
    """Fail a test after which a state was set aside, unless it is marked `damages_state`."""
    folders = [home]
    if "tmp_path" in request.fixturenames:
        folders.append(request.getfixturevalue("tmp_path"))
    damage.forget_output()
    yield
    if request.node.get_closest_marker("damages_state") is None:
        assert damage.traces(folders) == [], "the state was damaged"


@pytest.fixture(autouse=True)
def _only_marked_tests_start_processes(request: pytest.FixtureRequest) -> Iterator[None]:
    _started.clear()
    yield
    if request.node.get_closest_marker("process") is None:
        assert _started == [], "this test starts processes: mark it with pytest.mark.process"


@pytest.fixture(autouse=True)
def _only_listed_programs_are_started() -> Iterator[None]:
    yield
    unlisted = not_listed(_programs)
    _programs.clear()
    assert unlisted == set(), "add the program and its package to tests/programs"


@pytest.fixture(autouse=True, scope="session")
def _real_home_is_left_alone() -> Iterator[None]:
    before = _traces()
    yield
    assert _traces() == before, "a test wrote into the real home"


def _traces() -> dict[Path, int]:
    """Return everything of ours in the real home, with the time of its last change."""
    ours = (
        path
        for folder in _REAL_FOLDERS
        for place in (folder, folder / "systemd/user")
        for path in place.glob("playshuffle*")
    )
    return {path: path.lstat().st_mtime_ns for top in ours for path in (top, *top.rglob("*"))}
