"""The status that services publish for other processes."""

from playshuffle.service import running
from playshuffle.service.status_json import Service, ServiceStatus


def status(since_s: int) -> ServiceStatus:
    return ServiceStatus(Service(1, since_s, None), (), ())


def test_services_with_the_same_process_number_are_all_shown() -> None:
    # In two containers that share a state folder, each is process 1.
    with running.StatusFile() as first:
        first.publish(status(100))
        with running.StatusFile() as second:
            second.publish(status(200))
            both = {service.service.since for service in running.services()}
        rest = {service.service.since for service in running.services()}

    assert (both, rest) == ({100, 200}, {100})
    assert running.services() == []
