"""Feed the queue of MPD from a deck: two tracks are always ahead, and each comes once in a round.

The queue stays the person's: nothing of theirs is moved or removed, and playback starts only if the queue ran
out while this process was looking. After each change: look at the queue, decide what it needs, and do that.
"""

import contextlib
import json
import math
import os
import re
import select
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from playshuffle.dealing.fed import Fed, Outcome, Passed
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.listening.listen import SIGNALS
from playshuffle.listening.mpd_news import TITLE, news_of
from playshuffle.listening.passes import PlayTimer
from playshuffle.listening.saved_windows import load_window, save_window, window_file
from playshuffle.listening.window import QueueLook, Window, decide
from playshuffle.service.update_process import close_all_but, exit_at_end
from playshuffle.system import lock, mpd_server
from playshuffle.system.mpd_server import Address
from playshuffle.telling.mpd_queue import CommandError, MpdQueue, connected

_LOW = 10  # tracks in the reserve at which the next ones are dealt
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
    """

    def __init__(self, playlist: bytes, deal: Callable[[Passed], Fed], say: Callable[[str], None]) -> None:
        self._path, self._deal, self._say = window_file(playlist), deal, say
        self._window = load_window(self._path)._replace(playlist=os.fsdecode(playlist))
        self._answered: Passed | None = None  # what the last deal knew
        self._texts: set[str] = set()
        self._is_over, self._must_deal = False, True
        self._failures = self._errors = 0
        self._add_from_s = self._deal_from_s = -math.inf
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
                        self._step()
                        self._say(f"Feeding {queue.title} from {shown(self._window.playlist)}")
                        while not self._is_over:
                            self._wait()
                            self._step()
                        if self._window.outcomes:  # `status` and other computers read the deck
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
        self._timer, self._version = PlayTimer(TITLE), 0
        self._entries: list[tuple[str, str]] = []
        self._texts.clear()
        window, out = self._window.connected(self._read())
        self._save(window._replace(player=f"MPD at {queue.address.text}"))
        self._remove(out)

    def _read(self) -> QueueLook:
        """Return the queue as it is now."""
        client = self._client
        client.command_list_ok_begin()
        client.status()
        client.plchanges(self._version)
        status, changes = client.command_list_end()
        length = int(status["playlistlength"])
        self._entries = [*self._entries, *[("", "")] * length][:length]
        for change in changes:
            self._entries[int(change["pos"])] = change["id"], change["file"]
        for mode, text in _MODES.items():
            self._say_once(text, status[mode] != "0")
        song = {"duration": status.get("duration", "0")}
        song |= {"file": self._entries[int(status["song"])][1]} if "song" in status else {}
        heard = self._timer.update(news_of(status, song, is_late=not self._version))
        heard += [] if "song" in status else self._timer.end()
        self._version = int(status["playlist"])
        plays = frozenset(one.track.uri for one in heard if one.is_play)
        self._count_errors(status.get("error"), has_plays=bool(plays))
        return QueueLook(dict(self._entries), status, plays, is_failing=self._errors >= _MOST_ERRORS)

    def _count_errors(self, error: str | None, *, has_plays: bool) -> None:
        """Count the tracks in a row that MPD cannot play. After several, wait: a drive may be missing."""
        if error is not None:
            self._say_once(f"MPD: {shown(error)}")
            self._client.clearerror()
            self._errors += 1
            if (failures := self._errors - _MOST_ERRORS) >= 0:
                self._add_from_s = time.monotonic() + _PAUSES_S[min(failures, len(_PAUSES_S) - 1)]
        elif has_plays:
            self._errors = 0

    def _step(self) -> None:
        """Look at the queue, deal if the reserve is low, and give MPD what it needs."""
        missing = self._look()
        is_low = len(self._window.reserve) < _LOW and self._window.passed != self._answered
        if (self._must_deal or is_low) and time.monotonic() >= self._deal_from_s:
            self._deal_next()
            missing = self._look()  # that took a while, and the queue may be another one
        while missing > 0 and self._window.reserve and time.monotonic() >= self._add_from_s:
            window, uri = self._window, self._window.reserve[0]
            id_ = self._ask("addid", uri) if uri.isprintable() else None  # MPD finds only UTF-8 names
            if id_ is None:
                self._say_once(f"MPD does not know {shown(uri)}. It comes after: mpc update")
                window = window._replace(outcomes={**window.outcomes, uri: Outcome.REFUSED})
            else:
                # While MPD has a song, it plays the new one, too, before its queue has run out.
                if "song" in self._client.status():
                    window = window._replace(ahead={**window.ahead, id_: uri})
                else:
                    window = window._replace(added={**window.added, id_: uri})
                missing -= 1
            self._save(window._replace(reserve=window.reserve[1:]))

    def _look(self) -> int:
        """Compare the queue with the last look, put it in order, and return how many tracks it lacks."""
        before, now = dict(self._entries), self._read()
        window, commands, missing = decide(self._window, now)
        self._save(window)
        if before and before.keys().isdisjoint(now.entries):
            self._add_from_s = time.monotonic() + _AFTER_CLEAR_S
        for command, *words in commands:
            self._ask(command, *words)
            if command == "playid":  # it may be over before the next look
                playing = {**now.status, "state": "play", "songid": words[0]}
                self._window = window._replace(status=playing)
        return missing

    def _save(self, window: Window) -> None:
        self._window = window
        save_window(self._path, window)

    def _wait(self) -> None:
        """Wait for a change of the queue, a signal, or the time of the next try."""
        now_s = time.monotonic()
        pauses_s = [
            moment_s - now_s for moment_s in (self._add_from_s, self._deal_from_s) if moment_s > now_s
        ]
        changes = self._client.wait(_SUBSYSTEMS, self._signals, min(pauses_s, default=None))
        if "database" in changes:
            outcomes = {
                uri: outcome for uri, outcome in self._window.outcomes.items() if outcome != Outcome.REFUSED
            }
            self._window, self._deal_from_s = self._window._replace(outcomes=outcomes), -math.inf
        self._read_signals(0)

    def _read_signals(self, seconds: float) -> None:
        if select.select([self._signals], [], [], seconds)[0]:
            numbers = os.read(self._signals, 64)
            self._is_over |= any(number != signal.SIGHUP for number in numbers)
            self._must_deal |= signal.SIGHUP in numbers

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
                with contextlib.suppress(BrokenPipeError), open(write, "wb") as pipe:
                    pipe.write(_dealt(self._deal, self._window.passed))
        os.close(write)
        with open(read, "rb") as answers:
            content = answers.read()
        os.waitpid(child, 0)
        answer = json.loads(content) if content else "The deal was killed."
        if isinstance(answer, str):
            self._say_once(answer)
            self._deal_from_s = time.monotonic() + _PAUSES_S[min(self._failures, len(_PAUSES_S) - 1)]
            self._failures += 1
            return
        fed = Fed(*answer)
        self._must_deal, self._failures, self._deal_from_s = False, 0, -math.inf
        top = self._window.top or self._found_top(fed.paths)
        window, out = self._window._replace(top=top).with_deal(fed)
        self._save(window)
        self._answered = window.passed
        self._remove(out)

    def _remove(self, ids: Sequence[str]) -> None:
        for id_ in ids:
            self._ask("deleteid", id_)

    def _found_top(self, paths: Sequence[str]) -> str:
        """Return MPD's music folder as this computer sees it; if it is not known, by a track that MPD has."""
        if self._music:
            return os.path.join(os.fsdecode(self._music), "")
        names = filter(str.isprintable, paths)  # MPD finds only UTF-8 names
        ends = ((path, path[: slash.end()]) for path in names for slash in re.finditer("/", path))
        return next((end for path, end in ends if self._ask("lsinfo", path.removeprefix(end))), "")

    def _ask(self, command: str, *words: str) -> Any:
        """Return MPD's answer; None if an entry or track does not exist any more."""
        try:
            return getattr(self._client, command)(*words)
        except CommandError as error:
            if not str(error).startswith(_UNKNOWN):
                raise
            return None

    def _say_once(self, text: str, is_so: bool = True) -> None:
        """Show a message once for each connection; again, if `is_so` was false in between."""
        if not is_so:
            self._texts.discard(text)
        elif text and text not in self._texts:
            self._texts.add(text)
            self._say(text)


def _dealt(deal: Callable[[Passed], Fed], passed: Passed) -> bytes:
    try:
        return json.dumps(deal(passed)).encode()
    except PlayshuffleError as error:
        return json.dumps(str(error)).encode()


def _claim(client: Any) -> None:
    """Subscribe to a channel of our own in MPD, by which other feeders see that it is fed.

    Raises:
        PlayshuffleError: another process feeds MPD.
    """
    host, own = re.sub("[^A-Za-z0-9._-]", "_", os.uname().nodename), str(os.getpid())
    client.subscribe(f"{_CHANNEL}:{host}:{own}")
    for channel in client.channels():
        name, *other = channel.split(":")
        if name != _CHANNEL or other == [host, own] or len(other) != 2:
            continue
        # After a lost connection, a killed process is subscribed for a while.
        if other[0] != host or os.path.exists(f"/proc/{other[1]}"):
            text = f"Process {other[1]} on {other[0]} already feeds this MPD. Stop it first."
            raise PlayshuffleError(text, Exit.CANNOT_CREATE)
