"""Save a list in the configuration: the option `--save` of make and deal."""

import os

from playshuffle.cli.screen import home_path
from playshuffle.cli.streams import show
from playshuffle.config.places import places
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.pipeline.request import Request
from playshuffle.service import status_file


def check_save(name: str | None, config: str | None, request: Request) -> None:
    """Check, before a list is made, that it can be saved in the configuration."""
    if name is None:
        return
    if not request.writes:
        raise PlayshuffleError("--save needs a playlist file. Remove --dry-run, --peek, --print0 or -o -.")
    _save(_place(config), name, request, writes=False)


def save(name: str | None, config: str | None, request: Request, *, quiet: bool) -> None:
    """Write a list into the configuration, and make running services read it."""
    if name is None:
        return
    _save(_place(config), name, request, writes=True)
    services = [status.services[0].process for status in status_file.services()]
    status_file.notify(services)
    if not quiet:
        show([("Saved", f"[playlist.{shown(name)}] in {home_path(_place(config))}")])
        if not services:
            from playshuffle.install import systemctl  # few runs save a list

            keep = "playshuffle service install keeps it up to date"
            show([("Keep it", keep if systemctl.may_be_there() else systemctl.instead())])


def _save(place: bytes, name: str, request: Request, *, writes: bool) -> None:
    # tomlkit is slow to import, and few runs save a list.
    from playshuffle.config.save_list import save_list, with_list

    (save_list if writes else with_list)(place, name, request)


def _place(config: str | None) -> bytes:
    candidates = places(config)
    return next(filter(os.path.lexists, candidates), candidates[0])
