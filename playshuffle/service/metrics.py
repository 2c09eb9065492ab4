"""Write the status as metrics in the text format of Prometheus."""

from collections.abc import Iterable, Iterator, Mapping

from playshuffle.errors import shown
from playshuffle.service.status_json import Status

_Sample = tuple[Mapping[str, str], float | None]


def metrics(status: Status) -> Iterator[str]:
    """Yield the lines; what is not known has no line."""
    yield from _metric("services", "Running services.", [({}, len(status.services))])
    roots = [({"folder": root.root}, root) for root in status.roots]
    yield from _metric(
        "folder_missing",
        "Whether a folder or its drive is missing.",
        [(labels, int(root.state == "missing")) for labels, root in roots],
    )
    yield from _metric(
        "folder_tracks", "Tracks in a folder.", [(labels, root.tracks) for labels, root in roots]
    )
    playlists = [
        ({"playlist": playlist.name or "", "output": playlist.output}, playlist)
        for playlist in status.playlists
    ]
    yield from _metric(
        "playlist_failed",
        "Whether a playlist cannot be updated.",
        [(labels, int(playlist.last_error is not None)) for labels, playlist in playlists],
    )
    yield from _metric(
        "playlist_tracks",
        "Tracks in a playlist.",
        [(labels, playlist.tracks) for labels, playlist in playlists],
    )
    yield from _metric(
        "playlist_written_timestamp_seconds",
        "When a playlist was written last.",
        [(labels, playlist.last_write) for labels, playlist in playlists],
    )


def _metric(name: str, text: str, samples: Iterable[_Sample]) -> Iterator[str]:
    known_samples = [(labels, value) for labels, value in samples if value is not None]
    if known_samples:
        yield f"# HELP playshuffle_{name} {text}"
        yield f"# TYPE playshuffle_{name} gauge"
    for labels, value in known_samples:
        pairs = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
        yield f"playshuffle_{name}{{{pairs}}} {value}" if pairs else f"playshuffle_{name} {value}"


def _escaped(text: str) -> str:
    return shown(text).replace("\\", "\\\\").replace('"', '\\"')
