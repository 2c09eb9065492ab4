import math

import pytest

from playshuffle.watch.schedule import Schedule


@pytest.fixture
def schedule() -> Schedule:
    return Schedule(full_scan_s=3600, poll_s=300, settle_s=2, now=1000, asleep_s=50)


def due(schedule: Schedule, now: float, *, asleep_s: float = 50, is_polled: bool = False) -> str | None:
    return schedule.full_scan_reason(now, asleep_s, is_polled=is_polled)


def test_a_full_scan_is_due_every_hour(schedule: Schedule) -> None:
    assert due(schedule, 4599) is None
    assert schedule.next_at(is_polled=False) == 4600
    assert due(schedule, 4600) == "hourly"


def test_the_hour_begins_with_the_last_full_scan(schedule: Schedule) -> None:
    schedule.note_full_scan(4000)

    assert due(schedule, 7599) is None
    assert due(schedule, 7600) == "hourly"


def test_a_poll_is_due_more_often_than_a_full_scan(schedule: Schedule) -> None:
    assert schedule.next_at(is_polled=True) == 1300
    assert due(schedule, 1300) is None
    assert due(schedule, 1300, is_polled=True) == "poll"


def test_a_sleep_of_the_machine_is_noticed_once(schedule: Schedule) -> None:
    """A small difference between the two clocks does not count as sleep."""
    assert due(schedule, 1005, asleep_s=50.01) is None
    assert due(schedule, 1010, asleep_s=120) == "resume"
    assert due(schedule, 1010, asleep_s=120) is None


def test_a_change_of_the_mount_table_waits_for_the_settle_time(schedule: Schedule) -> None:
    schedule.note_mounts(1100)
    schedule.note_mounts(1101)

    assert schedule.next_at(is_polled=False) == 1102
    assert due(schedule, 1101) is None
    assert due(schedule, 1102) == "mounts"
    assert due(schedule, 1103) is None


def test_a_mount_table_that_changes_all_the_time_causes_one_scan_a_minute(schedule: Schedule) -> None:
    """The last change is not lost."""
    due_times = []
    for now in range(1100, 1400):
        if now < 1200:
            schedule.note_mounts(now)
        if due(schedule, now):
            due_times.append(now)

    assert due_times == [1102, 1162, 1222]


def test_a_full_scan_covers_earlier_changes_of_mounts(schedule: Schedule) -> None:
    schedule.note_mounts(1100)
    schedule.note_full_scan(1101)

    assert due(schedule, 1102) is None


def test_rescans_are_due_at_their_time(schedule: Schedule) -> None:
    schedule.add_rescan([b"/m/b/"], 1020)
    schedule.add_rescan([b"/m/a/"], 1010)

    assert schedule.next_at(is_polled=False) == 1010
    assert list(schedule.take_rescans(1009)) == []
    assert list(schedule.take_rescans(1010)) == [[b"/m/a/"]]
    assert list(schedule.take_rescans(1030)) == [[b"/m/b/"]]
    assert list(schedule.take_rescans(math.inf)) == []
