"""Report an audited playlist as JSON."""

import os
from typing import Any

from playshuffle import __version__
from playshuffle.audit.mix import Mix
from playshuffle.audit.playlist import PlaylistAudit


def as_json(audit: PlaylistAudit) -> dict[str, Any]:
    """Return the figures for JSON; bytes of names that are not UTF-8 come as U+DC80 to U+DCFF."""
    return {
        "playshuffle": __version__,
        "playlist": os.fsdecode(audit.path),
        "entries": audit.entries,
        "foreign": audit.foreign,
        "tracks": audit.playable,
        "artists": audit.artists,
        "untagged": audit.untagged,
        "by_artist": _mix(audit.by_artist),
        "by_album": _mix(audit.by_album),
        "successors_in_path_order": audit.successors,
    }


def _mix(mix: Mix) -> dict[str, Any]:
    return {
        "neighbours": mix.here,
        "fewest_possible": mix.fewest,
        "uniform_mean": float(mix.by_chance),
        "in_path_order": mix.in_path_order,
        "nearest": mix.nearest,
        "nearest_in_path_order": mix.nearest_in_path_order,
    }
