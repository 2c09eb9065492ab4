"""Update the playlists of a configuration for batches of changes."""

import logging
import os
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from playshuffle.config.model import Config, ConfiguredPlaylist, Reshuffle
from playshuffle.dealing.describe import deck_facts, deck_line
from playshuffle.dealing.period import Every, period_start
from playshuffle.errors import Exit, MissingError, PlayshuffleError, shown
from playshuffle.library import folder_readings  # noqa: F401 - load it before an upgrade replaces it
from playshuffle.library.scan import Progress
from playshuffle.library.walk import Changes, Dirty
from playshuffle.pipeline.choice import NothingMatchesError
from playshuffle.pipeline.deal import deal_playlist
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.sources import Tools
from playshuffle.service.update_process import check_stop
from playshuffle.service.update_protocol import (
    Message,
    PlaylistFailed,
    PlaylistUpdated,
    ScanProgress,
)
from playshuffle.shuffle import System, chance
from playshuffle.store import to_tell
from playshuffle.system import sandbox
from playshuffle.tags.reader_pool import read_all
from playshuffle.watch.debounce import Batch

_LOG = logging.getLogger(__name__)
_REPORT_EVERY_S = 1.0
_NAMES = 100  # of each kind that are sent


def update(
    config: Config,
    began_s: int,
    batches: Mapping[str, Batch],
    send: Callable[[Message], None],
) -> None:
    """Update each playlist that has a batch; what fails for one does not touch the others.

    Args:
        config: of the service.
        began_s: when the service was started, in Unix seconds.
        batches: changes, by playlist.
        send: called with the result for each playlist.
    """
    scanned: list[_Scan] = []
    for playlist in config.playlists:
        check_stop()
        batch = batches.get(playlist.name)
        if batch is None:
            continue
        request = playlist.request
        dirty = None if batch.is_whole else Dirty(batch.folders, batch.trees)
        changes = Changes(dirty, batch.gone, batch.moved, config.still_ns)
        if all(
            any(scan.covers(root, request.ignore_files, batch) for scan in scanned) for root in request.roots
        ):
            # Another playlist of this update has scanned these folders.
            changes = changes._replace(dirty=Dirty(frozenset()))
        message = _update(playlist, changes, began_s, _Progress(playlist.name, send))
        if isinstance(message, PlaylistUpdated):
            # At the start, too: what a service that was killed has written may not have been listed.
            if playlist.tell and request.output is not None and (message.is_changed or batch.why == "start"):
                to_tell.add(request.output)
            if request.tags and message.is_cached:  # else the next playlist must scan for itself
                scanned += [_Scan(root, request.ignore_files, batch) for root in request.roots]
        send(message)


@dataclass(frozen=True, slots=True)
class _Scan:
    """A folder that was scanned for a batch."""

    root: bytes
    ignore_files: bool
    batch: Batch

    def covers(self, root: bytes, ignore_files: bool, batch: Batch) -> bool:
        """Return whether another scan, of this root for this batch, would find nothing new."""
        is_inside = (root.rstrip(b"/") + b"/").startswith(self.root.rstrip(b"/") + b"/")
        scanned = self.batch
        is_as_much = scanned.is_whole or (
            not batch.is_whole and batch.folders <= scanned.folders and batch.trees <= scanned.trees
        )
        return is_inside and ignore_files == self.ignore_files and is_as_much


def _update(
    playlist: ConfiguredPlaylist, changes: Changes, began_s: int, progress: "_Progress"
) -> PlaylistUpdated | PlaylistFailed:
    try:
        if playlist.deal is None:
            return _keep(playlist, changes, began_s, progress)
        return _deal(playlist, changes, progress)
    except (PlayshuffleError, OSError) as error:  # a folder may go at any moment
        return _failed(playlist, error, progress)
    except Exception as error:  # noqa: BLE001 - a fault for one playlist must not stop the others
        _LOG.error("%s: unexpected error: %s", playlist.name, traceback.format_exc())
        return _failed(playlist, error, progress)


def _keep(
    playlist: ConfiguredPlaylist, changes: Changes, began_s: int, progress: "_Progress"
) -> PlaylistUpdated:
    tools = Tools(read_all, chance(playlist.request.seed), progress)
    report = keep(playlist.request, tools, changes, _redraw_before_s(playlist.reshuffle, began_s))
    return _updated(playlist.name, report, progress)


