"""Define the interface of a player with a queue, and replace a queue that playshuffle made."""

import os
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.telling import queue_record
from playshuffle.text import shell_word

_TRIES = 3  # if another program changes the queue, or the song ends

CONTACT_S = 3  # for the first answer of a player
TIMEOUT_S = 60  # for any other answer
LAST_S = 1.5  # a song with less time left may end before the queue is replaced
WAIT_S = 0.1


class ChangedError(Exception):
    """The queue, or the playing song, has changed since the plan was made."""


class Plan(NamedTuple):
    """The steps to replace a queue.

    Attributes:
        queues: content of the queue after each step; the last content is the playlist.
        position: index of the playing song in the playlist; None if the playlist lacks it.
        song: the playing song as the player names it; None if nothing plays.
        version: version of the queue, if the player has versions.
        unknown: number of tracks unknown to the player.
    """

    name: str
    queues: tuple[tuple[str, ...], ...]
    position: int | None
    song: str | None
    version: str = ""
    unknown: int = 0


class Queue(Protocol):
    """A connection to a player with a queue."""

    title: str

    def entries(self) -> list[str]:
        """Return the content of the queue."""

    def plan(self, playlist: bytes) -> Plan:
        """Plan how the queue becomes the playlist while the current track plays on.

        Raises:
            PlayshuffleError: the player cannot read the playlist, or knows none of its tracks.
        """

    def replace(self, plan: Plan) -> None:
        """Carry out a plan.

        Raises:
            ChangedError: the player's state has changed since the plan was made; nothing was done.
        """

    def play(self, index: int) -> None:
        """Play the track at this index of the queue."""


class Told(NamedTuple):
    """The result of replacing a queue.

    Attributes:
        is_playing: a song played on during the replacement.
    """

    is_changed: bool
    tracks: int
    unknown: int
    is_playing: bool


class ForeignQueueError(PlayshuffleError):
    """The user or another program made the player's queue."""


def tell(player: str, queue: Queue, playlist: bytes, *, replace: bool, any_playlist: bool) -> Told:
    """Replace the queue of a player with a playlist, if playshuffle made that queue or it is empty.

    Args:
        any_playlist: also replace a queue that was made from another playlist.

    Raises:
        ForeignQueueError: playshuffle did not make the queue; nothing was changed.
        PlayshuffleError: as `Queue.plan` does.
    """
    for _ in range(_TRIES):
        plan = queue.plan(playlist)
        target = plan.queues[-1]
        present = queue.entries()
        is_ours = not present or queue_record.has(player, None if any_playlist else playlist, present)
        if tuple(present) == target:
            queue_record.add(player, playlist, [present])
            return Told(False, len(target), plan.unknown, plan.song is not None)
        if not (is_ours or replace):
            raise ForeignQueueError(
                f"The queue of {queue.title} was not made from this playlist, so it was not changed."
                f" To replace it: playshuffle tell {player} {shell_word(playlist)} --replace",
                Exit.LOSSES,
            )
        # Before the queue changes: after a killed process, the queue still counts as made by playshuffle.
        queue_record.add(player, playlist, plan.queues)
        try:
            queue.replace(plan)
        except ChangedError:
            continue
        result = queue.entries()
        if tuple(result) != target:
            queue_record.add(player, playlist, [result])
        return Told(True, len(result), plan.unknown, plan.song is not None)
    raise PlayshuffleError(f"The queue of {queue.title} changes all the time. Try again.", Exit.MISSING)


def play(queue: Queue, track: bytes) -> None:
    """Play the first queue entry that is this path or an end of it.

    Raises:
        PlayshuffleError: the queue lacks the track.
    """
    for index, entry in enumerate(map(os.fsencode, queue.entries())):
        if track == entry or track.endswith(b"/" + entry):
            return queue.play(index)
    raise PlayshuffleError(f"{queue.title} does not know {shown(track)}.", Exit.NO_INPUT)


def merged(song: str, tracks: Sequence[str]) -> tuple[int | None, tuple[str, ...]]:
    """Return a song's index in tracks, and the tracks; a missing song is put first, with index None."""
    if song in tracks:
        return tracks.index(song), tuple(tracks)
    return None, (song, *tracks)
