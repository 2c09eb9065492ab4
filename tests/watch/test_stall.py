"""Test that a thread counts as blocked only while it does not run and its observer runs."""

import os
import threading
from collections.abc import Sequence

import pytest

from playshuffle.watch.stall import Activity, StallClock, activity
from tests.support.service import wait_for

ASLEEP = Activity(7, is_runnable=False)


@pytest.mark.parametrize(
    ("observations", "stalled_s"),
    [
        pytest.param([(now_s, ASLEEP) for now_s in range(0, 41, 5)], 40, id="blocked"),
        pytest.param([(now_s, None) for now_s in range(0, 41, 5)], 40, id="only the time is known"),
        pytest.param([(0, ASLEEP), (40, ASLEEP)], 10, id="the observer was stopped"),
        pytest.param([(0, ASLEEP), (10, ASLEEP), (20, Activity(8, is_runnable=False))], 0, id="ran"),
        pytest.param([(0, ASLEEP), (10, ASLEEP), (20, Activity(7, is_runnable=True))], 0, id="ready to run"),
    ],
)
def test_a_thread_counts_as_stalled_only_while_it_is_blocked_and_regularly_observed(
    observations: Sequence[tuple[float, Activity | None]], stalled_s: float
) -> None:
    clock = StallClock(longest_s=10)
    for now_s, seen in observations:
        clock.observe(now_s, seen)

    assert clock.stalled_s == stalled_s


def test_a_reset_starts_the_stall_clock_at_zero() -> None:
    clock = StallClock(longest_s=10)
    clock.observe(0, ASLEEP)
    clock.observe(10, ASLEEP)
    clock.reset()
    clock.observe(20, ASLEEP)

    assert clock.stalled_s == 0


def test_the_activity_of_a_thread_that_waits_in_a_system_call_does_not_change() -> None:
    reader, writer = os.pipe()
    thread = threading.Thread(target=os.read, args=(reader, 1))
    thread.start()
    assert thread.native_id is not None

    def is_still() -> bool:
        first = activity(thread.native_id or 0)
        return first is not None and not first.is_runnable and activity(thread.native_id or 0) == first

    wait_for(is_still)
    os.write(writer, b"x")
    thread.join()
    os.close(reader)
    os.close(writer)


def test_a_thread_that_ended_has_no_activity() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    assert thread.native_id is not None

    wait_for(lambda: activity(thread.native_id or 0) is None)
