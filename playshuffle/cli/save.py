"""Keep a list in the configuration: the option `--save` of make and deal."""

import os
import sys
from collections.abc import Sequence

from playshuffle.cli.lists import notify
from playshuffle.cli.screen import home_path, screen_of
from playshuffle.cli.streams import say
from playshuffle.config.build_request import absolute
from playshuffle.config.load import file_name
from playshuffle.config.options import Options
from playshuffle.config.own_players import known_player
from playshuffle.config.places import places
from playshuffle.config.save_list import save_list, with_list
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.default_output import default_output, plain_name
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
    with_list(_place(config), name, request)


def with_folders(options: Options, folders: Sequence[str], name: str | None, *, plain: str) -> Options:
    """Return options with folders and a file, which is in the first of them if none was named.

    Args:
        options: of a list.
        folders: its music folders.
        name: of the list, which its file has then, too, as in a configuration.
        plain: the name of the file without that; each player has one of its own.

    Raises:
        PlayshuffleError: the name cannot be that of a file.
    """
    options = options._replace(folders=tuple(folders))
    if not folders or options.output is not None:
        return options
    player = known_player(options.player)
    file = plain_name(player, plain.encode()) if name is None else file_name(name)
    output = default_output(player, absolute(folders[0], Exit.NO_INPUT), file)
    return options._replace(output=os.fsdecode(output))


def save(name: str | None, config: str | None, request: Request, *, quiet: bool) -> None:
    """Write a list that was made into the configuration, and have the services read it.

    Raises:
        PlayshuffleError: it cannot be written.
    """
    if name is None:
        return
    save_list(_place(config), name, request)
    services = [each.service.process for each in running.services()]
    notify(services)
    if not quiet:
        screen = screen_of(sys.stderr)
        say(screen.detail("Saved", f"[playlist.{shown(name)}] in {home_path(_place(config))}"))
        if not services:
            say(screen.detail("Keep it", "playshuffle service install keeps it up to date"))


def _place(config: str | None) -> bytes:
    """Return the configuration that is in force, or where a new one belongs."""
    candidates = places(config)
    return next(filter(os.path.lexists, candidates), candidates[0])
