"""Follow the tracks of a deck through the queue of MPD, where a person adds, moves and removes entries.

An entry of ours is ahead until it was the current one and no longer is. No event is needed: `decide` compares
the queue with the last look, and names the commands that MPD needs.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Self

from playshuffle.dealing.fed import Fed, Outcome, Passed

_AHEAD = 2  # so that MPD can fade from one to the next
_KEPT = 50  # played entries that stay in the queue
_GONE = 50  # entries that left the queue to remember

Entries = Mapping[str, str]  # URIs by id, in the order of the queue; MPD gives other ids when it restarts
_NO_ENTRIES: Entries = {}


class QueueLook(NamedTuple):
    """The queue of MPD at one moment.

    Attributes:
        status: MPD's answer.
        plays: tracks that were played since the last look, by URI.
        is_failing: MPD could not play the last tracks.
    """

    entries: Entries
    status: Mapping[str, str]
    plays: Collection[str] = ()
    is_failing: bool = False

    @property
    def position(self) -> int:
        return int(self.status.get("song", -1))

    def has(self, mode: str) -> bool:
        return self.status.get(mode, "0") != "0"


class Window(NamedTuple):
    """The tracks that a list has promised to MPD, by URI, and the last look at the queue, as they are saved.

    Attributes:
        player: title of the MPD.
        playlist: path of the list.
        top: MPD's music folder, as this computer sees it.
        deal: the deal they are from, without its paths.
        ahead: entries of ours that wait, and the current one.
        added: entries that were added since the last look, while MPD had no song.
        past: entries of ours that were played or skipped.
        gone: the last tracks of ours that left the queue.
        twins: tracks of ours that the person has added, too.
        reserve: tracks to be added next.
        outcomes: what became of tracks since the deal.
        status: MPD's answer at the last look.
        plays_on: the queue ran out before the next track was added, so that is to be played.
    """

    player: str = ""
    playlist: str = ""
    top: str = ""
    deal: Fed = Fed()
    ahead: Entries = _NO_ENTRIES
    added: Entries = _NO_ENTRIES
    past: Entries = _NO_ENTRIES
    gone: Sequence[str] = ()
    twins: Sequence[str] = ()
    reserve: Sequence[str] = ()
    outcomes: Mapping[str, str] = {}
    status: Mapping[str, str] = {}
    plays_on: bool = False

    @property
    def passed(self) -> Passed:
        outcomes = {
            os.fsencode(os.path.join(self.top, uri)): Outcome(outcome)
            for uri, outcome in self.outcomes.items()
        }
        return Passed((self.deal.round, self.deal.number), outcomes)

    @property
    def waiting(self) -> dict[str, str]:
        song = self.status.get("songid")
        return {id_: uri for id_, uri in {**self.ahead, **self.added}.items() if id_ != song}

    def with_deal(self, fed: Fed) -> "tuple[Self, list[str]]":
        """Return the window after a deal, and the ids of waiting entries that are not in it any more."""
        uris = [path.removeprefix(self.top) for path in fed.paths]
        held = {*self.ahead.values(), *self.added.values()}
        reserve = [uri for uri in uris if uri not in held]
        refused = {uri: Outcome.REFUSED for uri, was in self.outcomes.items() if was == Outcome.REFUSED}
        out = [id_ for id_, uri in self.waiting.items() if uri not in uris]
        return self._replace(deal=fed._replace(paths=()), reserve=reserve, outcomes=refused), out

    def connected(self, now: QueueLook) -> "tuple[Self, list[str]]":
        """Return the window after a connection, and the ids of entries to remove.

        Entries that wait are removed and added again: a restarted MPD has other ids, and perhaps an older
        queue, with tracks that were played or removed since. The last added entry may not be saved.
        """
        entries, promised = now.entries, [*self.ahead.values(), *self.added.values()]
        ours = {*promised, *self.reserve[:1]}
        has_restarted = int(now.status["playlist"]) < int(self.status.get("playlist", 0))
        if has_restarted:
            ours |= {*self.past.values(), *self.gone}
        ours -= {*self.twins}
        ids, song = [*entries], now.status.get("songid", "")
        behind, uri = {entries[id_] for id_ in ids[: max(now.position, 0)]} & ours, entries.get(song, "")
        if not has_restarted and _has_run_out(self, now):
            behind = ours
        done = [track for track in promised if track in behind]
        if now.has("consume") and uri in promised:
            done += [track for track in promised[: promised.index(uri)] if track not in entries.values()]
        current = {song: uri} if uri in ours.intersection(promised) else {}
        left = [track for track in promised if track not in done and track not in current.values()]
        window = self._replace(
            ahead=current,
            added={},
            past={id_: track for id_, track in self.past.items() if entries.get(id_) == track},
            gone=[*self.gone, *self.past.values(), *done],
            reserve=[*left, *self.reserve],
            outcomes={**self.outcomes, **dict.fromkeys(done, Outcome.PLAYED)},
            status={},
            plays_on=False,
        )
        return window, [id_ for id_ in ids[now.position + 1 :] if entries[id_] in ours]


class Decision(NamedTuple):
    """What to do after a look: MPD's commands, and then the number of tracks to add."""

    window: Window
    commands: list[tuple[str, ...]]
    missing: int


