"""Read the tags of many files in worker processes, so that a bad file harms no other.

Workers answer in the order of requests. If a worker ends or takes too long, its first unanswered file is to
blame, unless the answered file before it took too much memory.
"""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence

from playshuffle.errors import Exit, OptionError, PlayshuffleError
from playshuffle.system.workers import worker_count
from playshuffle.tags.cause import NO_SUCH_NAME, NO_TAGS, Cause
from playshuffle.tags.reading import Reading, Tags

MEMORY_BYTES = 512 * 2**20  # address space of a worker: a file that needs more is unreadable
DEADLINE_S = 10.0  # for one file

_AHEAD = 512  # maximum number of files in a worker's queue, so that it does not wait for the next ones
_LEAST = 32  # minimum number of files to give a worker, if enough are left
_FILES_PER_WORKER = 64  # starting a worker takes as long as reading some hundred files
_LONGEST_PATH = 4096  # bytes; the kernel opens no longer one
_LONGEST_LINE = 512 * 1024  # bytes; far more than all fields of `Tags` at their longest, plus an earlier line
_GATHER_S = 0.004  # waking up for each answer would take a fifth of the time
_LISTEN_S = 0.5  # short, to distinguish a delay of this process from a delay of a worker
_DELAY_S = 0.2  # a wait that ends later than this was delayed from outside
_START_S = 60  # a worker that has not started by then never will
_TRIES = 3  # attempts to start a worker, and to read a file that ends workers

# A worker imports from the same folders as this process, even from a checkout; -I ignores the environment.
_COMMAND = "import sys; sys.path[:] = sys.argv[3:]; from playshuffle.tags.reader_worker import main; main()"


