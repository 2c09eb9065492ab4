"""Worker processes read tags. Neither a file nor a fault of a worker harms the reading of other files."""

import contextlib
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
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
from tests.support.processes import children, is_alive
from tests.support.program import DATA
from tests.support.service import wait_for

SOUND = [os.fsencode(DATA / name) for name in FILES]
ROOT = str(Path(__file__).parents[2])


def workers() -> set[int]:
    """Return the child processes, also zombies, but without the helper of multiprocessing."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if parent == str(os.getpid()) and b"resource_tracker" not in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
    return found


@pytest.fixture(autouse=True)
def _leaves_nothing() -> Iterator[None]:
    """Check that a test leaves no process and no open file descriptor."""
    before = workers(), os.listdir("/proc/self/fd")
    yield

    assert (workers(), os.listdir("/proc/self/fd")) == before


def count_starts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that grows with each worker that is started."""
    started: list[object] = []

    class Counted(reader_pool._Worker):
        def __init__(self, deadline_s: float, memory_bytes: int) -> None:
            super().__init__(deadline_s, memory_bytes)
            started.append(self.process.pid)

    monkeypatch.setattr(reader_pool, "_Worker", Counted)
    return started


@pytest.mark.process
def test_workers_read_each_file_once_with_the_same_result_as_this_process() -> None:
    """More files than a worker gets at a time. The readings come in any order."""
    paths = [*SOUND, b"/nothing.mp3", os.fsencode(__file__)] * 20
    found = list(read_all(paths, processes=2))

    assert sorted(index for index, _ in found) == list(range(len(paths)))
    assert all(reading == read(paths[index]) for index, reading in found)


def test_files_on_a_slow_drive_get_one_worker_for_every_64_files_but_at_most_16_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One worker reads a few files before a second one has started."""
    sizes: list[int] = []

    def readings(_: object, size: int) -> Iterator[tuple[int, Reading]]:
        sizes.append(size)
        return iter(())

    monkeypatch.setattr(reader_pool._Pool, "readings", readings)
    monkeypatch.setattr(reader_pool, "worker_count", lambda _: 16)

    for count in (0, 64, 65, 100_000):
        list(read_all([b"x"] * count))

    assert sizes == [1, 1, 2, 16]


@pytest.mark.process
def test_paths_with_a_nul_or_100_kb_are_not_sent_to_workers(tmp_path: Path) -> None:
    """A path with other unusual bytes is sent, and its file is read."""
    odd = os.fsencode(tmp_path) + b"/\xff\n\x1b.mp3"
    Path(os.fsdecode(odd)).write_bytes((DATA / "v24.mp3").read_bytes())
    found = dict(read_all([b"a\0b.mp3", b"x" * 100_000, odd, b""]))

    assert [found[index].is_audio for index in range(4)] == [False, False, True, False]
    assert str(found[0].reason) == "cannot be opened: no file has such a name"
    assert found[2] == read(os.fsencode(DATA / "v24.mp3"))


# In another process, because making the bombs needs much memory, too.
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
        ({compressed_bomb: "needed too much memory", nested_bomb: "damaged (RecursionError)"}, 25),
        (dict.fromkeys((slow_ogg_bomb, slow_id3_bomb), "took longer than 5 s"), 5),
    ],
    ids=["memory and depth", "time"],
)
def test_a_file_that_exhausts_memory_time_or_recursion_harms_the_reading_of_no_other_file(
    tmp_path: Path, bombs: dict[Callable[[], bytes], str], deadline_s: int
) -> None:
    """Only the reading of that file has the reason. This process needs little memory."""
    paths = list(SOUND)
    for place, bomb in enumerate(bombs):
        (tmp_path / bomb.__name__).write_bytes(bomb())
        paths.insert(4 * place, bytes(tmp_path / bomb.__name__))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(deadline_s), *map(os.fsdecode, paths)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=500,
    )
    peak_kb, found = json.loads(done.stdout)
    readings = {paths[index]: Reading(*reading) for index, reading in found}
    bombed = [readings[bytes(tmp_path / bomb.__name__)] for bomb in bombs]

    assert [Cause(*(reading.reason or ())) for reading in bombed] == [
        Cause(NO_TAGS, reason) for reason in bombs.values()
    ]
    assert len(found) == len(paths)
    assert all(readings[path].tags is not None for path in SOUND)
    assert all(reading.is_audio for reading in bombed)
    assert peak_kb < 60 * 1024
    assert done.stderr == b""


@pytest.mark.process
def test_no_reading_is_lost_if_another_process_kills_a_worker() -> None:
    paths = SOUND * 20
    found = {}
    for count, (index, reading) in enumerate(read_all(paths, processes=2)):
        found[index] = reading
        if count in (30, 150, 300):
            for child in workers():
                os.kill(child, signal.SIGKILL)

    assert len(found) == len(paths)
    assert all(reading.tags is not None for reading in found.values())


@pytest.mark.process
def test_a_worker_ignores_ctrl_c_because_its_parent_handles_it() -> None:
    """So the parent can finish its work."""
    with contextlib.closing(read_all(SOUND * 20, processes=1)) as iterator:
        next(iterator)
        (worker,) = workers()
        os.kill(worker, signal.SIGINT)
        rest = [next(iterator) for _ in range(300)]

        assert workers() == {worker}
        assert all(reading.tags is not None for _, reading in rest)


@pytest.mark.process
@pytest.mark.parametrize("delay_s", [9.9, 10.0, 10.5, 60.0, 60.5, 100.0])
def test_no_worker_is_stopped_because_its_parent_was_delayed(
    monkeypatch: pytest.MonkeyPatch, delay_s: float
) -> None:
    """The parent waits for a slow consumer, or was stopped by Ctrl-Z.

    Also if the delay ends just after a worker's deadline: 10 s for an answer, 60 s for its start.
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
def test_no_worker_is_stopped_if_its_parent_is_suspended_while_it_waits_for_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The machine sleeps and wakes just after the deadline."""
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
    """So the next files have all the memory that a worker may use."""
    started = count_starts(monkeypatch)
    (tmp_path / "bomb.mp3").write_bytes(compressed_bomb())
    paths = [os.fsencode(tmp_path / "bomb.mp3"), *SOUND]
    found = dict(read_all(paths, memory_bytes=100 << 20))

    assert str(found[0].reason) == "tags could not be read: needed too much memory"
    assert all(found[index].tags is not None for index in range(1, len(paths)))
    assert len(started) == 2


@pytest.mark.process
def test_a_worker_limits_its_memory_and_writes_no_core_dump() -> None:
    """The limits of this process do not change."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.closing(read_all(SOUND, memory_bytes=300 << 20)) as iterator:
        next(iterator)
        (worker,) = workers()
        limits = " ".join(Path(f"/proc/{worker}/limits").read_text().split())

    assert f"Max address space {300 << 20} {300 << 20}" in limits
    assert "Max core file size 0 0" in limits
    assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.process
