"""Playlists are whole and orders are kept if the service, or one of its processes, is killed at any time."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from playshuffle.system import lock
from tests.support.busy_folder import Changing
from tests.support.processes import WRITES, cpu_s, strace
from tests.support.program import listed, run
from tests.support.service import Service, config, holds, own_home, wait_for

pytestmark = pytest.mark.process

_LITTER = re.compile(r"^\..*\.tmp$|\.new$")


def litter(top: Path, service: Service) -> list[str]:
    """Return the temporary and status files that killed services left below a folder."""
    assert service.process is not None
    told = (top / ".local/state/playshuffle/services").iterdir()
    dead = [path.name for path in told if path.suffix == ".json" and path.stem != str(service.process.pid)]
    return dead + [path.name for path in top.rglob("*") if _LITTER.search(path.name)]


@contextlib.contextmanager
def killing_updates(service: Service, log: Path, call: str, number: int) -> Iterator[None]:
    """Kill each process of an update when it is about to make call number `number` of this kind."""
    words = strace(log, f"trace={call}", f"inject={call}:signal=KILL:when={number}")
    words.remove("-qq")  # strace prints when it is attached
    with subprocess.Popen([*words, "-p", str(service.processes()[1])], stderr=subprocess.PIPE) as tracer:
        assert tracer.stderr is not None
        attached = tracer.stderr.readline()
        assert b"attached" in attached, attached
        yield
        service.kill()


_ENDS = "an update ended by signal 9"
_FEW = [("write", 3), ("pwrite64", 2), ("fsync", 1), ("renameat", 1)]
_ALL = [(call, None) for call in WRITES.split(",")]


def killed_updates(service: Service) -> int:
    return service.log.count(_ENDS)


@pytest.fixture
def changing(tmp_path: Path) -> Changing:
    return Changing(tmp_path, 1)


@pytest.fixture
def playlist(changing: Changing) -> Path:
    return changing.music / "all.m3u"


@pytest.fixture
def service(changing: Changing, playlist: Path, tmp_path: Path) -> Iterator[Service]:
    """A service that has written the playlist, and does nothing now."""
    with Service(tmp_path, config(changing.music), env=own_home(tmp_path)) as service:
        wait_for(holds(playlist, *changing.names()))
        wait_for(lambda: len(service.processes()) == 2)
        yield service


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("calls", [_FEW, pytest.param(_ALL, marks=pytest.mark.slow)], ids=["few", "all"])
def test_an_update_killed_at_any_write_leaves_the_old_playlist_or_the_new(
    tmp_path: Path,
    changing: Changing,
    playlist: Path,
    service: Service,
    calls: Sequence[tuple[str, int | None]],
) -> None:
    """The next service continues the order, and removes temporary files of the killed update."""
    log = tmp_path / "strace"
    visited: Counter[str] = Counter()
    for call, only in calls:
        unreached = 0  # in a row: updates differ in how many calls they make
        for number in count(1) if only is None else [only]:
            changing.check(playlist)
            # No update is under way, the first of the service neither: it may have nothing to write.
            wait_for(lambda: service.playlist("all")["state"] == "managed")
            wait_for(lambda: len(service.processes()) == 2)
            log.unlink(missing_ok=True)
            with killing_updates(service, log, call, number):
                before = changing.names()
                while changing.names() == before:
                    changing.act()
                killed, is_new = killed_updates(service), holds(playlist, *changing.names())
                wait_for(
                    lambda killed=killed, is_new=is_new: (  # type: ignore[misc]
                        killed_updates(service) > killed or (is_new() and len(service.processes()) == 2)
                    )
                )
                # strace logs the kill before the service notices it.
                is_killed = killed_updates(service) > killed or "killed by SIGKILL" in log.read_text()
            changing.check(playlist)
            service.start()
            wait_for(holds(playlist, *changing.names()))
            wait_for(lambda: litter(tmp_path, service) == [])
            visited[call] += is_killed
            unreached = 0 if is_killed else unreached + 1
            if unreached == 2:
                break
    assert min(visited[call] for call in ("fsync", "pwrite64", "renameat")) > 0
    print(visited)


@pytest.mark.timing
def test_if_only_the_process_that_forks_updates_is_killed_the_service_starts_another_one(
    changing: Changing, playlist: Path, service: Service
) -> None:
    """It uses little CPU time meanwhile, and no other service can take over the playlist."""
    assert service.process is not None
    changing.check(playlist)
    service.kill(1)
    wait_for(lambda: "starting another one" in service.log)
    wait_for(lambda: len(service.processes()) == 2)
    before_s = cpu_s(service.process.pid)
    time.sleep(1)
    assert cpu_s(service.process.pid) - before_s < 0.3

    changing.act()

    wait_for(holds(playlist, *changing.names()))
    changing.check(playlist)
    assert run("watch", changing.music, "-o", playlist, env=service.env).code == 73
    assert service.stop() == 0


@pytest.mark.timing
def test_the_changes_that_a_killed_update_would_have_applied_are_applied_by_the_next_update(
    tmp_path: Path, changing: Changing, playlist: Path, service: Service
) -> None:
    """Though an event elsewhere starts the next update, and it succeeds."""
    before = changing.check(playlist)
    first = next(name for name in changing.names() if "/" not in name)
    with lock.held(os.fsencode(tmp_path / ".local/state/playshuffle/state.lock"), 5):
        (changing.music / first).unlink()
        wait_for(lambda: len(service.processes()) > 2)
        service.kill(2)
    wait_for(lambda: killed_updates(service) > 0)
    second = next(name for name in changing.names() if "/" in name)
    (changing.music / second).unlink()

    wait_for(holds(playlist, *changing.names()), 8)

    assert listed(playlist) == [name for name in before if name not in (first, second)]


def test_a_service_killed_while_its_process_of_updates_is_stopped_does_not_block_the_next_service(
    service: Service,
) -> None:
    updates = service.processes()[1]
    os.kill(updates, signal.SIGSTOP)
    try:
        service.kill(0)
        service.start()

        assert service.process is not None
        assert service.process.poll() is None
        assert [one["process"] for one in service.status()["services"]] == [service.process.pid]
    finally:
        os.kill(updates, signal.SIGKILL)
