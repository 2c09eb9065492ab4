"""The service beside other processes, after damage to its state, and with a drive that hangs."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import damage
from tests.support.file_systems import bound
from tests.support.processes import CHANGES, children, cpu_s, strace, strange_changes
from tests.support.program import DATA, PROGRAM, environment, library, listed, numbered, report, state_file
from tests.support.service import PATIENCE_S, Service, add, aged, config, holds, left, own_home, wait_for

pytestmark = pytest.mark.process

MUSIC = 8


def has_all(music: Path) -> Callable[[], bool]:
    return holds(music / "all.m3u", *(f"{number:03}.mp3" for number in range(MUSIC)))


@pytest.fixture
def service(music: Path, tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path, config(music)) as service:
        wait_for(has_all(music))
        yield service


# Two at once


@pytest.mark.parametrize("rounds", [1, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.timeout(1800)
def test_the_command_make_and_the_service_take_turns_to_write_the_same_playlist(
    music: Path, service: Service, rounds: int
) -> None:
    """State and file agree after a change in the folder while `make` is about to replace the file."""
    playlist = music / "all.m3u"
    renames = "rename,renameat,renameat2"
    slow = strace("/dev/null", f"trace={renames}", f"inject={renames}:delay_enter=1500000:when=1")
    words: list[str | Path] = [*slow, *PROGRAM, "make", music, "-o", playlist, "--no-tags", "-q"]
    for number in range(rounds):
        with subprocess.Popen(words, env=environment()) as making:
            new = f"new{number}.mp3"
            time.sleep(random.Random(number).uniform(0, 1))
            shutil.copyfile(DATA / "v24.mp3", music / new)
            os.utime(music / new, (1, number))
            assert making.wait(PATIENCE_S) == 0

        wait_for(lambda new=new: new in listed(playlist))  # type: ignore[misc]
        wait_for(lambda: len(service.processes()) == 2)
        assert len(listed(playlist)) == 9 + number
    order = listed(playlist)
    assert service.stop() == 0
    assert report(music, "-o", playlist, "--dry-run")["notes"] == []
    assert damage.PLAYLIST_CHANGED not in service.log
    service.start()
    add(music / "last.ogg", playlist)
    assert left(order, listed(playlist)) == order


def test_a_file_that_is_deleted_before_the_command_make_has_its_lock_is_not_in_its_playlist(
    music: Path, service: Service, tmp_path: Path, home: Path
) -> None:
    """`make` scanned the folder before the deletion. By then, the service has removed the track."""
    playlist, log = music / "all.m3u", tmp_path / "opened"
    stopped = strace(log, "trace=openat", "inject=openat:signal=STOP:when=1")
    stopped += ["-P", str(state_file(home).with_suffix(".lock"))]
    words: list[str | Path] = [*stopped, *PROGRAM, "make", music, "-o", playlist, "--no-tags", "-q"]
    with subprocess.Popen(words, env=environment()) as making:
        wait_for(lambda: log.exists() and "stopped by SIGSTOP" in log.read_text())
        (music / "000.mp3").unlink()
        wait_for(lambda: "000.mp3" not in listed(playlist))
        (make,) = children(making.pid)
        os.kill(make, signal.SIGCONT)
        assert making.wait(PATIENCE_S) == 0

    assert "000.mp3" not in listed(playlist)


# A damaged state


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("seed", "count"), [(0, 3), *(pytest.param(n, 250, marks=pytest.mark.slow) for n in range(1, 5))]
)
@pytest.mark.damages_state
def test_after_damage_to_the_state_the_order_is_read_back_from_the_playlist(
    tmp_path: Path, seed: int, count: int
) -> None:
    """The damaged state is renamed, and the log has its new name."""
    chance = random.Random(seed)
    music = aged(numbered(tmp_path / "Music", 20))
    playlist = music / "all.m3u"
    service = Service(tmp_path, config(music), env=own_home(tmp_path))
    state = state_file(tmp_path)
    asides = 0
    with service:
        wait_for(lambda: playlist.exists() and len(listed(playlist)) == 20)
        for number in range(count):
            before = listed(playlist)
            service.kill()
            broken = damage.damaged(state.read_bytes(), chance)
            state.write_bytes(broken)
            for path in sorted(music.glob("new*")):
                path.unlink()
            shutil.copyfile(DATA / "v24.mp3", music / f"new{number}.mp3")
            os.utime(music / f"new{number}.mp3", (1, number))
            service.begin()
            wait_for(lambda number=number: f"new{number}.mp3" in listed(playlist))  # type: ignore[misc]

            stayed = [name for name in before if not name.startswith("new")]
            assert [name for name in listed(playlist) if not name.startswith("new")] == stayed, number
            assert len(listed(playlist)) == 21
            for aside in state.parent.glob("state.db.damaged*"):
                asides += 1
                if not aside.name.endswith("-journal"):
                    assert aside.read_bytes() == broken
                    wait_for(lambda aside=aside: aside.name in service.log)  # type: ignore[misc]
                aside.unlink()
    assert "Traceback" not in service.log
    assert asides or count < 10


# A reader that is stuck


@contextlib.contextmanager
def supervisor(top: Path) -> Iterator[Path]:
    """Run a process that reads notifications like systemd; yield the path of its socket."""
    place = top / "notify"
    listen = "import socket, sys; s = socket.socket(1, 2); s.bind(sys.argv[1])\nwhile s.recv(4096): pass"
    with subprocess.Popen([sys.executable, "-c", listen, place]) as process:
        try:
            wait_for(place.exists)
            yield place
        finally:
            process.kill()


@pytest.mark.root
def test_the_service_survives_a_drive_that_hangs_and_updates_its_playlist_afterwards(tmp_path: Path) -> None:
    """The hanging update is ended and logged, and `status` works meanwhile."""
    real, seen = aged(numbered(tmp_path / "real", 3)), tmp_path / "Seen"
    playlist = tmp_path / "all.m3u"
    with bound(real, seen) as drive, supervisor(tmp_path) as place:
        text = 'poll = "5s"\n' + config(seen, output=str(playlist))
        env = {"WATCHDOG_USEC": "4000000", "NOTIFY_SOCKET": str(place)}
        with Service(tmp_path, text, env=env) as service:
            wait_for(lambda: playlist.exists() and len(listed(playlist)) == 3)
            assert "polling (fuse)" in service.log
            # Not while it answers a request: nobody can end a process that waits for such an answer.
            wait_for(lambda: "3 tracks written" in service.log)
            before = playlist.read_bytes()
            drive.send_signal(signal.SIGSTOP)
            wait_for(lambda: "made no progress for" in service.log)
            wait_for(lambda: "an update ended by signal" in service.log)

            assert service.status()["services"]
            assert playlist.read_bytes() == before
            drive.send_signal(signal.SIGCONT)
            shutil.copyfile(DATA / "tone.ogg", real / "new.ogg")
            wait_for(lambda: any("new.ogg" in entry for entry in listed(playlist)))
            assert [entry for entry in listed(playlist) if "new" not in entry] == [
                entry for entry in before.decode().splitlines() if not entry.startswith("#")
            ]

            drive.send_signal(signal.SIGSTOP)
            service.signal(signal.SIGTERM)
            assert service.process is not None
            assert service.process.wait(PATIENCE_S) == 0


# System calls of the service


def test_the_service_writes_only_its_own_files_and_starts_no_program_but_its_tag_readers(
    music: Path, tmp_path: Path, home: Path
) -> None:
    """Its only socket is that of systemd."""
    log = tmp_path / "strace"
    traced = f"trace={CHANGES},bind,listen,sendto"
    seen = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in music.rglob("*.mp3")}
    with supervisor(tmp_path) as notify:
        env = {"PYTHONDONTWRITEBYTECODE": "1", "NOTIFY_SOCKET": str(notify)}
        with Service(tmp_path, config(music), before=strace(log, traced), env=env) as service:
            wait_for(has_all(music))
            library(music, ["x/new.ogg"])
            wait_for(lambda: "x/new.ogg" in listed(music / "all.m3u"))
            os.kill(next(filter(_is_python, service.processes())), signal.SIGTERM)
            assert service.process is not None
            assert service.process.wait(PATIENCE_S) == 0

    lines = [line.split(None, 1)[1] for line in log.read_text().splitlines() if "(" in line]
    sockets = [line for line in lines if re.match("socket|connect|bind|listen|sendto", line)]
    assert sockets
    # What is sent without an address goes where the socket was connected to.
    is_ours = re.compile(rf"socket\(AF_UNIX, SOCK_DGRAM\||.*{notify}|sendto\(.*, NULL, 0(\)| <unfinished)")
    assert not [line for line in sockets if not is_ours.match(line)]
    started = [line for line in lines if line.startswith("execve") and line.endswith("= 0")]
    assert all('"-I", "-c", "import sys; sys.path[:] = sys.ar"' in line for line in started[1:])
    assert len(started) > 1
    assert strange_changes(lines, home, "all.m3u") == []
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in seen} == seen


def _is_python(process: int) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # an update that has just ended
        return Path(f"/proc/{process}/comm").read_text().startswith("python")
    return False


@pytest.mark.timeout(900)
@pytest.mark.parametrize("idle_s", [5, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.timing
def test_an_idle_service_writes_nothing_and_uses_almost_no_cpu_time(
    music: Path, tmp_path: Path, idle_s: int
) -> None:
    """Even while another program reads all files."""
    # So that mounts of other programs cannot wake it.
    alone = ["unshare", "-m", "--propagation", "private"] * (os.geteuid() == 0)
    with Service(tmp_path, config(music), before=alone) as service:
        wait_for((music / "all.m3u").exists)
        time.sleep(3)
        main, passes = service.processes()
        log = tmp_path / "strace"
        before = service.log
        calls = "write,pwrite64,openat,rename,unlink,fsync,clone,fork,vfork,clone3"
        with subprocess.Popen([*strace(log, f"trace={calls}"), "-p", str(main), "-p", str(passes)]) as tracer:
            time.sleep(1)
            log.write_bytes(b"")
            used = [cpu_s(main), cpu_s(passes)]
            for path in music.rglob("*.*"):
                path.read_bytes()
            time.sleep(idle_s)
            spent_s = cpu_s(main) + cpu_s(passes) - sum(used)
            tracer.terminate()
        told = [line for line in log.read_text().splitlines() if re.search(r"\w+\(", line)]

        assert not [line for line in told if not re.search(r"openat\(.*O_RDONLY", line)], told
        assert spent_s <= max(0.05, 0.001 * idle_s), spent_s
        assert service.log == before
