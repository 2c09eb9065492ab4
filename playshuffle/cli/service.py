"""Install, remove or check the service.

It keeps the playlists of the configuration up to date.
"""

import contextlib
import os
import sys
from collections.abc import Iterable
from typing import Annotated

from playshuffle.cli import service_report
from playshuffle.cli.common_options import Json, option
from playshuffle.cli.feed_mpd import playlist_of
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import print_json, print_lines, say_wrapped
from playshuffle.config.configuration import load_named
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.history.histories import LISTENED, usual_file
from playshuffle.install import installer, systemctl, units, writable_folders
from playshuffle.install.service_state import service_state
from playshuffle.store import to_tell
from playshuffle.system.xdg import cache_folder, state_folder

EXAMPLES = """\b
Examples:
  playshuffle config init        # then edit that file
  playshuffle service install    # again after a change of folders
  playshuffle service install --listen
  playshuffle service install --endless today
  playshuffle service status
"""


def install(
    listen: Annotated[bool, option("--listen", "Install playshuffle listen instead")] = False,
    endless: Annotated[str | None, option("--endless LIST", "Feed MPD from LIST instead")] = None,
) -> None:
    """Install and start the service.

    Run it again after an upgrade, or when playlists are written to other folders. --listen needs no
    configuration.
    """
    _check_user()
    program = units.program()
    if not systemctl.can_run([*program.words, "--version"]):
        raise PlayshuffleError(
            f"{shown(program.words[0])} cannot run as a service, which starts it from another folder and"
            " without your environment. Install playshuffle, for example with pipx.",
            Exit.CONFIG,
        )
    # If systemd cannot answer, it is missing or was asked too early: then the sandbox is needed.
    is_sandboxed = systemctl.gives_namespaces() is not False
    if listen:
        plays = usual_file(LISTENED)
        os.makedirs(plays, mode=0o700, exist_ok=True)
        folders = units.WritableFolders(plays, ())
        texts = units.rendered_service(units.LISTEN, program, folders, os.environ, sandboxed=is_sandboxed)
        _report(installer.install(texts, {units.LISTEN: True}))
        return
    if endless is not None:
        state, cache, playlist = state_folder(), cache_folder(), playlist_of(endless)
        folders = units.WritableFolders(state, (cache, os.path.dirname(playlist)))
        word = os.path.abspath(endless) if os.path.lexists(endless) else endless
        texts = units.rendered_endless(word, program, folders, os.environ, sandboxed=is_sandboxed)
        _report(installer.install(texts, {units.ENDLESS: True}))
        return
    config = load_named()
    open_lists = writable_folders.open_lists(config, program)
    doubts = (
        *(fault.text for fault in config.broken),
        *writable_folders.doubts(config),
        *map(writable_folders.open_list_advice, open_lists),
    )
    say_wrapped(doubts)
    tells = any(playlist.tell for playlist in config.playlists)
    folders = writable_folders.writable_folders(config)
    unit_texts = units.rendered(program, folders, os.environ, sandboxed=is_sandboxed)
    if tells:
        to_tell.make_folders()
    _report(installer.install(unit_texts, {units.SERVICE: True, units.TELL_PATH: tells}))


def uninstall() -> None:
    """Stop and remove the service.

    Playlists, saved orders and the configuration are not changed.
    """
    _check_user()
    _report(installer.uninstall())


def status(json: Json = False) -> int:
    """Show if the service is installed and runs.

    Exit code 1 if it is not.
    """
    unit_texts, open_lists = None, []
    with contextlib.suppress(PlayshuffleError):  # `playshuffle config check` reports it
        config, program = load_named(), units.program()
        folders = writable_folders.writable_folders(config, make=False)
        unit_texts = units.rendered(program, folders, os.environ, sandboxed=True)
        open_lists = writable_folders.open_lists(config, program)
    state = service_state(unit_texts)._replace(open_lists=[*map(os.fsdecode, open_lists)])
    if json:
        print_json({**state._asdict(), "runs": state.runs})
    else:
        print_lines(screen_of(sys.stdout).facts(service_report.facts(state)))
    return Exit.DONE if state.is_installed and state.runs else Exit.LOSSES


SUBCOMMANDS = (install, uninstall, status)


def _report(steps: Iterable[str]) -> None:
    screen = screen_of(sys.stdout)
    for step in steps:  # one by one, since systemd may be slow
        print_lines(screen.hanging(step))


def _check_user() -> None:
    if os.geteuid() == 0 and "SUDO_USER" in os.environ:
        raise PlayshuffleError("The service belongs to a user. Run this command without sudo.")
