"""Compare `playshuffle watch` with an idle MPD with `auto_update`: both over one library, in one run.

    python -m benchmarks.watching [--tracks 100000] [--rounds 7] [--idle 60] [--burst 10000] [--keep FOLDER]

Makes the tiny library of `benchmarks.corpora`. Each round adds a file, changes its tags, renames it and
deletes it, and waits each time until both have seen it. The settle time of each (2 s and 5 s) is
subtracted. The table shows medians, and the smallest and the largest. Needs mpd, mpc and Linux.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from benchmarks.corpora import make_tiny
from benchmarks.mpd import Mpd

_QUIET_S = 2.0
_MPD_QUIET_S = 5.0  # a constant in MPD
_LOOK_S = 0.002
_PATIENCE_S = 600.0
_MPD_PATIENCE_S = 30.0
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_MB = 1024


class Service:
    """A running service, with its messages to systemd."""

    def __init__(self, music: Path, folder: Path) -> None:
        self.playlist = folder / "all.m3u"
        self._told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._told.settimeout(_PATIENCE_S)
        address = folder / "notify"
        address.unlink(missing_ok=True)
        self._told.bind(str(address))
        began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "playshuffle", "watch", music, "-o", self.playlist, "-q"],
            env={**os.environ, "NOTIFY_SOCKET": str(address)},
        )
        self.pid = self._process.pid
        self._wait_for(b"READY=1")
        self.ready_s = time.perf_counter() - began
        self._wait_for(b"STATUS=managed")
        self.kept_s = time.perf_counter() - began
        threading.Thread(target=self._read_on, daemon=True).start()

    def _wait_for(self, words: bytes) -> None:
        while words not in self._told.recv(1 << 16):
            pass

    def _read_on(self) -> None:
        self._told.settimeout(None)
        while self._told.recv(1 << 16):
            pass

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()


class Replaced:
    """Counts how often a file is replaced, and keeps the last time; a context manager."""

    def __init__(self, file: Path) -> None:
        self.times = 0
        self.last_s = 0.0
        self._file = file
        self._is_over = False
        self._seen = file.stat().st_ino
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over:
            now = self._file.stat().st_ino
            if now != self._seen:
                self._seen, self.last_s = now, time.perf_counter()
                self.times += 1
            time.sleep(_LOOK_S)


def family(pid: int) -> list[int]:
    """Return a process, and all its descendants."""
    found = [pid]
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may end meanwhile
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += family(int(child))
    return found


def memory_mb(pid: int) -> list[float]:
    """Return the memory of each process of a family, with shared pages divided between them (PSS)."""
    return [_memory_kb(one)["Pss"] / _MB for one in family(pid)]


def alone_mb(pid: int) -> float:
    """Return the memory of a family if no other process shared its program and libraries."""
    held = [_memory_kb(one) for one in family(pid)]
    return (sum(one["Pss_Anon"] for one in held) + max(one["Rss"] - one["Anonymous"] for one in held)) / _MB


def _memory_kb(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {key: int(rest.split()[0]) for key, _, rest in (line.partition(":") for line in lines)}


def cpu_s(pid: int) -> float:
    """Return the CPU time of a family."""
    return _stat_s(pid, 11)


def ended_cpu_s(pid: int) -> float:
    """Return the CPU time of all ended processes of a family."""
    return _stat_s(pid, 13)


def _stat_s(pid: int, first: int) -> float:
    fields = (Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in family(pid))
    return sum(int(row[first]) + int(row[first + 1]) for row in fields) * _TICK_S


def _counted(pid: int, file: str, what: str) -> int:
    total = 0
    for one in family(pid):
        for line in Path(f"/proc/{one}/{file}").read_text().splitlines():
            if line.startswith(what + ":"):
                total += int(line.split()[1])
    return total


class Peak:
    """Measures the maximum memory of an update process, a child of `worker`; a context manager."""

    def __init__(self, worker: int) -> None:
        self.mb = 0.0
        self._worker = worker
        self._is_over = False
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over:
            try:
                self.mb = max(self.mb, sum(_memory_kb(one)["Pss"] for one in family(self._worker)[1:]) / _MB)
            except (OSError, KeyError):  # it has just ended
                continue
            time.sleep(0.02)


def changes(music: Path, chance: random.Random) -> dict[str, Callable[[], object]]:
    """Return the changes of a round, in order; at its end the library is as before."""
    albums = [Path(top) for top, _, files in os.walk(music) if files]
    album = chance.choice(albums)
    model, other = (next(chance.choice(albums).glob("*.mp3")) for _ in range(2))
    new, renamed = album / "00 - New.mp3", album / "99 - Renamed.mp3"
    return {
        "a new file": lambda: shutil.copyfile(model, new),
        "other tags": lambda: new.write_bytes(other.read_bytes() + bytes(417)),
        "a file renamed": lambda: new.rename(renamed),
        "a file deleted": renamed.unlink,
    }


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--idle", type=float, default=60.0, help="seconds to look on")
    parser.add_argument("--burst", type=int, default=10_000, help="files copied in at once")
    parser.add_argument("--keep", type=Path, help="make the library here, or use the one that is here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        music = options.keep or Path(scratch, "music")
        if not music.exists():
            make_tiny(music, options.tracks)
        os.environ |= {"HOME": scratch, "XDG_CACHE_HOME": f"{scratch}/c", "XDG_STATE_HOME": f"{scratch}/s"}
        _measure(music, Path(scratch), options)


def _measure(music: Path, scratch: Path, options: argparse.Namespace) -> None:
    mpd = Mpd(music, scratch / "mpd", 'auto_update "yes"\n')
    mpd.update()
    make = [sys.executable, "-m", "playshuffle", "make", "-q", "-o", f"{scratch}/all.m3u", str(music)]
    subprocess.run(make, check=True)
    starts = []
    for _ in range(3):
        service = Service(music, scratch)
        _until(lambda service=service: len(family(service.pid)) == 2)  # type: ignore[misc] # no update runs
        starts.append((service.ready_s, service.kept_s, ended_cpu_s(service.pid), cpu_s(service.pid)))
        if len(starts) < 3:
            service.stop()
    for name, seconds in zip(
        (
            "start until ready",
            "start until the first scan ends",
            "CPU of a full scan",
            "CPU of the rest",
        ),
        zip(*starts, strict=True),
        strict=True,
    ):
        print(_row(name, list(seconds)))
    before_s = cpu_s(mpd.pid)
    mpd.update()
    print(_row("CPU of MPD's update", [cpu_s(mpd.pid) - before_s]))
    _print_idle(service, mpd, options.idle)
    _print_changes(service, mpd, music, options.rounds)
    _print_burst(service, mpd, music, options.burst)
    print("afterwards:")
    _print_memory(service, mpd)
    service.stop()
    mpd.stop()


def _print_idle(service: Service, mpd: Mpd, idle_s: float) -> None:
    time.sleep(3)
    _print_memory(service, mpd)
    pids = {"service": service.pid, "MPD": mpd.pid}
    before = {name: _spent(pid) for name, pid in pids.items()}
    time.sleep(idle_s)
    for name, pid in pids.items():
        cpu, calls, written, woken = (now - then for now, then in zip(_spent(pid), before[name], strict=True))
        print(
            f"{name} idle for {idle_s:.0f} s: {cpu / idle_s:.4%} CPU, {calls:.0f} writes, {written:.0f} bytes"
            f" to disk, woken {woken:.0f} times"
        )


def _spent(pid: int) -> tuple[float, ...]:
    return (
        cpu_s(pid),
        _counted(pid, "io", "syscw"),
        _counted(pid, "io", "write_bytes"),
        _counted(pid, "status", "voluntary_ctxt_switches"),
    )


def _print_memory(service: Service, mpd: Mpd) -> None:
    ours, theirs = memory_mb(service.pid), memory_mb(mpd.pid)
    said = " + ".join(f"{one:.1f}" for one in ours)
    print(
        f"memory: {sum(ours):.1f} MB ({said}), MPD {sum(theirs):.1f} MB:"
        f" {sum(ours) / sum(theirs):.2f} of it (goals 36 MB, after a burst 40 MB; 0.75)\n"
        f"with what others share: {alone_mb(service.pid):.1f} MB, MPD {alone_mb(mpd.pid):.1f} MB"
    )


def _print_changes(service: Service, mpd: Mpd, music: Path, rounds: int) -> None:
    chance = random.Random(1)
    ours: dict[str, list[float]] = {}
    theirs: dict[str, list[float]] = {}
    with Peak(family(service.pid)[1]) as peak:
        for _ in range(rounds):
            for name, change in changes(music, chance).items():
                with Replaced(service.playlist) as replaced, mpd.waiting() as seen:
                    change()
                    began = time.perf_counter()
                    seen.wait()
                    theirs.setdefault(name, []).append(time.perf_counter() - began - _MPD_QUIET_S)
                    _until(lambda replaced=replaced: replaced.times > 0)  # type: ignore[misc]
                ours.setdefault(name, []).append(replaced.last_s - began - _QUIET_S)
    print("\nfrom a change to the playlist, without the quiet time; goal 0.4 s")
    for name, seconds in ours.items():
        print(f"{_row(name, seconds)};  MPD {_row('', theirs[name]).strip()}")
    print(f"most memory of an update: {peak.mb:.0f} MB")


def _print_burst(service: Service, mpd: Mpd, music: Path, files: int) -> None:
    come = music / "~ come"
    with tempfile.TemporaryDirectory(dir=music.parent) as aside:
        make_tiny(Path(aside, "burst"), files)
        count = _entries(service.playlist)
        with Replaced(service.playlist) as replaced, Peak(family(service.pid)[1]) as peak:
            began = time.perf_counter()
            shutil.copytree(Path(aside, "burst"), come)
            copied_s = time.perf_counter() - began
            _until(lambda: _entries(service.playlist) == count + files)
            ours_s = replaced.last_s - began - copied_s
            with contextlib.suppress(TimeoutError):  # MPD misses files in folders that it reaches too late
                _until(lambda: mpd.songs() == count + files, _MPD_PATIENCE_S)
            theirs_s = time.perf_counter() - began - copied_s
            theirs = mpd.songs() - count
        shutil.rmtree(come)
        _until(lambda: _entries(service.playlist) == count)
    print(
        f"\n{files:,} files copied in within {copied_s:.1f} s: {replaced.times} writes of the playlist,"
        f" all in after {ours_s:.1f} s more; MPD has {theirs:,} after {theirs_s:.1f} s;"
        f" most memory {peak.mb:.0f} MB"
    )


def _entries(playlist: Path) -> int:
    return sum(not line.startswith(b"#") for line in playlist.read_bytes().splitlines())


def _until(is_so: Callable[[], bool], patience_s: float = _PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.1)


def _row(name: str, seconds: list[float]) -> str:
    return f"{name:30}{statistics.median(seconds):7.2f} s ({min(seconds):.2f}-{max(seconds):.2f})"


if __name__ == "__main__":
    main()
