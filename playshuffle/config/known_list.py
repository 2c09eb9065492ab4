"""Find the lists that are configured or were written, and the request of each list."""

import os
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from playshuffle.config.build_request import build_request
from playshuffle.config.list_names import long_name, short_name, unique_names
from playshuffle.options.given import NOTHING_GIVEN, Given
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.store import records
from playshuffle.store.records import SavedDeck, SavedRecord
from playshuffle.store.state import State
from playshuffle.system import atomic_file

if TYPE_CHECKING:
    from playshuffle.config.model import Config, ConfiguredPlaylist


class KnownList(NamedTuple):
    """A list of the configuration, or one that make or deal wrote.

    Attributes:
        path: the playlist file, with links resolved.
        is_dealt: the list is configured as a deck; or it is not configured, and deal wrote it last.
    """

    path: bytes
    configured: "ConfiguredPlaylist | None" = None
    is_dealt: bool = False

    @property
    def name(self) -> str:
        return short_name(self.path) if self.configured is None else self.configured.name

    @property
    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def is_called(self, word: str) -> bool:
        """Return whether a word is the name in the configuration, or that of the file."""
        if self.configured is not None:
            return word == self.configured.name
        file = os.fsdecode(os.path.basename(self.path))
        return word in (file, os.path.splitext(file)[0])

    def is_in(self, word: str) -> bool:
        """Return whether a word names the list by its folder: `Music`, or `Music/today`."""
        return self.configured is None and word in (self.name, long_name(self.path))

    def request(self, state: State, given: Given = NOTHING_GIVEN) -> Request | None:
        """Return the request of the list, if known; options in `given` replace options of the list.

        Raises:
            PlayshuffleError: an option is invalid, or has become so, as when a file no longer exists.
        """
        if self.configured is not None:
            return build_request(given.over(self.configured.request.options))
        record = records.last(state, self.path)
        return self.request_of(record, given) if isinstance(record, SavedDeck) == self.is_dealt else None

    def saved_options(self, state: State) -> Options | None:
        if self.configured is not None:
            return self.configured.request.options
        record = records.last(state, self.path)
        return None if record is None else record.options

    def request_of(self, record: SavedRecord | None, given: Given = NOTHING_GIVEN) -> Request | None:
        """Return the request with the options of a record; None if the record has no options."""
        options = None if record is None else record.options
        if options is None or not (options.folders or options.source):
            return None
        request = build_request(given.over(options))
        # A link that the user named may lead to another file by now.
        is_same = request.output is not None and atomic_file.resolved(request.output) == self.path
        return request if is_same or "output" in given.names else request._replace(output=self.path)


def known_lists(config: "Config | None", state: State | None = None) -> Sequence[KnownList]:
    """Return all lists, configured ones first. Pass `state` if it is open."""
    configured = {
        atomic_file.resolved(playlist.output): playlist
        for playlist in (config.playlists if config is not None else ())
    }
    with State(writes=False) if state is None else nullcontext(state) as opened:
        summaries = records.summaries(opened)
    return [
        *(KnownList(path, one, one.request.deal is not None) for path, one in configured.items()),
        *(
            KnownList(path, None, summary.deck is not None)
            for path, summary in summaries.items()
            if path not in configured
        ),
    ]


def names_of(lists: Sequence[KnownList], among: Sequence[KnownList] = ()) -> list[str]:
    """Return the shortest name of each list that no other one has, also in `among`."""
    configured = {
        one.path: None if one.configured is None else one.configured.name for one in (*among, *lists)
    }
    names = unique_names(configured)
    return [names[one.path] for one in lists]
