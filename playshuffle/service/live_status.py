"""Collect what a service does: log each thing that happens once, and publish the status."""

import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from playshuffle import __version__
from playshuffle.config.model import Config
from playshuffle.errors import Exit, shown
from playshuffle.service import notify
from playshuffle.service.running import StatusFile
from playshuffle.service.status_json import EMPTY, PlaylistStatus, RootStatus, Service, ServiceStatus
from playshuffle.service.update_protocol import (
    Message,
    PlaylistFailed,
    PlaylistUpdated,
    ScanProgress,
    UpdateEnded,
)
from playshuffle.text import counted
from playshuffle.watch.debounce import Batch
from playshuffle.watch.limits import Mode

_LOG = logging.getLogger(__name__)

# No event had reported the changes that these scans find.
_DRIFT = frozenset(("hourly", "lost", "resume"))
_FAILURES = {Exit.MISSING: "missing", Exit.NOTHING_TO_PLAY: "nothing to play"}


@dataclass(slots=True)
class _Playlist:
    """The latest facts of one managed playlist."""

    output: str
    state: str = "waiting"
    error: str | None = None
    scanning: str | None = None
    updated: PlaylistUpdated | None = None
    unreadable: dict[str, str] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    is_waiting_for_files: bool = False


@dataclass(slots=True)
class _Root:
    """The latest facts of one root."""

    mode: Mode | None = None
    tracks: int | None = None
    last_full_scan: float | None = None
    missed_changes: int = 0
    is_missing: bool = False


class LiveStatus:
    """What a service does, and the state of its folders and playlists.

    Args:
        config: what is managed.
        broken: errors of playlists that are not managed, by name.
        since_s: when the service was started, in Unix seconds.
        file: where the status is published.
    """

    def __init__(self, config: Config, broken: Mapping[str, str], since_s: int, file: StatusFile) -> None:
        self._file = file
        self._config = config
        self._since_s = since_s
        self._batches: Mapping[str, Batch] = {}
        self.note: str | None = None
        self._playlists = {
            playlist.name: _Playlist(os.fsdecode(playlist.request.output or b""))
            for playlist in config.playlists
        }
        self._roots = {root: _Root() for playlist in config.playlists for root in playlist.request.roots}
        for name, error in broken.items():
            self._playlists[name] = _Playlist("", "broken", error)
            _LOG.error("%s: %s", name, error)

    def begin(self, batches: Mapping[str, Batch]) -> None:
        """Note that an update begins."""
        self._batches = batches
        reasons = {batch.why for batch in batches.values()}
        if "lost" in reasons:
            _LOG.warning("events were lost (a queue overflowed, or a file system was unmounted): full scan")
        elif "resume" in reasons:
            _LOG.info("woke from sleep: full scan")
        elif "mounts" in reasons:
            _LOG.info("mount table changed: full scan")
        elif "root" in reasons:
            _LOG.info("folder removed or restored: full scan")

    def note_message(self, message: Message) -> None:
        """Note what an update process sent."""
        if isinstance(message, ScanProgress):
            self._playlists[message.playlist].scanning = message.text
        elif isinstance(message, PlaylistUpdated):
            self._playlists[message.playlist].scanning = None
            self._note_update(message, self._playlists[message.playlist])
        elif isinstance(message, PlaylistFailed):
            self._playlists[message.playlist].scanning = None
            self._note_failure(message, self._playlists[message.playlist])
        elif isinstance(message, UpdateEnded):
            for playlist in self._playlists.values():
                playlist.scanning = None
            if message.code:
                code = message.code
                ending = f"by signal {-code}" if code < 0 else f"with code {code}"
                _LOG.error("an update ended %s before it was done; it is tried again", ending)

    def _note_update(self, message: PlaylistUpdated, playlist: _Playlist) -> None:
        name, batch = message.playlist, self._batches.get(message.playlist, Batch())
        if playlist.error is not None:
            _LOG.info("%s: is managed again", name)
        playlist.state, playlist.error = "managed" if message.deck is None else "dealt", None
        playlist.updated = message
        if message.is_changed:
            _LOG.info(
                "%s: %s%s written to %s",
                name,
                _changes(message),
                counted(message.tracks, "track"),
                "; removed ".join(map(shown, [playlist.output, *message.removed_files])),
            )
        # Where nothing was scanned, nothing has changed.
        unreadable = {
            path: reason for path, reason in playlist.unreadable.items() if not _is_scanned(path, batch)
        } | dict(message.unreadable)
        for path, reason in unreadable.items():
            if playlist.unreadable.get(path) != reason:
                _LOG.warning("%s: %s: %s; its tracks stay in the playlist", name, shown(path), reason)
        playlist.unreadable = unreadable
        for note in dict.fromkeys(message.notes):
            if note not in playlist.notes:
                _LOG.warning("%s: %s", name, note)
        playlist.notes = set(message.notes)
        for path, tracks in message.folders:
            root = self._roots[os.fsencode(path)]
            root.tracks, root.is_missing = tracks, False
            if batch.is_whole:
                root.last_full_scan = time.time()
            if batch.why in _DRIFT:
                root.missed_changes += message.added + message.removed + message.renamed

    def _note_failure(self, message: PlaylistFailed, playlist: _Playlist) -> None:
        if message.code == Exit.NOTHING_TO_PLAY and message.growing:
            if not playlist.is_waiting_for_files:
                _LOG.info("%s: waits for files that are still being written", message.playlist)
            playlist.is_waiting_for_files, playlist.state, playlist.error = True, "waiting", None
            return
        if message.error != playlist.error:
            level = logging.WARNING if message.code == Exit.MISSING else logging.ERROR
            _LOG.log(level, "%s: %s", message.playlist, message.error)
        playlist.error = message.error
        playlist.state = _FAILURES.get(Exit(message.code), "error")
        if message.matches_nothing:
            playlist.state = "nothing matches"
        if message.missing is not None:
            missing = os.fsencode(message.missing).rstrip(b"/") + b"/"
            for path, root in self._roots.items():
                root.is_missing |= missing.startswith(path + b"/")

    def has_unreadable(self, name: str) -> bool:
        """Return whether a playlist has anything that could not be read at its last scan."""
        return bool(self._playlists[name].unreadable)

    def note_modes(self, modes: Sequence[Mode]) -> None:
        """Note how the folders are watched."""
        for mode in modes:
            root = self._roots[mode.root]
            before, root.mode = root.mode, mode
            if before is None or _kind(before) != _kind(mode):
                level = logging.INFO if mode.state == "events" else logging.WARNING
                advice = f"; {mode.advice}" if mode.advice else ""
                kind = f", {mode.file_system}" if mode.file_system else ""
                _LOG.log(level, "watching %s: %s%s%s", shown(mode.root), mode, kind, advice)

    def publish(self) -> None:
        """Publish the status for everybody, and in a few words for systemd."""
        self._file.publish(self._status())
        notify.status(self._summary())

    def _summary(self) -> str:
        for name, playlist in self._playlists.items():
            if playlist.scanning is not None:
                return f"scanning: {name}: {playlist.scanning}"
        missing = [shown(path) for path, root in self._roots.items() if _is_missing(root)]
        if missing:
            return f"missing: {', '.join(missing)}"
        if self.note is not None:
            return self.note
        errors = [f"{name}: {playlist.error}" for name, playlist in self._playlists.items() if playlist.error]
        if errors:
            return shown(errors[0])
        polled = [
            f"{shown(path)}: {root.mode}"
            for path, root in self._roots.items()
            if root.mode is not None and root.mode.state != "events"
        ]
        tracks = ", ".join(
            f"{name} {playlist.updated.tracks:,}"
            for name, playlist in self._playlists.items()
            if playlist.updated is not None
        )
        return "; ".join([f"managed: {tracks}" if tracks else "starting", *polled])

    def _status(self) -> ServiceStatus:
        path = self._config.path
        return ServiceStatus(
            Service(os.getpid(), self._since_s, os.fsdecode(path) if path is not None else None, self.note),
            tuple(_root_status(path, root) for path, root in self._roots.items()),
            tuple(_playlist_status(name, playlist) for name, playlist in self._playlists.items()),
            __version__,
        )


