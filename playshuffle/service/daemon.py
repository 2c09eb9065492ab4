"""Run the service: wait for changes, have playlists updated, answer signals, report health.

This process reads no music. It waits, hands batches of changes to an update process, and reports what
came of them.
"""

import contextlib
import faulthandler
import logging
import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from playshuffle.config.model import Config
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.service import notify, running
from playshuffle.service.backlog import Backlog
from playshuffle.service.installation import Installation
from playshuffle.service.live_status import LiveStatus
from playshuffle.service.signals import received, signal_pipe
from playshuffle.service.update_process import Update, UpdateProcess
from playshuffle.service.update_protocol import (
    LibraryScanned,
    PlaylistFailed,
    PlaylistUpdated,
    UpdateEnded,
)
from playshuffle.system import sandbox
from playshuffle.text import counted
from playshuffle.watch.debounce import Batch
from playshuffle.watch.stall import StallClock
from playshuffle.watch.watcher import HEARTBEAT_S, Watch

_LOG = logging.getLogger(__name__)

_STALLED_S = 120.0  # without a message, an update is ended
_KILL_AFTER = 1.5  # times that, it is killed
_LAST_WAIT_S = 15.0  # for the write in hand, at the end
_TRIES = 3  # to begin the process of the updates, if none of them comes to an end


@dataclass(frozen=True, slots=True)
class _Inheritance:
    """What one life of the service leaves to the next.

    unfinished: news by playlist. shut: playlists whose folder was closed to the service at its start.
    refused: why the last configuration was not taken.
    """

    unfinished: Mapping[str, Batch] = field(default_factory=dict)
    shut: frozenset[str] = frozenset()
    refused: str | None = None


def run(load: Callable[[], Config]) -> int:
    """Keep all playlists of the configuration up to date until a signal ends it; return the exit code.

    Args:
        load: reads the configuration; called again for every reload.

    Raises:
        PlayshuffleError: the configuration is broken at the start, or all of its playlists are
            managed by another service.
    """
    faulthandler.enable()
    config = before = _load(load)
    began_s, installation, inheritance = int(time.time()), Installation(), _Inheritance()
    tries = 0
    with signal_pipe() as signals, running.StatusFile() as status_file:
        while tries < _TRIES:
            with contextlib.ExitStack() as stack:
                try:
                    managed, broken = _lock_playlists(config, stack)
                except PlayshuffleError as error:
                    if config is before:
                        raise
                    config, inheritance = before, replace(inheritance, refused=_refusal(error))
                    continue
                status = LiveStatus(managed, broken, began_s, status_file)
                updates = stack.enter_context(UpdateProcess(partial(_make_update, managed, began_s)))
                watch = stack.enter_context(_watch(managed))
                life = _Life(managed, load, signals, updates, watch, status, inheritance, installation)
                code = life.serve()
                inheritance = life.inheritance()
            if code is not None:
                return code
            tries = 0 if life.reloaded is not None or life.has_updated else tries + 1
            before, config = config, life.reloaded or config
    raise PlayshuffleError(
        "The process that updates the playlists ends as soon as it starts. If playshuffle was just upgraded,"
        " start the service again.",
        Exit.MISSING,
    )


def _watch(config: Config) -> Watch:
    """Return a watch of all that the playlists are made from, and of the configuration."""
    requests = [playlist.request for playlist in config.playlists]
    files = [path for request in requests for path in request.skip_lists]
    return Watch(
        [root for request in requests for root in request.roots],
        files=files if config.path is None else [*files, config.path],
        settle_s=config.settle_s,
        poll_s=config.poll_s,
        heartbeat_s=min(HEARTBEAT_S, notify.watchdog_s() or HEARTBEAT_S),
    )


def _load(load: Callable[[], Config]) -> Config:
    """Return a configuration with at least one playlist that is not broken."""
    config = load()
    if not config.playlists:
        raise PlayshuffleError(config.broken[0].text, Exit.CONFIG)
    return config


def _refusal(error: PlayshuffleError) -> str:
    """Log that a new configuration cannot be used; return that for the status."""
    refused = f"The new configuration cannot be used, the old one stays in force: {error}"
    _LOG.error("%s", refused)
    return refused


def _make_update(config: Config, began_s: int) -> Update:
    # Imported in the update process: the service itself need not know how it is done.
    from playshuffle.players.profiles import set_own_players
    from playshuffle.service.update import update

    set_own_players(config.players)  # one that was refused since may have added others

    return partial(update, config, began_s)


