"""Notify systemd about the state of the service, through its socket.

The first notification removes the address from the environment, so that no child process can notify. Send it
before the first child process starts.
"""

import functools
import logging
import os
import socket
import time

_PATIENCE_S = 1  # a manager that does not read must not block the main loop

_LOG = logging.getLogger(__name__)


def status(text: str) -> None:
    """Report the activity of the service, for `systemctl status`."""
    send("STATUS=" + text.replace("\n", " "))


def reloading() -> None:
    """Report that the configuration is being reloaded; READY=1 ends the reload."""
    send(f"RELOADING=1\nMONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")


def watchdog_s() -> float | None:
    """Return half of systemd's watchdog time in seconds; None without a watchdog."""
    return _supervisor()[1]


@functools.cache
def _supervisor() -> tuple[str | None, float | None]:
    address = os.environ.pop("NOTIFY_SOCKET", "")
    usec = os.environ.pop("WATCHDOG_USEC", "")
    pid = os.environ.pop("WATCHDOG_PID", "")
    if address[:1] not in {"/", "@"}:  # vsock: is for the init of a virtual machine
        return None, None
    is_watched = usec.isdecimal() and int(usec) > 0 and pid in {"", str(os.getpid())}
    # An @ stands for the NUL of an abstract socket.
    return address.replace("@", "\0", 1) if address[0] == "@" else address, (
        int(usec) / 2e6 if is_watched else None
    )


def send(message: str) -> None:
    """Send a message of sd_notify(3), such as READY=1, if systemd wants any."""
    address, _ = _supervisor()
    if address is None:
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.settimeout(_PATIENCE_S)
            # Without a connection, poll() reports the socket as writable while the manager's queue is full.
            channel.connect(os.fsencode(address))
            channel.send(message.encode(errors="replace"))
    except OSError as error:
        _complain(error.strerror or str(error))


@functools.cache
def _complain(why: str) -> None:
    _LOG.warning("the status cannot be sent to systemd: %s", why)
