"""Write the status as metrics in the text format of Prometheus."""

from collections.abc import Iterable, Iterator, Mapping

from playshuffle.errors import shown
from playshuffle.service.status_json import Status

_Sample = tuple[Mapping[str, str], float | None]


def metrics(status: Status) -> Iterator[str]:
    """Yield the known metrics as lines."""
    roots = [({"folder": root.root}, root) for root in status.roots]
    lists = [({"playlist": row.name or "", "output": row.output}, row) for row in status.playlists]
    table: tuple[tuple[str, str, Iterable[_Sample]], ...] = (
        ("services", "Running services.", [({}, len(status.services))]),
        (
            "folder_missing",
            "Whether a folder or its drive is missing.",
            ((labels, int(root.state == "missing")) for labels, root in roots),
        ),
        ("folder_tracks", "Tracks in a folder.", ((labels, root.tracks) for labels, root in roots)),
        (
            "playlist_failed",
            "Whether a playlist cannot be updated.",
            ((labels, int(row.last_error is not None)) for labels, row in lists),
        ),
        ("playlist_tracks", "Tracks in a playlist.", ((labels, row.tracks) for labels, row in lists)),
        (
            "playlist_written_timestamp_seconds",
            "When a playlist was written last.",
            ((labels, row.last_write) for labels, row in lists),
        ),
    )
    for name, text, samples in table:
        values = [(labels, value) for labels, value in samples if value is not None]
        if values:
            yield f"# HELP playshuffle_{name} {text}"
            yield f"# TYPE playshuffle_{name} gauge"
        for labels, value in values:
            pairs = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
            yield f"playshuffle_{name}{{{pairs}}} {value}" if pairs else f"playshuffle_{name} {value}"


def _escaped(text: str) -> str:
    return shown(text).replace("\\", "\\\\").replace('"', '\\"')
