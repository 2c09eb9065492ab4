"""Run the stages for a playlist without writing anything, so that its files can be explained."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace

from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.ordering import pins
from playshuffle.pipeline.choice import choose
from playshuffle.pipeline.deck_history import DeckHistory, load_history
from playshuffle.pipeline.entry_writer import entry_writer
from playshuffle.pipeline.explain import PlaylistStages, Source
from playshuffle.pipeline.most_per_tag import Draw
from playshuffle.pipeline.presence import present_roots, reachable_roots, renamed_tracks, root_lookup
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.sources import Tools, last_tracks, scan, skip_lists
from playshuffle.pipeline.tag_rows import RowsOf, rows_of
from playshuffle.pipeline.target import Target
from playshuffle.store.state import State


def look_at(
    request: Request, tools: Tools, still_ns: int = 0, source: Source = Source.OPTIONS
) -> PlaylistStages:
    """Run the stages for a playlist without writing anything.

    still_ns: files modified less than this time ago count as being written, as in the service.
    source: of the request.

    Raises:
        PlayshuffleError: a folder was never there, or the playlist cannot be read.
    """
    with (
        State(writes=False) as state,
        Cache() if request.tags else nullcontext() as cache,
    ):
        root_of = root_lookup(request, state)
        roots, missing = reachable_roots(request.roots if request.files is None else (), root_of)
        library = scan(request, roots, cache, tools, Changes(still_ns=still_ns))
        target = Target(request.output, state, force=True) if request.output is not None else None
        last: Sequence[bytes] = ()
        if target is not None:
            target.find_last_order()
            last = target.last_tracks
        renamed = renamed_tracks(target, library.tracks, EVERYWHERE)
        _, gone = present_roots(roots, library, root_of, last, (), renamed)
        tag_rows = rows_of(cache, tools.read_all) if cache is not None else None
        if tag_rows is not None and request.where:  # explained when the cache is closed
            tag_rows = _read_ahead(tag_rows, library.tracks.folders)
        history = load_history(state, target, library.tracks, EVERYWHERE) if target is not None else None
        if history is not None and history.stored is None:
            history = None
        lists = skip_lists(request._replace(dry_run=True), state, target)
        writer = entry_writer(request, target, library.tracks.folders)
        draw = Draw(writer, None, target) if history is None else None
        last_order = last_tracks(target, history) if request.dedupe is not None else ()
        choice = choose(request, library.tracks, tag_rows, lists, last_order, draw)
        _, unwritable = writer.writable(choice.tracks, any_name=request.any_name)
        playlist = PlaylistStages(
            request=request,
            library=library,
            choice=choice,
            exists=target is not None and target.exists,
            entries={path: at for at, path in enumerate(target.entries())} if target is not None else {},
            missing=[*missing, *gone],
            indices={path: index for index, path in enumerate(choice.found.paths)},
            skipped=dict((*library.unreadable, *library.skipped)),
            unwritable=dict(unwritable),
            pinned=frozenset(
                choice.found.paths[index]
                for index in pins.named(request.pins, choice.found.paths, request.roots)
            ),
            source=source,
            written_s=target.written_s if target is not None else 0,
        )
        return _with_history(playlist, target, history)


def _read_ahead(rows: RowsOf, folders: Iterable[Folder]) -> RowsOf:
    """Return the same look-up with the tags of these folders in memory."""
    known = {(folder.path, folder.names): rows(folder) for folder in folders}
    return lambda folder: (
        known[folder.path, folder.names] if (folder.path, folder.names) in known else rows(folder)
    )


def _with_history(
    playlist: PlaylistStages, target: Target | None, history: DeckHistory | None
) -> PlaylistStages:
    if target is None:
        return playlist
    if history is None:
        order = {path: at for at, path in enumerate(target.last_paths)}
        drawn_s = target.last.shuffled_s if target.last is not None else 0
        return replace(playlist, order=order, drawn_s=drawn_s)
    deck = history.with_copies(playlist.choice.kept).deck
    deal = deck.deal
    return replace(
        playlist,
        dealt=frozenset(deck.dealt),
        upcoming={path: at for at, path in enumerate(deck.upcoming)},
        last_deal=f"deal {deal.number:,} of round {deal.round:,}" if deal is not None else "",
    )
