"""Feed the queue of MPD from a deck: two tracks are always ahead, and each comes once in a round.

The queue stays the person's: nothing of theirs is moved or removed, and playback starts only if the queue ran
out while this process was looking.
"""

import contextlib
import json
import math
import os
import re
import select
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from playshuffle.dealing.fed import Passed
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.listening.listen import SIGNALS
from playshuffle.listening.mpd_news import TITLE, news_of
from playshuffle.listening.passes import PlayTimer
from playshuffle.listening.saved_windows import load_window, save_window, window_file
from playshuffle.listening.window import MpdState, Phase, QueueEntry
from playshuffle.pipeline.deal import Fed
from playshuffle.service.update_process import close_all_but, exit_at_end
from playshuffle.system import lock, mpd_server
from playshuffle.system.mpd_server import Address
from playshuffle.telling.mpd_queue import CommandError, MpdQueue, connected

_AHEAD = 2  # so that MPD can fade from one to the next
_LOW = 10  # tracks in the reserve at which the next ones are dealt
_KEPT = 50  # played entries that stay in the queue
_AFTER_CLEAR_S = 3  # another program may be about to add its own tracks
_PAUSES_S = (1, 2, 5, 10, 30, 60, 300)  # before the next try
_MOST_ERRORS = 3  # tracks in a row that MPD cannot play
_UNKNOWN = ("[2@", "[50@")  # what an error begins with: a wrong argument, or nothing with this name
_CHANNEL = "playshuffle"
_SUBSYSTEMS = ("player", "playlist", "options", "database")
_MODES = {
    "random": "MPD plays its queue in random order, so your tracks mix with these. To end it: mpc random off",
    "single": "MPD stops after each track. To end it: mpc single off",
    "repeat": "MPD repeats its queue, which makes no difference here: it never ends",
}


