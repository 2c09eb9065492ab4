"""The main path, once: folders -> files -> tracks -> order -> one playlist."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from hashlib import blake2b
from operator import ne

from playshuffle.library.away import Root, as_root, check_root
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder, Skipped, Tags, rows
from playshuffle.library.identity import MARK_BYTES, Identity, Remembered, identify
from playshuffle.library.scan import Library, Progress, survey
from playshuffle.library.tracks import ReadAll, Tracks
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.ordering import pins
from playshuffle.ordering.arrange import Arranged, arrange, last_order, needs_last
from playshuffle.ordering.groups import TagsOf
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import Gap, Recipe, usual_gap
from playshuffle.ordering.running_order import Kept
from playshuffle.ordering.running_order import keep as in_order
from playshuffle.pipeline.entry_writer import Way, way
from playshuffle.pipeline.presence import check_here, nothing_to_play
from playshuffle.pipeline.report_of import account
from playshuffle.pipeline.request import Report, Request
from playshuffle.pipeline.target import Target
from playshuffle.playlist import parts
from playshuffle.shuffle import RandBelow
from playshuffle.store.state import Seen, State
from playshuffle.system import atomic_file as output

Clock = Callable[[], float]


def make(
    request: Request, randbelow: RandBelow, read_all: ReadAll, progress: Progress, clock: Clock = time.time
) -> Report:
    """Make one playlist, in a new order.

    Raises:
        PlayshuffleError: it was not made; an old one is as it was.
    """
    with _begun(request, read_all, progress, EVERYWHERE) as run:
        report = _drawn(run, randbelow)
        if run.target is not None and not request.dry_run:
            _write(run, run.target, report, int(clock()))
    return _told(run, report)


def keep(
    request: Request,
    randbelow: RandBelow,
    read_all: ReadAll,
    progress: Progress,
    changes: Changes,
    *,
    is_due: Callable[[int], bool] = lambda _: False,
    clock: Clock = time.time,
) -> Report:
    """Keep one playlist as it is, but for what came, went, was renamed or has other tags.

    Its order is drawn anew if there is none yet, if it was drawn by another law than the one
    that is asked for, or if it `is_due`: that is told when it was drawn, in seconds.

    Raises:
        PlayshuffleError: it could not be kept; the file is as it was.
    """
    with _begun(request, read_all, progress, changes) as run:
        target, now_s = run.target, int(clock())
        assert target is not None, "what is kept is a file"
        before = target.remembered
        drawn_s = target.last.shuffled_s if target.last is not None else now_s
        if before is None or target.order not in (None, request.recipe.law) or is_due(drawn_s):
            report = _drawn(run, randbelow, follows_on=before is not None)
            _write(run, target, report, now_s, marks=run.playable.marks)
        else:
            identity = identify(before, run.playable.paths, run.playable.marks, changes.moved)
            kept = in_order(run.playable, run.recipe, before, identity, randbelow, run.tags_of, now_s=now_s)
            report = run.account(kept.arranged)
            _count_changes(report, before, identity)
            _write_kept(run, target, report, before, kept, drawn_s)
    return _told(run, report)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run under way: what was found, and where it goes.

    roots: as they are now. playable: the tracks that can be written; unwritten: the others.
    recipe: with its pins resolved.
    """

    request: Request
    state: State
    target: Target | None
    library: Library
    roots: list[Root]
    tags_of: TagsOf | None
    way: Way
    playable: Tracks
    unwritten: list[Skipped]
    recipe: Recipe

    def account(self, arranged: Arranged) -> Report:
        return account(
            self.request, self.library, self.target, self.way, self.playable, self.unwritten, arranged
        )


@contextmanager
def _begun(request: Request, read_all: ReadAll, progress: Progress, changes: Changes) -> Iterator[_Run]:
    """What is there to be ordered; until the end nobody else writes this playlist."""
    writes = request.output is not None and not request.dry_run
    with State(writes=writes) as state, Cache() if request.tags else nullcontext() as cache:
        before = [state.root(root) for root in request.roots]
        for root, known in zip(request.roots, before, strict=True):
            check_root(root, known)
        target = Target(request.output, state, force=request.force) if request.output is not None else None
        folder = target.check_drive(allow_shrink=request.allow_shrink) if target is not None else []
        last = state.seen(target.path) if target is not None else []
        library = survey(
            request.roots, cache, read_all, progress, changes, use_ignore_files=request.ignore_files
        )
        # From the look at the last order to the end nobody else may write a new one.
        with held(state, target.path) if target is not None and writes else nullcontext():
            if target is not None:
                target.settle()
                if state.seen(target.path) != last:  # another one wrote, who may have seen more than we did
                    library = survey(
                        request.roots,
                        cache,
                        read_all,
                        progress,
                        replace(changes, dirty=None),
                        use_ignore_files=request.ignore_files,
                    )
            roots = check_here(request, library, before, target, changes) + folder
            if cache is not None:
                cache.keep((), library.gone)
            written = way(request, target, library.tracks.folders)
            playable, unwritten = written.writable(library.tracks, any_name=request.any_name)
            if not len(playable):
                raise nothing_to_play(request.roots, unwritten)
            recipe = request.recipe
            if request.pins:
                named = tuple(pins.resolve(text, playable.paths, request.roots) for text in request.pins)
                recipe = replace(recipe, pins=named)
            tags_of = tags_from(cache, read_all) if cache is not None else None
            yield _Run(request, state, target, library, roots, tags_of, written, playable, unwritten, recipe)


