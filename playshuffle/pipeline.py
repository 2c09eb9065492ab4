"""The main path, once: folders -> files -> tracks -> order -> one playlist."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

from playshuffle import guard, output, pins, playlist
from playshuffle.arrange import Arranged, arrange, last_order, needs_last
from playshuffle.cache import Cache
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.folder import find
from playshuffle.groups import TagsOf, artist_keys, fewest_neighbours, neighbours
from playshuffle.library import ReadAll, Tracks, tracks, with_readings
from playshuffle.orders import ORDERS
from playshuffle.players import is_plain, losses
from playshuffle.playlist import PathStyle, Text, entries, unwritable
from playshuffle.recipe import Recipe
from playshuffle.request import Progress, Report, Request
from playshuffle.shuffle import RandBelow
from playshuffle.state import Root, Seen, State
from playshuffle.target import Target
from playshuffle.track import Folder, Reading, Skipped, Tags, rows

_KEEP_EVERY = 256  # folders; what was read so far outlives an interrupted first run


@dataclass(frozen=True, slots=True)
class _Library:
    """All tracks of the roots, and what is no track; `gone` are folders that are no more."""

    tracks: Tracks
    skipped: list[Skipped]
    untagged: list[Skipped]
    unreadable: list[Skipped]
    gone: list[bytes]


def make(request: Request, randbelow: RandBelow, read_all: ReadAll, progress: Progress) -> Report:
    """Make one playlist.

    Raises:
        PlayshuffleError: it was not made; an old one is as it was.
    """
    writes = request.output is not None and not request.dry_run
    with State(writes=writes) as state, Cache() if request.tags else nullcontext() as cache:
        before = [state.root(root) for root in request.roots]
        for root, known in zip(request.roots, before, strict=True):
            guard.check_root(root, known)
        target = Target(request.output, state, force=request.force) if request.output is not None else None
        library = _library(request, cache, read_all, progress)
        # From the look at the last order to the end nobody else may write a new one.
        with _held(state, target.path) if target is not None and writes else nullcontext():
            if target is not None:
                target.settle()
            roots = _checked(request, library, before, target)
            if cache is not None:
                cache.keep((), library.gone)
            tags_of = _tags_of(cache, read_all) if cache is not None else None
            report = _arrange(request, library, target, randbelow, tags_of)
            if target is not None and writes:
                _write(state, target, report, roots)
        report.notes += state.notes + (target.notes if target is not None else [])
    return report


@contextmanager
def _held(state: State, path: bytes) -> Iterator[None]:
    """Hold off all others that would write this playlist: of this user, and of any other."""
    folder, name = os.path.split(path)
    with state.locked(), output.held(folder):
        output.sweep(folder, name)
        yield


def _library(request: Request, cache: Cache | None, read_all: ReadAll, progress: Progress) -> _Library:
    known = cache.folders(request.roots) if cache is not None else {}
    found = find(
        request.roots,
        known,
        use_ignore_files=request.ignore_files,
        with_stamps=cache is not None,
        seen_so_far=progress.finding,
        may_fork=True,
    )
    folders = found.roots
    if cache is not None:
        fresh = _read(folders, known, cache, read_all, progress)
        if fresh:
            folders = [[fresh.get(folder.path, folder) for folder in root] for root in folders]
    library, skipped, untagged = tracks(folders)
    gone = known.keys() - (folder.path for root in folders for folder in root)
    return _Library(library, found.skipped + skipped, untagged, found.unreadable, list(gone))


def _read(
    roots: Sequence[Sequence[Folder]],
    known: Mapping[bytes, Folder],
    cache: Cache,
    read_all: ReadAll,
    progress: Progress,
) -> dict[bytes, Folder]:
    """Read what is not in the cache, and keep it there; the folders that were read, by path."""

    def read_and_tell(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for done, one in enumerate(read_all(paths), 1):
            progress.reading(done, len(paths))
            yield one

    fresh: dict[bytes, Folder] = {}
    unkept: list[tuple[Folder, str]] = []
    folders = (folder for root in roots for folder in root)
    try:
        for folder, fields in with_readings(folders, known, cache.fields, read_and_tell):
            fresh[folder.path] = folder
            unkept.append((folder, fields))
            if len(unkept) == _KEEP_EVERY:
                cache.keep(unkept, ())
                unkept = []
    finally:  # what was read so far outlives an interruption
        cache.keep(unkept, ())
    return fresh


def _checked(
    request: Request,
    library: _Library,
    before: Sequence[Root | None],
    target: Target | None,
) -> list[Root]:
    """The roots as they are now, if there is something to play and nothing seems to be away."""
    found = library.tracks
    counts = [len(found)]
    if len(request.roots) > 1:  # they may overlap: each has all that lies below it
        counts = [len(guard.below(root, found.paths)) for root in request.roots]
    roots = [guard.now(root, count) for root, count in zip(request.roots, counts, strict=True)]
    is_same = target is not None and target.last is not None and target.last.library == found.digest
    if not (request.allow_shrink or is_same):
        last = target.last_paths if target is not None else []
        paths = frozenset(found.paths)
        for folder in library.unreadable:
            guard.check_unreadable(folder, last, paths)
        entered = set()
        for root, known in zip(roots, before, strict=True):
            status = os.stat(root.path)
            folder_id = (status.st_dev, status.st_ino)
            if folder_id not in entered:  # else another name of a root, under which nothing is found twice
                guard.check_tracks(known, root, guard.below(root.path, last), paths)
            entered.add(folder_id)
    if not len(found):
        raise _nothing_to_play(request.roots, library.skipped + library.unreadable)
    return roots


def _nothing_to_play(roots: Sequence[bytes], left_out: Sequence[Skipped]) -> PlayshuffleError:
    where = ", ".join(map(shown, roots))
    if not left_out:
        return PlayshuffleError(f"There is no audio file in {where}.", Exit.NOTHING_TO_PLAY)
    first = f"{shown(left_out[0].path)}: {left_out[0].reason}"
    return PlayshuffleError(
        f"There is nothing to play in {where}; left out: {first}"
        f"{f' and {len(left_out) - 1:,} more' * (len(left_out) > 1)}.",
        Exit.NOTHING_TO_PLAY,
    )


def _style(roots: Sequence[bytes], folders: Sequence[Folder], here: bytes) -> PathStyle:
    """Relative, if all tracks lie below the playlist's folder or below the root it lies in."""
    inside = here.rstrip(b"/") + b"/"
    for top in (inside, *(root.rstrip(b"/") + b"/" for root in roots)):
        if inside.startswith(top) and all(folder.path.startswith(top) for folder in folders):
            return PathStyle.RELATIVE
    return PathStyle.ABSOLUTE


