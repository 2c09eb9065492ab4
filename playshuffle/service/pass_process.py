"""Batches of changes in, what came of them for each playlist out: every pass in a process of its own.

The service itself stays small, and nothing that hangs or bursts can take it along: before it has
any thread it forks a process that does nothing but fork another for each pass. That one opens
cache and state, settles all playlists, tells what came of it, and ends, its memory with it.
"""

import contextlib
import faulthandler
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO, Self

from playshuffle.watch.batch import Batch

Told = dict[str, Any]

# Settle all playlists for a batch, and tell of each what came of it.
Settle = Callable[[Batch, Callable[[Told], None]], None]

# Made in the process of the passes, so that what it needs is in no other.
MakeSettle = Callable[[], Settle]


class StoppedError(BaseException):
    """The service is to end, and the pass with it, at a place where nothing is half done."""


@dataclass(slots=True)
class _Pipes:
    """The ends that the service holds."""

    ask: BinaryIO
    told: int
    rest: bytes = b""


class Passes:
    """The passes of one configuration; a context manager.

    To be entered before there is any thread. is_busy: a pass is under way. moved_on_s: when it
    last told anything, by the monotonic clock. is_over: someone has killed the process of the
    passes, and there will be none any more.
    """

    def __init__(self, settle: MakeSettle) -> None:
        self._settle = settle
        self.is_busy = False
        self.is_over = False
        self.moved_on_s = 0.0
        self._child = 0
        self._pass = 0

    def __enter__(self) -> Self:
        ask_reader, ask = os.pipe()
        told, told_writer = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            with _never_back():
                _serve(self._settle, ask_reader, told_writer)
        os.close(ask_reader)
        os.close(told_writer)
        os.set_blocking(told, False)
        self._pipes = _Pipes(open(ask, "wb", buffering=0), told)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pipes.ask.close()
        os.close(self._pipes.told)
        os.waitpid(self._child, 0)

    def fileno(self) -> int:
        """Readable when something is told."""
        return self._pipes.told

    def begin(self, batch: Batch) -> None:
        """Begin a pass; the one before is done."""
        assert not self.is_busy
        self.is_busy = True
        self.moved_on_s = time.monotonic()
        try:
            self._pipes.ask.write(_packed(_as_json(batch)))
        except BrokenPipeError:
            self.is_over = True

    def told(self) -> Iterator[Told]:
        """What was told since: of a pass under way, or at its end."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._pipes.told, 1 << 16):
                self._pipes.rest += chunk
            self.is_over = True
        while b"\n" in self._pipes.rest:
            line, _, self._pipes.rest = self._pipes.rest.partition(b"\n")
            self.moved_on_s = time.monotonic()
            said: Told = json.loads(line)
            if "pass" in said:
                self._pass = said["pass"]
            elif "ended" in said:
                self.is_busy = False
                self._pass = 0
                yield said
            else:
                yield said

    def interrupt(self, number: signal.Signals) -> None:
        """Send a signal to the pass under way: TERM to end where nothing is half done, ABRT to end now."""
        if self._pass:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pass, number)


@contextlib.contextmanager
def _never_back() -> Iterator[None]:
    """Leave the process at the end, without what its parent would clean up."""
    code = 1
    try:
        yield
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, it must not run the parent's code
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _let_go_of_all_but(*descriptors: int) -> None:
    """Close what was inherited: a lock, say, that would outlive the service."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in descriptors:
            with contextlib.suppress(OSError):  # the one that the list was read from
                os.close(int(name))


def _serve(make_settle: MakeSettle, asked: int, told: int) -> None:
    """Fork a process for each batch that is asked for, until nobody asks any more."""
    signal.set_wakeup_fd(-1)  # or what a pass is sent would arrive at the service, too
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):  # there is no /proc
        _let_go_of_all_but(asked, told)
    settle = make_settle()
    with open(asked, "rb") as batches:
        for line in batches:
            child = os.fork()
            if child == 0:
                with _never_back():
                    os.close(asked)
                    _settle_one(settle, _from_json(json.loads(line)), told)
            _, status = os.waitpid(child, 0)
            _write(told, {"ended": os.waitstatus_to_exitcode(status)})


def _settle_one(settle: Settle, batch: Batch, told: int) -> None:
    _write(told, {"pass": os.getpid()})  # by the pass itself: only one may write at a time
    gc.disable()  # it ends before garbage matters
    faulthandler.enable(all_threads=True)
    signal.signal(signal.SIGTERM, _stop)
    with contextlib.suppress(StoppedError):
        settle(batch, lambda said: _write(told, said))


class Stop:
    """Whether the pass is to end at the next place where nothing is half done."""

    is_wanted = False


def _stop(_number: int, _frame: object) -> None:
    Stop.is_wanted = True


def check_stop() -> None:
    """End the pass here, if that is wanted."""
    if Stop.is_wanted:
        raise StoppedError


def _write(told: int, said: Told) -> None:
    data = _packed(said)
    while data:
        # A service that ended reads no more; the pass goes on to its end.
        try:
            data = data[os.write(told, data) :]
        except BrokenPipeError:
            return


def _packed(said: Told) -> bytes:
    return json.dumps(said).encode() + b"\n"  # in ASCII: no name makes a second line


def _as_json(batch: Batch) -> Told:
    return {
        "folders": [*map(os.fsdecode, batch.folders)],
        "trees": [*map(os.fsdecode, batch.trees)],
        "gone": [*map(os.fsdecode, batch.gone)],
        "moved": [[os.fsdecode(old), os.fsdecode(new)] for old, new in batch.moved],
        "is_whole": batch.is_whole,
        "why": batch.why,
    }


def _from_json(said: Told) -> Batch:
    return Batch(
        frozenset(map(os.fsencode, said["folders"])),
        frozenset(map(os.fsencode, said["trees"])),
        frozenset(map(os.fsencode, said["gone"])),
        tuple((os.fsencode(old), os.fsencode(new)) for old, new in said["moved"]),
        said["is_whole"],
        said["why"],
    )
