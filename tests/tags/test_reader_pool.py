import contextlib
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.tags import reader_pool
from playshuffle.tags.cause import NO_TAGS, Cause
from playshuffle.tags.reader_pool import read_all
from playshuffle.tags.reading import Reading
from playshuffle.tags.tag_reader import read
from tests.support.audio_data import FILES, is_sound
from tests.support.bad_audio import compressed_bomb, mutants, nested_bomb, slow_id3_bomb, slow_ogg_bomb
from tests.tags.test_tag_reader import DATA

SOUND = [os.fsencode(DATA / name) for name in FILES]
ROOT = str(Path(__file__).parents[2])


def children() -> set[int]:
    """Return the processes that this one has started, zombies included, without multiprocessing's helper."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1]
            command = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if parent == str(os.getpid()) and b"resource_tracker" not in command:
            found.add(int(name))
    return found


@pytest.fixture(autouse=True)
def _leaves_nothing() -> Iterator[None]:
    """No test leaves a process or a descriptor behind."""
    before = children(), os.listdir("/proc/self/fd")
    yield

    assert (children(), os.listdir("/proc/self/fd")) == before


def count_starts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that grows with each worker that is started."""
    started: list[object] = []

    class Counted(reader_pool._Worker):
        def __init__(self, deadline_s: float, memory_bytes: int) -> None:
            super().__init__(deadline_s, memory_bytes)
            started.append(self.process.pid)

    monkeypatch.setattr(reader_pool, "_Worker", Counted)
    return started


@pytest.mark.process
def test_workers_read_every_file_once_with_the_same_result_as_this_process() -> None:
    """More files than are given out at a time, in any order: each with its own reading, of any kind."""
    paths = [*SOUND, b"/nothing.mp3", os.fsencode(__file__)] * 20
    found = list(read_all(paths, processes=2))

    assert sorted(index for index, _ in found) == list(range(len(paths)))
    assert all(reading == read(paths[index]) for index, reading in found)


def test_a_slow_file_system_gets_its_number_of_workers_but_one_for_64_files_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But none for a few files, which one has read before the next has started."""
    sizes: list[int] = []

    def readings(_: object, size: int) -> Iterator[tuple[int, Reading]]:
        sizes.append(size)
        return iter(())

    monkeypatch.setattr(reader_pool._Pool, "readings", readings)
    monkeypatch.setattr(reader_pool, "worker_count", lambda _: 16)

    for count in (0, 64, 65, 100_000):
        list(read_all([b"x"] * count))

    assert sizes == [1, 1, 2, 16]


def test_reading_no_files_starts_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to read starts nothing."""
    monkeypatch.setattr(sys, "executable", "/nonexistent")

    assert list(read_all([])) == []


@pytest.mark.process
def test_few_files_start_one_worker() -> None:
    """A second one would cost more than it saves."""
    with contextlib.closing(read_all(SOUND * 3, processes=8)) as iterator:
        next(iterator)

        assert len(children()) == 1


@pytest.mark.process
def test_impossible_names_are_not_sent_to_workers(tmp_path: Path) -> None:
    """Neither a NUL nor a path of 100 KB confuses the worker; odd bytes are no trouble."""
    odd = os.fsencode(tmp_path) + b"/\xff\n\x1b.mp3"
    Path(os.fsdecode(odd)).write_bytes((DATA / "v24.mp3").read_bytes())
    found = dict(read_all([b"a\0b.mp3", b"x" * 100_000, odd, b""]))

    assert [found[index].is_audio for index in range(4)] == [False, False, True, False]
    assert str(found[0].reason) == "cannot be opened: no file has such a name"
    assert found[2] == read(os.fsencode(DATA / "v24.mp3"))


