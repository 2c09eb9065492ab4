"""Update the playlists of a configuration for batches of changes."""

import contextlib
import logging
import os
import time
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime

from playshuffle.config.model import Config, ConfiguredPlaylist, Reshuffle
from playshuffle.dealing.describe import deck_facts, deck_line
from playshuffle.dealing.period import Every, period_start
from playshuffle.errors import Exit, MissingError, PlayshuffleError, shown
from playshuffle.library.scan import Progress
from playshuffle.library.walk import Changes, Dirty
from playshuffle.pipeline.choice import NothingMatchesError
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.keep import update as update_playlist
from playshuffle.pipeline.open_library import OpenLibrary, open_library
from playshuffle.pipeline.open_playlist import open_playlist
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.stages import STAGE_KINDS
from playshuffle.pipeline.tools import Tools
from playshuffle.service.status_json import PlaylistStatus
from playshuffle.service.update_process import check_stop
from playshuffle.service.update_protocol import (
    LibraryScanned,
    Message,
    PlaylistFailed,
    PlaylistUpdated,
    ScanProgress,
    UpdateRequest,
)
from playshuffle.shuffle import System
from playshuffle.store import to_tell
from playshuffle.system import mpd_server, sandbox
from playshuffle.system.clock import Began, uptime_s
from playshuffle.system.regular_file import status_of
from playshuffle.tags.reader_pool import read_all
from playshuffle.text import counted, list_word
from playshuffle.watch.debounce import Batch

_LOG = logging.getLogger(__name__)
_REPORT_EVERY_S = 1.0
_NAMES = 100  # paths of each kind to send


def update(config: Config, began: Began, request: UpdateRequest, send: Callable[[Message], None]) -> None:
    """Update the playlists of a request, each even if others fail; `began` is the start of the service."""
    playlists = [playlist for playlist in config.playlists if playlist.name in request.playlists]
    tools = Tools(read_all, System(), _SentProgress(send))
    mpd_server.forget_answers()
    with contextlib.ExitStack() as stack:
        try:
            requests = [playlist.request for playlist in playlists]
            changes, is_full_scan = _changes(request.batch, config), request.batch.is_full_scan
            opened = stack.enter_context(
                open_library(requests, tools, changes, must_remember=True, checks_state=is_full_scan)
            )
        except Exception as error:  # noqa: BLE001 - no fault may end the service
            for playlist in playlists:
                send(_failed(playlist, error))
            return
        send(LibraryScanned(opened.missing))
        for playlist in playlists:
            check_stop()
            message = _update(playlist, opened, tools, began)
            # At the start, too: a killed service may not have listed its written playlists.
            if (
                isinstance(message, PlaylistUpdated)
                and playlist.tell
                and (message.is_changed or request.batch.why == "start")
            ):
                to_tell.add(playlist.output)
            send(message)


def _changes(batch: Batch, config: Config) -> Changes:
    dirty = None if batch.is_full_scan else Dirty(batch.folders, batch.trees)
    return Changes(dirty, batch.gone, batch.moved, config.still_ns)


def _update(
    playlist: ConfiguredPlaylist, opened: OpenLibrary, tools: Tools, began: Began
) -> PlaylistUpdated | PlaylistFailed:
    request = playlist.request._replace(redraw_before_s=_redraw_before_s(playlist.reshuffle, began))
    try:
        with open_playlist(opened, request, tools) as run:
            done = update_playlist(run)
        return _updated(playlist, done, opened)
    except Exception as error:  # noqa: BLE001 - a fault for one playlist must not stop the others
        return _failed(playlist, error, opened.growing(request))


def _redraw_before_s(reshuffle: Reshuffle, began: Began) -> float:
    if reshuffle is Reshuffle.ON_START:
        return began.at(int(time.time()), uptime_s())
    period = {Reshuffle.DAILY: Every.DAY, Reshuffle.WEEKLY: Every.WEEK}.get(reshuffle)
    if period is None:
        return 0
    day = period_start(period, datetime.now().astimezone())
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


