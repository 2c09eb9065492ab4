"""Test that `playshuffle make` keeps playlists whole through kills, disk errors, Ctrl-C and other runs."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import damage
from tests.support.bad_audio import slow_id3_bomb
from tests.support.processes import (
    CHANGES,
    children,
    ignores_interrupts,
    injected,
    is_alive,
    strace,
    strange_changes,
    writing_calls,
)
from tests.support.program import PROGRAM, environment, library, listed, make, numbered, ran, report, run
from tests.support.service import own_home, wait_for

pytestmark = pytest.mark.process

# Killed


class Station(NamedTuple):
    """A folder with music, a playlist and a state, which can be put back as it was at the same path."""

    top: Path
    kept: Path

    @property
    def music(self) -> Path:
        return self.top / "Music"

    @property
    def playlist(self) -> Path:
        return self.music / "playshuffle.m3u"

    def again(self) -> None:
        shutil.rmtree(self.top)
        shutil.copytree(self.kept, self.top, symlinks=True)


def station(top: Path, *words: str, is_new: bool = False) -> Station:
    here = Station(top / "here", top / "kept")
    numbered(here.music, 5)
    if not is_new:
        make(here.music, *words, "--seed", "old", env=own_home(here.top))
    shutil.copytree(here.top, here.kept)
    return here


def killed_everywhere(tmp_path: Path, *words: str, is_new: bool = False, every: int = 1) -> set[bytes | None]:
    """Kill a run at each call that writes, and return the playlists left. The next run must succeed.

    Of the many similar writes into the database, only each `every`-th is tried.
    """
    stations = [station(tmp_path / str(number), *words, is_new=is_new) for number in range(2)]

    def from_new(before: list[str]) -> bool:
        done = run("make", stations[0].music, *words, env=own_home(stations[0].top), before=before)
        stations[0].again()
        return done.code == 0

    calls = [
        (name, number)
        for name, number in writing_calls(tmp_path / "log", from_new)
        if name != "pwrite64" or number % every == 0
    ]
    left: set[bytes | None] = set()

    def kill_at(here: Station, name: str, number: int) -> None:
        here.again()
        before = injected(name, f"signal=KILL:when={number}")
        done = run("make", here.music, *words, "--seed", "new", env=own_home(here.top), before=before)
        assert done.code == -signal.SIGKILL
        left.add(here.playlist.read_bytes() if here.playlist.exists() else None)

        done = run("make", here.music, *words, "--order", "sattolo", env=own_home(here.top))

        assert (done.code, damage.PLAYLIST_CHANGED in done.err) == (0, False), (name, number, done.err)
        assert sorted(listed(here.playlist)) == [f"{number:03}.mp3" for number in range(5)]
        assert sorted(os.listdir(here.music))[5:] == ["playshuffle.m3u"], (name, number)

    def work(mine: int) -> None:
        for name, number in calls[mine::2]:
            kill_at(stations[mine], name, number)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    return left


def both(tmp_path: Path, *words: str) -> set[bytes]:
    """Return the playlist before and after a run."""
    here = station(tmp_path / "expected", *words)
    old = here.playlist.read_bytes()
    make(here.music, *words, "--seed", "new", env=own_home(here.top))
    return {old, here.playlist.read_bytes()}


def test_a_make_killed_at_any_write_leaves_the_old_playlist_or_the_new_one(tmp_path: Path) -> None:
    """The next run works, takes no kill for an edit by hand, and leaves no temporary file."""
    assert killed_everywhere(tmp_path, "--no-tags", every=8) == both(tmp_path, "--no-tags")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_make_killed_at_any_system_call_leaves_no_half_written_playlist(tmp_path: Path) -> None:
    """Whether it is the first make of the playlist or a later one."""
    old, new = sorted(both(tmp_path), key=lambda content: b"SEED:new" in content)

    assert killed_everywhere(tmp_path / "first", is_new=True) == {None, new}
    shutil.rmtree(tmp_path / "first")
    assert killed_everywhere(tmp_path / "later") == {old, new}


# Refused by the disk


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ("pwrite64", "error=ENOSPC"),
        ("fdatasync", "error=EIO"),
        ("fsync", "error=EIO:when=1"),
        ("rename,renameat,renameat2", "error=EROFS"),
        ("fchmod", "error=ENOSPC"),
        ("flock", "error=ENOLCK"),
    ],
)
def test_make_with_a_disk_error_leaves_the_old_playlist(tmp_path: Path, calls: str, fault: str) -> None:
    """Unless the error does not matter: then make writes the new one."""
    here = station(tmp_path, "--no-tags")
    old = here.playlist.read_bytes()

    words = ("make", here.music, "--no-tags", "--seed", "new")
    done = run(*words, env=own_home(here.top), before=injected(calls, fault))

    if done.code == 0:
        assert sorted(listed(here.playlist)) == [f"{number:03}.mp3" for number in range(5)]
    else:
        assert (done.code, done.err.count("\n")) == (73, 1), done.err
        assert done.err.startswith("error: ")
        assert here.playlist.read_bytes() == old
    assert sorted(os.listdir(here.music))[5:] == ["playshuffle.m3u"]
    make(here.music, env=own_home(here.top))


# Interrupted


@contextlib.contextmanager
def reading(music: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """Yield a run that is stopped while it reads tags, and the numbers of its processes that read."""
    slow = music / "slow.mp3"  # so that the run is not over before it is stopped
    slow.write_bytes(slow_id3_bomb())
    with subprocess.Popen(
        [*PROGRAM, "make", music],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        readers: list[int] = []
        try:
            wait_for(lambda: any(map(ignores_interrupts, children(process.pid))))
            readers = children(process.pid)
            for reader in readers:
                os.kill(reader, signal.SIGSTOP)
            assert process.poll() is None
            yield process, readers
        finally:
            for pid in (process.pid, *readers):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            slow.unlink()


def test_ctrl_c_immediately_ends_make_and_the_processes_that_read_tags_for_make(tmp_path: Path) -> None:
    """The exit code is 130, the old playlist stays, and the next run reads the rest."""
    music = numbered(tmp_path, 3)
    make(music)
    numbered(tmp_path, 2000)
    before = (music / "playshuffle.m3u").read_bytes()

    with reading(music) as (process, readers):
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=500)
        assert (process.returncode, out, err) == (130, b"", b"error: Interrupted.\n")
        wait_for(lambda: not any(map(is_alive, readers)))

    assert (music / "playshuffle.m3u").read_bytes() == before
    assert report(music)["tracks"] == 2000


def test_no_process_that_reads_tags_outlives_a_killed_run(tmp_path: Path) -> None:
    music = numbered(tmp_path, 2000)

    with reading(music) as (process, readers):
        process.kill()
        process.wait()
        for reader in readers:
            os.kill(reader, signal.SIGCONT)
        wait_for(lambda: not any(map(is_alive, readers)))

    assert not (music / "playshuffle.m3u").exists()


# In company


@contextlib.contextmanager
def delayed(music: Path, *words: str, env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run that takes 1.5 seconds longer to rename its file, and wait for its end."""
    log = music.parent / "log"
    call = "rename,renameat,renameat2"
    before = strace(log, f"trace={call}", f"inject={call}:delay_enter=1500000:when=1")
    with subprocess.Popen(
        [*before, *PROGRAM, "make", music, *words],
        env=environment(**env, PYTHONDONTWRITEBYTECODE="1"),
        stderr=subprocess.PIPE,
    ) as process:
        wait_for(lambda: log.exists() and b"rename" in log.read_bytes())
        yield process
        assert process.stderr is not None
        err = process.stderr.read()
        assert process.wait() == 0, err