# In a process of its own, whose memory shows nothing of how the bombs were made.
MEASURED = """
import json, re, sys
from playshuffle.tags.reader_pool import read_all
deadline_s, *names = sys.argv[1:]
paths = [name.encode() for name in names]
found = list(read_all(paths, processes=2, deadline_s=float(deadline_s), memory_bytes=100 << 20))
peak_kb = int(re.search(r"VmHWM:\\s+([0-9]+) kB", open("/proc/self/status").read())[1])
print(json.dumps([peak_kb, found]))
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("bombs", "deadline_s"),
    [
        # A busy machine needs seconds to use up the memory.
        (
            {
                "memory.mp3": (compressed_bomb, "needed too much memory"),
                "depth.m4a": (nested_bomb, "damaged (RecursionError)"),
            },
            25,
        ),
        (
            {
                "slow.ogg": (slow_ogg_bomb, "took longer than 1 s"),
                "slow.mp3": (slow_id3_bomb, "took longer than 1 s"),
            },
            1,
        ),
    ],
    ids=["memory and depth", "time"],
)
def test_a_file_that_exhausts_memory_harms_the_reading_of_no_other(
    tmp_path: Path, bombs: dict[str, tuple[Callable[[], bytes], str]], deadline_s: int
) -> None:
    """What needs too much memory, time or depth is named; the rest is read; this process stays small."""
    paths = list(SOUND)
    for place, (name, (make, _)) in enumerate(bombs.items()):
        (tmp_path / name).write_bytes(make())
        paths.insert(4 * place, os.fsencode(tmp_path / name))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(deadline_s), *map(os.fsdecode, paths)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=60,
    )
    peak_kb, found = json.loads(done.stdout)
    readings = {paths[index]: Reading(*reading) for index, reading in found}
    reasons = {name: readings[os.fsencode(tmp_path / name)].reason or () for name in bombs}

    assert {name: Cause(*reason) for name, reason in reasons.items()} == {
        name: Cause(NO_TAGS, reason) for name, (_, reason) in bombs.items()
    }
    assert len(found) == len(paths)
    assert all(readings[path].tags is not None for path in SOUND)
    assert all(readings[os.fsencode(tmp_path / name)].is_audio for name in bombs)
    assert peak_kb < 60 * 1024
    assert done.stderr == b""


@pytest.mark.process
def test_no_reading_is_lost_if_another_process_kills_a_worker() -> None:
    """Whoever kills workers now and then: every file is read all the same."""
    paths = SOUND * 20
    found = {}
    for count, (index, reading) in enumerate(read_all(paths, processes=2)):
        found[index] = reading
        if count in (30, 150, 300):
            for child in children():
                os.kill(child, signal.SIGKILL)

    assert len(found) == len(paths)
    assert all(reading.tags is not None for reading in found.values())


@pytest.mark.process
def test_a_worker_ignores_ctrl_c_because_its_parent_handles_it() -> None:
    """A parent that wants to finish its work still has its worker."""
    with contextlib.closing(read_all(SOUND * 20, processes=1)) as iterator:
        next(iterator)
        (worker,) = children()
        os.kill(worker, signal.SIGINT)
        rest = [next(iterator) for _ in range(300)]

        assert children() == {worker}
        assert all(reading.tags is not None for _, reading in rest)


@pytest.mark.process
@pytest.mark.parametrize("delay_s", [9.9, 10.0, 10.5, 60.0, 60.5, 100.0])
def test_no_worker_is_blamed_for_a_delay_of_its_parent(
    monkeypatch: pytest.MonkeyPatch, delay_s: float
) -> None:
    """Time that passes while nobody listens, for a slow taker or after Ctrl-Z, is not a worker's.

    Also if it ends just after a worker should have answered (10 s) or begun (60 s).
    """
    started = count_starts(monkeypatch)
    clock = time.monotonic
    passed_s = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: clock() + passed_s)
    readings = []
    for _, reading in read_all(SOUND * 20, processes=2):
        readings.append(reading)
        passed_s += delay_s * (len(readings) % 5 == 0)

    assert passed_s > 10 * delay_s
    assert len(started) == 2
    assert all(reading.tags is not None for reading in readings)


@pytest.mark.process
def test_no_worker_is_blamed_if_its_parent_is_stopped_while_waiting_for_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All processes are stopped together, and the machine wakes them just after the deadline."""
    started = count_starts(monkeypatch)
    clock, passed_s = time.monotonic, 0.0
    monkeypatch.setattr(time, "monotonic", lambda: clock() + passed_s)

    class Sleepy(selectors.DefaultSelector):
        naps = 20

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            nonlocal passed_s
            if self.naps:
                self.naps -= 1
                passed_s += 60.5  # a worker must have begun after 60
                return []
            return super().select(timeout)

    with monkeypatch.context() as patch:
        patch.setattr(selectors, "DefaultSelector", Sleepy)
        found = [reading for _, reading in read_all(SOUND, processes=1)]

    assert len(started) == 1
    assert all(reading.tags is not None for reading in found)