def read_all(
    paths: Sequence[bytes],
    *,
    processes: int | None = None,
    deadline_s: float = DEADLINE_S,
    memory_bytes: int = MEMORY_BYTES,
) -> Generator[tuple[int, Reading], None, None]:
    """Yield the index and the reading of every path, in the order of the answers.

    The workers end with the generator.

    Args:
        processes: number of workers; None for one per core, at most eight, or more on slow drives. Never more
            than one for every 64 files.
        deadline_s: time for one file. A file that takes longer, or ends three workers, is unreadable.

    Raises:
        PlayshuffleError: no worker can be started.
    """
    if processes is None:
        processes = max(min(len(os.sched_getaffinity(0)), 8), worker_count(paths))
    with contextlib.closing(_Pool(paths, deadline_s, memory_bytes)) as pool:
        yield from pool.readings(max(1, min(processes, -(-len(paths) // _FILES_PER_WORKER))))


class _Worker:
    def __init__(self, deadline_s: float, memory_bytes: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", _COMMAND, str(deadline_s), str(memory_bytes), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.questions, self.answers = self.process.stdin, self.process.stdout
        os.set_blocking(self.questions.fileno(), False)
        self.indexes: deque[int] = deque()
        self.unsent = b""
        self.unread = b""
        self.has_begun = False
        self.has_ended = False  # exited by itself after its last answer
        self.heard_at = time.monotonic()

    def ask(self, indexes: Sequence[int], paths: Sequence[bytes]) -> None:
        if not self.indexes:
            self.heard_at = time.monotonic()
        self.indexes.extend(indexes)
        self.unsent += b"".join([paths[index] + b"\0" for index in indexes])
        self.send()

    def send(self) -> None:
        """Write as many requests as the pipe takes; `hear` writes the rest."""
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            while self.unsent:
                self.unsent = self.unsent[os.write(self.questions.fileno(), self.unsent) :]

    def hear(self) -> list[bytes] | None:
        data = os.read(self.answers.fileno(), 1 << 16)
        if not data or len(self.unread) > _LONGEST_LINE:
            return None
        self.send()
        *lines, self.unread = (self.unread + data).split(b"\n")
        return lines

    def stop(self) -> None:
        self.questions.close()
        self.answers.close()
        self.process.kill()
        # Not even this ends a process that waits for a disk that does not answer; then abandon it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)


class _Pool:
    def __init__(self, paths: Sequence[bytes], deadline_s: float, memory_bytes: int) -> None:
        self.paths = paths
        self.deadline_s = deadline_s
        self.memory_bytes = memory_bytes
        self.fresh = iter(range(len(paths)))
        self.returned: deque[int] = deque()  # files of workers that ended before they read them
        self.deaths: Counter[int] = Counter()  # number of ended workers, by the file that they were reading
        self.chunk = _LEAST  # number of files to give a worker
        self.failed_starts = 0
        self.workers: list[_Worker] = []
        self.selector = selectors.DefaultSelector()
        self.listened_at = time.monotonic()
        self.done: list[tuple[int, Reading]] = []

    def readings(self, size: int) -> Iterator[tuple[int, Reading]]:
        # A few chunks for each worker, so that they finish at about the same time.
        self.chunk = max(_LEAST, min(_AHEAD // 2, len(self.paths) // (4 * size)))
        while True:
            self.ask(size)
            if busy := [worker for worker in self.workers if worker.indexes]:
                self.listen(busy)
            elif not self.done:
                return
            readings, self.done = self.done, []
            yield from readings

    def close(self) -> None:
        for worker in self.workers:
            worker.stop()
        self.selector.close()

    def ask(self, size: int) -> None:
        for worker in self.workers:
            if len(worker.indexes) <= self.chunk:
                worker.ask(self.take(), self.paths)
        while len(self.workers) < size and self.has_more():
            try:
                worker = _Worker(self.deadline_s, self.memory_bytes)
            except OSError as error:
                raise _cannot_start(error.strerror or str(error)) from error
            self.workers.append(worker)
            self.selector.register(worker.answers, selectors.EVENT_READ, worker)
            worker.ask(self.take(), self.paths)

    def has_more(self) -> bool:
        if not self.returned:
            self.returned.extend(self.take())
        return bool(self.returned)

    def take(self) -> list[int]:
        indexes: list[int] = []
        while len(indexes) < self.chunk:
            index = self.returned.popleft() if self.returned else next(self.fresh, None)
            if index is None:
                break
            path = self.paths[index]
            if len(path) < _LONGEST_PATH and b"\0" not in path:
                indexes.append(index)
            else:
                reason = Cause(NO_SUCH_NAME, "no file has such a name")
                self.done.append((index, Reading(None, reason, is_audio=False)))
        return indexes

    def due(self, worker: _Worker) -> float:
        return worker.heard_at + (self.deadline_s if worker.has_begun else _START_S)

    def listen(self, busy: Sequence[_Worker]) -> None:
        """Wait briefly for answers, at most until one is overdue."""
        self.forgive(busy, time.monotonic() - self.listened_at)
        began = time.monotonic()
        patience_s = min(_LISTEN_S, max(0, min(map(self.due, busy)) - began))
        ready = {key.data for key, _ in self.selector.select(patience_s)}
        now = self.listened_at = time.monotonic()
        self.forgive(busy, now - began - patience_s)
        time.sleep(_GATHER_S)
        for worker in ready:
            self.hear(worker)
        for worker in busy:
            if worker not in ready and now > self.due(worker):
                self.lose(worker, f"took longer than {self.deadline_s:g} s")

    def forgive(self, busy: Sequence[_Worker], delay_s: float) -> None:
        """Give workers more time if this process was delayed, by its caller or by Ctrl-Z."""
        if delay_s > _DELAY_S:
            now = time.monotonic()
            for worker in busy:
                worker.heard_at = min(worker.heard_at + delay_s, now)

    def hear(self, worker: _Worker) -> None:
        """Store the readings of a worker; any other output means that it is broken."""
        lines = worker.hear()
        for line in lines or ():
            worker.heard_at = time.monotonic()
            if not worker.has_begun:
                worker.has_begun = True
                self.failed_starts = 0
            elif worker.indexes and (reading := _parsed(line)) is not None:
                self.done.append((worker.indexes.popleft(), reading))
                worker.has_ended = reading.took_memory
            else:
                lines = None
                break
        if lines is None:
            self.lose(worker, None)

    def lose(self, worker: _Worker, blame: str | None) -> None:
        self.selector.unregister(worker.answers)
        self.workers.remove(worker)
        worker.stop()
        self.returned.extendleft(reversed(worker.indexes))
        if not worker.has_begun:
            self.failed_starts += 1
            if self.failed_starts == _TRIES:
                raise _cannot_start(f"it ended {_TRIES} times before it began")
        elif worker.indexes and not worker.has_ended:
            index = worker.indexes[0]
            self.deaths[index] += 1
            if blame is None and self.deaths[index] == _TRIES:
                blame = "the tag reader crashed"
            if blame is not None:
                self.returned.remove(index)
                self.done.append((index, Reading(None, Cause(NO_TAGS, blame))))


def _parsed(line: bytes) -> Reading | None:
    try:
        tags, reason, *rest = json.loads(line)
        cause = None if reason is None else Cause(*reason)
        return Reading(None if tags is None else Tags(*tags), cause, *rest)
    except (ValueError, TypeError):
        return None


def _cannot_start(why: str) -> PlayshuffleError:
    return OptionError(
        "Tags cannot be read, because {program} cannot be started: {why}. Correct that, or add {}.",
        "tags = false",
        code=Exit.CANNOT_CREATE,
        program=sys.executable,
        why=why,
    )
