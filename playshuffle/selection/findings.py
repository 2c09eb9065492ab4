"""Define the facts that a query reports about tracks and about its own terms."""

from typing import NamedTuple


class Finding(NamedTuple):
    """The result of a term for one track.

    Attributes:
        holds: whether the track matches the term, negation included.
        values: name and text of each compared field; the text is empty if the tag is missing.
    """

    text: str
    column: int
    holds: bool
    values: tuple[tuple[str, str], ...]


class Lacking(NamedTuple):
    """A term that selected or omitted tracks because they lack its tag.

    Attributes:
        is_kept: the term selected these tracks, because it is negated.
    """

    text: str
    field: str
    track_count: int
    is_kept: bool


class Idle(NamedTuple):
    """A path term that no track matches, or a negated term that excludes no track.

    Attributes:
        advice: what the user may have meant; empty if unknown.
        near: the path of a folder with tracks that is similar to the term's path, if any.
    """

    text: str
    is_negated: bool
    near: str | None
    advice: str = ""