class _SentProgress(Progress):
    """Sends the progress of the update, and ends the update on request."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._next_s = 0.0

    def report(self, _activity: str, done_count: int, of: int | None = None) -> None:
        check_stop()
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _REPORT_EVERY_S
            files = counted(done_count, "file")
            text = f"{files} found" if of is None else f"{done_count:,} of {of:,} files read"
            self._send(ScanProgress(text))


def _failed(playlist: ConfiguredPlaylist, error: Exception, growing: Sequence[bytes] = ()) -> PlaylistFailed:
    missing = None
    if isinstance(error, MissingError):
        missing = error.path
        text = f"{error.summary}. The playlist is unchanged until it is back. {_accept(playlist)}"
    elif isinstance(error, OSError):
        name = f"{shown(error.filename)}: " if error.filename is not None else ""
        text = f"{name}{error.strerror or error}; it is tried again."
    elif isinstance(error, PlayshuffleError):
        text = error.in_configuration
    else:
        _LOG.error("%s: unexpected error: %s", playlist.name, "".join(traceback.format_exception(error)))
        text = (
            f"Unexpected error: {type(error).__name__}: {shown(str(error))}. The playlist is tried again;"
            " the details are in the log."
        )
    return PlaylistFailed(
        playlist=playlist.name,
        error=text,
        state=_state(error),
        missing=missing,
        is_shut=sandbox.came_late(os.path.dirname(playlist.output)),
        growing=growing,
    )


def _state(error: Exception) -> str:
    if isinstance(error, NothingMatchesError):
        return "nothing matches"
    states = {Exit.MISSING: "missing", Exit.NOTHING_TO_PLAY: "nothing to play"}
    return states.get(error.code, "error") if isinstance(error, PlayshuffleError) else "error"


def _accept(playlist: ConfiguredPlaylist) -> str:
    verb = "make" if playlist.request.deal is None else "deal"
    word = list_word(playlist.name, playlist.output)
    return f"If the tracks are gone for good: playshuffle {verb} {word} --accept-missing"


def _written_s(path: bytes | None) -> int | None:
    status = status_of(path or b"")
    return None if status is None else round(status.st_mtime)


def _status(playlist: ConfiguredPlaylist, done: Report | Dealt, opened: OpenLibrary) -> PlaylistStatus:
    library = opened.library(playlist.request)
    report, deck = (done.report, done.deck) if isinstance(done, Dealt) else (done, None)
    written = frozenset(report.arranged.played if library.waiting else ())
    return PlaylistStatus(
        playlist.name,
        os.fsdecode(playlist.output),
        "managed" if deck is None else "dealt",
        tracks=report.playlist_length,
        library=len(report.choice.all_tracks),
        order=report.request.recipe.order_name,
        last_write=_written_s(report.output),
        missing_lists=tuple(os.fsdecode(one.path) for one in report.choice.lists if one.problem),
        left_out={
            STAGE_KINDS[stage.code].leaves_out: len(stage.indices)
            for stage in report.choice.stages
            if stage.indices
        },
        waiting={os.fsdecode(root): len(written & waiting) for root, waiting in library.waiting.items()},
        deck=None if deck is None else deck_facts(deck),
        summary=None if deck is None else deck_line(deck_facts(deck)),
    )


def _updated(playlist: ConfiguredPlaylist, done: Report | Dealt, opened: OpenLibrary) -> PlaylistUpdated:
    report, accept = done.report if isinstance(done, Dealt) else done, _accept(playlist)
    return PlaylistUpdated(
        playlist=playlist.name,
        status=_status(playlist, done, opened),
        is_changed=report.is_changed,
        added=report.came,
        removed=report.went,
        renamed=report.renamed,
        growing=opened.growing(playlist.request),
        is_cached=opened.cache is None or opened.cache.is_kept,
        unreadable=sorted(report.library.unreadable)[:_NAMES],
        folders=[*report.library.roots.items()],
        notes=[note._replace(advice=accept) if note.advice else note for note in report.notes],
    )
