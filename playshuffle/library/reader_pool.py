"""Many files in, their readings out, read by worker processes that one bad file cannot take along.

A worker answers in the order in which it was asked. So where one ends before its time, or takes too
long, it is known at which file: at the first one unanswered.
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
from typing import Any, get_type_hints

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.folder import Reading, Tags

_AHEAD = 64  # files that a worker is given at most, so that it need not wait for the next one
_LONGEST_PATH = 4096  # the kernel opens none that is longer
_LONGEST_LINE = 256 * 1024  # far more than all fields of `Tags` at their longest
_GATHER_S = 0.004  # to wake up for each answer would take a fifth of all the time there is
_DELAY_S = 1  # by which we wake up too late only if something kept us
_START_S = 60  # a worker that has not begun by then never will
_TRIES = 3  # to start a worker, and to read a file at which workers die

_DECODER = json.JSONDecoder()
_FIELD_TYPES = tuple(get_type_hints(Tags).values())

# A worker imports from where this process does, be it a checkout; with -I the environment has no say in it.
_COMMAND = (
    "import sys; sys.path[:] = sys.argv[3:]; from playshuffle.library.reader_worker import main; main()"
)


def read_all(
    paths: Sequence[bytes],
    *,
    processes: int | None = None,
    deadline_s: float = 10,
    memory_bytes: int = 512 * 2**20,
) -> Generator[tuple[int, Reading], None, None]:
    """Read many files, in other processes than this one.

    Yields the index of every path once, with its reading, in the order in which they come. The
    workers end with the generator, also where it is closed early.

    Args:
        paths: of any number; a few hundred are on their way at a time.
        processes: None for one a core, up to eight. There is one for every 64 files at most, because
            to start one takes as long as to read some hundred.
        deadline_s: for one file. It is then called unreadable, as is one at which two workers died.
        memory_bytes: address space of a worker.

    Raises:
        PlayshuffleError: if no worker can be started.
    """
    if processes is None:
        processes = min(len(os.sched_getaffinity(0)), 8)
    with contextlib.closing(_Pool(paths, deadline_s, memory_bytes)) as pool:
        yield from pool.readings(max(1, min(processes, -(-len(paths) // _AHEAD))))


class _Worker:
    """A process, what it was asked, and the bytes on their way to and from it."""

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
        self.heard_at = time.monotonic()

    def ask(self, indexes: Sequence[int], paths: Sequence[bytes]) -> None:
        """Put more files in line."""
        if not self.indexes:
            self.heard_at = time.monotonic()
        self.indexes.extend(indexes)
        self.unsent += b"".join([paths[index] + b"\0" for index in indexes])
        self.send()

    def send(self) -> None:
        """Write what the pipe takes; after each answer it takes more."""
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            while self.unsent:
                self.unsent = self.unsent[os.write(self.questions.fileno(), self.unsent) :]

    def hear(self) -> list[bytes] | None:
        """Lines that have come; None where no more will."""
        data = os.read(self.answers.fileno(), 1 << 16)
        if not data or len(self.unread) > _LONGEST_LINE:
            return None
        self.send()
        *lines, self.unread = (self.unread + data).split(b"\n")
        return lines

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self.questions.close()
        self.answers.close()
        self.process.kill()
        # Not even this ends a process that waits for a disk which does not answer; then leave it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)


class _Pool:
    """What is still to be read, the workers that read it, and what they have read."""

    def __init__(self, paths: Sequence[bytes], deadline_s: float, memory_bytes: int) -> None:
        self.paths = paths
        self.deadline_s = deadline_s
        self.memory_bytes = memory_bytes
        self.fresh = iter(range(len(paths)))
        self.returned: deque[int] = deque()  # by workers that ended before they came to them
        self.deaths: Counter[int] = Counter()  # of workers, at a file
        self.failed_starts = 0
        self.workers: list[_Worker] = []
        self.selector = selectors.DefaultSelector()
        self.done: list[tuple[int, Reading]] = []

    def readings(self, size: int) -> Iterator[tuple[int, Reading]]:
        """Read all, with so many workers."""
        while True:
            self.ask(size)
            if busy := [worker for worker in self.workers if worker.indexes]:
                self.listen(busy)
            elif not self.done:
                return
            done, self.done = self.done, []
            yield from done

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.stop()
        self.selector.close()

    def ask(self, size: int) -> None:
        """Give every worker enough to do, and start those that are missing."""
        for worker in self.workers:
            if len(worker.indexes) <= _AHEAD // 2:
                worker.ask(self.take(), self.paths)
        while len(self.workers) < size and (indexes := self.take()):
            try:
                worker = _Worker(self.deadline_s, self.memory_bytes)
            except OSError as error:
                raise _cannot_start() from error
            self.workers.append(worker)
            self.selector.register(worker.answers, selectors.EVENT_READ, worker)
            worker.ask(indexes, self.paths)

    def take(self) -> list[int]:
        """Some files that nobody has been asked for."""
        indexes: list[int] = []
        while len(indexes) < _AHEAD // 2:
            index = self.returned.popleft() if self.returned else next(self.fresh, None)
            if index is None:
                break
            if len(self.paths[index]) < _LONGEST_PATH and b"\0" not in self.paths[index]:
                indexes.append(index)
            else:
                reading = Reading(None, "cannot be opened: no file has such a name", is_audio=False)
                self.done.append((index, reading))
        return indexes

    def due(self, worker: _Worker) -> float:
        """When it must have said something."""
        return worker.heard_at + (self.deadline_s if worker.has_begun else _START_S)

    def listen(self, busy: Sequence[_Worker]) -> None:
        """Wait for answers, and for the next one that is overdue."""
        due = {worker: self.due(worker) for worker in busy}
        next_due = min(due.values())
        ready = {key.data for key, _ in self.selector.select(max(0, next_due - time.monotonic()))}
        now = time.monotonic()
        # Then it was us who slept: whoever takes the readings takes his time, or Ctrl-Z stopped all.
        is_our_delay = now > next_due + _DELAY_S
        time.sleep(_GATHER_S)
        for worker in ready:
            self.hear(worker)
        for worker in busy:
            if worker not in ready and is_our_delay:
                worker.heard_at = now
            elif worker not in ready and now > due[worker]:
                self.lose(worker, f"took longer than {self.deadline_s:g} s")

    def hear(self, worker: _Worker) -> None:
        """Take in what a worker says, and believe it only where it has the form of a reading."""
        lines = worker.hear()
        for line in lines or ():
            worker.heard_at = time.monotonic()
            if not worker.has_begun:
                worker.has_begun = True
                self.failed_starts = 0
            elif worker.indexes and (reading := _parsed(line)) is not None:
                self.done.append((worker.indexes.popleft(), reading))
            else:
                lines = None
                break
        if lines is None:
            self.lose(worker, None)

    def lose(self, worker: _Worker, blame: str | None) -> None:
        """Part with a worker; read again what it was at, unless this is to blame or has cost many workers."""
        self.selector.unregister(worker.answers)
        self.workers.remove(worker)
        worker.stop()
        if not worker.has_begun:
            self.failed_starts += 1
            if self.failed_starts == _TRIES:
                raise _cannot_start()
        elif worker.indexes:
            first = worker.indexes[0]
            self.deaths[first] += 1
            if blame is None and self.deaths[first] == _TRIES:
                blame = "the tag reader crashed"
            if blame is not None:
                worker.indexes.popleft()
                self.done.append((first, Reading(None, f"tags could not be read: {blame}")))
        self.returned.extendleft(reversed(worker.indexes))


def _cannot_start() -> PlayshuffleError:
    return PlayshuffleError(
        f"Tags cannot be read: {sys.executable} starts no process for it. Mend that, or do without tags.",
        Exit.CANNOT_CREATE,
    )


def _parsed(line: bytes) -> Reading | None:
    """The reading that a line holds, if it holds one."""
    try:
        tags, *rest = _DECODER.decode(line.decode())
        if tags is not None:
            tags = Tags(*tags)
            if not all(map(_is_sound, tags, _FIELD_TYPES)):
                return None
    except (ValueError, TypeError, RecursionError):
        return None
    return Reading(tags, *rest) if [type(value) for value in rest] == [str, bool, bool] else None


def _is_sound(value: Any, type_: type) -> bool:
    if isinstance(value, str):
        value.encode()  # a ValueError where it holds half a character
    elif value is not None and not 0 <= value < 1 << 32:
        return False
    return isinstance(value, type_)
