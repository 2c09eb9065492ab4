"""Define what the command line and the configuration know of the options of a playlist: one row each.

A new option is a row here, a field of `Options` with its type and default, and the code that acts on it.
The row gives the option to the commands that it names, and to the configuration as a key.
"""

import os
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, get_args

from playshuffle import duration
from playshuffle.config.option_groups import AMOUNT, EXPERT, INCLUDE, ORDER, PLACE, SAFETY
from playshuffle.errors import OptionError
from playshuffle.ordering import groups
from playshuffle.ordering.gap import parse_gap
from playshuffle.ordering.limit_per_tag import parse_limit
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import parse_part
from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist import path_map
from playshuffle.playlist.m3u import PathStyle
from playshuffle.selection.query import parse
from playshuffle.shuffle import Inside

RECORDING = "recording"
MAKE = ("make",)
ALL = ("make", "deal", "watch")


class Row(NamedTuple):
    """What the command line and the configuration know of an option.

    flags: its spellings, the long one first; `--no-` gives the opposite of the value.
    help: for the command line, at most 50 characters. metavar: placeholder of the value.
    group: one of `option_groups.GROUPS`.
    verbs: the commands that take it.
    check: called with a value that was given; raises PlayshuffleError.
    names: what a value names, as in `text.known`, and all values.
    after_colon: what a value may have behind its colon, which a shell completes.
    example: of a value, as a configuration has it.
    choices: all values that the command line takes.
    has_key: whether the configuration has it as a key.
    may_be_number: whether the configuration takes a number for the text, too.
    is_one_key: whether the configuration takes one text, where the command line takes several.
    """

    flags: tuple[str, ...]
    help: str
    group: str
    metavar: str | None = None
    verbs: tuple[str, ...] = ("make", "deal")
    check: Callable[[Any], object] | None = None
    names: tuple[str, Collection[str]] | None = None
    after_colon: Collection[str] = ()
    example: str | None = None
    choices: type[StrEnum] | None = None
    has_key: bool = True
    may_be_number: bool = False
    is_one_key: bool = False

    @property
    def is_negated(self) -> bool:
        """Return whether the flag gives the opposite of the value."""
        return self.flags[0].startswith("--no-")

    @property
    def key(self) -> str:
        """Return the key of the configuration: the long flag as a TOML name."""
        return self.flags[0].removeprefix("--").removeprefix("no-").replace("-", "_")


def _row(*flags: str, **facts: Any) -> Row:
    return Row(flags, **facts)


def _from_one(key: str) -> Callable[[int], None]:
    def check(value: int) -> None:
        if value < 1:
            raise OptionError("{} must be a number from 1, not {value}.", key, value=value)

    return check


def _check_queries(texts: tuple[str, ...]) -> None:
    if not texts:
        return

    for text in texts:
        parse(text)


