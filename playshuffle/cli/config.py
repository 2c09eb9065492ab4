"""Create or check the configuration."""

import os
import sys
from itertools import filterfalse

from playshuffle.cli.common_options import ConfigFile
from playshuffle.cli.screen import Mark, home_path, screen_of
from playshuffle.cli.streams import say, say_wrapped
from playshuffle.config.example import example
from playshuffle.config.load import load
from playshuffle.config.places import find, places
from playshuffle.config.toml_file import ConfigError, Fault
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.store import skip_list_entries
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.system.near_file import near_file
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle config init      # writes an example to edit
  playshuffle config check     # shows every problem with its line
"""


def init(config: ConfigFile = None) -> None:
    """Write an example configuration."""
    path = places(config)[0]
    if os.path.lexists(path):
        raise PlayshuffleError(
            f"{shown(path)} already exists, so it was not changed. Edit it, or name another file with"
            " --config.",
            Exit.CANNOT_CREATE,
        )
    atomic_file.make_folder_for(path)
    atomic_file.write(path, [example().encode()])
    say_wrapped([f"Wrote {home_path(path)}. Edit it, then run: playshuffle config check"])


def check(config: ConfigFile = None) -> Exit:
    """Show every problem of the configuration.

    Exit code 78 if there is one, 1 if a folder or skip list is unknown.
    """
    path = find(config)
    faults, warnings, playlists = _checked(path)
    screen, lists = screen_of(sys.stderr), counted(playlists, "playlist")
    if faults:
        mark, text, code = Mark.BAD, counted(len(faults), "problem"), Exit.CONFIG
    elif warnings:
        mark, text, code = Mark.WARNING, f"{lists}, {counted(len(warnings), 'warning')}", Exit.LOSSES
    else:
        mark, text, code = Mark.GOOD, f"{lists}, no problems", Exit.DONE
    say([screen.verdict(mark, f"{home_path(path)}: {text}")])
    for fault in sorted([*faults, *warnings], key=lambda fault: fault.line or 0):
        say_wrapped([fault.text])
    return code


def _checked(path: bytes) -> tuple[list[Fault], list[Fault], int]:
    try:
        config_file = load(path)
    except ConfigError as error:
        return list(error.faults), [], 0
    document = config_file.document
    assert document is not None
    keys: dict[bytes, tuple[str, ...]] = {}
    for playlist in config_file.playlists:
        mine = ("playlist", playlist.name, "folders")
        for root in playlist.request.roots:
            keys.setdefault(root, mine if document.line(*mine) else ("folders",))
    warnings = []
    with State(writes=False) as state:
        for root in filterfalse(os.path.isdir, keys):
            if state.root(root) is not None:
                say_wrapped(
                    [f"{home_path(root)} is missing. Its tracks stay in the playlists until it is back."]
                )
                continue
            near = near_file(root, is_folder=True)
            hint = f"Did you mean {home_path(near)}?" if near else "Correct it, or mount its drive."
            text = f"{home_path(root)} does not exist and was never scanned. {hint}"
            warnings.append(document.fault(text, *keys[root]))
        for playlist in config_file.playlists:
            saved = skip_list_entries.load(state, atomic_file.resolved(playlist.output))
            for skip_list in filterfalse(os.path.isfile, playlist.request.without):
                if skip_list not in saved:
                    text = f"The skip list {home_path(skip_list)} does not exist. Correct it, or save it."
                    warnings.append(document.fault(text, "playlist", playlist.name, "without"))
    return [*config_file.broken], warnings, len(config_file.playlists)


SUBCOMMANDS = (init, check)