def _told(run: _Run, report: Report) -> Report:
    report.notes += as_root(run.request.roots)
    report.by_root = [(root.path, root.tracks) for root in run.roots if not root.path.endswith(b"/")]
    report.notes += run.state.notes + (run.target.notes if run.target is not None else [])
    return report


@contextmanager
def held(state: State, path: bytes) -> Iterator[None]:
    """Hold off all others that would write this playlist: of this user, and of any other."""
    folder, name = os.path.split(path)
    with state.locked(), output.held(folder):
        for litter in (name, *map(os.path.basename, parts.existing(path))):
            output.sweep(folder, litter)
        yield


def tags_from(cache: Cache, read_all: ReadAll) -> TagsOf:
    """Look the tags of a folder up in the cache; where that has lost them, in the files."""

    def tags_of(folder: Folder) -> list[Tags | None]:
        names = rows(folder.names, b"/")
        fields = cache.fields(folder.path)
        if len(fields) == len(names):
            return [None if row is None else Tags._make(row) for row in fields]
        read = dict(read_all([folder.path + name for name in names]))
        return [read[row].tags for row in range(len(names))]

    return tags_of


def _drawn(run: _Run, randbelow: RandBelow, *, follows_on: bool = False) -> Report:
    """A new order, and what it comes to."""
    recipe, target = run.recipe, run.target
    if follows_on:
        recipe = _with_gap(recipe, len(run.playable))
    last = None
    if target is not None and needs_last(recipe):
        last = last_order(run.playable.paths, target.last_paths, target.last and target.last.played)
    notes = _about(recipe, run.playable, last)
    report = run.account(arrange(run.playable, recipe, last, randbelow, run.tags_of))
    report.notes += notes
    return report


def _count_changes(report: Report, before: Remembered, identity: Identity) -> None:
    absent = identity.now.count(None)
    still_gone = sum(identity.now[old] is None for old in before.gone)
    report.went = absent - still_gone
    report.came = len(identity.new) + len(before.gone) - still_gone
    paths_now = [*report.playable.paths, b""]
    now = (-1 if index is None else index for index in identity.now) if absent else identity.now
    report.renamed = sum(map(ne, before.paths, map(paths_now.__getitem__, now))) - absent  # type: ignore[arg-type]


def _with_gap(recipe: Recipe, count: int) -> Recipe:
    """Have the next round keep a gap to the last one, where the order can."""
    gap = usual_gap(count)
    if gap < 2 or recipe.gap or recipe.part or "--gap" not in ORDERS[recipe.order].takes:
        return recipe
    return replace(recipe, gap=Gap(gap))


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


def _write(run: _Run, target: Target, report: Report, now_s: int, marks: bytes | None = None) -> None:
    """Replace the file, and remember the order just before that: both, or none."""

    def remember() -> None:
        playable = report.playable
        seen = Seen(playable.digest, report.text.fingerprint, report.count, now_s)
        run.state.remember(
            target.path, seen, target.last, lambda: playable.paths, report.arranged, run.roots, marks
        )

    report.is_changed = parts.write(target.path, report.text, remember, force=run.request.force)


def _write_kept(
    run: _Run, target: Target, report: Report, before: Remembered, kept: Kept, drawn_s: int
) -> None:
    """The same for an order that goes on: nothing is written if nothing has changed."""
    playable = report.playable
    marks = playable.marks
    paths, digest = playable.paths, playable.digest
    if kept.gone:
        paths = paths + [before.paths[old] for old, _ in kept.gone]
        digest = blake2b(b"\0".join([digest, *paths[len(playable) :]]), digest_size=16).digest()
        rows_of = before.marks or bytes(MARK_BYTES * len(before.paths))
        marks += b"".join(rows_of[MARK_BYTES * old : MARK_BYTES * (old + 1)] for old, _ in kept.gone)
    gone = {len(playable) + number: since for number, (_, since) in enumerate(kept.gone)}
    is_same = before == Remembered(paths, marks, kept.order, gone)

    def remember() -> None:
        seen = Seen(digest, report.text.fingerprint, report.count, drawn_s)
        if not is_same or target.last != seen:
            run.state.remember(
                target.path, seen, target.last, lambda: paths, kept.order, run.roots, marks, gone
            )

    report.is_changed = parts.write(target.path, report.text, remember, force=run.request.force)
