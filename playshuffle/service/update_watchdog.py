"""End an update that makes no progress, and keep the watchdog of systemd informed."""

import logging
import signal

from playshuffle.service import notify
from playshuffle.service.update_process import UpdateProcess
from playshuffle.watch.stall import StallClock
from playshuffle.watch.watcher import HEARTBEAT_S

_LOG = logging.getLogger(__name__)

_STALLED_S = 120.0  # an update without a message for this time is ended
_KILL_AFTER = 1.5  # after this multiple of the time, it is killed


class UpdateWatchdog:
    """Watches the updates of a process by their messages."""

    def __init__(self, updates: UpdateProcess) -> None:
        self._updates = updates
        # A longer pause means that this process was stopped itself: then no update is to blame.
        self._silence = StallClock(2 * HEARTBEAT_S)
        self._stalled_s = min(_STALLED_S, notify.watchdog_s() or _STALLED_S)
        self._heard_s = 0.0
        self._is_ending = False

    def check(self, now_s: float) -> None:
        """End an update that sends no message for too long. Call this at least every heartbeat.

        `now_s` is by a monotonic clock.
        """
        self._is_ending &= self._updates.is_busy
        if not self._updates.is_busy or self._updates.heard_s != self._heard_s:
            self._silence.reset()
        self._heard_s = self._updates.heard_s
        self._silence.observe(now_s, None)
        silent_s = self._silence.stalled_s
        if silent_s > self._stalled_s and not self._is_ending:
            _LOG.error(
                "An update made no progress for %.0f seconds and is stopped; its stack follows", silent_s
            )
            self._updates.interrupt(signal.SIGABRT)
            self._is_ending = True
        if silent_s > _KILL_AFTER * self._stalled_s:  # it waits for a disk, and handles no other signal
            self._updates.interrupt(signal.SIGKILL)
        # An update that cannot even be killed hangs in the kernel: let systemd try.
        if silent_s <= 2 * self._stalled_s:
            notify.send("WATCHDOG=1")
