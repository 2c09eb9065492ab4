"""Report the state of the service: the verdict first, then what to do."""

import os
from collections.abc import Iterator

from playshuffle.cli.screen import Fact, Mark
from playshuffle.errors import shown
from playshuffle.install.service_state import ServiceState
from playshuffle.install.systemctl import instead
from playshuffle.install.writable_folders import open_list_advice

_INSTALL = "playshuffle service install"
_LOG = "journalctl --user -u playshuffle"


def facts(state: ServiceState) -> Iterator[Fact]:
    """Return the lines of the report."""
    if not state.is_installed:
        yield Mark.WARNING, "The service is not installed"
    elif not state.has_systemd:
        yield Mark.WARNING, "The service is installed, but nothing starts it"
    elif not state.runs:
        how = f": {shown(state.text)}" if state.text not in {"", "success"} else ""
        yield Mark.BAD, f"The service does not run ({state.active}{how})"
    else:
        is_well = state.is_ours and state.is_current and not state.restarts and not state.open_lists
        text = f": {shown(state.text)}" if state.text else ""
        yield Mark.RUNNING if is_well else Mark.WARNING, f"The service runs{text}"
    yield from _details(state)


def _details(state: ServiceState) -> Iterator[Fact]:
    if not state.has_systemd:
        yield "Instead", instead()
    elif not state.is_installed:
        yield "Install", _INSTALL
    elif not state.runs:
        yield "Start", _INSTALL
        yield "Log", _LOG
    if not state.is_ours:
        yield "Unit", "it was not written by playshuffle, which leaves it alone"
    elif state.is_installed and not state.is_current:
        yield "Update", f"{_INSTALL} (the folders or the version have changed)"
    if state.has_systemd and state.is_installed:
        yield from _facts(state)


def _facts(state: ServiceState) -> Iterator[Fact]:
    if state.restarts:
        yield "Restarts", f"{state.restarts:,} after failures. Log: {_LOG}"
    if state.enabled != "enabled":
        yield "At login", f"it does not start. To enable it: {_INSTALL}"
    if state.sandbox is not None:
        yield "Sandbox", state.sandbox
    for path in state.open_lists:
        yield "Open", open_list_advice(os.fsencode(path))
    if state.lingers:
        yield "Logout", "it goes on after you log out"
    elif state.lingers is False:
        yield "Logout", "it stops when you log out. To change: sudo loginctl enable-linger $USER"
