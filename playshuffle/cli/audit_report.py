"""Report an audited playlist: the verdict first, then what is wrong, then how it is mixed."""

from collections.abc import Iterator, Sequence

from playshuffle.audit.mix import Mix
from playshuffle.audit.playlist import PlaylistAudit
from playshuffle.cli.screen import Mark, Screen, home_path
from playshuffle.text import counted, shortened

_NAMES = 20  # of one kind that are shown
_HEADER = ("", "here", "at best", "by chance", "in path order")


def lines(found: PlaylistAudit, screen: Screen) -> Iterator[str]:
    """Return the lines of the report."""
    faults = []
    if found.missing:
        faults.append(f"{counted(len(found.missing), 'file')} missing")
    if found.duplicates:
        faults.append(f"{counted(len(found.duplicates), 'track')} listed more than once")
    tracks = f"{counted(found.playable, 'track')} by {counted(found.artists, 'artist')}"
    verdict = ", ".join(faults) or "each file exists and is listed once"
    yield screen.verdict(Mark.BAD if faults else Mark.GOOD, f"{home_path(found.path)}: {tracks}; {verdict}")
    yield from _named("Missing", [home_path(path) for path in found.missing], screen)
    duplicates = [f"{home_path(path)}, {times} times" for path, times in found.duplicates]
    yield from _named("Twice", duplicates, screen)
    if found.untagged:
        yield from screen.detail("Untagged", f"{counted(found.untagged, 'track')} without an artist")
    if found.foreign:
        yield from screen.detail("Streams", f"{found.foreign:,} that are not local files, not counted")
    if screen.is_terminal:
        yield ""
    pairs = max(found.playable - 1, 0)
    chance = f"{pairs / max(found.playable, 1):.1f}"
    rows = [
        ("repeats by the same artist", *_repeats(found.by_artist)),
        ("repeats from the same album", *_repeats(found.by_album)),
        ("shortest gap of an artist", *_gaps(found.by_artist)),
        ("shortest gap of an album", *_gaps(found.by_album)),
        ("next track as in path order", f"{found.successors:,}", "0", chance, f"{pairs:,}"),
    ]
    yield from screen.table(_HEADER, rows, right={1, 2, 3, 4})


def _named(label: str, names: Sequence[str], screen: Screen) -> Iterator[str]:
    if names:
        yield from screen.detail(label, f"{len(names):,}")
        yield from (f"    {line}" for line in shortened(names, _NAMES))


def _repeats(mix: Mix) -> tuple[str, ...]:
    return f"{mix.here:,}", f"{mix.fewest:,}", f"{float(mix.by_chance):,.1f}", f"{mix.in_path_order:,}"


def _gaps(mix: Mix) -> tuple[str, ...]:
    plays = (mix.nearest, None, None, mix.nearest_in_path_order)
    return tuple("" if number is None else f"{number:,}" for number in plays)
