"""Define what every player with a queue can do, and replace a queue that playshuffle made."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.telling import record

_TRIES = 3  # while somebody else changes the queue, or the song ends


class ChangedError(Exception):
    """The queue, or the song that plays, is not the one of the plan."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a queue is replaced.

    queues: all contents that it has on the way, the last one is that of the playlist.
    position: of the song that plays, in the playlist; None if it is not in it, or nothing plays.
    song: what the player calls the song that plays, None if nothing plays.
    version: of the queue that the plan is for, where the player counts them.
    unknown: the number of tracks that the player does not know.
    """

    name: str
    queues: tuple[tuple[str, ...], ...]
    position: int | None
    song: str | None
    version: str = ""
    unknown: int = 0


class Queue(Protocol):
    """A connection to a player that holds a queue."""

    title: str

    def entries(self) -> list[str]:
        """Return what is in the queue."""

    def plan(self, playlist: bytes) -> Plan:
        """Plan how the queue becomes the playlist while the song that plays goes on."""

    def replace(self, plan: Plan) -> None:
        """Carry out a plan.

        Raises:
            ChangedError: the player is not in the state that the plan was made for; nothing was done.
        """


@dataclass(frozen=True, slots=True)
class Told:
    """What a player knows now. is_changed: its queue is new. is_playing: a song went on meanwhile."""

    is_changed: bool
    tracks: int
    unknown: int
    is_playing: bool


class ForeignQueueError(PlayshuffleError):
    """The queue of the player is the user's own."""


def tell(player: str, queue: Queue, playlist: bytes, *, replace: bool, any_playlist: bool) -> Told:
    """Replace the queue of a player with a playlist, if playshuffle made that queue or it is empty.

    Args:
        player: its name.
        queue: the connection to it.
        playlist: the file.
        replace: replace whatever is in the queue.
        any_playlist: a queue that was made from another playlist is replaced, too.

    Raises:
        ForeignQueueError: the queue is not ours; nothing was changed.
        PlayshuffleError: the player cannot read the playlist, or knows none of its tracks.
    """
    for _ in range(_TRIES):
        plan = queue.plan(playlist)
        target = plan.queues[-1]
        present = queue.entries()
        is_ours = not present or record.has(player, None if any_playlist else playlist, present)
        if tuple(present) == target:
            record.add(player, playlist, [present])
            return Told(False, len(target), plan.unknown, plan.song is not None)
        if not (is_ours or replace):
            raise ForeignQueueError(
                f"The queue of {queue.title} was not made from this playlist, so it was not changed."
                f" To replace it: playshuffle tell {player} {shlex.quote(shown(playlist))} --replace",
                Exit.LOSSES,
            )
        # Before the queue changes: a process that is killed then still knows the queue as its own.
        record.add(player, playlist, plan.queues)
        try:
            queue.replace(plan)
        except ChangedError:
            continue
        result = queue.entries()
        if tuple(result) != target:
            record.add(player, playlist, [result])
        return Told(True, len(result), plan.unknown, plan.song is not None)
    raise PlayshuffleError(f"The queue of {queue.title} changes all the time. Try again.", Exit.MISSING)


def merged(song: str, tracks: Sequence[str]) -> tuple[int | None, tuple[str, ...]]:
    """Return the position of a song in these tracks, and a queue of both; else the song comes first."""
    if song in tracks:
        return tracks.index(song), tuple(tracks)
    return None, (song, *tracks)
