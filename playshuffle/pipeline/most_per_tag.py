"""Choose the tracks under the limit of `--most`: at random, and then the same ones in each update."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.ordering.groups import TagsOf
from playshuffle.ordering.limit_per_tag import LimitPerTag, over_limit, values
from playshuffle.pipeline.entry_writer import EntryWriter
from playshuffle.pipeline.request import Request
from playshuffle.shuffle import RandBelow


@dataclass(frozen=True, slots=True)
class Draw:
    """How the tracks under the limit are drawn.

    writer: the tracks that it cannot write do not count. randbelow: drawn from; None draws nothing, so
    that a track which a draw could keep is not left out.
    playing: numbers of the tracks of the playlist, which are kept before others.
    """

    writer: EntryWriter
    randbelow: RandBelow | None
    playing: Collection[int]

    def over_limit(
        self,
        request: Request,
        limit: LimitPerTag,
        found: Tracks,
        candidates: Sequence[int],
        tags_of: TagsOf,
        copies: Mapping[int, int],
    ) -> list[int]:
        """Return the indices of the tracks to leave out, ascending.

        Pinned tracks are kept before those of the playlist, and these before all others.

        Args:
            request: the playlist.
            limit: that of the playlist.
            found: all tracks of its folders.
            candidates: the indices of the tracks that no other stage has left out.
            tags_of: looks up the tags of a folder.
            copies: the copy that is kept, by the number of each copy that is left out.
        """
        _, unwritable = self.writer.writable(found.only(candidates), any_name=request.any_name)
        if unwritable:
            names = {path for path, _ in unwritable}
            candidates = [index for index in candidates if found.paths[index] not in names]
        tracks = found.only(candidates)
        pinned = pins.named(request.pins, tracks.paths, request.roots)
        staying = {copies.get(number, number) for number in self.playing}
        ranks = [
            0 if row in pinned else 1 if number in staying else 2 for row, number in enumerate(tracks.numbers)
        ]
        tag_values = values(tracks, tags_of, limit.tag)
        return [candidates[row] for row in over_limit(tag_values, limit.number, ranks, self.randbelow)]
