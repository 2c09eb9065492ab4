"""Keep a list in the configuration: the option `--save` of make and deal."""

import os

from playshuffle.cli.lists import notify
from playshuffle.cli.screen import home_path
from playshuffle.cli.streams import show
from playshuffle.config.places import places
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.request import Request
from playshuffle.service import running


def check_save(name: str | None, config: str | None, request: Request) -> None:
    """Check that the configuration can have a list, before it is made.

    Raises:
        PlayshuffleError: it cannot.
    """
    if name is None:
        return
    if not request.writes:
        raise PlayshuffleError(
            "--save needs a playlist file. Remove --dry-run, --peek, --print0 or -o -.", Exit.USAGE
        )
    from playshuffle.config.save_list import with_list  # tomlkit is slow to import, and few runs save a list

    with_list(_place(config), name, request)


def save(name: str | None, config: str | None, request: Request, *, quiet: bool) -> None:
    """Write a list that was made into the configuration, and have the services read it.

    Raises:
        PlayshuffleError: it cannot be written.
    """
    if name is None:
        return
    from playshuffle.config.save_list import save_list  # as above

    save_list(_place(config), name, request)
    services = [each.services[0].process for each in running.services()]
    notify(services)
    if not quiet:
        show([("Saved", f"[playlist.{shown(name)}] in {home_path(_place(config))}")])
        if not services:
            show([("Keep it", "playshuffle service install keeps it up to date")])


def _place(config: str | None) -> bytes:
    """Return the configuration that is in force, or where a new one belongs."""
    candidates = places(config)
    return next(filter(os.path.lexists, candidates), candidates[0])