def test_a_make_waits_until_a_make_of_the_same_playlist_by_another_user_has_ended(tmp_path: Path) -> None:
    """The file has the order of the second run, and the state of its user has that order, too."""
    music = numbered(tmp_path / "Music", 5)
    (tmp_path / "home").mkdir()
    elsewhere = dict.fromkeys(("XDG_STATE_HOME", "XDG_CACHE_HOME"), str(tmp_path / "home"))
    make(music, "--seed", "2", "-o", tmp_path / "second.m3u")
    second = [os.path.basename(entry) for entry in listed(tmp_path / "second.m3u")]

    with delayed(music, "--seed", "1", "--no-tags", env=elsewhere) as first:
        make(music, "--seed", "2")
        wait_for(lambda: first.poll() is not None)

    assert listed(music / "playshuffle.m3u") == second
    assert sorted(os.listdir(music))[5:] == ["playshuffle.m3u"]
    assert report(music)["notes"] == []


def test_two_makes_of_the_same_playlist_that_start_together_run_one_after_the_other(
    tmp_path: Path, home: Path
) -> None:
    """Sattolo exchanges the two tracks, so that two runs restore their order."""
    music = numbered(tmp_path / "Music", 2)
    make(music, "--no-tags")
    before = listed(music / "playshuffle.m3u")
    (state_lock,) = home.rglob("state.lock")
    command = [*PROGRAM, "make", str(music), "--order", "sattolo", "--no-tags", "-q"]
    logs = [tmp_path / "first", tmp_path / "second"]

    with state_lock.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        processes = [
            subprocess.Popen(
                [*strace(log, "trace=flock"), *command], env=environment(), stderr=subprocess.PIPE
            )
            for log in logs
        ]
        # Both have seen the old order, and wait.
        wait_for(lambda: all(log.exists() and b"EAGAIN" in log.read_bytes() for log in logs))

    assert [process.communicate(timeout=500)[1] for process in processes] == [b"", b""]
    assert listed(music / "playshuffle.m3u") == before


# Kept to itself


def test_make_writes_only_files_of_playshuffle_and_starts_only_a_process_that_reads_tags(
    tmp_path: Path, home: Path
) -> None:
    """It opens no socket, and leaves audio files unchanged."""
    music = library(tmp_path / "Music", ["a.mp3", "b.flac", "sub/c.ogg"])
    seen = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in music.rglob("*.*")}
    log = tmp_path / "log"

    ran("make", music, before=strace(log, f"trace={CHANGES}"), env={"PYTHONDONTWRITEBYTECODE": "1"})
    lines = [line.split(None, 1)[1] for line in log.read_text().splitlines() if "(" in line]
    assert not [line for line in lines if line.startswith(("socket", "connect"))]
    started = [line for line in lines if line.startswith("execve") and line.endswith("= 0")]
    assert len(started) == 2  # the program, and a reader of tags
    assert strange_changes(lines, home, "playshuffle.m3u") == []
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in seen} == seen
