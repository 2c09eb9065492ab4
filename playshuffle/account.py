"""What was found, and the order of it, in; the text of the playlist, and what can be said of it, out."""

from collections.abc import Sequence

from playshuffle import playlist
from playshuffle.arrange import Arranged
from playshuffle.groups import artist_keys, fewest_neighbours, neighbours
from playshuffle.library import Tracks
from playshuffle.losses import losses
from playshuffle.playlist import PathStyle, Text, entries, unwritable
from playshuffle.quirks import is_plain
from playshuffle.request import Report, Request
from playshuffle.survey import Library
from playshuffle.target import Target
from playshuffle.track import Folder, Skipped


def path_style(request: Request, target: Target | None, folders: Sequence[Folder]) -> PathStyle:
    """How the tracks are named, where it was not said."""
    if request.style is not None:
        return request.style
    if target is None or target.is_link:
        return PathStyle.ABSOLUTE  # from where it will be read is not known
    return _style(request.roots, folders, target.here)


def _style(roots: Sequence[bytes], folders: Sequence[Folder], here: bytes) -> PathStyle:
    """Relative, if all tracks lie below the playlist's folder or below the root it lies in."""
    inside = here.rstrip(b"/") + b"/"
    for top in (inside, *(root.rstrip(b"/") + b"/" for root in roots)):
        if inside.startswith(top) and all(folder.path.startswith(top) for folder in folders):
            return PathStyle.RELATIVE
    return PathStyle.ABSOLUTE


def writable(
    request: Request, playable: Tracks, style: PathStyle, here: bytes
) -> tuple[Tracks, list[Skipped]]:
    """The tracks without those that would become two lines."""
    broken = any(
        mark in text for f in playable.folders for text in (f.path, f.names) for mark in (b"\n", b"\r")
    )
    if request.any_name or not broken:
        return playable, []
    out = dict.fromkeys(unwritable(entries(playable.paths, style, here)))
    left = playable.only([index for index in range(len(playable)) if index not in out])
    return left, [Skipped(playable.paths[index], "line break in the name") for index in out]


def account(
    request: Request,
    library: Library,
    target: Target | None,
    style: PathStyle,
    playable: Tracks,
    unwritten: list[Skipped],
    arranged: Arranged,
) -> Report:
    """Make the text of the playlist, and count what it holds."""
    here = target.here if target is not None else b"/"
    chosen = arranged.order[: arranged.count]
    is_all = arranged.count == len(playable)
    listed, places = (playable, chosen) if is_all else (playable.only(chosen), range(arranged.count))
    lines = listed.column(lambda folder: playlist.lines(folder, style, here, with_extinf=request.extinf))
    comments = [("ORDER", request.recipe.order)]
    comments += [("SEED", request.seed)] if request.seed is not None else []
    keys, artists = artist_keys(listed.artists)
    keys = list(map(keys.__getitem__, places))
    suspects = _suspects(listed)
    return Report(
        output=target.path if target is not None else None,
        order=request.recipe.order,
        style=style,
        found=len(library.tracks),
        count=arranged.count,
        playable=playable,
        arranged=arranged.order,
        duration_ms=sum(listed.durations_ms),
        artists=artists,
        neighbours=neighbours(keys),
        fewest=fewest_neighbours(keys),
        text=Text(lines, places, comments),
        is_new=target is not None and not target.exists,
        skipped=library.skipped,
        untagged=library.untagged,
        unreadable=library.unreadable,
        unwritable=unwritten,
        suspects=suspects,
        losses=losses(suspects, arranged.count, style, here),
    )


def _suspects(listed: Tracks) -> list[bytes]:
    """The tracks of all folders in which some name is odd."""
    odd = [folder for folder in listed.folders if folder.has_odd_names or _is_odd(folder)]
    if listed.chosen is None:
        return Tracks(odd).paths
    return listed.paths if odd else []


def _is_odd(folder: Folder) -> bool:
    return folder.durations_ms is None and not is_plain(folder.path, folder.names)
