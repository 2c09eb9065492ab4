"""Report what a run did: the playlist, what is in it, and what was skipped."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from playshuffle.library.folder import Skipped
from playshuffle.library.scan import Library
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.groups import artist_keys
from playshuffle.pipeline.choice import Choice
from playshuffle.pipeline.entry_writer import EntryWriter
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.target import Target
from playshuffle.players.losses import Loss
from playshuffle.players.profiles import GENERIC
from playshuffle.playlist.m3u import PathStyle, Text
from playshuffle.playlist.parts import Parts, files_of, playlist_text, surplus
from playshuffle.shuffle import fewest_repeats, repeats


class Figures(NamedTuple):
    """What is in a playlist.

    neighbours: number of tracks that follow a track of the same artist; fewest: the fewest possible.
    """

    duration_ms: int
    artists: int
    neighbours: int
    fewest: int


class Report(NamedTuple):
    """What a run did.

    found: number of all tracks; choice: which of them are chosen; playable: those that can be written;
        arranged: their order; the first `playlist_length` tracks are in the playlist.
    figures: counts what is in the playlist; this takes long, and only a person wants to know.
    text: content of the playlist, in one file or several. player: for which it was written.
    is_new: there was no such file; is_changed: it was written. removed: files of the same playlist
        that it replaces, because it now has fewer parts, or is in parts for the first time.
    suspects: paths to which the indices of `losses` belong.
    by_root: number of tracks below each root. came, went, renamed: since the last time.
    """

    output: bytes | None
    order: str
    style: PathStyle
    found: int
    choice: Choice
    playlist_length: int
    playable: Tracks
    arranged: Sequence[int]
    figures: Callable[[], Figures]
    text: Text | Parts
    player: str
    is_new: bool
    skipped: Sequence[Skipped]
    untagged: Sequence[Skipped]
    unreadable: Sequence[Skipped]
    unwritable: list[Skipped]
    suspects: list[bytes]
    losses: list[Loss]
    removed: Sequence[bytes] = ()
    by_root: Sequence[tuple[bytes, int]] = ()
    came: int = 0
    went: int = 0
    renamed: int = 0
    is_changed: bool = False
    notes: Sequence[str] = ()

    def files(self) -> list[bytes]:
        """Return the files that the playlist is in, or would be: one, or its parts in order."""
        return [] if self.output is None else files_of(self.output, self.text)

    def paths(self) -> list[bytes]:
        """Return the paths of the tracks in the playlist, in order."""
        return [self.playable.paths[index] for index in self.arranged[: self.playlist_length]]


def build_report(
    request: Request,
    library: Library,
    choice: Choice,
    target: Target | None,
    writer: EntryWriter,
    playable: Tracks,
    unwritable: list[Skipped],
    arranged: Arranged,
) -> Report:
    """Make the text of the playlist, and a report of it.

    Raises:
        PlayshuffleError: the player would lose tracks, and the request is strict.
    """
    count = arranged.playlist_length
    tracks, order = _played(playable, arranged)
    comments = [("ORDER", request.recipe.order_name)]
    comments += [("SEED", request.seed)] if request.seed is not None else []
    comments += [("FOR", request.player)] if request.player != GENERIC else []
    comments += writer.comments()
    suspects = writer.suspects(tracks)
    lost = writer.losses(suspects, count)
    if request.strict:
        writer.check_strict(unwritable, lost, suspects)
    text = playlist_text(
        writer.format.text, tracks.column(writer.lines), order, comments, writer.max_per_file
    )
    return Report(
        output=target.path if target is not None else None,
        order=request.recipe.order,
        style=writer.style,
        player=request.player,
        found=len(library.tracks),
        choice=choice,
        playlist_length=count,
        playable=playable,
        arranged=arranged.order,
        figures=partial(_figures, tracks, order),
        text=text,
        removed=surplus(target.path, text) if target is not None else (),
        is_new=target is not None and not target.exists,
        skipped=library.skipped,
        untagged=library.untagged,
        unreadable=library.unreadable,
        unwritable=unwritable,
        suspects=suspects,
        losses=lost,
    )


def _played(playable: Tracks, arranged: Arranged) -> tuple[Tracks, Sequence[int]]:
    """Return the tracks of a playlist, and its order over them."""
    count = arranged.playlist_length
    played = arranged.order[:count]
    return (playable, played) if count == len(playable) else (playable.only(played), range(count))


def _figures(tracks: Tracks, order: Sequence[int]) -> Figures:
    keys, artists = artist_keys(tracks.artists)
    keys = list(map(keys.__getitem__, order))
    return Figures(sum(tracks.durations_ms), artists, repeats(keys), fewest_repeats(keys))