class Feeder:
    """The process that feeds MPD from a list, and what it knows of the queue.

    Args:
        deal: deals the next tracks of the list; called in a child process, which returns its memory.
        say: shows a message.
        counts_plays: a skipped track comes again.
    """

    def __init__(
        self,
        playlist: bytes,
        deal: Callable[[Passed], Fed],
        say: Callable[[str], None],
        *,
        counts_plays: bool,
    ) -> None:
        self._path, self._deal, self._say, self._counts_plays = window_file(playlist), deal, say, counts_plays
        self._window = load_window(self._path)._replace(playlist=os.fsdecode(playlist))
        self._texts: set[str] = set()
        self._is_over, self._is_changed, self._needs_deal = False, False, True
        self._failures = self._errors = 0
        self._fill_from_s = self._deal_from_s = -math.inf
        self._signals, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write)
        for number in SIGNALS:
            signal.signal(number, lambda *_: None)

    def run(self, places: Sequence[Address]) -> None:
        """Feed the first MPD that answers until a signal ends the process.

        Raises:
            PlayshuffleError: another process feeds this MPD or from this list, or MPD refuses a command.
        """
        refusal = f"Process {{process}} already feeds MPD from {shown(self._window.playlist)}."
        with lock.held(self._path + b".lock", 0, refusal):
            while not self._is_over:
                try:
                    with connected(places) as queue:
                        self._enter(queue)
                        self._look()
                        self._fill()
                        self._say(f"Feeding {queue.title} from {shown(self._window.playlist)}")
                        while not self._is_over:
                            self._wait()
                            self._look()
                            self._fill()
                        if any(self._window.passed[1:4]):  # `status` and other computers read the deck
                            self._deal_next()
                except OSError as error:
                    self._say_once(f"Waiting for MPD: {shown(str(error))}")
                    mpd_server.forget_answers()
                    self._read_signals(_PAUSES_S[2])

    def _enter(self, queue: MpdQueue) -> None:
        """Find our entries after a connection."""
        self._client: Any = queue.client
        self._client.tagtypes("clear")
        _claim(self._client)
        conf = mpd_server.settings([queue.address])
        self._music = b"" if conf is None or conf.music is None else os.path.realpath(conf.music)
        self._timer, self._is_first, self._plays_on, self._version = PlayTimer(TITLE), True, False, 0
        status, stats = self._client.status(), self._client.stats()
        entries = [(song["id"], song["file"]) for song in self._client.playlistinfo()]
        started_s = round(time.time()) - int(stats["uptime"])
        window = self._window._replace(player=f"MPD at {queue.address.text}")
        self._window, over = window.found_again(entries, int(status.get("song", 0)), started_s)
        paused = status.get("songid") if status["state"] == "pause" else None
        # After the next tracks are there: else MPD would stop at the end of an older queue.
        self._over = [id_ for id_ in over if id_ != paused]
        self._texts.clear()

    def _look(self, *, is_late: bool = False) -> None:
        """Compare the queue with the one that was seen last, and decide what is missing."""
        client, before = self._client, self._window
        client.command_list_ok_begin()
        client.status()
        client.plchangesposid(self._version)
        client.currentsong()
        status, changes, song = client.command_list_end()
        length = int(status["playlistlength"])
        ids = [*(before.ids if self._version else ()), *[""] * length][:length]
        for change in changes:
            ids[int(change["cpos"])] = change["id"]
        self._version = int(status["playlist"])
        modes = status["consume"] != "0", status["random"] == "1"
        now = MpdState(tuple(ids), status.get("songid"), status["state"], *modes)
        is_first, self._is_first = self._is_first, False
        self._window, jumped = before.compared(now, is_late=is_late or is_first)
        heard = self._timer.update(news_of(status, song, is_late=is_first))
        heard += [] if song else self._timer.end()
        self._count(
            before.played, {one.track.uri for one in heard if one.is_play}, status.get("error"), is_first
        )
        save_window(self._path, self._window)
        if before.ids and not ids and not is_first:
            self._fill_from_s = time.monotonic() + _AFTER_CLEAR_S
        is_stuck = now.state == "stop" and now.song is not None and "error" in status
        ran_out = before.state == "play" and (is_stuck or now.has_run_out("play"))
        stays_out = self._plays_on and now.state == "stop" and bool(ids)
        self._plays_on = (ran_out or stays_out) and not is_first and status["single"] == "0"
        for entry in jumped:
            self._ask("moveid", entry.id, length - 1)
        has_song = now.song is not None and not is_stuck
        waiting = len(self._window.waiting)
        is_by_place = has_song and not now.is_random
        ahead = len({*ids[now.position + 1 :]}.difference(self._over)) if is_by_place else waiting
        self._missing = _AHEAD + (not has_song) - ahead
        # In random mode, MPD plays the whole queue again. Otherwise some played entries stay.
        played = [one.id for one in self._window.entries if one.phase is Phase.DONE and one.id != now.song]
        behind = {*ids[: max(now.position, 0)]}
        self._remove(played if now.is_random else [id_ for id_ in played if id_ in behind][:-_KEPT])
        for mode, text in _MODES.items():
            self._say_once(text, status[mode] != "0")

    def _count(self, before: Sequence[str], plays: set[str], error: str | None, is_first: bool) -> None:
        """Decide which of the tracks that have ended since `before` come again."""
        ended = self._window.played[len(before) :]
        if error is not None:
            self._errors += 1
            self._say_once(f"MPD: {shown(error)}")
            self._client.clearerror()
        elif plays:
            self._errors = 0
        again = () if is_first else tuple(uri for uri in ended if uri not in plays)
        window = self._window._replace(played=(*before, *plays, *(uri for uri in ended if uri not in again)))
        if self._errors >= _MOST_ERRORS and again:  # a drive may be missing
            pause_s = _PAUSES_S[min(self._errors - _MOST_ERRORS, len(_PAUSES_S) - 1)]
            self._fill_from_s = time.monotonic() + pause_s
            self._window = window._replace(removed=(*window.removed, *again))
        elif self._counts_plays:
            self._window = window._replace(skipped=(*window.skipped, *again))
        else:
            self._window = window._replace(played=(*window.played, *again))

    def _fill(self) -> None:
        """Deal if the reserve is low, and add what is missing."""
        is_low = len(self._window.reserve) < _LOW and (self._needs_deal or any(self._window.passed[1:4]))
        if self._is_changed or (is_low and time.monotonic() >= self._deal_from_s):
            self._is_changed = False
            self._deal_next()
            self._look(is_late=True)  # that took a while, and the queue may be another one
        is_added = False
        while self._missing > 0 and self._window.reserve and time.monotonic() >= self._fill_from_s:
            window, uri = self._window, self._window.reserve[0]
            window = window._replace(reserve=window.reserve[1:])
            id_ = self._ask("addid", uri) if uri.isprintable() else None  # MPD finds only UTF-8 names
            if id_ is None:
                self._say_once(f"MPD does not know {shown(uri)}. It comes after: mpc update")
                self._window, self._needs_deal = window._replace(refused=(*window.refused, uri)), True
            else:
                self._window = window._replace(entries=(*window.entries, QueueEntry(uri, id_)))
                self._missing, is_added = self._missing - 1, True
            save_window(self._path, self._window)
        self._remove(self._over)
        if is_added or self._over:
            self._over = []
            self._look()
        if self._plays_on and (waiting := self._window.waiting):
            # Not the one that was added last: others may wait before it.
            self._ask("playid", min((entry.id for entry in waiting), key=self._window.ids.index))

    def _wait(self) -> None:
        """Wait for a change of the queue, a signal, or the time of the next try."""
        times = [self._fill_from_s] if self._missing > 0 else []
        times += [self._deal_from_s] if self._needs_deal else []
        now_s = time.monotonic()
        seconds = min((moment_s - now_s for moment_s in times if moment_s > now_s), default=None)
        changes = self._client.wait(_SUBSYSTEMS, self._signals, seconds)
        if "database" in changes:
            self._window = self._window._replace(refused=())
            self._needs_deal, self._deal_from_s = True, -math.inf
        self._read_signals(0)

    def _read_signals(self, seconds: float) -> None:
        if select.select([self._signals], [], [], seconds)[0]:
            numbers = os.read(self._signals, 64)
            self._is_over |= any(number != signal.SIGHUP for number in numbers)
            self._is_changed |= signal.SIGHUP in numbers

    def _deal_next(self) -> None:
        """Deal in a child process; remove from the queue what the deck no longer has."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            with exit_at_end():
                signal.set_wakeup_fd(-1)
                for number in SIGNALS:
                    signal.signal(number, signal.SIG_IGN)
                close_all_but(write)
                with contextlib.suppress(BrokenPipeError), open(write, "wb") as answer:
                    answer.write(_dealt(self._deal, self._window.passed))
        os.close(write)
        with open(read, "rb") as answers:
            content = answers.read()
        os.waitpid(child, 0)
        deal, paths, text = json.loads(content) if content else ((), (), "The deal was killed.")
        if text:
            self._say_once(text)
            self._needs_deal = True
            self._deal_from_s = time.monotonic() + _PAUSES_S[min(self._failures, len(_PAUSES_S) - 1)]
            self._failures += 1
            return
        self._needs_deal, self._failures, self._deal_from_s = False, 0, -math.inf
        top = self._window.top or self._found_top(paths)
        window = self._window._replace(top=top)
        self._window, out = window.with_deal(tuple(deal), [path.removeprefix(top) for path in paths])
        save_window(self._path, self._window)
        self._remove(out)

    def _found_top(self, paths: Sequence[str]) -> str:
        """Return MPD's music folder as this computer sees it; if it is not known, by a track that MPD has."""
        if self._music:
            return os.path.join(os.fsdecode(self._music), "")
        ends = ((path, path[: slash.end()]) for path in paths for slash in re.finditer("/", path))
        return next((end for path, end in ends if self._ask("lsinfo", path.removeprefix(end))), "")

    def _remove(self, ids: Iterable[str]) -> None:
        for id_ in ids:
            self._ask("deleteid", id_)

    def _ask(self, command: str, *words: object) -> Any:
        """Return MPD's answer; None if an entry or track does not exist any more."""
        try:
            return getattr(self._client, command)(*words)
        except CommandError as error:
            if not str(error).startswith(_UNKNOWN):
                raise
            return None

    def _say_once(self, text: str, is_so: bool = True) -> None:
        """Show a message unless it was shown since the connection, or since it was not so."""
        if not is_so:
            self._texts.discard(text)
        elif text not in self._texts:
            self._texts.add(text)
            self._say(text)


def _dealt(deal: Callable[[Passed], Fed], passed: Passed) -> bytes:
    try:
        last, paths = deal(passed)
    except PlayshuffleError as error:
        return json.dumps(((), (), str(error))).encode()
    return json.dumps((last, [*map(os.fsdecode, paths)], "")).encode()


def _claim(client: Any) -> None:
    """Subscribe to a channel of our own in MPD, by which other feeders see that it is fed.

    Raises:
        PlayshuffleError: another process feeds MPD.
    """
    host = re.sub("[^A-Za-z0-9._-]", "_", os.uname().nodename)
    client.subscribe(f"{_CHANNEL}:{host}:{os.getpid()}")
    for name, other, process in (
        channel.split(":") for channel in client.channels() if channel.count(":") == 2
    ):
        is_here = other == host  # after a lost connection, a killed process is subscribed for a while
        is_own = is_here and (process == str(os.getpid()) or not os.path.exists(f"/proc/{process}"))
        if name == _CHANNEL and not is_own:
            text = f"Process {process} on {other} already feeds this MPD. Stop it first."
            raise PlayshuffleError(text, Exit.CANNOT_CREATE)
