"""Follow the tracks of a deck through the queue of MPD, where a person adds, moves and removes entries.

An entry of ours waits until it is the current one, and is done when it no longer is. No event is needed: the
queue is compared with the one that was seen last.
"""

import math
import os
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Self

from playshuffle.dealing.fed import Passed

_GONE = 50  # entries that left the queue to remember


class Phase(StrEnum):
    """What became of an entry."""

    WAITING = "waiting"
    CURRENT = "current"
    DONE = "done"


class QueueEntry(NamedTuple):
    """An entry of ours in the queue; MPD gives it another id when it restarts."""

    uri: str
    id: str
    phase: Phase = Phase.WAITING


class MpdState(NamedTuple):
    """The queue of MPD: ids in order, the id of the current song, and the state `play`, `pause` or `stop`."""

    ids: tuple[str, ...]
    song: str | None
    state: str
    consumes: bool = False
    is_random: bool = False

    @property
    def position(self) -> int:
        return -1 if self.song is None else self.ids.index(self.song)

    def has_run_out(self, before: str) -> bool:
        """Return whether MPD has played all of its queue, and was in the state `before`."""
        return before == "play" and self.state == "stop" and self.song is None and bool(self.ids)


class Window(NamedTuple):
    """The tracks that a list has promised to MPD, by URI, as they are saved.

    Attributes:
        player: title of the MPD.
        playlist: path of the list.
        top: MPD's music folder, as this computer sees it.
        deal: round and number of their deal.
        entries: those in the queue, and played ones.
        reserve: those to be added next.
        played: tracks since that deal that are done.
        skipped: tracks since that deal that come again, in a deck that counts plays.
        removed: tracks since that deal that the person removed.
        refused: tracks that MPD does not know.
        gone: the last tracks that left the queue; a restarted MPD may have an older queue with them.
        started_s: when MPD was started (Unix time).
        ids, song, state: the queue at the last look.
    """

    player: str = ""
    playlist: str = ""
    top: str = ""
    deal: tuple[int, int] = (0, 0)
    entries: tuple[QueueEntry, ...] = ()
    reserve: tuple[str, ...] = ()
    played: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    started_s: int = 0
    ids: tuple[str, ...] = ()
    song: str | None = None
    state: str = "stop"

    @property
    def waiting(self) -> list[QueueEntry]:
        return [entry for entry in self.entries if entry.phase is Phase.WAITING]

    @property
    def passed(self) -> Passed:
        parts = (self.played, self.skipped, self.removed, self.refused)
        paths = ([os.fsencode(os.path.join(self.top, uri)) for uri in part] for part in parts)
        return Passed(self.deal, *paths)

    def compared(self, now: MpdState, *, is_late: bool) -> "tuple[Self, Sequence[QueueEntry]]":
        """Return the window after a look at the queue, and the entries to move behind the person's.

        Args:
            is_late: nobody has looked for a while, so what was passed over was played.
        """
        place = {id_: position for position, id_ in enumerate(now.ids)}
        passed: set[str] = set()
        jumped = [one.id for one in self.waiting if place.get(one.id, math.inf) < now.position]
        if now.is_random:
            jumped = []
        elif is_late or now.song in {entry.id for entry in self.entries}:
            passed, jumped = {*jumped}, []
        passed |= {
            entry.id for entry in self.entries if entry.phase is Phase.CURRENT and entry.id != now.song
        }
        passed |= self._consumed(now)
        if now.has_run_out(self.state):  # those that were added meanwhile wait
            passed |= {entry.id for entry in self.waiting if entry.id in place and entry.id in self.ids}
        phases = dict.fromkeys(passed, Phase.DONE)
        if now.song is not None:
            phases |= {entry.id: Phase.CURRENT for entry in self.waiting if entry.id == now.song}
        gone = [entry for entry in self.entries if entry.id not in place]
        removed = [one.uri for one in gone if one.phase is Phase.WAITING and one.id not in passed]
        window = self._replace(
            entries=tuple(
                entry._replace(phase=phases.get(entry.id, entry.phase))
                for entry in self.entries
                if entry.id in place
            ),
            played=(*self.played, *(entry.uri for entry in self.entries if entry.id in passed)),
            removed=(*self.removed, *removed),
            gone=(*self.gone, *(entry.uri for entry in gone))[-_GONE:],
            ids=now.ids,
            song=now.song,
            state=now.state,
        )
        own = {entry.id for entry in window.entries}
        last = max((position for position, id_ in enumerate(now.ids) if id_ not in own), default=-1)
        if now.song is None and any(place[entry.id] < last for entry in window.waiting):
            return window, window.waiting  # stopped: the person's tracks come first
        return window, [entry for entry in window.waiting if entry.id in jumped]

    def _consumed(self, now: MpdState) -> set[str]:
        """Return the ids of waiting entries that MPD has removed after it played them."""
        before = {id_: position for position, id_ in enumerate(self.ids)}
        end = math.inf if now.has_run_out(self.state) else before.get(now.song or "", -1)
        waiting = {entry.id for entry in self.waiting}.difference(now.ids)
        return {id_ for id_ in waiting if now.consumes and before.get(id_, math.inf) < end}

    def found_again(
        self, queue: Sequence[tuple[str, str]], song: int, started_s: int
    ) -> "tuple[Self, list[str]]":
        """Return the window after a connection, and the ids of entries that were played or removed already.

        Args:
            queue: id and URI of each entry.
            song: position of the current song.
            started_s: when MPD was started; it has other ids since, and perhaps an older queue.
        """
        left, order = dict(queue), {id_: position for position, id_ in enumerate(self.ids)}
        place = {id_: position for position, (id_, _) in enumerate(queue)}
        is_same = abs(started_s - self.started_s) <= 1  # MPD counts whole seconds
        entries, lost = [], []
        for entry in self.entries:
            if is_same:
                left.pop(entry.id, None)
                entries.append(entry)  # `compared` finds out if it is gone
                continue
            was = order.get(entry.id, 0)
            same = [id_ for id_, uri in left.items() if uri == entry.uri]
            nearest = min(same, key=lambda id_: abs(place[id_] - was), default=None)
            if nearest is not None:
                del left[nearest]
                entries.append(entry._replace(id=nearest))
            elif entry.phase is not Phase.DONE:
                lost.append(entry.uri)
        over = [] if is_same else [id_ for id_, uri in left.items() if uri in self.gone]
        if not is_same and self.state != "stop":
            over += [entry.id for entry in entries if entry.phase is Phase.DONE]
        over = [id_ for id_ in over if place[id_] >= song]
        reserve = [*lost, *self.reserve]
        for uri in self.reserve:  # it was added, and the process was killed before that was saved
            added = [id_ for id_, other in left.items() if other == uri and id_ not in over]
            if not added:
                break
            reserve.remove(uri)
            entries.append(QueueEntry(uri, added[-1]))
        ids = self.ids if is_same else ()
        return self._replace(
            entries=tuple(entries), reserve=tuple(reserve), ids=ids, started_s=started_s
        ), over

    def with_deal(self, deal: tuple[int, int], uris: Sequence[str]) -> "tuple[Self, list[str]]":
        """Return the window after a deal, and the ids of waiting entries that are not in it any more."""
        held = {entry.uri for entry in self.entries if entry.phase is not Phase.DONE}
        reserve = tuple(uri for uri in uris if uri not in held)
        window = self._replace(deal=deal, reserve=reserve, played=(), skipped=(), removed=())
        return window, [entry.id for entry in self.waiting if entry.uri not in uris]
