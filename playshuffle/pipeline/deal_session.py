"""Folders and a playlist in; out: the deck of that playlist and the tracks that are here."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from playshuffle.dealing.deck import Deck, renamed
from playshuffle.errors import AwayError
from playshuffle.library import away as guard
from playshuffle.library.away import Root
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Skipped
from playshuffle.library.identity import MARK_BYTES, identify
from playshuffle.library.scan import Library, Progress, survey
from playshuffle.library.tracks import ReadAll, Tracks
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.groups import TagsOf
from playshuffle.pipeline.entry_writer import Way, way
from playshuffle.pipeline.presence import nothing_to_play
from playshuffle.pipeline.report_of import account
from playshuffle.pipeline.request import Report, Request
from playshuffle.pipeline.run import held, tags_from
from playshuffle.pipeline.target import Target
from playshuffle.store import decks
from playshuffle.store.state import State


@dataclass(frozen=True, slots=True)
class Table:
    """What a deal is made from.

    playable: the tracks that are here; unwritten: those that cannot stand in a playlist.
    deck: of the playlist, with the names that its tracks have now. kept: the same as it is kept, None
        if it is not. before: as it stood before its last deal.
    roots: those that are here, as they are now. away: what is not, so that its tracks are awaited.
    """

    request: Request
    state: State
    target: Target
    library: Library
    way: Way
    playable: Tracks
    unwritten: list[Skipped]
    tags_of: TagsOf
    deck: Deck
    kept: decks.Kept | None
    before: decks.Kept | None
    roots: list[Root]
    away: list[AwayError]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is away."""
        return not self.away

    def marks(self) -> dict[bytes, bytes]:
        """The tracks that are here, each with what tells it again."""
        marks = self.playable.marks
        rows = (marks[row : row + MARK_BYTES] for row in range(0, len(marks), MARK_BYTES))
        return dict(zip(self.playable.paths, rows, strict=True))

    def report(self, entries: Sequence[bytes]) -> Report:
        """The playlist of those of these entries that are here."""
        index_of = {path: index for index, path in enumerate(self.playable.paths)}
        order = [index_of[path] for path in entries if path in index_of]
        said = account(
            self.request,
            self.library,
            self.target,
            self.way,
            self.playable,
            self.unwritten,
            Arranged(order, len(order)),
        )
        said.notes += self.target.notes + self.state.notes
        return said


@contextmanager
def laid(
    request: Request,
    read_all: ReadAll,
    progress: Progress,
    *,
    writes: bool,
    changes: Changes = EVERYWHERE,
) -> Iterator[Table]:
    """Lay a deck on the table; if it `writes`, nobody else may touch it until the end.

    Raises:
        PlayshuffleError: there is nothing to play, or all that there is seems to be away.
    """
    assert request.output is not None
    with State(writes=writes) as state, Cache() as cache:
        target = Target(request.output, state, force=request.force)
        folder = target.check_drive(allow_shrink=request.allow_shrink)
        here, away = _roots_here(request, state)
        library = survey(here, cache, read_all, progress, changes, use_ignore_files=request.ignore_files)
        with held(state, target.path) if writes else nullcontext():
            written = way(request, target, library.tracks.folders)
            playable, unwritten = written.writable(library.tracks, any_name=False)
            kept, before = (decks.load(state, target.path, age) for age in (0, 1))
            names = _new_names(kept, playable, changes)
            deck = renamed(kept.deck, names) if kept is not None else _from_file(target)
            if before is not None:
                before = before._replace(deck=renamed(before.deck, names))
            roots, gone = _accepted(request, library, deck, here, state, changes)
            away += gone
            if not len(playable):
                if away:
                    raise away[0]
                raise nothing_to_play(here, library.skipped + library.unreadable + unwritten)
            if not away:
                cache.keep((), library.gone)
            yield Table(
                request=request,
                state=state,
                target=target,
                library=library,
                way=written,
                playable=playable,
                unwritten=unwritten,
                tags_of=tags_from(cache, read_all),
                deck=deck,
                kept=kept,
                before=before,
                roots=roots + folder,
                away=away,
            )


def _roots_here(request: Request, state: State) -> tuple[tuple[bytes, ...], list[AwayError]]:
    """The roots that can be looked into, and the others; some can, or all of them count as away."""
    here, away = [], []
    for root in request.roots:
        try:
            guard.check_root(root, state.root(root))
            here.append(root)
        except AwayError as error:
            away.append(error)
    if not here:
        raise away[0]
    return tuple(here), [] if request.allow_shrink else away


def _accepted(
    request: Request,
    library: Library,
    deck: Deck,
    here: Sequence[bytes],
    state: State,
    changes: Changes,
) -> tuple[list[Root], list[AwayError]]:
    """The roots that hold what they held, and how the others seem to be away."""
    roots, away = [], []
    found = library.tracks.paths
    present, known = frozenset(found), deck.known
    for path in here:
        root = guard.now(path, len(found) if len(here) == 1 else len(guard.below(path, found)))
        awaited = guard.below(path, list(known))
        missing = [track for track in awaited if track not in present]
        try:
            if not (request.allow_shrink or (known and known <= present)):
                for folder in library.unreadable:
                    guard.check_unreadable(folder, missing)
                guard.check_tracks(state.root(path), root, awaited, missing, changes.gone)
            roots.append(root)
        except AwayError as error:
            away.append(error)
    return roots, away


def _new_names(kept: decks.Kept | None, playable: Tracks, changes: Changes) -> dict[bytes, bytes]:
    """What the tracks of a deck are called now, if not as they were."""
    if kept is None:
        return {}
    paths = playable.paths
    known = identify(kept.remembered(), paths, playable.marks, changes.moved)
    return {
        old: paths[index]
        for old, index in zip(kept.paths, known.now, strict=True)
        if index is not None and paths[index] != old
    }


def _from_file(target: Target) -> Deck:
    """A deck of which nothing is known but its file, if we wrote that: what is in it was heard."""
    if target.order is None:
        return Deck()
    heard = tuple(target.last_paths)
    return Deck(heard=heard, gone=heard, round=1 if heard else 0)