def _is_scanned(path: str, batch: Batch) -> bool:
    """Return whether a folder (with a slash at its end), or a file's folder, was scanned for a batch."""
    folder = os.fsencode(path[: path.rfind("/") + 1])
    return batch.is_whole or folder in batch.folders or folder.startswith(tuple(batch.trees))


def _kind(mode: Mode) -> str:
    """Return how a root is watched, without the numbers, which may change each time."""
    return re.sub(r"\d+", "", str(mode))


def _is_missing(root: _Root) -> bool:
    return root.is_missing or (root.mode is not None and root.mode.state == "missing")


def _root_status(path: bytes, root: _Root) -> RootStatus:
    mode = root.mode or Mode(path, "missing", "not checked yet")
    return RootStatus(
        root=os.fsdecode(path),
        state="missing" if _is_missing(root) else EMPTY if root.tracks == 0 else "ok",
        file_system=mode.file_system,
        watched=str(mode),
        advice=mode.advice,
        folders=mode.folders,
        watches=mode.watches,
        tracks=root.tracks,
        last_event=_rounded(mode.last_event),
        last_full_scan=_rounded(root.last_full_scan),
        missed_changes=root.missed_changes,
    )


def _playlist_status(name: str, playlist: _Playlist) -> PlaylistStatus:
    updated = playlist.updated
    status = PlaylistStatus(
        name,
        playlist.output,
        playlist.state,
        last_error=playlist.error,
        scanning=playlist.scanning,
        unreadable=tuple(f"{shown(path)}: {reason}" for path, reason in sorted(playlist.unreadable.items())),
    )
    if updated is None:
        return status
    return replace(
        status,
        tracks=updated.tracks,
        library=updated.library,
        order=updated.order,
        last_write=_rounded(updated.written_s),
        missing_lists=tuple(updated.missing_lists),
        deck=updated.deck,
        summary=updated.deck_line,
    )


def _rounded(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds)


def _changes(message: PlaylistUpdated) -> str:
    counts = ((message.added, "added"), (message.removed, "removed"), (message.renamed, "renamed"))
    words = [f"{count:,} {word}" for count, word in counts if count]
    return f"{', '.join(words)}; " if words else ""
