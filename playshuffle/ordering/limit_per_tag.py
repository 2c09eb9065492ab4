"""Limit the number of tracks of each artist, or of each value of another tag.

Values are the groups of the module `groups`, but a track without the tag is never omitted.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from playshuffle.errors import OptionError
from playshuffle.library.folder import Folder
from playshuffle.ordering import groups
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.groups import ALBUM
from playshuffle.shuffle import RandBelow, durstenfeld
from playshuffle.text import known

_NUMBER = "0*[1-9][0-9]{0,8}"


class LimitPerTag(NamedTuple):
    """At most `number` tracks, one or more, for each value of `tag`, one of `groups.KEYS`."""

    number: int
    tag: str

    def __str__(self) -> str:
        return f"{self.number:,} per {self.tag.replace('_', ' ')}"


def parse_limit(text: str) -> LimitPerTag:
    """Parse a limit such as '3:artist' or 'artist:3'.

    Raises:
        PlayshuffleError: the text is not a limit, or the tag is unknown.
    """
    number, _, tag = (part.strip() for part in text.partition(":"))
    if re.fullmatch(_NUMBER, tag):
        number, tag = tag, number
    if not re.fullmatch(_NUMBER, number) or not tag:
        raise OptionError(
            "{} must be a number from 1 and a tag, such as 3:artist, not '{text}'.", "most", text=text
        )
    return LimitPerTag(int(number), known("field", tag, groups.KEYS))


def values(chosen: Chosen, tag: str) -> dict[int, int]:
    """Map each track's index to a number for its value of the tag; without one, to a number of its own."""
    keys = groups.group_keys(chosen, tag)
    if tag != ALBUM:
        return {index: keys[index] for index in chosen.indices}
    # Albums without a title are folders elsewhere; here each of their tracks has no tag.
    tagged = zip(chosen.indices, chosen.column(Folder.all_albums), strict=True)
    return {
        index: keys[index] if title.strip() or release else ~index for index, (title, _, release, _) in tagged
    }


def over_limit(
    value_of: Mapping[int, int], limit: int, rank: Callable[[int], int], randbelow: RandBelow
) -> tuple[list[int], list[int]]:
    """Return the tracks to omit, ascending, so that at most `limit` tracks of each value are left.

    The second list has the omitted tracks that another draw could keep. Tracks of a lower rank are kept
    first; among equal ranks, each choice is equally likely.
    """
    members = defaultdict(list)
    for index, value in value_of.items():
        members[value].append(index)
    out: list[int] = []
    drawn: list[int] = []
    for indices in members.values():
        if len(indices) <= limit:
            continue
        free = limit
        for least in sorted(set(map(rank, indices))):
            equals = [index for index in indices if rank(index) == least]
            if len(equals) > free and free:
                equals = durstenfeld(equals, randbelow)
                drawn += equals[free:]
            out += equals[free:]
            free = max(free - len(equals), 0)
    return sorted(out), drawn
