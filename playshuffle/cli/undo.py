"""Take back the last make or deal of a list."""

import os
from functools import partial
from typing import Annotated

from playshuffle.cli import completion
from playshuffle.cli.common_options import ConfigFile, Quiet, argument
from playshuffle.cli.run_lists import run_lists
from playshuffle.cli.screen import Mark, home_path, shell_path
from playshuffle.cli.streams import show
from playshuffle.config.build_request import build_request
from playshuffle.config.known_list import KnownList
from playshuffle.config.load import all_lists
from playshuffle.config.places import find
from playshuffle.config.words import the_list
from playshuffle.dealing.period import Every
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.options.table import Options, as_flags
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.undo import record_before
from playshuffle.pipeline.undo import undo as undo_list
from playshuffle.service import status_file
from playshuffle.store.records import SavedOrder, SavedRecord, last_made
from playshuffle.store.state import State
from playshuffle.tags.cause import WITHOUT
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle undo            # the list that was made or dealt last
  playshuffle undo today      # again: back to what was taken back
"""


def undo(
    name: Annotated[str | None, argument("[LIST]", "Its name or file", completion.lists)] = None,
    config: ConfigFile = None,
    quiet: Quiet = False,
) -> None:
    """Take back the last make or deal of a list.

    Its file, order and options are as they were before. A second undo returns.
    """
    with State(must_remember=True) as state:
        last = last_made(state)
        if name is not None:
            one = the_list(name, all_lists(config))
        elif last is not None:
            one = next((playlist for playlist in all_lists(config) if playlist.path == last), KnownList(last))
        else:
            raise PlayshuffleError("No list was made or dealt yet, so there is nothing to undo.")
        before = record_before(state, one.path)
        request = _request(one, before, state)
    [report] = run_lists({"": request}, partial(undo_list, before=before), quiet=quiet)[0].values()
    status_file.notify(status_file.processes([one.path]))
    if not quiet:
        facts = [counted(report.playlist_length, "track"), as_flags(before.options) if before.options else ""]
        if lost := _count(before) - report.playlist_length:
            unwanted = " or may not be in any list (never)" if report.choice.stage(WITHOUT) else ""
            facts.insert(1, f"{lost:,} more no longer {'exists' if lost == 1 else 'exist'}{unwanted}")
        text = f" is as before: {', '.join(filter(None, facts))}"
        if not report.playlist_length:
            text = ": no deal today. The file keeps its tracks until the next deal"
        show([(Mark.GOOD, f"{home_path(one.path)}{text}")])
        show([("Return", f"playshuffle undo {shell_path(one.path)}")])
        if one.configured is not None:
            stays = f"{shown(one.name)} stays in the configuration as it is: {home_path(find(config))}"
            show([("Note", stays)])
        show(("Note", str(note)) for note in report.notes)


def _count(before: SavedRecord) -> int:
    if isinstance(before, SavedOrder):
        return before.length
    return 0 if before.deck.deal is None else len(before.deck.deal.entries)


def _request(one: KnownList, before: SavedRecord, state: State) -> Request:
    """Return a request with the recorded tracks, without options that may name missing files."""
    if before.options is not None and before.options.source is None:
        options = before.options._replace(where=(), without=(), pin=(), most=None)
        if (request := one.request_of(before._replace(options=options))) is not None:
            return request
    if isinstance(before, SavedOrder):
        every, numbers = None, tuple(before.tracks)
    else:
        every = Every.DAY
        numbers = before.deck.deal.entries if before.deck.deal is not None else before.deck.dealt
    paths = state.load_tracks().paths_of(numbers)
    files = tuple(paths[number] for number in numbers if number in paths)
    options = before.options or Options(every=every)
    options = options._replace(source=None, where=(), without=(), pin=(), most=None)
    return build_request(options._replace(output=os.fsdecode(one.path)), files=files)
