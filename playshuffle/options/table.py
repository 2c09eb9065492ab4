"""Define the options of a playlist: one field each, with its flag, its key and its help."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from playshuffle.errors import shown
from playshuffle.options.help_groups import AMOUNT, EXPERT, INCLUDE, ORDER, PLACE, SAFETY
from playshuffle.text import shell_word

STDOUT = "-"
NONE: tuple[str, ...] = ()  # for a rare option that only the configuration has
MAKE, DEAL, MAKE_DEAL, MAKE_WATCH = ("make",), ("deal",), ("make", "deal"), ("make", "watch")
ALL = ("make", "deal", "watch")


class Row(NamedTuple):
    """An option on the command line and in the configuration.

    Attributes:
        flag: its long spelling; begins with `--no-` if the option is on by default.
        help: text for the command line, at most 50 characters.
        group: one of `help_groups.GROUPS`; decides whether the short help shows it.
        verbs: the commands that take it; none for an option of the configuration alone.
        names: if its values are names, their kind: a key of `option_values.NAMES`.
        may_be_number: the configuration accepts a number in place of text.
    """

    flag: str
    help: str
    group: str
    metavar: str | None = None
    short: str | None = None
    verbs: tuple[str, ...] = MAKE_DEAL
    names: str | None = None
    example: str | None = None
    has_key: bool = True
    may_be_number: bool = False
    name: str = ""
    type: Any = None
    default: Any = None

    @property
    def flags(self) -> tuple[str, ...]:
        return (self.flag,) if self.short is None else (self.flag, self.short)

    @property
    def is_negated(self) -> bool:
        return self.default is True

    @property
    def key(self) -> str:
        return self.flag.removeprefix("--no-" if self.is_negated else "--").replace("-", "_")


class Options(NamedTuple):
    """The options of one playlist, as the user wrote them; None for an option that was not given."""

    folders: tuple[str, ...] = ()
    # A table, with few lines for each option.
    # fmt: off
    output: Annotated[str | None, Row(
        "--output", "Playlist to write, or - for standard output", PLACE, "FILE|-", short="-o",
        verbs=ALL, example='"~/Music/calm.m3u"')] = None
    order: Annotated[str, Row(
        "--order", "See: playshuffle help orders", ORDER, "NAME", verbs=ALL,
        names="order", example='"spread"')] = "random"
    group_by: Annotated[str | None, Row(
        "--group-by", "Field to group or spread by, as genre or year", EXPERT, "FIELD",
        names="field", example='"genre"')] = None
    source: Annotated[str | None, Row(
        "--from", "Use the files in a list instead of folders", INCLUDE, "FILE|-", has_key=False)] = None
    where: Annotated[tuple[str, ...], Row(
        "--where", "Take only these tracks, such as 'genre:jazz'", INCLUDE, "QUERY", verbs=ALL,
        example='"genre:jazz -title:live"')] = ()
    history: Annotated[tuple[str, ...], Row(
        "--history", "Play history, such as mpd, beets or a file", EXPERT, "SOURCE", verbs=ALL,
        example='["mpd"]')] = ()
    without: Annotated[tuple[str, ...], Row(
        "--without", "Omit the tracks of this playlist (a skip list)", INCLUDE, "LIST", verbs=ALL,
        example='["loud.m3u"]')] = ()
    no_duplicates: Annotated[bool, Row(
        "--no-duplicates", "Keep only the best copy of each recording", INCLUDE, verbs=ALL)] = False
    spoken: Annotated[bool, Row("--spoken", "Include audiobooks and podcasts", INCLUDE, verbs=ALL)] = False
    inside: Annotated[str | None, Row(
        "--inside", "Also shuffle inside groups: none, last or all", EXPERT, "none|last|all",
        verbs=NONE, names="place to shuffle", example='"all"')] = None
    gap: Annotated[str | None, Row(
        "--gap", "At least N plays from one of a track to its next", EXPERT, "N|N%", verbs=MAKE,
        example='50 or "25%"', may_be_number=True)] = None
    rest: Annotated[str | None, Row(
        "--rest", "Put tracks played lately at the end, like 30d", EXPERT, "TIME|FIELD:TIME", verbs=ALL,
        example='"30d,artist:2h"')] = None
    pin: Annotated[tuple[str, ...], Row(
        "--pin", "Keep a track at a position: 1, first, last, here", ORDER, "TRACK[@POSITION]", verbs=MAKE,
        example='"intro.mp3@first"')] = ()
    limit: Annotated[int | None, Row(
        "--limit", "Maximum number of tracks, such as 40", AMOUNT, "N", short="-n",
        example="40")] = None
    most: Annotated[str | None, Row(
        "--most", "At most N tracks of each FIELD, as 3:artist", AMOUNT, "N:FIELD", verbs=ALL,
        example='"3:artist"')] = None
    time: Annotated[str | None, Row(
        "--time", "Maximum playing time, such as 90m or 2h", AMOUNT, "DURATION", example='"90m"')] = None
    size: Annotated[str | None, Row(
        "--size", "Maximum size of all files, such as 8GB", AMOUNT, "SIZE", example='"8GB"')] = None
    groups: Annotated[int | None, Row(
        "--groups", "Number of whole groups, or albums", AMOUNT, "N", short="--albums", example="1")] = None
    every: Annotated[str | None, Row(
        "--every", "Due each day (default), week, month, 2d or run", AMOUNT, "PERIOD", verbs=DEAL,
        names="period", example='"week"')] = None
    done_when: Annotated[str | None, Row(
        "--count", "When a track counts: dealt (default) or played", EXPERT, "dealt|played", verbs=DEAL,
        names="count", example='"played"')] = None
    patience: Annotated[str | None, Row(
        "--patience", "Deals that an unheard track stays, or always", EXPERT, "N|always", verbs=DEAL,
        example='5 or "always"', may_be_number=True)] = None
    seed: Annotated[str | None, Row(
        "--seed", "Make the order repeatable, such as 2026", EXPERT, "TEXT", verbs=MAKE,
        example='"2026"')] = None
    player: Annotated[str, Row(
        "--for", "Player, such as mpd or vlc. Default: any", PLACE, "PLAYER", verbs=ALL, names="player",
        example='"mpd"')] = "generic"
    title: Annotated[str | None, Row(
        "--title", "Title of the playlist, for servers and players", EXPERT, "TEXT",
        verbs=NONE, example='"Calm evenings"')] = None
    paths: Annotated[str | None, Row(
        "--paths", "relative (default if possible), absolute or uri", EXPERT, "FORM",
        names="path style", example='"relative"')] = None
    maps: Annotated[tuple[str, ...], Row(
        "--map", "Folder as the player sees it, as ~/Music=/Music", EXPERT, "FROM=TO",
        example='"~/Music=/Music"')] = ()
    relative_to: Annotated[str | None, Row(
        "--relative-to", "Folder where relative paths start", EXPERT, "DIR", verbs=NONE,
        example='"/mnt/stick"')] = None
    extinf: Annotated[bool, Row(
        "--no-extinf", "Omit titles and lengths (#EXTINF lines)", EXPERT, verbs=NONE)] = True
    tags: Annotated[bool, Row(
        "--no-tags", "Read no tags: faster, no titles or lengths", EXPERT, verbs=MAKE)] = True
    ignore_files: Annotated[bool, Row(
        "--no-ignore-files", "Include files that .nomedia and others exclude", EXPERT, verbs=NONE)] = True
    accept_missing: Annotated[bool, Row(
        "--accept-missing", "Accept that missing tracks are gone for good", SAFETY, has_key=False)] = False
    force: Annotated[bool, Row("--force", "Replace another program's or user's playlist", SAFETY)] = False
    # fmt: on


_DEFAULTS = Options()

# The row of each option.
ROWS: Sequence[Row] = [
    annotation.__metadata__[0]._replace(
        name=name, type=annotation.__origin__, default=Options._field_defaults[name]
    )
    for name, annotation in Options.__annotations__.items()
    if name != "folders"
]


def changed(options: Options) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    return {name: value for name, value in options._asdict().items() if value != getattr(_DEFAULTS, name)}


def as_flags(options: Options, before: Options = _DEFAULTS) -> str:
    """Return the options that differ from `before`, except `output`, as flags."""
    words = []
    for row in ROWS:
        value = getattr(options, row.name)
        if (
            value in (row.default, getattr(before, row.name))
            or row.name == "output"
            or (row.name, value) == ("every", "day")
        ):
            continue
        if not row.verbs:
            words.append(shown(f"{row.key} = {json.dumps(value, ensure_ascii=False)}"))
            continue
        flag = min(row.flags, key=len)
        values = value if isinstance(value, tuple) else (value,)
        words += [flag if row.type is bool else f"{flag} {shell_word(str(value))}" for value in values]
    return " ".join(words)
