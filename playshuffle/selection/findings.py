"""Define the facts that a query reports about tracks and about its own terms."""

from typing import NamedTuple


class Finding(NamedTuple):
    """The result of a term for one track.

    Attributes:
        holds: whether the track matches the term, negation included.
        values: name and text of each compared field; empty if the tag is missing.
    """

    text: str
    column: int
    holds: bool
    values: tuple[tuple[str, str], ...]


class Lacking(NamedTuple):
    """A term that selected or omitted tracks because they lack its tag.

    Attributes:
        is_kept: it selected them, because it is negated.
    """

    text: str
    field: str
    track_count: int
    is_kept: bool


class Idle(NamedTuple):
    """A path that no track matches, or a negated term that excludes no track.

    Attributes:
        near: a similar path, of a folder with tracks, as the term would write it.
    """

    text: str
    is_negated: bool
    near: str | None
