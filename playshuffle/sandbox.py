"""A process in, how locked up it is out: some lines of a unit systemd ignores, and says nothing."""

import enum


class Sandbox(enum.StrEnum):
    """How much of the sandbox is there."""

    ON = "on"
    PARTLY = "system calls only"
    OFF = "off"


def of(process: int | str = "self") -> Sandbox | None:
    """How locked up a process is; None where that cannot be seen."""
    try:
        with open(f"/proc/{process}/mountinfo", "rb") as file:
            # The last mount on / is the one that counts: 36 35 98:0 / / ro,relatime - …
            options = [fields[5] for line in file if (fields := line.split(b" "))[4] == b"/"][-1]
        with open(f"/proc/{process}/status", "rb") as file:
            is_filtered = b"\nSeccomp:\t2\n" in file.read()
    except (OSError, IndexError):
        return None
    if not is_filtered:
        return Sandbox.OFF
    return Sandbox.ON if b"ro" in options.split(b",") else Sandbox.PARTLY