def _writable(
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


def _tags_of(cache: Cache, read_all: ReadAll) -> TagsOf:
    """Look the tags of a folder up in the cache; where that has lost them, in the files."""

    def tags_of(folder: Folder) -> list[Tags | None]:
        names = rows(folder.names, b"/")
        fields = cache.fields(folder.path)
        if len(fields) == len(names):
            return [None if row is None else Tags._make(row) for row in fields]
        read = dict(read_all([folder.path + name for name in names]))
        return [read[row].tags for row in range(len(names))]

    return tags_of


def _arrange(
    request: Request,
    library: _Library,
    target: Target | None,
    randbelow: RandBelow,
    tags_of: TagsOf | None,
) -> Report:
    """Order the tracks that can be written, and make the text of the playlist."""
    here = target.here if target is not None else b"/"
    style = request.style
    if style is None and (target is None or target.is_link):
        style = PathStyle.ABSOLUTE  # from where it will be read is not known
    elif style is None:
        style = _style(request.roots, library.tracks.folders, here)
    playable, unwritten = _writable(request, library.tracks, style, here)
    if not len(playable):
        raise _nothing_to_play(request.roots, unwritten)

    recipe = request.recipe
    if request.pins:
        named = tuple(pins.resolve(text, playable.paths, request.roots) for text in request.pins)
        recipe = replace(recipe, pins=named)
    last = None
    if target is not None and needs_last(recipe):
        last = last_order(playable.paths, target.last_paths, target.last and target.last.played)
    notes = _about(recipe, playable, last)
    arranged = arrange(playable, recipe, last, randbelow, tags_of)

    chosen = arranged.order[: arranged.count]
    is_all = arranged.count == len(playable)
    listed, places = (playable, chosen) if is_all else (playable.only(chosen), range(arranged.count))
    lines = listed.column(lambda folder: playlist.lines(folder, style, here, with_extinf=request.extinf))
    comments = [("ORDER", recipe.order)] + ([("SEED", request.seed)] if request.seed is not None else [])
    keys, artists = artist_keys(listed.artists)
    keys = list(map(keys.__getitem__, places))
    suspects = _suspects(listed)
    return Report(
        output=target.path if target is not None else None,
        order=recipe.order,
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
        notes=notes,
    )


def _about(recipe: Recipe, playable: Tracks, last: Arranged | None) -> list[str]:
    """What should be known of an order beforehand."""
    notes = []
    if recipe.time_ms is not None:
        unknown = playable.durations_ms.count(0)
        longer = sum(length > recipe.time_ms for length in playable.durations_ms)
        if unknown:
            notes.append(f"Left out for --time, since their length is not known: {unknown:,} tracks.")
        if longer:
            notes.append(f"Left out, since they alone are longer than --time: {longer:,} tracks.")
    if ORDERS[recipe.order].from_last and (last is None or not last.count):
        notes.append(f"There is no last order yet, so {recipe.order} begins with that by path.")
    return notes


def _suspects(listed: Tracks) -> list[bytes]:
    """The tracks of all folders in which some name is odd."""
    odd = [folder for folder in listed.folders if folder.has_odd_names or _is_odd(folder)]
    if listed.chosen is None:
        return Tracks(odd).paths
    return listed.paths if odd else []


def _is_odd(folder: Folder) -> bool:
    return folder.durations_ms is None and not is_plain(folder.path, folder.names)


def _write(state: State, target: Target, report: Report, roots: Sequence[Root]) -> None:
    """Replace the file, and remember the order just before that: both, or none."""

    def remember() -> None:
        seen = Seen(report.playable.digest, report.text.fingerprint, report.count)
        state.remember(target.path, seen, target.last, lambda: report.playable.paths, report.arranged, roots)

    report.is_changed = output.write(target.path, report.text, remember)
