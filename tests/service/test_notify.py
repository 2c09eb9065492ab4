"""Test the notifications to systemd, on a real socket."""

import functools
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playshuffle.service import notify


@pytest.fixture(autouse=True)
def _in_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the environment of systemd, as read by an earlier test."""
    for name in ("WATCHDOG_USEC", "WATCHDOG_PID"):
        monkeypatch.delenv(name, raising=False)
    for name in ("_supervisor", "_complain"):
        monkeypatch.setattr(notify, name, functools.cache(getattr(notify, name).__wrapped__))


@pytest.fixture(params=["file", "abstract"])
def manager(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[socket.socket]:
    """A socket in the place of systemd's, which the environment names."""
    name = f"{tmp_path}/notify" if request.param == "file" else f"@playshuffle-{os.getpid()}-{time.time_ns()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(name.replace("@", "\0"))
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", name)
        yield manager


def test_each_notification_is_a_datagram_of_the_protocol(manager: socket.socket) -> None:
    notify.send("READY=1")
    notify.status("watching 3 folders, caf\u00e9")
    notify.send("WATCHDOG=1")
    notify.send("STOPPING=1")

    assert [manager.recv(4096) for _ in range(4)] == [
        b"READY=1",
        "STATUS=watching 3 folders, caf\u00e9".encode(),
        b"WATCHDOG=1",
        b"STOPPING=1",
    ]


def test_the_notification_of_a_reload_has_the_time_when_the_reload_began(manager: socket.socket) -> None:
    """So that systemd cannot take the READY=1 of an earlier reload for its end."""
    before = time.monotonic_ns() // 1000
    notify.reloading()
    first, second = manager.recv(4096).split(b"\n")

    assert first == b"RELOADING=1"
    assert before <= int(second.removeprefix(b"MONOTONIC_USEC=")) <= time.monotonic_ns() // 1000


def test_a_status_for_systemd_is_one_line_whatever_names_it_contains(manager: socket.socket) -> None:
    """A name with a line break must not send STOPPING=1. Bytes that are not UTF-8 are replaced."""
    notify.status("away: /m/\nSTOPPING=1\udcff")

    assert manager.recv(4096) == b"STATUS=away: /m/ STOPPING=1?"


@pytest.mark.process
def test_a_child_process_cannot_notify_systemd_for_the_service(manager: socket.socket) -> None:
    os.environ["WATCHDOG_USEC"] = "60000000"
    notify.send("READY=1")
    seen = subprocess.check_output([sys.executable, "-c", "import os; print(list(os.environ))"], text=True)

    assert "NOTIFY_SOCKET" not in seen
    assert "WATCHDOG" not in seen
    assert manager.recv(4096) == b"READY=1"


@pytest.mark.parametrize("address", ["", "vsock:2:1234"])
def test_without_systemd_no_notification_is_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    """Nor if its socket is not a Unix socket."""
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    notify.send("READY=1")
    notify.status("watching")

    assert notify.watchdog_s() is None
    assert not caplog.records


def test_the_log_says_once_that_the_socket_of_systemd_has_disappeared(
    manager: socket.socket, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No error is raised."""
    manager.close()
    (tmp_path / "notify").unlink(missing_ok=True)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            notify.send("WATCHDOG=1")

    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "the status cannot be sent to systemd"
    ]


@pytest.mark.timing
def test_a_notification_does_not_block_the_service_if_systemd_does_not_read_it(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When the queue of the socket is full, messages are dropped after a short wait without CPU time."""
    monkeypatch.setattr(notify, "_PATIENCE_S", 0.01)
    began = time.monotonic()
    while not caplog.records:
        notify.send("WATCHDOG=1")
    assert len(caplog.records) == 1
    assert time.monotonic() - began < 5

    monkeypatch.setattr(notify, "_PATIENCE_S", 1)
    before_s = time.process_time()
    notify.send("WATCHDOG=1")
    assert time.process_time() - before_s < 0.3


@pytest.mark.parametrize(
    ("usec", "pid", "every_s"),
    [
        ("60000000", "", 30),
        pytest.param("2000000", str(os.getpid()), 1, id="watched"),
        ("2000000", "1", None),
        ("0", "", None),
        ("", "", None),
        ("soon", "", None),
    ],
)
def test_the_interval_of_watchdog_notifications_is_half_of_the_time_that_systemd_requires(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch, usec: str, pid: str, every_s: float | None
) -> None:
    """None if the watchdog is off, or for another process."""
    monkeypatch.setenv("WATCHDOG_USEC", usec)
    monkeypatch.setenv("WATCHDOG_PID", pid)

    assert notify.watchdog_s() == every_s
