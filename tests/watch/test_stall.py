"""Test that a thread counts as blocked only while it does not run and the observer does."""

import os
import threading
from collections.abc import Iterator

import pytest

from playshuffle.watch.stall import Activity, StallClock, activity
from tests.support.service import wait_for

ASLEEP = Activity(7, is_runnable=False)


def test_a_blocked_thread_is_stalled_for_as_long_as_it_was_observed() -> None:
    clock = StallClock(longest_s=10)
    for now_s in range(0, 41, 5):
        clock.observe(now_s, ASLEEP)

    assert clock.stalled_s == 40


def test_a_pause_of_the_observer_is_not_a_stall_of_the_thread() -> None:
    """As when the process was stopped for 40 seconds."""
    clock = StallClock(longest_s=10)
    clock.observe(0, ASLEEP)
    clock.observe(40, ASLEEP)

    assert clock.stalled_s == 10


@pytest.mark.parametrize("seen", [Activity(8, is_runnable=False), Activity(7, is_runnable=True)])
def test_a_slow_thread_is_not_stalled(seen: Activity) -> None:
    clock = StallClock(longest_s=10)
    clock.observe(0, ASLEEP)
    clock.observe(10, ASLEEP)
    clock.observe(20, seen)

    assert clock.stalled_s == 0


def test_only_the_time_counts_if_no_activity_is_known() -> None:
    clock = StallClock(longest_s=10)
    for now_s in range(0, 41, 5):
        clock.observe(now_s, None)

    assert clock.stalled_s == 40


def test_a_reset_begins_again() -> None:
    clock = StallClock(longest_s=10)
    clock.observe(0, ASLEEP)
    clock.observe(10, ASLEEP)
    clock.reset()
    clock.observe(20, ASLEEP)

    assert clock.stalled_s == 0


@pytest.fixture
def blocked() -> Iterator[int]:
    """A thread that waits in a read; its native id."""
    reader, writer = os.pipe()
    thread = threading.Thread(target=os.read, args=(reader, 1))
    thread.start()
    assert thread.native_id is not None
    yield thread.native_id
    os.write(writer, b"x")
    thread.join()
    os.close(reader)
    os.close(writer)


def test_a_thread_in_a_system_call_shows_no_activity(blocked: int) -> None:
    def is_still() -> bool:
        first = activity(blocked)
        return first is not None and not first.is_runnable and activity(blocked) == first

    wait_for(is_still)


def test_a_thread_that_ended_shows_nothing() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    assert thread.native_id is not None

    wait_for(lambda: activity(thread.native_id or 0) is None)
