"""Run the service: wait for changes, start updates, answer signals, report health."""

import contextlib
import faulthandler
import logging
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import InitVar, dataclass
from datetime import date, datetime
from functools import partial

from playshuffle.config.model import Config, ConfiguredPlaylist
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.service import notify
from playshuffle.service.backlog import Backlog
from playshuffle.service.installation import Installation
from playshuffle.service.live_status import LiveStatus
from playshuffle.service.signals import Terminal, received, signal_pipe
from playshuffle.service.status_publisher import StatusFile, alone_with, can_lock
from playshuffle.service.update_process import Update, UpdateProcess
from playshuffle.service.update_protocol import LibraryScanned, PlaylistFailed, PlaylistUpdated, UpdateEnded
from playshuffle.service.update_watchdog import UpdateWatchdog
from playshuffle.system import mpd_server, sandbox
from playshuffle.system.clock import Began, uptime_s
from playshuffle.system.regular_file import status_of
from playshuffle.text import counted
from playshuffle.watch.debounce import Batch
from playshuffle.watch.watcher import HEARTBEAT_S, Watch

_LOG = logging.getLogger(__name__)

_LAST_WAIT_S = 15.0  # for a write that is under way at the end


def run(load: Callable[[], Config]) -> int:
    """Keep all playlists of the configuration up to date until a signal ends it; return the exit code.

    `load` reads the configuration at the start and for every reload.

    Raises:
        PlayshuffleError: at the start, the configuration is broken, another service manages all playlists, or
            the update process was killed.
    """
    faulthandler.enable()
    config, began = _load(load), Began(int(time.time()), uptime_s())
    life: _Life | None = None
    terminal = Terminal()
    with signal_pipe() as signals, StatusFile() as published:
        while True:
            with contextlib.ExitStack() as stack:
                managed, broken, has_locks = _lock_playlists(config, stack)
                if life is None and not managed.playlists:
                    raise PlayshuffleError([*broken.values()][-1], Exit.CANNOT_CREATE)
                status = LiveStatus(managed, broken, began.time_s, published)
                updates = stack.enter_context(UpdateProcess(partial(_make_update, managed, began)))
                watch = stack.enter_context(_watch(managed))
                life = _Life(managed, load, signals, terminal, updates, watch, status, has_locks, life)
                code = life.serve()
            if code is not None:
                status.end()
                return code
            if life.reloaded is None and not life.has_scanned:
                raise PlayshuffleError(
                    "The process that updates the playlists ended before its first scan was done."
                    " If playshuffle was just upgraded, start the service again.",
                    Exit.MISSING,
                )
            if life.reloaded is None:
                _LOG.error("the process that updates the playlists was killed; starting another one")
            config = life.reloaded or config


def _watch(config: Config) -> Watch:
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
    mpd_server.forget_answers()
    config = load()
    if not config.playlists:
        raise PlayshuffleError(config.broken[0].text, Exit.CONFIG)
    return config


def _make_update(config: Config, began: Began) -> Update:
    # Imported in the update process, to keep the service small.
    from playshuffle.players.profiles import set_own_players
    from playshuffle.service.update import update

    set_own_players(config.players)  # a configuration that was refused since may have added others

    return partial(update, config, began)


def _lock_playlists(config: Config, stack: contextlib.ExitStack) -> tuple[Config, dict[str, str], bool]:
    """Lock each playlist that no other service manages.

    Returns the configuration with these playlists, the errors of all others by name, and whether the disk had
    room for all locks.
    """
    locked, has_locks = [], True
    broken: dict[str, str] = {}
    for fault in config.broken:
        broken[fault.name] = f"{broken[fault.name]} {fault.text}" if fault.name in broken else fault.text
    for playlist in config.playlists:
        try:
            has_locks &= stack.enter_context(alone_with(playlist.output))
            locked.append(playlist)
        except PlayshuffleError as error:
            broken[playlist.name] = str(error)
    return config._replace(playlists=tuple(locked)), broken, has_locks


