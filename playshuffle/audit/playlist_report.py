"""Report an audited playlist as JSON."""

import json
import os
from typing import Any

from playshuffle import __version__
from playshuffle.audit.mix import Mix
from playshuffle.audit.playlist import PlaylistAudit

_SCHEMA = 1


def as_json(audit: PlaylistAudit) -> str:
    """Return the figures as one JSON object; bytes of names that are not UTF-8 come as U+DC80 to U+DCFF."""
    return json.dumps(
        {
            "schema": _SCHEMA,
            "playshuffle": __version__,
            "playlist": os.fsdecode(audit.path),
            "entries": audit.entries,
            "foreign": audit.foreign,
            "tracks": audit.playable,
            "artists": audit.artists,
            "untagged": audit.untagged,
            "duplicates": [{"path": os.fsdecode(path), "times": times} for path, times in audit.duplicates],
            "missing": [os.fsdecode(path) for path in audit.missing],
            "by_artist": _mix(audit.by_artist),
            "by_album": _mix(audit.by_album),
            "successors_in_path_order": audit.successors,
            "good": audit.is_good,
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