def _deal(playlist: ConfiguredPlaylist, changes: Changes, progress: "_Progress") -> PlaylistUpdated:
    assert playlist.deal is not None
    tools = Tools(read_all, System(), progress)
    now = datetime.now().astimezone()
    dealt = deal_playlist(playlist.request, tools, playlist.deal.amount, playlist.deal.every, now, changes)
    message = _updated(playlist.name, dealt.report, progress)
    return replace(message, deck=deck_facts(dealt.deck), deck_line=deck_line(dealt.deck))


def _redraw_before_s(reshuffle: Reshuffle, began_s: int) -> float:
    """Return the time (Unix seconds) before which an order must have been drawn to be drawn again."""
    if reshuffle is Reshuffle.ON_START:
        return began_s
    period = {Reshuffle.DAILY: Every.DAY, Reshuffle.WEEKLY: Every.WEEK}.get(reshuffle)
    if period is None:
        return 0
    day = period_start(period, datetime.now().astimezone())
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


class _Progress(Progress):
    """Sends how far the update of a playlist is, and ends it where that is wanted.

    growing: folders with files that are being written. is_cached: the tags that were read could be stored.
    """

    def __init__(self, name: str, send: Callable[[Message], None]) -> None:
        self._name = name
        self._send = send
        self._next_s = 0.0
        self.is_cached = True
        self.growing_in: set[str] = set()

    def finding(self, files: int) -> None:
        self._report(f"{files:,} files found")

    def forgotten(self) -> None:
        self.is_cached = False

    def growing(self, paths: Sequence[bytes]) -> None:
        self.growing_in |= {os.fsdecode(path[: path.rfind(b"/") + 1]) for path in paths}

    def reading(self, done: int, of: int) -> None:
        self._report(f"{done:,} of {of:,} files read")

    def _report(self, text: str) -> None:
        check_stop()
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _REPORT_EVERY_S
            self._send(ScanProgress(self._name, text))


def _failed(playlist: ConfiguredPlaylist, error: Exception, progress: _Progress) -> PlaylistFailed:
    missing = None
    if isinstance(error, MissingError):
        missing = os.fsdecode(error.path)
        text = (
            f"{error.summary}. The playlist is unchanged until it is back. If the tracks are gone for good:"
            f" playshuffle accept-missing {playlist.name}"
        )
    elif isinstance(error, OSError):
        name = f"{shown(error.filename)}: " if error.filename is not None else ""
        text = f"{name}{error.strerror or error}; it is tried again."
    elif isinstance(error, PlayshuffleError):
        text = error.in_configuration
    else:
        text = (
            f"Unexpected error: {type(error).__name__}: {shown(str(error))}. The playlist is tried again;"
            " the details are in the log."
        )
    return PlaylistFailed(
        playlist=playlist.name,
        error=text,
        code=int(error.code if isinstance(error, PlayshuffleError) else Exit.CANNOT_CREATE),
        missing=missing,
        is_shut=sandbox.came_late(os.path.dirname(playlist.request.output or b"")),
        growing=sorted(progress.growing_in),
        matches_nothing=isinstance(error, NothingMatchesError),
    )


def _written_s(path: bytes | None) -> float | None:
    try:
        return os.stat(path or b"").st_mtime
    except OSError:  # a list in parts
        return None


def _updated(name: str, report: Report, progress: _Progress) -> PlaylistUpdated:
    return PlaylistUpdated(
        playlist=name,
        tracks=report.count_in_file,
        library=report.found,
        order=report.order,
        is_changed=report.is_changed,
        written_s=_written_s(report.output),
        added=report.came,
        removed=report.went,
        renamed=report.renamed,
        growing=sorted(progress.growing_in),
        is_cached=progress.is_cached,
        unreadable=[(os.fsdecode(path), reason) for path, reason in sorted(report.unreadable)[:_NAMES]],
        folders=[(os.fsdecode(root), tracks) for root, tracks in report.by_root],
        notes=list(report.notes),
        missing_lists=[os.fsdecode(each.path) for each in report.choice.lists if each.problem],
        removed_files=[os.fsdecode(path) for path in report.removed] if report.is_changed else [],
    )
