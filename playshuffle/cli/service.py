"""`playshuffle service`: have systemd keep the playlists up to date, or no more; and see how it goes."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from playshuffle.cli import playlist_options
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import say, write_out
from playshuffle.errors import Exit, PlayshuffleError, shown

if TYPE_CHECKING:
    from playshuffle.install.units import Folders

EXAMPLES = """\b
Examples:
  playshuffle config init        # then say in that file what you want
  playshuffle service install    # once, and whenever playlists are to be written to other folders
  playshuffle service status
"""


def install() -> None:
    """Put the units in place and start the service; done again, mend what differs."""
    from playshuffle.config.load import load
    from playshuffle.config.places import find
    from playshuffle.install import installer, systemctl, units, writable_folders
    from playshuffle.store import to_tell

    _check_user()
    words = units.program().words
    if not systemctl.can_run([*words, "--version"]):
        raise PlayshuffleError(
            f"{shown(words[0])} cannot run as a service does, from any folder and without your"
            " environment; install it, with pipx for example.",
            Exit.CONFIG,
        )
    config = load(find())
    say(fault.text for fault in config.broken)
    say(writable_folders.doubts(config))
    deals = any(playlist.deal is not None for playlist in config.playlists)
    tells = any(playlist.tell for playlist in config.playlists)
    # Where nothing can be told of it, there is no systemd, or it is asked too early: then it is needed.
    is_sandboxed = systemctl.gives_namespaces() is not False
    unit_texts = _units(writable_folders.writable_folders(config), sandboxed=is_sandboxed)
    if tells:
        to_tell.make_folders()
    _tell(installer.install(unit_texts, deals=deals, tells=tells))


def uninstall() -> None:
    """Stop the service and take its units away; playlists, orders and configuration stay."""
    from playshuffle.install import installer

    _check_user()
    _tell(installer.uninstall())


def status(json: playlist_options.Json = False) -> int:
    """Tell whether it is installed, runs, and is locked up; exit code 1 says that something is amiss."""
    from playshuffle.cli import service_report
    from playshuffle.config.load import load
    from playshuffle.config.places import find
    from playshuffle.install import writable_folders
    from playshuffle.install.service_state import service_state

    unit_texts = None
    try:
        folders = writable_folders.writable_folders(load(find()), make=False)
        unit_texts = _units(folders, sandboxed=True)
    except PlayshuffleError:  # of which `playshuffle config check` tells
        pass
    state = service_state(unit_texts)
    _tell([service_report.as_json(state)] if json else service_report.lines(state, screen_of(sys.stdout)))
    return Exit.DONE if state.is_installed and state.runs else Exit.LOSSES


VERBS = (install, uninstall, status)


def _units(folders: "Folders", *, sandboxed: bool) -> Mapping[str, str | None]:
    from playshuffle.install import units

    return units.rendered(units.program(), folders, os.environ, sandboxed=sandboxed)


def _tell(lines: Iterable[str]) -> None:
    for line in lines:  # each when it is so: systemd may take its time
        write_out([f"{line}\n".encode()])


def _check_user() -> None:
    if os.geteuid() == 0 and "SUDO_USER" in os.environ:
        raise PlayshuffleError("The service belongs to a user: run this without sudo.", Exit.USAGE)