@dataclass(eq=False)
class _Life:
    """The service from one load of the configuration to the next.

    Attributes:
        signals: descriptor of a pipe with the numbers of received signals.
        has_locks: each playlist is locked against other services.
        shut: playlists whose folder the sandbox kept read-only when a configuration was loaded.
    """

    config: Config
    load: Callable[[], Config]
    signals: int
    terminal: Terminal
    updates: UpdateProcess
    watch: Watch
    status: LiveStatus
    has_locks: bool
    before: InitVar["_Life | None"]
    reloaded: Config | None = None
    has_scanned: bool = False
    refused: str | None = None
    _has_new_config: bool = False
    _must_restart: bool = False
    _next_check_s: float = 0.0

    def __post_init__(self, before: "_Life | None") -> None:
        self.refused = before.refused if before else None
        self.installation: Installation = before.installation if before else Installation()
        self.backlog: Backlog = Backlog(
            {
                playlist.name: playlist.request.roots
                for playlist in self.config.playlists
                if playlist.request.deal is None or not playlist.request.deal.is_by_hand
            },
            files={playlist.name: playlist.request.skip_lists for playlist in self.config.playlists},
            settle_s=self.config.settle_s,
            news=before.backlog.news() if before else Batch(),
            now_s=time.monotonic(),
        )
        # Checked before any update: the first one may take hours, and a folder may be replaced meanwhile.
        self.shut: set[str] = (before.shut if before else set()) | {
            playlist.name
            for playlist in self.config.playlists
            if sandbox.came_late(os.path.dirname(playlist.output))
        }
        self.devices = {playlist.name: _device(playlist) for playlist in self.config.playlists}
        self.watchdog = UpdateWatchdog(self.updates)
        self._day = _today()

    def serve(self) -> Exit | None:
        """Run updates, batch after batch; return an exit code, or None to load the configuration again."""
        for batch in self.watch.batches(self.signals, self.updates.fileno()):
            if batch is not None:
                self._add(batch)
            self._receive()
            code = self._handle_signals()
            if code is None and (self._must_restart or self._is_outdated()):
                code = Exit.MISSING  # systemd starts it again
            if code is not None or self.reloaded is not None or self.updates.is_over:
                self._wait_for_update()
                # The next life scans all folders, but no scan repeats the reports of moves.
                self.backlog.add(self.watch.take_unripe(), time.monotonic())
                return code
            self._check_clock()
            if not self.has_locks and can_lock():
                self.has_locks = self._has_new_config = True
            modes = self.watch.modes()
            self.backlog.note_unwatched(mode.root for mode in modes if mode.state == "missing")
            if self.backlog.is_due and not self.updates.is_busy:
                request = self.backlog.begin(time.monotonic())
                self.status.begin(request)
                self.updates.begin(request)
            self.status.note_modes(modes)
            self.status.publish()
        raise AssertionError("batches never end")

    def _add(self, batch: Batch) -> None:
        if batch.why == "start":
            notify.send("READY=1")
        self._has_new_config |= self.config.path in batch.files
        where = (
            "everything" if batch.is_full_scan else counted(len(batch.folders) + len(batch.trees), "folder")
        )
        _LOG.debug("scan of %s: %s", where, batch.why)
        self.backlog.add(batch, time.monotonic())

    def _receive(self) -> None:
        for message in self.updates.receive():
            self.status.note_message(message)
            if isinstance(message, LibraryScanned):
                self.has_scanned = True
                self.backlog.note_scanned(message.missing)
            elif isinstance(message, PlaylistUpdated):
                self.backlog.note_growing(message.growing)
                self.backlog.finish(
                    message.playlist,
                    is_cached=message.is_cached,
                    has_unreadable=self.status.has_unreadable(message.playlist),
                )
            elif isinstance(message, PlaylistFailed):
                self.backlog.note_growing(message.growing)
                if message.is_shut and self._is_made_again(message.playlist):
                    why = "its folder was created again; restarting to open the sandbox to it"
                    _LOG.warning("%s: %s", message.playlist, why)
                    self._must_restart = True
            elif isinstance(message, UpdateEnded):
                for folder, after_s in self.backlog.end(time.monotonic()).items():
                    self.watch.rescan([folder], after_s)

    def _is_made_again(self, name: str) -> bool:
        """Return whether a folder was created since the start, and its drive was not just unmounted."""
        devices = (_device(playlist) for playlist in self.config.playlists if playlist.name == name)
        is_mounted_as_before = self.devices.get(name) in (None, next(devices, None))
        return name not in self.shut and is_mounted_as_before and _is_under_systemd()

    def _handle_signals(self) -> Exit | None:
        numbers = received(self.signals)
        if {signal.SIGTERM, signal.SIGINT} & numbers:
            notify.send("STOPPING=1")
            if signal.SIGTERM not in numbers:  # Ctrl-C
                _LOG.info("stopped")
            return Exit.DONE
        if self.terminal.is_gone(numbers):
            return Exit.INTERRUPTED
        if signal.SIGHUP not in numbers and not self._has_new_config:
            return None
        self._has_new_config = False
        notify.reloading()
        try:
            self.reloaded = _load(self.load)
        except PlayshuffleError as error:
            self.refused = f"The new configuration cannot be used, the old one stays in force: {error}"
            _LOG.error("%s", self.refused)
            notify.send("READY=1")
            self.watch.request_full_scan()
            return None
        self.refused = None
        _LOG.info("configuration reloaded")
        return None

    def _is_outdated(self) -> bool:
        if time.monotonic() < self._next_check_s:
            return False
        before = self.installation.change
        change = self.installation.check()
        self.status.note = change or self.refused
        if change is None:
            self._next_check_s = time.monotonic() + HEARTBEAT_S / 2
            return False
        if before is None:
            _LOG.warning("%s", change)
        return _is_under_systemd() and not self.updates.is_busy

    def _wait_for_update(self) -> None:
        """Stop the running update where nothing is half written; if that fails, kill it."""
        until = time.monotonic() + _LAST_WAIT_S
        while self.updates.is_busy and time.monotonic() < until:
            self.updates.interrupt(signal.SIGTERM)  # again: it may not have been ready for the first one
            select.select([self.updates], [], [], 0.5)
            self._receive()
            notify.send("WATCHDOG=1")
        if self.updates.is_busy:
            self.updates.interrupt(signal.SIGKILL)

    def _check_clock(self) -> None:
        time.tzset()  # the computer may have travelled to another time zone
        if _today() != self._day:
            self._day = _today()
            self._add(Batch(is_full_scan=True, why="day"))
        now_s = time.monotonic()
        self.backlog.retry(now_s)
        self.watchdog.check(now_s)


def _device(playlist: ConfiguredPlaylist) -> int | None:
    status = status_of(os.path.dirname(playlist.output))
    return None if status is None else status.st_dev


def _is_under_systemd() -> bool:
    return "INVOCATION_ID" in os.environ


def _today() -> date:
    return datetime.now().astimezone().date()