def decide(before: Window, now: QueueLook) -> Decision:
    """Return the window after a look at the queue, and what MPD needs."""
    held, status, entries = {**before.ahead, **before.added}, now.status, now.entries
    done = _done(before, now)
    ended = {id_: uri for id_, uri in held.items() if id_ in done or id_ not in entries}
    ahead = {id_: uri for id_, uri in entries.items() if id_ in held and id_ not in done}
    ours = {**before.past, **ended}
    gone = [*before.gone, *(uri for id_, uri in ours.items() if id_ not in entries)][-_GONE:]
    past = {id_: uri for id_, uri in ours.items() if id_ in entries}
    promised = {*ahead.values(), *past.values(), *gone, *before.reserve}
    others = {id_: uri for id_, uri in entries.items() if id_ not in ahead and id_ not in past}
    again = Outcome.SKIPPED if before.deal.counts_plays else Outcome.PLAYED
    again = Outcome.REMOVED if now.is_failing else again
    outcomes = {**before.outcomes}
    outcomes |= {uri: again if id_ in done else Outcome.REMOVED for id_, uri in ended.items()}
    is_stuck = status["state"] == "stop" and "error" in status
    is_out = status["state"] == "stop" and bool(entries) and before.plays_on
    is_out |= _has_run_out(before, now) or (is_stuck and before.status.get("state") == "play")
    window = before._replace(
        ahead=ahead,
        added={},
        past=past,
        gone=gone,
        twins=[uri for uri in others.values() if uri in promised],
        outcomes=outcomes | dict.fromkeys(now.plays, Outcome.PLAYED),
        status=status,
        plays_on=is_out and not now.has("single"),
    )
    return _commands(window, now, others)


def _has_run_out(before: Window, now: QueueLook) -> bool:
    """Return whether MPD has played the whole queue.

    After a clear, the last song is not there any more; after a stop, it stays the song. At the end, MPD says
    `stop` for a moment before it has no song.
    """
    is_end = now.status["state"] == "stop" and "song" not in now.status
    return is_end and "state" in before.status and before.status.get("songid") in now.entries


def _done(before: Window, now: QueueLook) -> set[str]:
    """Return the ids of entries that were played or skipped."""
    held, song, last = [*before.ahead, *before.added], now.status.get("songid"), before.status.get("songid")
    gone = {id_ for id_ in held if id_ not in now.entries}
    done = {id_ for id_ in held if id_ == last != song}
    if _has_run_out(before, now):  # what was added since then was not played
        done |= {*before.ahead}.difference(gone)
    elif song is not None:
        is_ordered = song in held and not now.has("random")
        if now.has("consume") and song != last:
            done |= gone.intersection(held[: held.index(song)] if is_ordered else held)
        if is_ordered:
            done |= {*held}.intersection([*now.entries][: now.position])
    return done


def _commands(window: Window, now: QueueLook, others: Collection[str]) -> Decision:
    """Return the commands that bring the queue in order. `others` are the entries of the person."""
    ids, waiting, is_random = [*now.entries], window.waiting, now.has("random")
    song = None if window.plays_on else now.status.get("songid")
    behind = ids[: max(now.position, 0)]
    after = waiting if song is None or is_random else ids[now.position + 1 :]
    missing = _AHEAD + (song is None) - len(after)
    moved: Collection[str] = ()
    if "song" not in now.status:  # the person's tracks come first
        last = max((number for number, id_ in enumerate(ids) if id_ in others), default=0)
        moved = waiting if {*ids[:last]}.intersection(waiting) else ()
    elif song in others and not is_random:  # ours that were passed over were not skipped
        moved = [id_ for id_ in behind if id_ in waiting]
    commands: list[tuple[str, ...]] = [("moveid", id_, str(len(ids) - 1)) for id_ in moved]
    # In random mode, MPD plays the whole queue again. Otherwise some played entries stay.
    past = [id_ for id_ in window.past if id_ != now.status.get("songid")]
    out = past if is_random else [id_ for id_ in behind if id_ in past][:-_KEPT]
    commands += [("deleteid", id_) for id_ in out]
    if window.plays_on and waiting and (missing <= 0 or not window.reserve):
        # Not the one that was added last: others may wait before it.
        commands.append(("playid", next(iter(waiting))))
    return Decision(window, commands, missing)
