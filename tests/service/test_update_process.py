import os
import signal
import time
from collections.abc import Callable

import pytest

from playshuffle.service.update_process import Update, UpdateProcess
from playshuffle.service.update_protocol import Message, UpdateRequest, UpdateStarted
from playshuffle.watch.debounce import Batch
from tests.support.service import wait_for

pytestmark = pytest.mark.process


def make_hanging_update() -> Update:
    def hang(request: UpdateRequest, send: Callable[[Message], None]) -> None:
        time.sleep(3600)

    return hang


def test_an_update_that_never_ends_does_not_hold_up_the_service() -> None:
    """As one does that waits for a file system which does not answer: not even SIGKILL ends it."""
    messages: list[Message] = []
    with UpdateProcess(make_hanging_update) as updates:
        updates.begin(UpdateRequest(frozenset(), Batch()))
        wait_for(lambda: messages.extend(updates.receive()) or messages)  # type: ignore[func-returns-value]

    (started,) = messages
    assert isinstance(started, UpdateStarted)
    os.kill(started.process, signal.SIGKILL)  # so it outlived the process that waited for it
