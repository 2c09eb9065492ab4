"""Report the result of a run: the playlist, its tracks, and the skipped files."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple
from zlib import crc32

from playshuffle.errors import Note
from playshuffle.library.scan import Library
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.groups import artist_keys, known_count
from playshuffle.pipeline.choice import Choice
from playshuffle.pipeline.request import Request
from playshuffle.players.losses import Loss
from playshuffle.playlist.m3u import PathStyle, Text
from playshuffle.shuffle import fewest_repeats, nearest, repeats
from playshuffle.store.records import SavedDeck, SavedOrder, SavedRecord
from playshuffle.tags.cause import NAME

LACKING_GROUPS = "lacking_groups"  # code of the note that an option has little effect without its tag

# Notes that are the same in each run until something changes. A summary has them when they are new.
_STEADY = frozenset(
    (
        *("gap", "history", "idle_list", "mpd_unknown", "never_played", "outside_of_mpd", "ratings", "rest"),
        *("short_time", "too_long", "unknown_length"),
    )
)


class Figures(NamedTuple):
    """Figures about the tracks of a playlist.

    Attributes:
        neighbours: number of tracks directly after a track by the same artist.
        fewest: the lowest possible `neighbours`.
        nearest: minimum plays from a track to the next one by the same artist, if an artist has two.
    """

    duration_ms: int
    artists: int
    neighbours: int
    fewest: int
    nearest: int | None


class Report(NamedTuple):
    """The result of a run for a request.

    Attributes:
        output: path of the playlist; None if no file is written.
        figures: computes the figures, which is slow.
        suspects: paths to which the indices in `losses` refer.
        has_news: the notes differ from those of the last run.
        stamp: stamp of the written file; empty if none.
    """

    request: Request
    output: bytes | None
    style: PathStyle
    choice: Choice
    arranged: Arranged
    figures: Callable[[], Figures]
    text: Text
    is_new: bool
    library: Library
    suspects: list[bytes]
    losses: list[Loss]
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
        return self.arranged.playlist_length

    def completed(self, record: SavedRecord) -> SavedRecord:
        """Return the record with the facts about the run and about the written file."""
        return self.with_file(self.with_options(record))

    def with_options(self, record: SavedRecord) -> SavedRecord:
        """Return the record with the facts about the run."""
        options, copies = self.request.saved_options, tuple(chain.from_iterable(self.choice.kept.items()))
        if isinstance(record, SavedDeck):
            return record._replace(options=options, copies=copies)
        return record._replace(options=options, copies=copies, noted=self.noted)

    def with_file(self, record: SavedRecord) -> SavedRecord:
        """Return the record with the facts about the written file."""
        record = record._replace(content=self.text.fingerprint)
        if isinstance(record, SavedDeck):
            return record
        return record._replace(stamp=self.stamp)

    @property
    def noted(self) -> str:
        stages = [(stage.code, len(stage.indices)) for stage in self.choice.stages]
        files = [
            *self.library.skipped,
            *self.choice.skipped(NAME),
            *self.library.untagged,
            *self.library.unreadable,
        ]
        reasons = sorted(Counter(reason.kind for _, reason in files).items())
        losses = [(loss.what, len(loss.indices)) for loss in self.losses]
        notes = [str(note) for note in self.notes if note.code in _STEADY]
        facts = repr((stages, self.choice.lacking, self.choice.idle, reasons, losses, notes))
        return f"{crc32(facts.encode()):08x}"

    def new_notes(self) -> list[Note]:
        return [note for note in self.notes if self.has_news or note.code not in _STEADY]

    def paths(self) -> list[bytes]:
        return [self.library.tracks.paths[index] for index in self.arranged.played]


def figures_of(tracks: Tracks, order: Sequence[int]) -> Figures:
    """Compute the figures of a playlist."""
    keys = list(map(artist_keys(tracks).__getitem__, order))
    length_ms = sum(map(tracks.durations_ms.__getitem__, order))
    neighbours = repeats(keys)
    shortest = 1 if neighbours else nearest(keys)
    return Figures(length_ms, known_count(keys), neighbours, fewest_repeats(keys), shortest)
