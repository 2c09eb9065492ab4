"""Forget the saved order or deals of a list: `playshuffle forget`."""

from typing import Annotated

from playshuffle.cli import completion
from playshuffle.cli.common_options import ConfigFile, Quiet, argument
from playshuffle.cli.screen import home_path
from playshuffle.cli.streams import say_wrapped
from playshuffle.config.configuration import load_if_any
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.words import the_list
from playshuffle.errors import shown
from playshuffle.store import skip_list_entries
from playshuffle.store.state import State

EXAMPLES = """\b
Examples:
  playshuffle forget today        # which tracks were dealt
  playshuffle forget ~/old.m3u    # `status` shows it no longer
"""


def forget(
    names: Annotated[list[str], argument("LIST...", "Names or files; no file is removed", completion.lists)],
    config: ConfigFile = None,
    quiet: Quiet = False,
) -> None:
    """Forget the saved order or deals of a list."""
    config_file = load_if_any(config)
    with State(must_remember=True) as state:
        lists = known_lists(config_file, state)
        paths = {playlist.path for playlist in lists}
        unwritten = [KnownList(path) for path in skip_list_entries.playlists(state) if path not in paths]
        chosen = [the_list(name, [*lists, *unwritten]) for name in names]
        for one in chosen:
            with state.locked():
                state.forget(one.path)
            if not quiet:
                stays = f" {shown(one.name)} stays in the configuration." if one.configured else ""
                if stays and config_file is not None and config_file.path is not None:
                    stays += f" To remove it, edit {home_path(config_file.path)}"
                say_wrapped([f"Forgot {home_path(one.path)}. The file was not changed.{stays}"])
        if not quiet:
            say_wrapped(map(str, state.notes))
