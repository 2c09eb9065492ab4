"""Show the status, options and dealt tracks of one list."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from playshuffle.cli.run_lists import run_lists
from playshuffle.cli.screen import Mark, Screen, home_path
from playshuffle.cli.track_list import track_list
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.model import Config
from playshuffle.config.words import the_list
from playshuffle.dealing.describe import deck_facts, deck_line, next_deal
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.options.table import Options, as_flags, changed
from playshuffle.pipeline.deal import with_heard
from playshuffle.service.status_file import resolved
from playshuffle.service.status_json import PlaylistStatus, Status
from playshuffle.store.records import SavedDeck, last
from playshuffle.store.state import State
from playshuffle.text import counted


class ListStatus(NamedTuple):
    """The status of a list; `entries` are the dealt tracks to show."""

    status: PlaylistStatus
    options: Options | None
    entries: Sequence[bytes]
    warnings: Sequence[str] = ()

    def facts(self) -> dict[str, object]:
        options = None if self.options is None else changed(self.options)
        return {**self.status._asdict(), "options": options, "entries": [*map(os.fsdecode, self.entries)]}

    def lines(self, screen: Screen) -> Iterator[str]:
        playlist = self.status
        count = None if playlist.tracks is None else counted(playlist.tracks, "track")
        order = f"{shown(playlist.order)} order" if playlist.order else None
        facts = [playlist.summary, count, order]
        facts = facts[:1] if playlist.summary else list(filter(None, facts)) or ["not made yet"]
        is_well = not playlist.last_error and not self.warnings and facts != ["not made yet"]
        mark = Mark.GOOD if is_well else Mark.WARNING
        yield screen.verdict(mark, f"{home_path(playlist.output)}: {', '.join(map(str, facts))}")
        for problem in (*playlist.problems, *self.warnings):
            yield from screen.detail("Problem", problem)
        if playlist.deck is not None:
            yield from screen.detail("Next", next_deal(playlist.deck, datetime.now().astimezone().date()))
        if playlist.last_write is not None:
            yield from screen.detail("Written", screen.when(playlist.last_write))
        if self.options is not None:
            folders = ", ".join(map(home_path, self.options.folders))
            yield from screen.detail("Options", " ".join(filter(None, (folders, as_flags(self.options)))))
        yield from track_list(self.entries, screen)


def list_status(name: str, config_file: Config | None, report: Status, *, is_all: bool) -> ListStatus:
    """Return the status of a list; for a deck, with the tracks of the last deal, or all dealt tracks.

    Raises:
        PlayshuffleError: no list has this name.
    """
    with State(writes=False) as state:
        one = the_list(name, known_lists(config_file, state))
        path, record = one.path, last(state, one.path)
        numbers: Sequence[int] = ()
        warnings: Sequence[str] = ()
        if isinstance(record, SavedDeck):
            deck = record.deck
            numbers = deck.dealt if is_all or deck.deal is None else deck.deal.entries
        paths = state.load_tracks().paths_of(numbers) if numbers else {}
    statuses = [playlist for playlist in report.playlists if resolved(playlist.output) == path]
    status = statuses[0] if statuses else PlaylistStatus(None, os.fsdecode(path))
    if not isinstance(record, SavedDeck):  # `make` has written it since
        status = status._replace(deck=None, summary=None)
    elif record.deck.heard_from_s:
        status, warnings = _with_plays(one, status)
    return ListStatus(
        status,
        None if record is None else record.options,
        [paths[number] for number in numbers if number in paths],
        warnings,
    )


def _with_plays(one: KnownList, status: PlaylistStatus) -> tuple[PlaylistStatus, Sequence[str]]:
    """Return a deck's status that counts plays until now, and warnings about the deck's play history.

    If plays cannot be read, the status is as of the last deal.
    """
    with contextlib.suppress(PlayshuffleError):
        with State(writes=False) as state:
            request = one.request(state)
        if request is not None:
            done, _ = run_lists(
                {"": request._replace(dry_run=True)}, lambda run: (with_heard(run), run.history), quiet=True
            )
            deck, history = done[""]
            notes = history.notes if history is not None else ()
            warnings = [str(note) for note in notes if note.code == "never_played"]
            return status._replace(deck=deck_facts(deck), summary=deck_line(deck_facts(deck))), warnings
    return status, ()
