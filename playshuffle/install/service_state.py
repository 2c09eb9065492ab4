"""Find out whether the service is installed and runs."""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from playshuffle.install import systemctl, units
from playshuffle.install.installer import is_ours, unit_content, unit_folder
from playshuffle.system import sandbox

_ACTIVE = {"active", "reloading"}


class ServiceState(NamedTuple):
    """The service as systemd knows it.

    Attributes:
        is_ours: `playshuffle service install` wrote the unit.
        is_current: an installation would change no unit.
        has_systemd: a systemd runs for this user; otherwise the fields below are empty.
        enabled: systemd's word, such as "enabled".
        text: the status of the service, or how it failed.
        sandbox: restrictions of the process; None if the service does not run.
        open_lists: playlists in whose folders the service could change what this user runs.
        lingers: it runs while nobody is logged in; None if unknown.
    """

    is_installed: bool
    is_ours: bool = True
    is_current: bool = True
    has_systemd: bool = False
    enabled: str = ""
    active: str = ""
    detail: str = ""
    text: str = ""
    restarts: int = 0
    sandbox: str | None = None
    open_lists: Sequence[str] = ()
    lingers: bool | None = None

    @property
    def runs(self) -> bool:
        return self.active in _ACTIVE


def service_state(wanted: Mapping[str, str | None] | None) -> ServiceState:
    """Return the state of the service; `wanted` are the units that `install` would write, if known."""
    folder = unit_folder()
    path = os.path.join(folder, units.SERVICE)
    # Only `install` knows whether the drop-in is needed.
    main = {name: text for name, text in (wanted or {}).items() if not name.endswith(".conf")}
    is_installed = os.path.lexists(path)
    state = ServiceState(
        is_installed,
        is_ours=is_ours(path) or not is_installed,
        is_current=all(unit_content(os.path.join(folder, name)) == text for name, text in main.items()),
    )
    if not systemctl.is_there():
        return state
    names = ("UnitFileState", "ActiveState", "SubState", "StatusText", "MainPID", "Result", "NRestarts")
    now = systemctl.show(units.SERVICE, *names)
    is_active = now["ActiveState"] in _ACTIVE
    limits = sandbox.of(now["MainPID"]) if is_active else None
    return state._replace(
        has_systemd=True,
        enabled=now["UnitFileState"],
        active=now["ActiveState"],
        detail=now["SubState"],
        text=now["StatusText"] if is_active else now["Result"],
        restarts=int(now["NRestarts"] or 0),
        sandbox=None if limits is None else str(limits),
        lingers=systemctl.lingers(),
    )
