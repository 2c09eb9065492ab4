"""Decide from the announcements of players whether a track was played or skipped.

A pass of a track ends when another track is announced, the player stops, or the track is announced again at
its end. It is a play if half of the length, or four minutes, were heard. Otherwise it is a skip if another
track follows at once.
"""

import math
from typing import NamedTuple

_LONG_S = 240.0  # a track heard for this time was played, by the rule of Last.fm
_UNKNOWN_S = 30.0  # the same for a track without a length
_SHORT_S = 1.0  # a track heard for less was neither played nor skipped
_END = 0.1  # the part of a track, at least a second, that may be missing when it is repeated
STOP_S = 2.0  # players that only change the track stop for less

PLAYING, PAUSED, STOPPED = "Playing", "Paused", "Stopped"  # the words of MPRIS


class Track(NamedTuple):
    """A track, as its player names it.

    Attributes:
        uri: a path, a path below MPD's music folder, or the URL of a stream; empty if the player has none.
    """

    uri: str
    artist: str = ""
    title: str = ""
    album: str = ""


class News(NamedTuple):
    """An announcement of a player.

    Attributes:
        at_s: arrival, on a clock that stands still while the computer sleeps.
        status: status of the player; empty if unchanged.
        track: None if it is not announced.
        length_s: 0 if unknown.
        position_s: the player jumped to this position.
        is_late: the track may have begun before, or play on without announcements.
    """

    player: str
    title: str
    at_s: float
    status: str = ""
    track: Track | None = None
    length_s: float = 0.0
    position_s: float = math.inf
    is_late: bool = False
    is_gone: bool = False


class Heard(NamedTuple):
    """A track that was played or skipped, and its player."""

    track: Track
    is_play: bool
    player: str


class PlayTimer:
    """The track of a player, and for how long it was heard.

    `stopped_s` is when the player stopped, if it did.
    """

    def __init__(self, title: str) -> None:
        self.stopped_s: float | None = None
        self._title = title
        self._status = ""
        self._track: Track | None = None
        self._length_s = 0.0
        self._heard_s = 0.0
        self._at_s = 0.0
        self._is_rest = False  # the rest of a pass whose beginning was counted, or was not heard

    def advance(self, now_s: float) -> list[Heard]:
        """Count the time heard until now; return the play that ended because the player stopped."""
        if self._status == PLAYING:
            self._heard_s += max(0.0, now_s - self._at_s)
        self._at_s = now_s
        if self.stopped_s is None or now_s < self.stopped_s + STOP_S:
            return []
        self.stopped_s = None
        return self.end()

    def update(self, news: News) -> list[Heard]:
        ended = self.advance(news.at_s)
        if news.track is not None and not self._is_same(news.track):
            ended += self.end(is_followed=True)
            self._track, self._length_s = news.track, 0.0
        elif self._is_at_end() and (news.track or news.status == PLAYING or news.position_s < _SHORT_S):
            ended += self.end()
            self._is_rest = True
        self._is_rest |= news.is_late and news.status != STOPPED
        self._length_s = news.length_s or self._length_s
        if news.status == PLAYING:
            self.stopped_s = None
        elif news.status == STOPPED != self._status:
            self.stopped_s = news.at_s
        self._status = news.status or self._status
        return ended

    def end(self, *, is_followed: bool = False) -> list[Heard]:
        """End the pass; return it if it was a play, or a skip because another track follows."""
        heard_s, is_rest = self._heard_s, self._is_rest
        self._heard_s, self._is_rest = 0.0, False
        if self._track is None or heard_s < _SHORT_S:
            return []
        is_play = heard_s >= (min(self._length_s / 2, _LONG_S) if self._length_s else _UNKNOWN_S)
        is_skip = is_followed and not is_rest and not is_play
        return [Heard(self._track, is_play, self._title)] if is_play or is_skip else []

    def _is_same(self, track: Track) -> bool:
        if self._track is None or track.uri or self._track.uri:
            return self._track is not None and track.uri == self._track.uri
        return track[1:3] == self._track[1:3]

    def _is_at_end(self) -> bool:
        return 0 < self._length_s <= self._heard_s + max(1.0, self._length_s * _END)