# By field of `Options`, in the same order.
ROWS: Mapping[str, Row] = {
    "output": _row(
        "--output",
        "-o",
        metavar="FILE|-",
        help="Playlist to write, or - for standard output",
        group=PLACE,
        verbs=("make", "watch"),
        example='"~/Music/calm.m3u"',
    ),
    "order": _row(
        "--order",
        metavar="NAME",
        help="Order, see: playshuffle orders",
        group=ORDER,
        verbs=("make", "watch"),
        names=("order", ORDERS),
    ),
    "group_by": _row(
        "--group-by",
        metavar="TAG",
        help="Tag to group by or spread by, such as genre",
        group=ORDER,
        names=("tag", groups.KNOWN),
    ),
    "source": _row(
        "--from",
        metavar="FILE|-",
        help="Use the files in a list instead of folders",
        group=INCLUDE,
        has_key=False,
    ),
    "where": _row(
        "--where",
        metavar="QUERY",
        help="Take only these tracks, such as 'genre:jazz'",
        group=INCLUDE,
        verbs=ALL,
        check=_check_queries,
        example='"genre:jazz -title:live"',
        is_one_key=True,
    ),
    "without": _row(
        "--without",
        metavar="LIST",
        help="Omit the tracks of this playlist (a skip list)",
        group=INCLUDE,
        verbs=ALL,
        example='["never.m3u"]',
    ),
    "dedupe": _row(
        "--dedupe",
        metavar="recording",
        help="Keep only the best copy of each recording",
        group=INCLUDE,
        verbs=ALL,
        names=("kind of duplicates", (RECORDING,)),
        example='"recording"',
    ),
    "spoken": _row("--spoken", help="Include audiobooks and podcasts", group=INCLUDE, verbs=ALL),
    "group_size": _row(
        "--group-size",
        metavar="N",
        help="Number of tracks in a group, such as 3",
        group=EXPERT,
    ),
    "inside": _row(
        "--inside",
        metavar="none|last|all",
        help="Which groups to shuffle inside, too",
        group=EXPERT,
        names=("place to shuffle", get_args(Inside)),
    ),
    "part": _row(
        "--part",
        metavar="START:COUNT",
        help="Shuffle only COUNT tracks from START, such as 1:40",
        group=EXPERT,
        check=parse_part,
        verbs=MAKE,
    ),
    "gap": _row(
        "--gap",
        metavar="N|N%",
        help="No track again within N plays",
        group=ORDER,
        check=parse_gap,
        example='50 or "25%"',
        may_be_number=True,
    ),
    "pin": _row(
        "--pin",
        metavar="TRACK[@POSITION]",
        help="Keep a track at a position: 1, first, last, here",
        group=ORDER,
        verbs=MAKE,
        example='"intro.mp3@first"',
    ),
    "limit": _row(
        "--limit",
        "-n",
        metavar="N",
        help="Maximum number of tracks, such as 40",
        group=AMOUNT,
        verbs=MAKE,
        check=_from_one("limit"),
    ),
    "most": _row(
        "--most",
        metavar="N:TAG",
        help="At most N tracks of each TAG, such as 3:artist",
        group=AMOUNT,
        verbs=ALL,
        check=parse_limit,
        after_colon=groups.KNOWN,
        example='"3:artist"',
    ),
    "time": _row(
        "--time",
        metavar="DURATION",
        help="Maximum playing time, such as 90m or 2h",
        group=AMOUNT,
        check=duration.parse,
        example='"90m"',
    ),
    "seed": _row(
        "--seed",
        metavar="TEXT",
        help="Make the order repeatable, such as 2026",
        group=EXPERT,
        verbs=MAKE,
    ),
    "player": _row(
        "--for",
        metavar="PLAYER",
        help="Player, such as mpd or vlc",
        group=PLACE,
        verbs=ALL,
        names=("player", PLAYERS),
    ),
    "paths": _row(
        "--paths",
        help="relative (default if possible), absolute or uri",
        metavar="FORM",
        group=EXPERT,
        choices=PathStyle,
        names=("path style", tuple(PathStyle)),
    ),
    "root_as": _row(
        "--root-as",
        metavar="DIR",
        help="Music folder as the player sees it, like /Music",
        group=EXPERT,
    ),
    "relative_to": _row(
        "--relative-to",
        metavar="DIR",
        help="Folder where relative paths start",
        group=EXPERT,
        example='"/mnt/stick"',
    ),
    "replace_prefix": _row(
        "--replace-prefix",
        metavar="FROM=TO",
        help="Replace path prefix FROM with TO",
        group=EXPERT,
        check=lambda texts: [path_map.parse_swap(os.fsencode(text)) for text in texts],
        example='"/srv/music=/music"',
    ),
    "max_per_file": _row(
        "--max-per-file",
        metavar="N",
        help="Split into NAME-1, NAME-2 and so on of N tracks",
        group=EXPERT,
        verbs=MAKE,
        check=_from_one("max_per_file"),
    ),
    "strict": _row("--strict", help="Write nothing if the player cannot play a track", group=SAFETY),
    "extinf": _row("--no-extinf", help="Omit titles and lengths (#EXTINF lines)", group=EXPERT),
    "tags": _row("--no-tags", help="Read no tags: faster, no titles or lengths", group=EXPERT, verbs=MAKE),
    "ignore_files": _row(
        "--no-ignore-files",
        help="Include files that .nomedia and others exclude",
        group=EXPERT,
    ),
    "allow_shrink": _row(
        "--allow-shrink",
        help="Write even if most tracks have disappeared",
        group=SAFETY,
        has_key=False,
    ),
    "force": _row("--force", help="Replace a playlist from another program", group=SAFETY),
}
