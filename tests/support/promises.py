"""Check the guarantees of a library's playlists after any change."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import groupby, pairwise

from tests.support.music import ANCHOR, Music, Track

Order = Sequence[int]


def repeats(artists: Sequence[str]) -> int:
    """Count neighbours by the same artist; a track without an artist has none."""
    return sum(one == other != "" for one, other in pairwise(artists))


def fewest_repeats(artists: Sequence[str]) -> int:
    most = max(Counter(filter(None, artists)).values(), default=0)
    return max(0, 2 * most - len(artists) - 1)


def torn(keys: Sequence[Hashable]) -> list[Hashable]:
    """Return the keys whose entries are not all in a row."""
    return [key for key, count in Counter(key for key, _ in groupby(keys)).items() if count > 1]


def survivors_moved(before: Order, after: Order) -> bool:
    """Return whether tracks in both orders have changed their relative order."""
    both = {*before} & {*after}
    return [track for track in before if track in both] != [track for track in after if track in both]


def over_limit(music: Music, before: Order, order: Order, limit: int) -> list[str]:
    """Return the faults of a list with a limit for each artist: wrong counts, needlessly replaced tracks."""
    library, played = (
        Counter(music.tracks[track].artist for track in tracks) for tracks in (music.tracks, order)
    )
    wanted = {artist: min(limit, count) if artist else count for artist, count in library.items()}
    faults = [] if played == wanted else [f"{dict(played)} instead of {wanted}"]
    still = [track for track in before if track in music.tracks]
    were = Counter(music.tracks[track].artist for track in still)
    lost = [track for track in {*still} - {*order} if were[music.tracks[track].artist] <= limit]
    return faults + [f"{track} was replaced" for track in lost]


def _spread(music: Music, _: Order, order: Order) -> list[str]:
    artists = [music.tracks[track].artist for track in order]
    now, least = repeats(artists), fewest_repeats(artists)
    return [] if now == least else [f"{now} repeats, {least} are possible"]


def _together(key: Callable[[Track], Hashable], place: Callable[[Track], tuple[object, ...]]) -> "_Check":
    def check(music: Music, _: Order, order: Order) -> list[str]:
        tracks = [music.tracks[number] for number in order]
        faults = [f"torn: {group}" for group in torn([key(track) for track in tracks])]
        for group, members in groupby(tracks, key):
            places = [place(track) for track in members]
            if places != sorted(places):
                faults.append(f"not in order: {group}")
        return faults

    return check


def _steady(_: Music, before: Order, order: Order) -> list[str]:
    return ["survivors changed places"] if survivors_moved(before, order) else []


def _pinned(music: Music, before: Order, order: Order) -> list[str]:
    anchor = next(number for number, track in music.tracks.items() if track.path.name == ANCHOR)
    others = [[number for number in numbers if number != anchor] for numbers in (before, order)]
    return [*_steady(music, *others), *(["the pinned track moved"] if order[4] != anchor else [])]


def _sorted(music: Music, _: Order, order: Order) -> list[str]:
    def key(number: int) -> tuple[object, ...]:
        track = music.tracks[number]
        return ([not track.path.is_relative_to(root) for root in music.roots], *_by_name(track))

    return [] if [*order] == sorted(music.tracks, key=key) else ["not sorted"]


def _by_name(track: Track) -> tuple[object, ...]:
    """Return the path of a track with each number padded, so that 2 comes before 10; then its bytes."""
    padded = re.sub("[0-9]+", lambda digits: digits[0].zfill(20), str(track.path).casefold())
    return (padded.split("/"), bytes(track.path))


_Check = Callable[[Music, Order, Order], list[str]]

CHECKS: Mapping[str, _Check] = {
    "random": _pinned,
    "sattolo": _steady,
    "spread": _spread,
    "albums": _together(
        lambda track: (track.album, track.path.parent), lambda track: (track.position, _by_name(track))
    ),
    "folders": _together(lambda track: track.path.parent, _by_name),
    "genres": _together(lambda track: track.genre, lambda _: ()),
    "sorted": _sorted,
}


class Round:
    """The tracks that a deck has dealt in its present round, as its playlists show."""

    def __init__(self) -> None:
        self._dealt: set[int] = set()
        self.deals = self.dealt = self.rounds = 0

    def add(self, deal: Order, present: Sequence[int]) -> list[str]:
        """Add a deal; return its faults. A round ends when all tracks have been dealt."""
        faults = [f"{track} twice in a deal" for track, count in Counter(deal).items() if count > 1]
        self.deals += 1
        self.dealt += len(deal)
        for track in deal:
            if track in self._dealt:
                if left := {*present} - self._dealt:
                    faults.append(f"{track} again, but {len(left)} were not dealt: {sorted(left)[:5]}")
                self._dealt = set()
                self.rounds += 1
            self._dealt.add(track)
        return faults
