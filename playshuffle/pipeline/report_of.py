"""What was found, and the order of it, in; the text of the playlist, and what can be said of it, out."""

from collections.abc import Sequence
from functools import partial

from playshuffle.library.folder import Skipped
from playshuffle.library.scan import Library
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.groups import artist_keys, fewest_neighbours, neighbours
from playshuffle.pipeline.entry_writer import Way
from playshuffle.pipeline.request import Figures, Report, Request
from playshuffle.pipeline.target import Target
from playshuffle.playlist.parts import made


def account(
    request: Request,
    library: Library,
    target: Target | None,
    written: Way,
    playable: Tracks,
    unwritten: list[Skipped],
    arranged: Arranged,
) -> Report:
    """Make the text of the playlist, and count what it holds."""
    chosen = arranged.order[: arranged.count]
    is_all = arranged.count == len(playable)
    listed, places = (playable, chosen) if is_all else (playable.only(chosen), range(arranged.count))
    comments = [("ORDER", request.recipe.law)]
    comments += [("SEED", request.seed)] if request.seed is not None else []
    comments += written.comments()
    suspects = written.suspects(listed)
    lost = written.losses(suspects, arranged.count)
    if request.strict:
        written.check_strict(unwritten, lost, suspects)
    return Report(
        output=target.path if target is not None else None,
        order=request.recipe.order,
        style=written.style,
        player=request.player,
        found=len(library.tracks),
        count=arranged.count,
        playable=playable,
        arranged=arranged.order,
        figures=partial(_figures, listed, places),
        text=made(written.format.text, listed.column(written.lines), places, comments, written.part),
        is_new=target is not None and not target.exists,
        skipped=library.skipped,
        untagged=library.untagged,
        unreadable=library.unreadable,
        unwritable=unwritten,
        suspects=suspects,
        losses=lost,
    )


def _figures(listed: Tracks, places: Sequence[int]) -> Figures:
    keys, artists = artist_keys(listed.artists)
    keys = list(map(keys.__getitem__, places))
    return Figures(sum(listed.durations_ms), artists, neighbours(keys), fewest_neighbours(keys))
