"""Define the rows of a play history."""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote_to_bytes


class Played(NamedTuple):
    """The plays of one track in a source; None if the source does not know.

    Attributes:
        last_played: Unix seconds, as `last_skipped`.
        rating: from 0 to 1.
    """

    last_played: int | None = None
    last_skipped: int | None = None
    plays: int | None = None
    skips: int | None = None
    rating: float | None = None


class TagNames(NamedTuple):
    """The tags that name a track in a source without paths."""

    artist: str
    title: str
    album: str = ""
    recording_id: str = ""


class HistoryRow(NamedTuple):
    """One track of a database, or one play of a log.

    Attributes:
        path: absolute, or relative to a music folder; empty if tags name the track.
    """

    path: bytes
    played: Played
    names: TagNames | None = None


def path_of_uri(uri: bytes) -> bytes:
    """Return the path of a `file://` URI; empty for a stream or a path."""
    return unquote_to_bytes(uri[7:]) if uri.startswith(b"file:///") else b""


def merged(first: Played, second: Played) -> Played:
    """Merge two totals: the latest times, the greatest counts, the first rating.

    Never sums: both may have counted the same plays.
    """
    greatest = [max(_known(pair), default=None) for pair in zip(first[:4], second[:4], strict=True)]
    return Played._make([*greatest, second.rating if first.rating is None else first.rating])


def summed(first: Played, second: Played) -> Played:
    """Add two events: the latest times, the sums of the counts, the second rating."""
    plays, skips = _known((first.plays, second.plays)), _known((first.skips, second.skips))
    return merged(second, first)._replace(
        plays=sum(plays) if plays else None, skips=sum(skips) if skips else None
    )


def _known(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]