@pytest.mark.process
def test_a_worker_that_ran_out_of_memory_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that it may have kept of a bomb is not missing for another file."""
    started = count_starts(monkeypatch)
    (tmp_path / "bomb.mp3").write_bytes(compressed_bomb())
    paths = [os.fsencode(tmp_path / "bomb.mp3"), *SOUND]
    found = dict(read_all(paths, memory_bytes=100 << 20))

    assert str(found[0].reason) == "tags could not be read: needed too much memory"
    assert all(found[index].tags is not None for index in range(1, len(paths)))
    assert len(started) == 2


@pytest.mark.process
def test_several_threads_may_read_tags_at_once() -> None:
    """Two threads, each with its own workers."""
    found: list[list[tuple[int, Reading]]] = []
    threads = [threading.Thread(target=lambda: found.append(sorted(read_all(SOUND)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 2
    assert found[0] == found[1]


@pytest.mark.process
def test_a_worker_limits_its_memory_and_core_dumps() -> None:
    """Memory and core dumps are limited in a worker, and in this process they are not."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.closing(read_all(SOUND, memory_bytes=300 << 20)) as iterator:
        next(iterator)
        (worker,) = children()
        limits = " ".join(Path(f"/proc/{worker}/limits").read_text().split())

    assert f"Max address space {300 << 20} {300 << 20}" in limits
    assert "Max core file size 0 0" in limits
    assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.process
def test_files_are_read_within_a_memory_limit_that_may_not_be_raised() -> None:
    """Under a limit that we may not raise, files are read within it."""
    code = "import sys; from playshuffle.tags.reader_pool import *; print(*read_all([sys.argv[1].encode()]))"
    limited = ["sh", "-c", 'ulimit -v 300000; exec "$0" "$@"']
    command = [*limited, sys.executable, "-c", code, str(DATA / "v22.mp3")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=60)

    assert b"Title v22.mp3" in done.stdout


INTERRUPTED = """
import sys
from playshuffle.tags.reader_pool import read_all
try:
    for index, reading in read_all([name.encode() for name in sys.argv[1:]], deadline_s=1):
        print(index, flush=True)
except KeyboardInterrupt:
    pass
"""


def alive_in_group(group: int) -> list[str]:
    """The processes of a group that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == group and state != "Z":
            found.append(path.parent.name)
    return found


@pytest.mark.process
@pytest.mark.parametrize("death", ["ctrl-c", "kill"])
def test_workers_end_with_their_parent(death: str, tmp_path: Path) -> None:
    """Ctrl-C, which reaches all, or a death of the parent alone: no worker is left, and none says a word."""
    (tmp_path / "slow.mp3").write_bytes(slow_id3_bomb())
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(DATA / "v24.mp3"), str(tmp_path / "slow.mp3")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # a worker is at the slow file now

    assert len(alive_in_group(process.pid)) == 2
    if death == "ctrl-c":
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.kill()
    _, said = process.communicate(timeout=60)
    until = time.monotonic() + 60
    while alive_in_group(process.pid) and time.monotonic() < until:
        time.sleep(0.05)

    assert alive_in_group(process.pid) == []
    assert said == b""


@pytest.mark.process
@pytest.mark.parametrize(
    "worker",
    [
        "print(flush=True); print('[]', flush=True); input()",
        "print(flush=True); print('[1]', flush=True); input()",
        "print(flush=True); print('[null, 1, 2, 3, 4, 5]', flush=True); input()",
        "print(flush=True); print('hello', flush=True); input()",
        "print(flush=True); [print('x' * 100_000, end='') for _ in iter(int, 1)]",
        "print(flush=True); [print('[null, \"\", true, true]') for _ in iter(int, 1)]",
        "print(flush=True); raise SystemExit(0)",
    ],
)
def test_wrong_output_of_a_worker_is_rejected(worker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a worker says, each file gets one reading, and it has the right form."""
    monkeypatch.setattr(reader_pool, "_COMMAND", worker)
    found = list(read_all(SOUND[:2], deadline_s=1))

    assert sorted(index for index, _ in found) == [0, 1]
    assert all(reading.tags is None for _, reading in found)


