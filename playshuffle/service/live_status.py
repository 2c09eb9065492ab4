"""Collect the status of a service: log each event once, and publish the status."""

import logging
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from playshuffle.config.model import Config
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.service import notify
from playshuffle.service import update_protocol as protocol
from playshuffle.service.page import write_page
from playshuffle.service.status_json import EMPTY, PlaylistStatus, RootStatus, Service, Status
from playshuffle.service.status_publisher import StatusFile
from playshuffle.tags.cause import Cause
from playshuffle.text import counted
from playshuffle.watch.debounce import Batch
from playshuffle.watch.limits import Mode

_LOG = logging.getLogger(__name__)

# Reasons of a batch that are logged.
_EMPTY = {"nothing to play", "nothing matches"}  # states of playlists that wait for tracks
_WHY_FULL_SCAN = {
    "lost": (logging.WARNING, "events were lost (a queue overflowed, or a file system was unmounted)"),
    "resume": (logging.INFO, "woke from sleep"),
    "mounts": (logging.INFO, "mount table changed"),
    "root": (logging.INFO, "folder removed or restored"),
}


class LiveStatus:
    """The status of a service, its folders and its playlists."""

    def __init__(self, config: Config, broken: Mapping[str, str], since_s: int, file: StatusFile) -> None:
        self._file = file
        self._config = config
        self._since_s = since_s
        self._request = protocol.UpdateRequest(frozenset(), Batch())
        self.note: str | None = None
        self._playlists = {
            playlist.name: PlaylistStatus(playlist.name, os.fsdecode(playlist.output), "waiting")
            for playlist in config.playlists
        }
        self._roots = {
            root: RootStatus(os.fsdecode(root), "ok")
            for playlist in config.playlists
            for root in playlist.request.roots
        }
        self._modes: dict[bytes, Mode] = {}
        self._missing: set[bytes] = set()  # roots, as updates reported them
        self._unreadable: dict[str, dict[bytes, Cause]] = {}  # reasons by path, by playlist
        self._notes: dict[str, set[tuple[str, bytes]]] = {}
        self._waiting_for_files: set[str] = set()
        self._on_page: Status | None = None
        self._page_error = ""
        for name, error in broken.items():
            self._playlists[name] = PlaylistStatus(name, "", "broken", last_error=error)
            _LOG.error("%s: %s", name, error)

    def begin(self, request: protocol.UpdateRequest) -> None:
        self._request = request
        if request.batch.why in _WHY_FULL_SCAN:
            level, words = _WHY_FULL_SCAN[request.batch.why]
            _LOG.log(level, "%s: full scan", words)

    def note_message(self, message: protocol.Message) -> None:
        if isinstance(message, protocol.ScanProgress):
            for name in self._request.playlists:
                self._set(name, scanning=message.text)
        elif isinstance(message, protocol.PlaylistUpdated):
            self._note_update(message)
        elif isinstance(message, protocol.PlaylistFailed):
            self._note_failure(message)
        elif isinstance(message, protocol.UpdateEnded):
            for name in self._playlists:
                self._set(name, scanning=None)
            if message.code:
                code = message.code
                ending = f"by signal {-code}" if code < 0 else f"with code {code}"
                _LOG.error("an update ended %s before it was done; it is tried again", ending)

    def _set(self, name: str, **changes: Any) -> None:
        self._playlists[name] = self._playlists[name]._replace(**changes)

    def _note_update(self, message: protocol.PlaylistUpdated) -> None:
        name, batch = message.playlist, self._request.batch
        playlist = self._playlists[name]
        if playlist.last_error is not None:
            _LOG.info("%s: is updated again", name)
        if message.is_changed:
            _LOG.info(
                "%s: %s%s written to %s",
                name,
                _changes(message),
                counted(message.status.tracks or 0, "track"),
                shown(os.fsencode(playlist.output)),
            )
        before = self._unreadable.get(name, {})
        # Folders that were not scanned have not changed.
        unreadable = {path: reason for path, reason in before.items() if not _is_scanned(path, batch)}
        unreadable |= dict(message.unreadable)
        for path, reason in unreadable.items():
            if before.get(path) != reason:
                _LOG.warning("%s: %s: %s; its tracks stay in the playlist", name, shown(path), reason)
        self._unreadable[name] = unreadable
        before_notes = self._notes.get(name, set())
        for note in message.notes:
            if (note.code, note.about) not in before_notes:
                _LOG.warning("%s: %s", name, note)
        self._notes[name] = {(note.code, note.about) for note in message.notes}
        for folder, tracks in message.folders:
            self._note_root(folder, tracks, message, batch)
        lines = tuple(f"{shown(path)}: {reason}" for path, reason in sorted(unreadable.items()))
        self._playlists[name] = message.status._replace(unreadable=lines)

    def _note_root(self, path: bytes, tracks: int, message: protocol.PlaylistUpdated, batch: Batch) -> None:
        (self._missing.add if os.fsdecode(path) in message.status.waiting else self._missing.discard)(path)
        last_scan = round(time.time()) if batch.is_full_scan else self._roots[path].last_full_scan
        self._roots[path] = self._roots[path]._replace(tracks=tracks, last_full_scan=last_scan)

    def _note_failure(self, message: protocol.PlaylistFailed) -> None:
        name = message.playlist
        if message.growing and message.state in _EMPTY:
            if name not in self._waiting_for_files:
                _LOG.info("%s: waits for files that are still being written", name)
            self._waiting_for_files.add(name)
            self._set(name, state="waiting", last_error=None, scanning=None)
            return
        if message.error != self._playlists[name].last_error:
            waits = message.state in {"missing", *_EMPTY}
            level = logging.WARNING if waits else logging.ERROR
            _LOG.log(level, "%s: %s", name, message.error)
        self._set(name, state=message.state, last_error=message.error, scanning=None)
        if message.missing is not None:
            missing = message.missing.rstrip(b"/") + b"/"
            self._missing |= {path for path in self._roots if missing.startswith(path + b"/")}

    def has_unreadable(self, name: str) -> bool:
        return bool(self._unreadable.get(name) or self._playlists[name].waiting)

    def note_modes(self, modes: Sequence[Mode]) -> None:
        for mode in modes:
            before, self._modes[mode.root] = self._modes.get(mode.root), mode
            self._roots[mode.root] = self._roots[mode.root]._replace(
                file_system=mode.file_system,
                watched=str(mode),
                advice=mode.advice,
                folders=mode.folders,
                watches=mode.watches,
                last_event=mode.last_event,
            )
            if before is None or (before.state, before.detail) != (mode.state, mode.detail):
                level = logging.INFO if mode.state == "events" else logging.WARNING
                advice = f"; {mode.advice}" if mode.advice else ""
                kind = f", {mode.file_system}" if mode.file_system else ""
                _LOG.log(level, "watching %s: %s%s%s", shown(mode.root), mode, kind, advice)

    def publish(self) -> None:
        path = self._config.path
        config = os.fsdecode(path) if path is not None else None
        status = Status(
            (Service(os.getpid(), self._since_s, config, self.note),),
            tuple(root._replace(state=self._state(path, root)) for path, root in self._roots.items()),
            tuple(self._playlists.values()),
        )
        self._file.publish(status)
        self._write_page(status)
        notify.status(self._summary())

    def _write_page(self, status: Status) -> None:
        """Write the status page if the status has changed and no scan is running."""
        is_scanning = any(playlist.scanning is not None for playlist in status.playlists)
        if self._config.page is None or is_scanning or status == self._on_page:
            return
        self._on_page = status
        try:
            write_page(self._config.page, status, time.time())
        except PlayshuffleError as error:
            if str(error) != self._page_error:
                _LOG.error("%s", error)
            self._page_error = str(error)

    def end(self) -> None:
        if self._on_page is not None:
            self._write_page(self._on_page._replace(services=()))

    def _summary(self) -> str:
        for name, playlist in self._playlists.items():
            if playlist.scanning is not None:
                return f"scanning: {name}: {playlist.scanning}"
        missing = [shown(path) for path in self._roots if self._is_missing(path)]
        if missing:
            return f"missing: {', '.join(missing)}"
        if self.note is not None:
            return self.note
        for name, playlist in self._playlists.items():
            if playlist.last_error:
                return shown(f"{name}: {playlist.last_error}")
        polled = [f"{shown(mode.root)}: {mode}" for mode in self._modes.values() if mode.state != "events"]
        tracks = ", ".join(
            f"{name} {playlist.tracks:,}"
            for name, playlist in self._playlists.items()
            if playlist.tracks is not None
        )
        return "; ".join([f"up to date: {tracks}" if tracks else "starting", *polled])

    def _state(self, path: bytes, root: RootStatus) -> str:
        return "missing" if self._is_missing(path) else EMPTY if root.tracks == 0 else "ok"

    def _is_missing(self, path: bytes) -> bool:
        mode = self._modes.get(path)
        return path in self._missing or (mode is not None and mode.state == "missing")


def _is_scanned(path: bytes, batch: Batch) -> bool:
    folder = path[: path.rfind(b"/") + 1]
    return batch.is_full_scan or folder in batch.folders or folder.startswith(tuple(batch.trees))


def _changes(message: protocol.PlaylistUpdated) -> str:
    counts = ((message.added, "added"), (message.removed, "removed"), (message.renamed, "renamed"))
    words = [f"{count:,} {word}" for count, word in counts if count]
    return f"{', '.join(words)}; " if words else ""
