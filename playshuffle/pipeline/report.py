"""Report what a run did: the playlist, what is in it, and what was skipped."""

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from playshuffle.errors import Note
from playshuffle.library.scan import Library
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.groups import artist_keys
from playshuffle.pipeline.choice import Choice
from playshuffle.pipeline.request import Request
from playshuffle.players.losses import Loss
from playshuffle.playlist.m3u import PathStyle
from playshuffle.playlist.parts import Parts
from playshuffle.shuffle import fewest_repeats, repeats
from playshuffle.store.records import SavedDeck, SavedOrder, SavedRecord
from playshuffle.tags.cause import NAME


class Figures(NamedTuple):
    """What is in a playlist.

    neighbours: number of tracks that follow a track of the same artist; fewest: the fewest possible.
    """

    duration_ms: int
    artists: int
    neighbours: int
    fewest: int


class Report(NamedTuple):
    """What a run did for a request.

    files: those that the playlist is in, or would be: one, or its parts in order.
    choice: which of all tracks are chosen; arranged: these in order.
    figures: counts what is in the playlist; this takes long, and only a person wants to know.
    text: content of the playlist, in one file or several.
    is_new: there was no such file; is_changed: it was written. removed: files of the same playlist
        that it replaces, because it now has fewer parts, or is in parts for the first time.
    suspects: paths to which the indices of `losses` belong.
    last: the order before, None if there is none.
    has_news: `noted` differs from that of the last run, so that users should be told.
    stamp: of the file that was written; empty if none was.
    library: all tracks of its folders, and the skipped files. came, went, renamed: since the last time.
    """

    request: Request
    output: bytes | None
    files: Sequence[bytes]
    style: PathStyle
    choice: Choice
    arranged: Arranged
    figures: Callable[[], Figures]
    text: Parts
    is_new: bool
    library: Library
    suspects: list[bytes]
    losses: list[Loss]
    removed: Sequence[bytes] = ()
    came: int = 0
    went: int = 0
    renamed: int = 0
    last: SavedOrder | None = None
    is_changed: bool = False
    notes: Sequence[Note] = ()
    has_news: bool = True
    stamp: str = ""

    @property
    def playlist_length(self) -> int:
        """Return the number of tracks in the playlist."""
        return self.arranged.playlist_length

    def completed(self, record: SavedRecord) -> SavedRecord:
        """Return a record with all that it has of the file and of this report."""
        copies = tuple(chain.from_iterable(self.choice.kept.items()))
        record = record._replace(
            content=self.text.fingerprint, options=self.request.saved_options, copies=copies
        )
        if isinstance(record, SavedDeck):
            return record
        return record._replace(stamp=self.stamp, noted=self.noted)

    @property
    def noted(self) -> str:
        """Return a digest of the counts that a summary shows."""
        stages = [(stage.code, len(stage.indices)) for stage in self.choice.stages]
        files = [
            *self.library.skipped,
            *self.choice.skipped(NAME),
            *self.library.untagged,
            *self.library.unreadable,
        ]
        reasons = sorted(Counter(reason.kind for _, reason in files).items())
        losses = [(loss.what, len(loss.indices)) for loss in self.losses]
        facts = repr((stages, self.choice.lacking, self.choice.idle, reasons, losses))
        return blake2b(facts.encode(), digest_size=8).hexdigest()

    def paths(self) -> list[bytes]:
        """Return the paths of the tracks in the playlist, in order."""
        return [self.library.tracks.paths[index] for index in self.arranged.played]


def figures_of(tracks: Tracks, order: Sequence[int]) -> Figures:
    """Count what is in a playlist with this order of tracks."""
    keys, artists = artist_keys(list(map(tracks.artists.__getitem__, order)))
    length_ms = sum(map(tracks.durations_ms.__getitem__, order))
    return Figures(length_ms, artists, repeats(keys), fewest_repeats(keys))
