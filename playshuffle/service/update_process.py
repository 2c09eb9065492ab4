"""Run every update in a separate process.

So the service stays small, and survives an update that hangs or needs much memory. Before it has threads, the
service forks a process that forks another one for each update.
"""

import contextlib
import faulthandler
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Self

from playshuffle.service import update_protocol
from playshuffle.service.update_protocol import Message, UpdateEnded, UpdateRequest, UpdateStarted

# Updates playlists, and sends the results.
Update = Callable[[UpdateRequest, Callable[[Message], None]], None]

# Called in the forked process, so that no other process imports the modules for updates.
MakeUpdate = Callable[[], Update]


class StoppedError(BaseException):
    """The update must end, because the service ends. Raised where nothing is half done."""


class UpdateProcess:
    """The process that runs the updates of one configuration; a context manager.

    Attributes:
        heard_s: time of its last message, by the monotonic clock.
        is_over: the process has ended unexpectedly.
    """

    def __init__(self, make_update: MakeUpdate) -> None:
        self._make_update = make_update
        self.is_busy = False
        self.is_over = False
        self.heard_s = 0.0
        self._child = 0
        self._update = 0
        self._unread = b""

    def __enter__(self) -> Self:
        request_reader, requests = os.pipe()
        message_reader, message_writer = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            with exit_at_end():
                _serve(self._make_update, request_reader, message_writer)
        os.close(request_reader)
        os.close(message_writer)
        os.set_blocking(message_reader, False)
        self._requests = open(requests, "wb", buffering=0)
        self._messages = message_reader
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.close()
        os.close(self._messages)
        # Its update may wait for a drive, and cannot even be killed.
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)

    def fileno(self) -> int:
        return self._messages

    def begin(self, request: UpdateRequest) -> None:
        assert not self.is_busy
        self.is_busy = True
        self.heard_s = time.monotonic()
        with contextlib.suppress(BrokenPipeError):  # `receive` notices that, too
            self._requests.write(update_protocol.pack(request))

    def receive(self) -> Iterator[Message]:
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._messages, 1 << 16):
                self._unread += chunk
            self.is_over = True
            self.is_busy = False
        while b"\n" in self._unread:
            line, _, self._unread = self._unread.partition(b"\n")
            self.heard_s = time.monotonic()
            message = update_protocol.unpack(line)
            if isinstance(message, UpdateStarted):
                self._update = message.process
            elif isinstance(message, UpdateEnded):
                self.is_busy = False
                self._update = 0
            if message is not None:
                yield message

    def interrupt(self, number: signal.Signals) -> None:
        """Send a signal to the update: TERM ends it where nothing is half done, ABRT at once."""
        if self._update:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._update, number)


@contextlib.contextmanager
def exit_at_end() -> Iterator[None]:
    """Exit the process at the end of the block, without its parent's cleanup."""
    code = 1
    try:
        yield
        code = 0
    except BaseException:  # noqa: BLE001 - after any exception, the parent's code must not run
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def close_all_but(*descriptors: int) -> None:
    """Close inherited descriptors, such as a lock that would outlive the service."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in descriptors:
            with contextlib.suppress(OSError):  # the descriptor of the listing itself
                os.close(int(name))


def _serve(make_update: MakeUpdate, requests: int, replies: int) -> None:
    signal.set_wakeup_fd(-1)  # otherwise the service gets the signals of an update, too
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):  # /proc does not exist
        close_all_but(requests, replies)
    update = make_update()
    with open(requests, "rb") as lines:
        for line in lines:
            time.tzset()  # it may be another time zone now
            child = os.fork()
            if child == 0:
                with exit_at_end():
                    os.close(requests)
                    _run_update(update, line, replies)
            _, status = os.waitpid(child, 0)
            # On its own line, even if the update was killed in the middle of a line.
            _write(replies, b"\n" + update_protocol.pack(UpdateEnded(os.waitstatus_to_exitcode(status))))


def _run_update(update: Update, line: bytes, replies: int) -> None:
    # Sent by the update itself: only one process may write at a time.
    _write(replies, update_protocol.pack(UpdateStarted(os.getpid())))
    gc.disable()  # it ends before garbage matters
    faulthandler.enable(all_threads=True)
    signal.signal(signal.SIGTERM, _stop)
    request = update_protocol.unpack(line)
    with contextlib.suppress(StoppedError):
        update(request, lambda message: _write(replies, update_protocol.pack(message)))


class Stop:
    """Whether the update must end at the next point where nothing is half done."""

    is_wanted = False


def _stop(_number: int, _frame: object) -> None:
    Stop.is_wanted = True


def check_stop() -> None:
    """End the update here, if requested."""
    if Stop.is_wanted:
        raise StoppedError


def _write(replies: int, data: bytes) -> None:
    # A service that ended reads no more; the update runs to its end.
    with contextlib.suppress(BrokenPipeError), open(replies, "wb", closefd=False) as file:
        file.write(data)
