"""Find the lists that are configured or were written, and the request of each list."""

import os
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from playshuffle.config.build_request import build_request
from playshuffle.options.given import NOTHING_GIVEN, Given
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
        if self.configured is not None:
            return self.configured.name
        return os.fsdecode(os.path.splitext(os.path.basename(self.path))[0])

    @property
    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def is_called(self, word: str) -> bool:
        is_file_name = self.configured is None and word == os.fsdecode(os.path.basename(self.path))
        return word == self.name or is_file_name

    def request(self, state: State, given: Given = NOTHING_GIVEN) -> Request | None:
        """Return the request of the list, if known; options in `given` replace options of the list.

        Raises:
            PlayshuffleError: an option is invalid, or has become so, as when a file no longer exists.
        """
        if self.configured is not None:
            return build_request(given.over(self.configured.request.options))
        record = records.last(state, self.path)
        return self.request_of(record, given) if isinstance(record, SavedDeck) == self.is_dealt else None

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
