"""The main path again for every batch of changes; signals, readiness and health around it.

This process reads no library: it waits, hands batches to `passes`, and says what came of them.
"""

import contextlib
import faulthandler
import logging
import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial

from playshuffle.config.load import Config
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.service import notify
from playshuffle.service import running as services
from playshuffle.service.live_status import Ledger
from playshuffle.service.pass_process import Passes, Settle
from playshuffle.watch.batch import Batch, merged
from playshuffle.watch.watcher import BEAT_S, Watch

_LOG = logging.getLogger(__name__)

_STALLED_S = 120.0  # without a sign of life a pass is given up
_KILL_AFTER = 1.5  # of that time it is killed
_LAST_WAIT_S = 15.0  # for the write in hand, at the end
_RETRY_S = (10.0, 600.0)
_TRIES = 3  # to begin the process of the passes, if none of them comes to an end
_NEWS_S = 600.0  # what was told of deletions and moves is true for a while, not for ever
_LONGEST_GROWTH_S = 60.0
_UNSURE = frozenset(("mounts", "root", "lost", "resume"))


class _End(Enum):
    STOP = "stop"
    RELOAD = "reload"
    ANEW = "anew"
    SHUT_OUT = "shut out"


def run(load: Callable[[], Config]) -> int:
    """Keep all playlists of the configuration until told to stop; the exit code.

    Args:
        load: reads the configuration; called again for every reload.

    Raises:
        PlayshuffleError: the configuration is broken at the start, or all of its playlists are
            kept by another service.
    """
    faulthandler.enable()
    began_s = int(time.time())
    config = before = _loaded(load)
    heritage = _Heritage()
    in_vain = 0
    with _signals() as signals, services.Board() as board:
        while True:
            with contextlib.ExitStack() as stack:
                try:
                    taken, broken = _taken(config, stack)
                except PlayshuffleError as error:
                    if config is before:
                        raise
                    _LOG.error("The configuration cannot be kept, so the old one stays in force: %s", error)
                    config = before
                    taken, broken = _taken(config, stack)
                ledger = Ledger(taken, broken, board)
                passes = stack.enter_context(Passes(partial(_settle, taken, began_s)))
                watch = stack.enter_context(
                    Watch(
                        list(dict.fromkeys(root for one in taken.playlists for root in one.request.roots)),
                        quiet_s=config.quiet_s,
                        poll_s=config.poll_s,
                        beat_s=min(BEAT_S, notify.watchdog_s() or BEAT_S),
                    )
                )
                service = _Service(taken, load, signals, passes, watch, ledger, heritage)
                end = service.serve()
                heritage = service.heritage()
            if end is _End.STOP:
                return Exit.DONE
            if end is _End.SHUT_OUT:
                return Exit.AWAY
            in_vain = in_vain + 1 if end is _End.ANEW and not service.has_settled else 0
            if in_vain == _TRIES:
                raise PlayshuffleError(
                    "The process that keeps the playlists ends before it begins; if playshuffle was"
                    " just upgraded, start it again.",
                    Exit.AWAY,
                )
            before, config = config, service.reloaded or config


def _loaded(load: Callable[[], Config]) -> Config:
    """A configuration in which there is something to keep."""
    config = load()
    if not config.playlists:
        raise PlayshuffleError(config.broken[0].text, Exit.CONFIG)
    return config


def _settle(config: Config, began_s: int) -> Settle:
    # Here, in the process of the passes: the service itself need not know how it is done.
    from playshuffle.service.update import settle

    return partial(settle, config, began_s)


def _taken(config: Config, stack: contextlib.ExitStack) -> tuple[Config, dict[str, str]]:
    """The configuration with those playlists that no other service keeps; of the others, why not."""
    mine = []
    broken: dict[str, str] = {}
    for one in config.broken:
        broken[one.name] = f"{broken[one.name]} {one.text}" if one.name in broken else one.text
    held: PlayshuffleError | None = None
    for wanted in config.playlists:
        assert wanted.request.output is not None
        try:
            stack.enter_context(services.alone_with(wanted.request.output))
        except PlayshuffleError as error:
            broken[wanted.name] = str(error)
            held = error
        else:
            mine.append(wanted)
    if held is not None and not mine:
        raise held
    return replace(config, playlists=tuple(mine)), broken


