"""Run programs at another date, by libfaketime."""

from pathlib import Path

from tests.support.needs import need


def faked(**settings: str) -> dict[str, str]:
    """Return an environment in which libfaketime fakes the date.

    The program `faketime` is not used: it fails if a killed process with the same id left shared memory.
    """
    need("faketime")
    (library,) = Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
    return {"LD_PRELOAD": str(library), **settings}


def at(moment: str) -> list[str]:
    """Return the start of a command line that runs a program at a date and time."""
    return ["env", *(f"{name}={value}" for name, value in faked(FAKETIME=f"@{moment}").items())]
