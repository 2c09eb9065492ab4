"""Report an audited playlist: how it is mixed."""

from collections.abc import Iterator

from playshuffle.audit.mix import Mix
from playshuffle.audit.playlist import PlaylistAudit
from playshuffle.cli.screen import Mark, Screen, home_path
from playshuffle.text import counted

_HEADER = ("", "here", "at best", "by chance", "in path order")


def lines(found: PlaylistAudit, screen: Screen) -> Iterator[str]:
    """Return the lines of the report."""
    tracks = f"{counted(found.tracks, 'track')} by {counted(found.artists, 'artist')}"
    yield screen.verdict(Mark.GOOD, f"{home_path(found.playlist)}: {tracks}")
    if found.untagged:
        yield from screen.detail("Untagged", f"{counted(found.untagged, 'track')} without an artist")
    if found.foreign:
        entries = f"{counted(found.foreign, 'entry', 'entries')} without an audio file of their own"
        yield from screen.detail("Left out", f"{entries}. See: playshuffle check FILE")
    if screen.is_terminal:
        yield ""
    pairs = found.tracks - 1
    chance = f"{pairs / found.tracks:.1f}"
    rows = [
        ("repeats by the same artist", *_repeats(found.by_artist)),
        ("repeats from the same album", *_repeats(found.by_album)),
        ("shortest gap of an artist", *_gaps(found.by_artist)),
        ("shortest gap of an album", *_gaps(found.by_album)),
        ("next track as in path order", f"{found.successors_in_path_order:,}", "0", chance, f"{pairs:,}"),
    ]
    yield from screen.table(_HEADER, rows, right={1, 2, 3, 4})


def _repeats(mix: Mix) -> tuple[str, ...]:
    here, at_best, by_chance, in_path_order = mix[:4]
    return f"{here:,}", f"{at_best:,}", f"{by_chance:,.1f}", f"{in_path_order:,}"


def _gaps(mix: Mix) -> tuple[str, ...]:
    plays = (mix.nearest, None, None, mix.nearest_in_path_order)
    return tuple("" if number is None else f"{number:,}" for number in plays)