def test_files_are_read_though_the_memory_limit_of_the_program_is_below_that_of_a_worker() -> None:
    code = "import sys; from playshuffle.tags.reader_pool import *; print(*read_all([sys.argv[1].encode()]))"
    limited = ["sh", "-c", 'ulimit -v 300000; exec "$0" "$@"']
    command = [*limited, sys.executable, "-c", code, str(DATA / "v22.mp3")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=500)

    assert b"Title v22.mp3" in done.stdout


KILLED = """
import sys
from playshuffle.tags.reader_pool import read_all
for index, reading in read_all([name.encode() for name in sys.argv[1:]], deadline_s=1):
    print(index, flush=True)
"""


@pytest.mark.process
def test_a_worker_ends_while_it_reads_a_slow_file_if_its_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "slow.mp3").write_bytes(slow_id3_bomb())
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(DATA / "v24.mp3"), str(tmp_path / "slow.mp3")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # a worker is at the slow file now
        (worker,) = children(process.pid)
        process.kill()
        _, errors = process.communicate(timeout=500)

    wait_for(lambda: not is_alive(worker))
    assert errors == b""


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
def test_no_tags_are_read_from_malformed_output_of_a_worker(
    worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file gets one reading without tags."""
    monkeypatch.setattr(reader_pool, "_COMMAND", worker)
    found = list(read_all(SOUND[:2], deadline_s=1))

    assert sorted(index for index, _ in found) == [0, 1]
    assert all(reading.tags is None for _, reading in found)


# A worker that hangs or ends at some files, without an answer for the files that it read before.
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
    ("fault", "reason"), [("hang", "took longer than 5 s"), ("crash", "the tag reader crashed")]
)
def test_only_a_file_that_hangs_or_crashes_its_worker_is_reported_as_unreadable(
    fault: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All other files that the same worker had to read are read."""
    monkeypatch.setattr(reader_pool, "_COMMAND", FAULTY)
    paths = [os.fsencode(tmp_path / f"{number}.mp3") for number in range(300)]
    paths[20:20] = [os.fsencode(tmp_path / f"{fault}1.mp3")]
    paths[250:250] = [os.fsencode(tmp_path / f"{fault}2.mp3")]
    for path in paths:
        Path(os.fsdecode(path)).write_bytes((DATA / "v24.mp3").read_bytes())
    found = dict(read_all(paths, processes=2, deadline_s=5))  # a busy machine stops workers for a second

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
def test_no_other_file_counts_as_unreadable_if_a_worker_ends_after_exhausting_its_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half of all files exhaust the memory of a worker, and several workers read."""
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
    """The error has the reason, and no file counts as unreadable."""
    python = str(tmp_path / name)
    monkeypatch.setattr(sys, "executable", python)
    assert list(read_all([])) == []
    with pytest.raises(PlayshuffleError, match=f"Tags cannot be read, because {python} .*: {why}"):
        list(read_all(SOUND))


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(1, 6))
def test_no_damaged_file_stops_any_worker(tmp_path: Path, seed: int) -> None:
    """A hundred thousand damaged files: each has a valid reading, and none is slow or kills a worker."""
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
