"""Define the options of a playlist: one row each, for the command line and the configuration.

A new option is a row here and the code that acts on it. The row gives the option to the commands
that it names, and to the configuration as a key: its type, its check, and `config show`.
"""

import dataclasses
import os
from collections.abc import Iterator
from typing import Any, get_args

from playshuffle import duration
from playshuffle.config.option_groups import AMOUNT, EXPERT, INCLUDE, ORDER, PLACE, SAFETY
from playshuffle.config.option_row import Row, option, row_of
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering import groups
from playshuffle.ordering.gap import parse_gap
from playshuffle.ordering.limit_per_tag import parse_limit
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import parse_part
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist import path_map
from playshuffle.playlist.m3u import PathStyle
from playshuffle.shuffle import Inside
from playshuffle.text import known

STDOUT = "-"
RECORDING = "recording"
MAKE = ("make",)
ALL = ("make", "deal", "watch")


def _is_from_one(flag: str, value: int) -> None:
    if value < 1:
        raise PlayshuffleError(f"{flag} must be a number from 1, not {value}.", Exit.USAGE)


def _check_queries(texts: tuple[str, ...]) -> None:
    if not texts:
        return
    from playshuffle.selection.query import parse  # most playlists have no query

    for text in texts:
        parse(text)


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """The options of one playlist, as the user wrote them; None is what was not given."""

    folders: tuple[str, ...] = ()
    output: str | None = option(
        *("--output", "-o"),
        metavar="FILE|-",
        help="Playlist to write, or - for standard output",
        group=PLACE,
        verbs=("make", "watch"),
        example='"~/Music/calm.m3u"',
    )
    order: str = option(
        "--order",
        default="random",
        metavar="NAME",
        help="Order, see: playshuffle orders",
        group=ORDER,
        verbs=("make", "watch"),
        names=("order", ORDERS),
    )
    group_by: str | None = option(
        "--group-by",
        metavar="TAG",
        help="Tag to group by or spread by, such as genre",
        group=ORDER,
        names=("tag", groups.KNOWN),
    )
    source: str | None = option(
        "--from",
        metavar="FILE|-",
        help="Use the files in a list instead of folders",
        group=INCLUDE,
        has_key=False,
    )
    where: tuple[str, ...] = option(
        "--where",
        default=(),
        metavar="QUERY",
        help="Take only these tracks, such as 'genre:jazz'",
        group=INCLUDE,
        verbs=ALL,
        check=lambda _, texts: _check_queries(texts),
        example='"genre:jazz -title:live"',
        is_one_key=True,
    )
    without: tuple[str, ...] = option(
        "--without",
        default=(),
        metavar="LIST",
        help="Omit the tracks of this playlist (a skip list)",
        group=INCLUDE,
        verbs=ALL,
        example='["never.m3u"]',
    )
    dedupe: str | None = option(
        "--dedupe",
        metavar="recording",
        help="Keep only the best copy of each recording",
        group=INCLUDE,
        verbs=ALL,
        names=("kind of duplicates", (RECORDING,)),
        example='"recording"',
    )
    spoken: bool = option(
        "--spoken", default=False, help="Include audiobooks and podcasts", group=INCLUDE, verbs=ALL
    )
    group_size: int | None = option(
        "--group-size", metavar="N", help="Number of tracks in a group, such as 3", group=EXPERT
    )
    inside: str | None = option(
        "--inside",
        metavar="none|last|all",
        help="Which groups to shuffle inside, too",
        group=EXPERT,
        names=("place to shuffle", get_args(Inside)),
    )
    part: str | None = option(
        "--part",
        metavar="START:COUNT",
        help="Shuffle only COUNT tracks from START, such as 1:40",
        group=EXPERT,
        check=lambda _, text: parse_part(text),
        verbs=MAKE,
    )
    gap: str | None = option(
        "--gap",
        metavar="N|N%",
        help="No track again within N plays",
        group=ORDER,
        check=lambda _, text: parse_gap(text),
        example='50 or "25%"',
        may_be_number=True,
    )
    pin: tuple[str, ...] = option(
        "--pin",
        default=(),
        metavar="TRACK[@POSITION]",
        help="Keep a track at a position: 1, first, last, here",
        group=ORDER,
        verbs=MAKE,
        example='"intro.mp3@first"',
    )
    limit: int | None = option(
        *("--limit", "-n"),
        metavar="N",
        help="Maximum number of tracks, such as 40",
        group=AMOUNT,
        verbs=MAKE,
        check=_is_from_one,
    )
    most: str | None = option(
        "--most",
        metavar="N:TAG",
        help="At most N tracks of each TAG, such as 3:artist",
        group=AMOUNT,
        verbs=ALL,
        check=lambda _, text: parse_limit(text),
        after_colon=groups.KNOWN,
        example='"3:artist"',
    )
    time: str | None = option(
        "--time",
        metavar="DURATION",
        help="Maximum playing time, such as 90m or 2h",
        group=AMOUNT,
        check=lambda _, text: duration.parse(text),
        example='"90m"',
    )
    seed: str | None = option(
        "--seed", metavar="TEXT", help="Make the order repeatable, such as 2026", group=EXPERT, verbs=MAKE
    )
    player: str = option(
        "--for",
        default=GENERIC,
        metavar="PLAYER",
        help="Player, such as mpd or vlc",
        group=PLACE,
        verbs=ALL,
        names=("player", PLAYERS),
    )
    paths: str | None = option(
        "--paths",
        help="relative (default if possible), absolute or uri",
        metavar="FORM",
        group=EXPERT,
        choices=PathStyle,
        names=("path style", tuple(PathStyle)),
    )
    root_as: str | None = option(
        "--root-as", metavar="DIR", help="Music folder as the player sees it, like /Music", group=EXPERT
    )
    relative_to: str | None = option(
        "--relative-to",
        metavar="DIR",
        help="Folder where relative paths start",
        group=EXPERT,
        example='"/mnt/stick"',
    )
    replace_prefix: tuple[str, ...] = option(
        "--replace-prefix",
        default=(),
        metavar="FROM=TO",
        help="Replace path prefix FROM with TO",
        group=EXPERT,
        check=lambda _, texts: [path_map.parse_swap(os.fsencode(text)) for text in texts],
        example='"/srv/music=/music"',
    )
    max_per_file: int | None = option(
        "--max-per-file",
        metavar="N",
        help="Split into NAME-1, NAME-2 and so on of N tracks",
        group=EXPERT,
        verbs=MAKE,
        check=_is_from_one,
    )
    strict: bool = option(
        "--strict", default=False, help="Write nothing if the player cannot play a track", group=SAFETY
    )
    extinf: bool = option(
        "--no-extinf", default=True, help="Omit titles and lengths (#EXTINF lines)", group=EXPERT
    )
    tags: bool = option(
        "--no-tags",
        default=True,
        help="Read no tags: faster, no titles or lengths",
        group=EXPERT,
        verbs=MAKE,
    )
    ignore_files: bool = option(
        "--no-ignore-files", default=True, help="Include files that .nomedia and others exclude", group=EXPERT
    )
    allow_shrink: bool = option(
        "--allow-shrink",
        default=False,
        help="Write even if most tracks have disappeared",
        group=SAFETY,
        has_key=False,
    )
    force: bool = option(
        "--force", default=False, help="Replace a playlist from another program", group=SAFETY
    )


def rows() -> Iterator[tuple[dataclasses.Field[Any], Row]]:
    """Iterate over all options: the field of `Options`, and its row."""
    for field in dataclasses.fields(Options):
        if (row := row_of(field)) is not None:
            yield field, row


def check_options(options: Options) -> Options:
    """Check each value that was given, for itself, and return the options with whole names.

    Raises:
        PlayshuffleError: a value is not valid; names its option.
    """
    names: dict[str, Any] = {}
    for field, row in rows():
        value = getattr(options, field.name)
        if value is None:
            continue
        try:
            if row.names is not None:
                kind, all_names = row.names
                names[field.name] = known(kind, value, all_names)
            elif row.check is not None:
                row.check(row.flags[0], value)
        except PlayshuffleError as error:
            raise PlayshuffleError(str(error), error.code, [row.flags[0]]) from error
    return dataclasses.replace(options, **names)