def _lock_playlists(config: Config, stack: contextlib.ExitStack) -> tuple[Config, dict[str, str]]:
    """Lock each playlist that no other service manages.

    Returns:
        The configuration with those playlists, and the errors of all others by name.
    """
    locked = []
    broken: dict[str, str] = {}
    for fault in config.broken:
        broken[fault.name] = f"{broken[fault.name]} {fault.text}" if fault.name in broken else fault.text
    refusal: PlayshuffleError | None = None
    for playlist in config.playlists:
        assert playlist.request.output is not None
        try:
            stack.enter_context(running.alone_with(playlist.request.output))
        except PlayshuffleError as error:
            broken[playlist.name] = str(error)
            refusal = error
        else:
            locked.append(playlist)
    if refusal is not None and not locked:
        raise refusal
    return replace(config, playlists=tuple(locked)), broken


class _Life:
    """One life of the service, from a configuration to the next.

    reloaded: the next configuration, after a reload. has_updated: whether any update came to its end.
    """

    def __init__(
        self,
        config: Config,
        load: Callable[[], Config],
        signals: int,
        updates: UpdateProcess,
        watch: Watch,
        status: LiveStatus,
        inheritance: _Inheritance,
        installation: Installation,
    ) -> None:
        self.reloaded: Config | None = None
        self.has_updated = False
        self._load = load
        self._config_file = config.path
        self._has_new_config = False
        self._refused = inheritance.refused
        self._signals = signals
        self._updates = updates
        self._watch = watch
        self._status = status
        self._backlog = Backlog(
            # A playlist that is dealt by every run is dealt by hand: the service always runs.
            {
                playlist.name: playlist.request.roots
                for playlist in config.playlists
                if playlist.deal is None or playlist.deal.every != Every.RUN
            },
            files={playlist.name: playlist.request.skip_lists for playlist in config.playlists},
            settle_s=config.settle_s,
            unfinished=inheritance.unfinished,
            now_s=time.monotonic(),
        )
        self._installation = installation
        self._next_check_s = 0.0
        # What was stopped or starved was this process, too, if it looks less often.
        self._silence = StallClock(2 * HEARTBEAT_S)
        self._heard_s = 0.0
        self._day = _today()
        self._is_given_up = False
        # Asked before any update: the first one may take hours, and a folder may be replaced meanwhile.
        self._shut = inheritance.shut | {
            playlist.name
            for playlist in config.playlists
            if sandbox.came_late(os.path.dirname(playlist.request.output or b""))
        }
        self._shut_since: set[str] = set()
        self._stalled_s = min(_STALLED_S, notify.watchdog_s() or _STALLED_S)

    def serve(self) -> Exit | None:
        """Have playlists updated, batch after batch; return an exit code, or None for the next life."""
        with select.epoll() as wake:
            wake.register(self._signals, select.EPOLLIN)
            wake.register(self._updates, select.EPOLLIN)
            for batch in self._watch.batches(wake.fileno()):
                if batch is not None:
                    self._add(batch)
                self._receive()
                code = self._handle_signals()
                if code is None and (self._needs_sandbox() or self._is_outdated()):
                    code = Exit.MISSING  # systemd starts it again
                if code is not None or self.reloaded is not None:
                    self._wait_for_update()
                    return code
                if self._updates.is_over:
                    _LOG.error("the process that updates the playlists was killed; starting another one")
                    return None
                self._check_clock()
                modes = self._watch.modes()
                self._backlog.note_unwatched(mode.root for mode in modes if mode.state == "missing")
                is_outdated = self._installation.change is not None and _is_under_systemd()
                if self._backlog.is_waiting and not self._updates.is_busy and not is_outdated:
                    self._begin_update()
                self._status.note_modes(modes)
                self._status.publish()
        raise AssertionError("batches never end")

    def inheritance(self) -> _Inheritance:
        """Return what the next life should know; it scans all folders anyway."""
        self._backlog.add(self._watch.take_unripe(), time.monotonic())
        return _Inheritance(self._backlog.unfinished(), self._shut, self._refused)

    def _add(self, batch: Batch) -> None:
        if batch.why == "start":
            notify.ready()
        self._has_new_config |= self._config_file in batch.files
        _LOG.debug("%s", _description(batch))
        self._backlog.add(batch, time.monotonic())

    def _begin_update(self) -> None:
        batches = self._backlog.begin(time.monotonic())
        self._status.begin(batches)
        self._updates.begin(batches)

    def _receive(self) -> None:
        """Handle the messages of the update under way."""
        for message in self._updates.receive():
            self._status.note_message(message)
            if isinstance(message, LibraryScanned):
                self._backlog.note_scanned()
            elif isinstance(message, PlaylistUpdated):
                self._backlog.note_growing(message.growing)
                self._backlog.finish(
                    message.playlist,
                    is_cached=message.is_cached,
                    has_unreadable=self._status.has_unreadable(message.playlist),
                )
            elif isinstance(message, PlaylistFailed):
                self._backlog.note_growing(message.growing)
                if message.is_shut:
                    self._shut_since.add(message.playlist)
            elif isinstance(message, UpdateEnded):
                self._is_given_up = False
                self.has_updated |= message.code == 0
                for folder, after_s in self._backlog.end(time.monotonic()).items():
                    self._watch.rescan([folder], after_s)

    def _handle_signals(self) -> Exit | None:
        numbers = received(self._signals)
        if {signal.SIGTERM, signal.SIGINT} & numbers:
            notify.stopping()
            return Exit.DONE if signal.SIGTERM in numbers else Exit.INTERRUPTED
        if signal.SIGHUP not in numbers and not self._has_new_config:
            return None
        self._has_new_config = False
        notify.reloading()
        try:
            self.reloaded = _load(self._load)
        except PlayshuffleError as error:
            self._refused = _refusal(error)
            notify.ready()
            self._watch.request_full_scan()
            return None
        self._refused = None
        _LOG.info("configuration reloaded")
        return None

    def _needs_sandbox(self) -> bool:
        """Return whether a restart opens a folder to the service; what was shut at the start stays so."""
        names = sorted(self._shut_since - self._shut) if _is_under_systemd() else []
        for name in names:
            _LOG.warning("%s: its folder was created again; restarting to open the sandbox to it", name)
        return bool(names)

    def _is_outdated(self) -> bool:
        """Return whether to restart after an upgrade, now that no update is under way."""
        if time.monotonic() < self._next_check_s:
            return False
        before = self._installation.change
        change = self._installation.check()
        self._status.note = change or self._refused
        if change is None:
            self._next_check_s = time.monotonic() + HEARTBEAT_S / 2
            return False
        if before is None:
            _LOG.warning("%s", change)
        return _is_under_systemd() and not self._updates.is_busy

    def _wait_for_update(self) -> None:
        """Let the update under way end at a place where nothing is half done."""
        until = time.monotonic() + _LAST_WAIT_S
        while self._updates.is_busy and not self._updates.is_over and time.monotonic() < until:
            self._updates.interrupt(signal.SIGTERM)  # again: it may not have been ready for it
            select.select([self._updates], [], [], 0.5)
            self._receive()
            notify.keep_alive()
        if self._updates.is_busy:
            self._updates.interrupt(signal.SIGKILL)

    def _check_clock(self) -> None:
        if _today() != self._day:
            self._day = _today()
            self._add(Batch(is_whole=True, why="day"))
        now_s = time.monotonic()
        self._backlog.retry(now_s)
        if not self._updates.is_busy or self._updates.heard_s != self._heard_s:
            self._silence.reset()
        self._heard_s = self._updates.heard_s
        self._silence.observe(now_s, None)
        silent_s = self._silence.stalled_s
        if silent_s > self._stalled_s and not self._is_given_up:
            _LOG.error(
                "An update made no progress for %.0f seconds and is stopped; its stack follows", silent_s
            )
            self._updates.interrupt(signal.SIGABRT)
            self._is_given_up = True
        if silent_s > _KILL_AFTER * self._stalled_s:  # it waits for a disk, and handles no other signal
            self._updates.interrupt(signal.SIGKILL)
        # An update that cannot even be killed hangs in the kernel: systemd may try what it can.
        if silent_s <= 2 * self._stalled_s:
            notify.keep_alive()


def _is_under_systemd() -> bool:
    """Return whether systemd started this service, and starts it again after a failure."""
    return "INVOCATION_ID" in os.environ


def _today() -> str:
    return datetime.now().astimezone().date().isoformat()


def _description(batch: Batch) -> str:
    if batch.is_whole:
        return f"full scan: {batch.why}"
    folders, trees = counted(len(batch.folders), "folder"), counted(len(batch.trees), "tree")
    return f"scan of {folders} and {trees}: {batch.why}"