# A worker that hangs or ends at some files, without a word about those that it read before.
FAULTY = """
import os, signal, sys
sys.path[:] = sys.argv[3:]
from playshuffle.tags import reader_worker
read = reader_worker.read_head
def read_head(path):
    if b"/hang" in path:
        signal.pause()
    if b"/crash" in path:
        os._exit(1)
    return read(path)
reader_worker.read_head = read_head
reader_worker.main()
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("fault", "reason"), [("hang", "took longer than 1 s"), ("crash", "the tag reader crashed")]
)
def test_only_a_file_that_hangs_or_crashes_its_worker_is_reported_as_unreadable(
    fault: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that a worker was given with it are read all the same."""
    monkeypatch.setattr(reader_pool, "_COMMAND", FAULTY)
    paths = [os.fsencode(tmp_path / f"{number}.mp3") for number in range(300)]
    paths[20:20] = [os.fsencode(tmp_path / f"{fault}1.mp3")]
    paths[250:250] = [os.fsencode(tmp_path / f"{fault}2.mp3")]
    for path in paths:
        Path(os.fsdecode(path)).write_bytes((DATA / "v24.mp3").read_bytes())
    found = dict(read_all(paths, processes=2, deadline_s=1))

    assert len(found) == len(paths)
    assert {
        os.path.basename(paths[index]): str(reading.reason)
        for index, reading in found.items()
        if reading.reason is not None
    } == {f"{fault}{number}.mp3".encode(): f"tags could not be read: {reason}" for number in (1, 2)}


# A worker that answers at once, and ends after each bomb, as if it had used up its memory.
HUNGRY = """
import sys
print(flush=True)
paths = iter(lambda: sys.stdin.read(1), "")
for path in paths:
    while (letter := next(paths)) != "\\0":
        path = letter
    print('[null, null, true, true, %s]' % ("true" if path == "b" else "false"), flush=True)
    if path == "b":
        break
"""


@pytest.mark.process
def test_a_worker_that_ends_after_exhausting_memory_blames_no_other_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many bombs each stand before it, in the lines of several workers."""
    monkeypatch.setattr(reader_pool, "_COMMAND", HUNGRY)
    found = dict(read_all([b"/b", b"/g"] * 250, processes=8))

    assert len(found) == 500
    assert {reading.reason for index, reading in found.items() if index % 2} == {None}


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "why"),
    [("missing", "No such file or directory"), ("/bin/false", "it ended 3 times before it began")],
)
def test_an_error_is_raised_if_no_worker_can_start(
    name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none can be started, the user is told why, and no file is blamed."""
    python = str(tmp_path / name)
    monkeypatch.setattr(sys, "executable", python)
    with pytest.raises(PlayshuffleError, match=f"Tags cannot be read, because {python} .*: {why}"):
        list(read_all(SOUND))


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(1, 6))
def test_no_damaged_file_stops_any_worker(tmp_path: Path, seed: int) -> None:
    """A hundred thousand damaged files: each gives a sound reading, and none is slow or kills a worker."""
    damaged = mutants(DATA, 20_000, seed)
    while made := list(islice(damaged, 2000)):
        paths = [tmp_path / name for name, _ in made]
        for path, (_, data) in zip(paths, made, strict=True):
            path.write_bytes(data)
        before = [path.stat() for path in paths]
        found = dict(read_all([os.fsencode(path) for path in paths], processes=2, deadline_s=2))

        assert len(found) == len(paths)
        for index, reading in found.items():
            assert is_sound(reading), (seed, paths[index])
            assert "longer than" not in str(reading.reason), (seed, paths[index])
            assert "crashed" not in str(reading.reason), (seed, paths[index])
            assert paths[index].read_bytes() == made[index][1]
            assert paths[index].stat().st_mtime_ns == before[index].st_mtime_ns
            paths[index].unlink()