@contextlib.contextmanager
def _signals() -> Iterator[int]:
    """Where a byte arrives for each signal that the service listens to: its number."""
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    listened = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [signal.signal(number, lambda *_: None) for number in listened]
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in zip(listened, before, strict=True):
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)


@dataclass(frozen=True, slots=True)
class _Heritage:
    """What one life of the service leaves to the next.

    news: what was told of deletions and moves and is not settled. shut: playlists whose folder
    was closed to the service from its start.
    """

    news: Batch = Batch()  # noqa: RUF009 - it is frozen
    shut: frozenset[str] = frozenset()


class _Service:
    """One life of the service, from a configuration to the next."""

    def __init__(
        self,
        config: Config,
        load: Callable[[], Config],
        signals: int,
        passes: Passes,
        watch: Watch,
        ledger: Ledger,
        heritage: _Heritage,
    ) -> None:
        self.reloaded: Config | None = None
        self._config = config
        self._load = load
        self._signals = signals
        self._passes = passes
        self._watch = watch
        self._ledger = ledger
        self.has_settled = False
        self._waiting: Batch | None = None
        self._under_way = Batch()
        self._news = heritage.news
        self._news_until_s = time.monotonic() + _NEWS_S
        self._growing: dict[bytes, float] = {}
        self._grew = False
        self._has_forgotten = False
        self._day = _today()
        self._retry_at = float("inf")
        self._retry_s = _RETRY_S[0]
        self._given_up = False
        self._is_start = False
        self._shut = set(heritage.shut)
        self._shut_since: set[str] = set()
        self._stalled_s = min(_STALLED_S, notify.watchdog_s() or _STALLED_S)

    def serve(self) -> _End:
        """Settle batch after batch, until a signal ends it."""
        with select.epoll() as wake:
            wake.register(self._signals, select.EPOLLIN)
            wake.register(self._passes, select.EPOLLIN)
            for batch in self._watch.batches(wake.fileno()):
                if batch is not None:
                    self._take(batch)
                self._hear()
                end = self._heed() or self._look_at_the_sandbox()
                if end is not None:
                    self._wait_for_the_last()
                    return end
                if self._passes.is_over:
                    _LOG.error("the process that keeps the playlists was killed; another one is begun")
                    return _End.ANEW
                self._look_at_the_clock()
                if self._waiting is not None and not self._passes.is_busy:
                    self._begin(self._waiting)
                self._ledger.watched(self._watch.modes())
                self._ledger.tell(is_busy=self._passes.is_busy)
        raise AssertionError("batches never end")

    def _take(self, batch: Batch) -> None:
        if batch.why == "start":
            notify.ready()
        if batch.why in _UNSURE:
            self._news = Batch()  # what went then may not have been deleted
        _LOG.debug("%s", _about(batch))
        self._waiting = batch if self._waiting is None else merged(self._waiting, batch)

    def _begin(self, batch: Batch) -> None:
        if time.monotonic() < self._news_until_s:
            batch = merged(self._news, batch)
        if self._has_forgotten:  # the cache has not what events told of
            batch = replace(batch, is_whole=True, why=batch.why if batch.is_whole else "retry")
        self._has_forgotten = False
        self._under_way, self._waiting, self._news = batch, None, Batch()
        self._grew = False
        self._is_start = batch.why == "start"
        self._ledger.began(batch)
        self._passes.begin(batch)

    def _hear(self) -> None:
        """Take in what the pass under way tells."""
        for told in self._passes.told():
            if "growing" in told:
                self._look_again([*map(os.fsencode, told["growing"])])
                continue
            if "forgotten" in told:
                self._has_forgotten = True
                continue
            if "ended" not in told:
                self._ledger.heard(told)
                if told.get("is_shut"):
                    (self._shut if self._is_start else self._shut_since).add(told["playlist"])
                continue
            self._given_up = False
            is_well = self._ledger.ended(told["ended"])
            was_done = told["ended"] == 0
            self.has_settled |= was_done
            if self._grew or not is_well:
                self._keep_for_the_next(was_done=was_done)
            if not self._grew:
                self._growing = {}
            # What cannot be read now may be soon, and no event tells of it.
            if is_well and not self._ledger.has_unreadable:
                self._retry_at = float("inf")
                self._retry_s = _RETRY_S[0]
            elif self._retry_at == float("inf"):
                self._retry_at = time.monotonic() + self._retry_s
                self._retry_s = min(2 * self._retry_s, _RETRY_S[1])

    def _look_again(self, folders: Sequence[bytes]) -> None:
        """Look at folders in which files are being written; ever more seldom, where that goes on."""
        first_s = self._config.quiet_s
        self._growing = {
            folder: min(2 * self._growing[folder], _LONGEST_GROWTH_S) if folder in self._growing else first_s
            for folder in folders
        } | (self._growing if self._grew else {})
        self._grew = True
        for folder in folders:
            self._watch.again([folder], self._growing[folder])

    def _keep_for_the_next(self, *, was_done: bool) -> None:
        """What the next pass must know, too, since not all was settled: events come only once."""
        batch = self._under_way
        if not self._news.gone and not self._news.moved:
            self._news_until_s = time.monotonic() + _NEWS_S
        self._news = merged(self._news, Batch(gone=batch.gone, moved=batch.moved) if was_done else batch)

    def heritage(self) -> _Heritage:
        """What the next life should know; the folders it looks at anyway."""
        news = merged(self._news, self._watch.rest())
        for batch in (self._waiting, self._under_way if self._passes.is_busy else None):
            news = news if batch is None else merged(news, batch)
        return _Heritage(Batch(gone=news.gone, moved=news.moved), frozenset(self._shut))

    def _heed(self) -> _End | None:
        """Do what signals ask for."""
        try:
            numbers = os.read(self._signals, 64)
        except BlockingIOError:
            return None
        if {signal.SIGTERM, signal.SIGINT} & set(numbers):
            notify.stopping()
            return _End.STOP
        notify.reloading()
        try:
            self.reloaded = _loaded(self._load)
        except PlayshuffleError as error:
            _LOG.error("The configuration is broken, so the old one stays in force: %s", error)
            notify.ready()
            self._watch.ask("asked")
            return None
        _LOG.info("the configuration is read anew")
        return _End.RELOAD

    def _look_at_the_sandbox(self) -> _End | None:
        """End, to be started again, where that lets the service in; what was shut at the start stays so."""
        for name in sorted(self._shut_since - self._shut):
            if "INVOCATION_ID" in os.environ:  # there is a systemd, and it starts us again
                _LOG.warning("%s: its folder was made anew; the sandbox opens to it with a new start", name)
                return _End.SHUT_OUT
        return None

    def _wait_for_the_last(self) -> None:
        """Let the pass under way end, at a place where nothing is half done."""
        until = time.monotonic() + _LAST_WAIT_S
        while self._passes.is_busy and not self._passes.is_over and time.monotonic() < until:
            self._passes.interrupt(signal.SIGTERM)  # again: it may not have listened yet
            select.select([self._passes], [], [], 0.5)
            self._hear()
            notify.keep_alive()
        if self._passes.is_busy:
            self._passes.interrupt(signal.SIGKILL)

    def _look_at_the_clock(self) -> None:
        if _today() != self._day:
            self._day = _today()
            self._take(Batch(is_whole=True, why="day"))
        now_s = time.monotonic()
        if now_s >= self._retry_at:
            self._retry_at = float("inf")
            self._take(Batch(is_whole=True, why="retry"))
        still_s = now_s - self._passes.moved_on_s if self._passes.is_busy else 0.0
        if still_s > self._stalled_s and not self._given_up:
            _LOG.error(
                "A pass has not moved on for %.0f seconds, and is ended; see below where it is", still_s
            )
            self._passes.interrupt(signal.SIGABRT)
            self._given_up = True
        if still_s > _KILL_AFTER * self._stalled_s:  # that waits for a disk, and hears nothing else
            self._passes.interrupt(signal.SIGKILL)
        # One that cannot even be killed hangs in the kernel: systemd may try what it can.
        if still_s <= 2 * self._stalled_s:
            notify.keep_alive()


def _today() -> str:
    return datetime.now().astimezone().date().isoformat()


def _about(batch: Batch) -> str:
    if batch.is_whole:
        return f"everything is looked at: {batch.why}"
    return f"{len(batch.folders):,} folders and {len(batch.trees):,} trees are looked at: {batch.why}"
