import math

import pytest

from playshuffle.watch.schedule import Schedule


@pytest.fixture
def agenda() -> Schedule:
    return Schedule(whole_s=3600, poll_s=300, settle_s=2, now=1000, asleep_s=50)


def due(agenda: Schedule, now: float, *, asleep_s: float = 50, is_polled: bool = False) -> str | None:
    return agenda.due(now, asleep_s, is_polled=is_polled)


def test_everything_is_looked_at_every_hour(agenda: Schedule) -> None:
    assert due(agenda, 4599) is None
    assert agenda.next_at(is_polled=False) == 4600
    assert due(agenda, 4600) == "hourly"


def test_the_hour_begins_with_the_last_look(agenda: Schedule) -> None:
    agenda.done(4000)

    assert due(agenda, 7599) is None
    assert due(agenda, 7600) == "hourly"


def test_without_events_it_is_looked_at_more_often(agenda: Schedule) -> None:
    assert agenda.next_at(is_polled=True) == 1300
    assert due(agenda, 1300) is None
    assert due(agenda, 1300, is_polled=True) == "poll"


def test_a_sleep_of_the_machine_is_noticed_once(agenda: Schedule) -> None:
    """The little that two clocks differ by in a read is none."""
    assert due(agenda, 1005, asleep_s=50.01) is None
    assert due(agenda, 1010, asleep_s=120) == "resume"
    assert due(agenda, 1010, asleep_s=120) is None


def test_a_change_of_the_mount_table_may_settle_first(agenda: Schedule) -> None:
    agenda.mounts(1100)
    agenda.mounts(1101)

    assert agenda.next_at(is_polled=False) == 1102
    assert due(agenda, 1101) is None
    assert due(agenda, 1102) == "mounts"
    assert due(agenda, 1103) is None


def test_a_restless_mount_table_counts_once_a_minute(agenda: Schedule) -> None:
    """A machine with containers mounts all the time; the last change is not lost."""
    told = []
    for now in range(1100, 1400):
        if now < 1200:
            agenda.mounts(now)
        if due(agenda, now):
            told.append(now)

    assert told == [1102, 1162, 1222]


def test_a_look_at_everything_settles_the_mounts_too(agenda: Schedule) -> None:
    agenda.mounts(1100)
    agenda.done(1101)

    assert due(agenda, 1102) is None


def test_folders_are_looked_at_again_at_their_time(agenda: Schedule) -> None:
    agenda.again([b"/m/b/"], 1020)
    agenda.again([b"/m/a/"], 1010)

    assert agenda.next_at(is_polled=False) == 1010
    assert list(agenda.folders(1009)) == []
    assert list(agenda.folders(1010)) == [[b"/m/a/"]]
    assert list(agenda.folders(1030)) == [[b"/m/b/"]]
    assert list(agenda.folders(math.inf)) == []
