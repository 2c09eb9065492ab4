"""Open a playlist of an open library: lock it, read its record, and choose its tracks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING

from playshuffle.dealing.amount import Count
from playshuffle.errors import Exit, MissingError, PlayshuffleError, shown
from playshuffle.library.missing import check_output, with_new_place
from playshuffle.library.scan import Library
from playshuffle.library.tag_columns import RowsOf, no_tags
from playshuffle.library.tracks import Tracks
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.pipeline.choice import NothingToPlayError
from playshuffle.pipeline.choose import check_choice, choose
from playshuffle.pipeline.entry_writer import entry_writer
from playshuffle.pipeline.open_library import OpenLibrary, open_library
from playshuffle.pipeline.record import load_record
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.run import Run
from playshuffle.pipeline.skip_lists import check_skip_lists, followed, read_skip_lists
from playshuffle.pipeline.stages import Facts
from playshuffle.pipeline.tag_rows import cached_rows
from playshuffle.pipeline.tools import Tools
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.shuffle import chance
from playshuffle.store.state import State
from playshuffle.tags.cause import NO_FILE
from playshuffle.text import counted

if TYPE_CHECKING:
    from playshuffle.pipeline.play_history import PlayHistory


@contextmanager
def open_playlist(opened: OpenLibrary, request: Request, tools: Tools) -> Iterator[Run]:
    """Choose the tracks of one playlist, which no other playshuffle can write until the block ends.

    A seed in the request's options replaces the randomness of `tools`.

    Raises:
        PlayshuffleError: no track can be played, a drive without known tracks is missing, or the playlist
            must not be written.
    """
    library, now = opened.library(request), datetime.fromtimestamp(opened.now_s).astimezone()
    if request.options.seed is not None:
        tools = tools._replace(randbelow=chance(request.options.seed))
    with _locked_file(opened.state, request) as file:
        record = load_record(opened, file, library.tracks, request, now)
        writer = entry_writer(request, file, library.tracks.folders)
        rows_of, history = _tags(opened, request, library.tracks, tools)
        # never.m3u need not exist; a list of --without must.
        existing = [path for path in request.skip_lists if path in request.without or os.path.lexists(path)]
        playlist = file.path if file is not None else None
        # A new list waits for its skip lists: it would have the very tracks that they leave out.
        goes_on = request.is_kept and record.saved is not None
        lists = read_skip_lists(existing, opened.state, playlist, writes=request.writes, goes_on=goes_on)
        lists = followed(lists, library.tracks, opened.former_paths, opened.gone)
        facts = Facts(request, rows_of, writer.unwritable, record, tools.randbelow, opened.former_paths)
        choice = choose(library.tracks, lists, facts)
        try:
            _check_found(request, library)
            check_choice(choice, facts)
        except PlayshuffleError as error:  # `why` and `undo` need no choice
            choice = choice._replace(problem=error)
        # A play or a deal of one copy counts for the other: no command knows more about copies.
        record = record.with_copies(choice.kept, choice.remaining)
        if history is not None:
            history = history.with_copies(choice.kept)
        yield Run(request, tools, now, opened, library, file, record, writer, choice, rows_of, history)


@contextmanager
def open_run(
    request: Request, tools: Tools, changes: Changes = EVERYWHERE, *, must_remember: bool = False
) -> Iterator[Run]:
    """Open the library for one playlist, and open the playlist."""
    with (
        open_library([request], tools, changes, must_remember=must_remember) as opened,
        open_playlist(opened, request, tools) as run,
    ):
        yield run


@contextmanager
def _locked_file(state: State, request: Request) -> Iterator[PlaylistFile | None]:
    if request.output is None:
        yield None
        return
    file = PlaylistFile.find(request.output)
    check_skip_lists(request.skip_lists, {file.path})
    if not request.options.accept_missing:
        before = state.output_mounts(file.path)
        try:
            check_output(os.path.dirname(file.path), before, file.mounts)
        except MissingError as error:
            raise with_new_place(error, before, [file.path]) from error
    with file.locked() if request.writes else nullcontext(file) as now:
        yield now


def _tags(
    opened: OpenLibrary, request: Request, tracks: Tracks, tools: Tools
) -> "tuple[RowsOf, PlayHistory | None]":
    if opened.cache is None or not request.options.tags:
        return no_tags, None
    rows_of = cached_rows(opened.cache, tools.read_all, tools.tags)
    if not request.history:
        return rows_of, None
    # The modules of histories are slow to import, and few playlists have one.
    from playshuffle.pipeline.play_history import play_history, with_plays

    history = play_history(opened, request, tracks, rows_of)
    if request.deal is not None and request.deal.done_when is Count.PLAYED:
        history = history.with_warning()
    return with_plays(rows_of, history, tracks), history


def _check_found(request: Request, library: Library) -> None:
    missing_files = [path for path, reason in library.skipped if reason.code == NO_FILE]
    if request.files is not None and 2 * len(missing_files) > len(request.files):
        raise PlayshuffleError(
            f"{len(missing_files):,} of {counted(len(request.files), 'file')} in --from cannot be found, such"
            f" as {shown(missing_files[0])}. The playlist was not changed. Mount the drive, or correct the"
            " list: it needs the path of a file in each line.",
            Exit.MISSING,
        )
    if len(library.tracks):
        return
    for error in library.missing.values():
        raise error
    raise NothingToPlayError(request.roots, [*library.skipped, *library.unreadable])
