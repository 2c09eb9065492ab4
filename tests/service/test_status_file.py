"""The status that services publish for other processes."""

from playshuffle.service import status_file
from playshuffle.service.status_json import Service, Status
from playshuffle.service.status_publisher import StatusFile


def status(since_s: int) -> Status:
    return Status((Service(1, since_s, None),), (), ())


def test_services_with_the_same_process_number_are_all_shown() -> None:
    # In two containers that share a state folder, each is process 1.
    with StatusFile() as first:
        first.publish(status(100))
        with StatusFile() as second:
            second.publish(status(200))
            both = {status.services[0].since for status in status_file.services()}
        rest = {status.services[0].since for status in status_file.services()}

    assert (both, rest) == ({100, 200}, {100})
    assert status_file.services() == []
