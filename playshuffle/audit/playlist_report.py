"""Report an audited playlist as lines of at most 80 columns, or as JSON."""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from playshuffle import __version__
from playshuffle.audit.mix import Mix
from playshuffle.audit.playlist import PlaylistAudit
from playshuffle.errors import shown
from playshuffle.text import counted, shortened

_SCHEMA = 1
_NAMES = 20  # of one kind that are shown


def lines(found: PlaylistAudit) -> Iterator[str]:
    """Return the lines of a report. Lines with file names may be longer than 80 columns."""
    yield f"{shown(found.path)}: {counted(found.playable, 'track')} by {counted(found.artists, 'artist')}"
    if found.untagged:
        yield f"without an artist: {found.untagged:,}"
    if found.foreign:
        yield f"no files of this machine, left out: {found.foreign:,}"
    yield from _details(
        "listed more than once", [f"{shown(path)}, {n} times" for path, n in found.duplicates]
    )
    yield from _details("missing", [shown(path) for path in found.missing])
    yield ""
    yield _row("", ["here", "at best", "by chance", "in path order"])
    yield _row("neighbours by one artist", _neighbours(found.by_artist))
    yield _row("neighbours of one album", _neighbours(found.by_album))
    yield _row("plays between one artist", _distances(found.by_artist))
    yield _row("plays between one album", _distances(found.by_album))
    pairs = max(found.playable - 1, 0)
    chance = f"{pairs / max(found.playable, 1):.2f}"
    yield _row("next in path order", [f"{found.successors:,}", "0", chance, f"{pairs:,}"])
    yield ""
    yield f"verdict: {_verdict(found)}"


def as_json(found: PlaylistAudit) -> str:
    """The same for a program; bytes of names that are not UTF-8 come as U+DC80 to U+DCFF."""
    return json.dumps(
        {
            "schema": _SCHEMA,
            "playshuffle": __version__,
            "playlist": os.fsdecode(found.path),
            "entries": found.entries,
            "foreign": found.foreign,
            "tracks": found.playable,
            "artists": found.artists,
            "untagged": found.untagged,
            "duplicates": [{"path": os.fsdecode(path), "times": times} for path, times in found.duplicates],
            "missing": [os.fsdecode(path) for path in found.missing],
            "by_artist": _mix(found.by_artist),
            "by_album": _mix(found.by_album),
            "successors_in_path_order": found.successors,
            "good": found.is_good,
        },
        indent=2,
    )


def _mix(mix: Mix) -> dict[str, Any]:
    return {
        "neighbours": mix.here,
        "fewest_possible": mix.fewest,
        "uniform_mean": float(mix.by_chance),
        "in_path_order": mix.in_path_order,
        "nearest": mix.nearest,
        "nearest_in_path_order": mix.nearest_in_path_order,
    }


def _details(what: str, names: Sequence[str]) -> Iterator[str]:
    yield f"{what}: {len(names) or 'none'}"
    yield from (f"  {line}" for line in shortened(names, _NAMES))


def _row(label: str, values: Sequence[str]) -> str:
    return (f"{label:24}" + "".join(f"{value:>14}" for value in values)).rstrip()


def _neighbours(mix: Mix) -> list[str]:
    return [f"{mix.here:,}", f"{mix.fewest:,}", f"{float(mix.by_chance):,.1f}", f"{mix.in_path_order:,}"]


def _distances(mix: Mix) -> list[str]:
    plays = (mix.nearest, None, None, mix.nearest_in_path_order)
    return ["-" if number is None else f"{number:,}" for number in plays]


def _verdict(found: PlaylistAudit) -> str:
    if found.is_good:
        return "good: every track is there, and listed once"
    bad = []
    if found.duplicates:
        bad.append(f"{len(found.duplicates):,} listed more than once")
    if found.missing:
        bad.append(f"{len(found.missing):,} missing")
    return f"bad: {', '.join(bad)}"
