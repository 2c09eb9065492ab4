"""What a user asks of one playlist, in words -> a request, checked."""

import os
from dataclasses import dataclass

from playshuffle import duration
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.ordering import groups, recipe
from playshuffle.ordering.orders import ORDERS, check
from playshuffle.pipeline.mpd_place import default_output
from playshuffle.pipeline.request import Request
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist import path_map as base
from playshuffle.playlist.m3u import PathStyle
from playshuffle.text import known

STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Options:
    """What may be asked of one playlist, as the user wrote it; None is what was not asked for.

    To add one: a field here, its meaning in `request`, its word in `cli.words` and the verbs
    that take it, and its key in `keys`.
    """

    folders: tuple[str, ...]
    output: str | None = None
    order: str = "uniform"
    by: str | None = None
    block_size: int | None = None
    inside: str | None = None
    part: str | None = None
    gap: str | None = None
    pin: tuple[str, ...] = ()
    limit: int | None = None
    time: str | None = None
    seed: str | None = None
    paths: str | None = None
    extinf: bool = True
    tags: bool = True
    ignore_files: bool = True
    allow_shrink: bool = False
    force: bool = False
    player: str = GENERIC
    strict: bool = False
    root_as: str | None = None
    relative_to: str | None = None
    replace_prefix: tuple[str, ...] = ()
    part_size: int | None = None


def request(
    options: Options, *, has_output: bool = True, any_name: bool = False, dry_run: bool = False
) -> Request:
    """Make a request of what is asked for; what is relative counts from the current folder.

    Args:
        options: at least one folder among them.
        has_output: whether a file is written at all; `STDOUT` is none.
        any_name: as in the request.
        dry_run: as in the request.

    Raises:
        PlayshuffleError: something asked for is none, or does not go with something else.
    """
    player = known("player", options.player, PLAYERS)
    _check_seen(options)
    is_relative = options.paths == PathStyle.RELATIVE and options.relative_to is None
    if options.output == STDOUT and is_relative:
        raise PlayshuffleError(
            "--paths relative needs a file to be relative to; name one with -o.", Exit.USAGE
        )
    wanted = _recipe(options)
    check(wanted, has_pins=bool(options.pin), has_tags=options.tags)
    roots = tuple(absolute(folder, Exit.NO_INPUT) for folder in options.folders)
    return Request(
        roots=roots,
        output=_output(options.output, player, roots[0]) if has_output else None,
        recipe=wanted,
        pins=options.pin,
        style=None if options.paths is None else PathStyle(known("--paths", options.paths, PathStyle)),
        seed=options.seed,
        extinf=options.extinf,
        tags=options.tags,
        ignore_files=options.ignore_files,
        allow_shrink=options.allow_shrink,
        force=options.force,
        dry_run=dry_run,
        any_name=any_name,
        player=player,
        strict=options.strict,
        relative_to=None if options.relative_to is None else absolute(options.relative_to, Exit.NO_INPUT),
        swaps=_swaps(options, roots),
        part_size=options.part_size,
    )


def absolute(path: str, code: Exit) -> bytes:
    """Make a path whole, from the current folder.

    Raises:
        PlayshuffleError: it is empty, or the current folder is gone; with this code.
    """
    if not path:
        raise PlayshuffleError("An empty name was given; is a variable of the shell not set?", Exit.USAGE)
    try:
        return os.path.abspath(os.fsencode(path))
    except FileNotFoundError:
        raise PlayshuffleError(
            f"{shown(path)}: the current folder is gone, so give a whole path, or go elsewhere.", code
        ) from None


def _recipe(options: Options) -> recipe.Recipe:
    if options.limit is not None and options.limit < 1:
        raise PlayshuffleError("--limit takes a number from 1.", Exit.USAGE)
    if options.time is not None and not options.tags:
        raise PlayshuffleError("--time needs the tags, for the lengths; leave --no-tags away.", Exit.USAGE)
    return recipe.Recipe(
        order=known("order", options.order, ORDERS),
        limit=options.limit,
        time_ms=None if options.time is None else duration.parse(options.time),
        by=None if options.by is None else known("--by", options.by, groups.KNOWN),
        block_size=options.block_size,
        inside=None if options.inside is None else recipe.parse_inside(options.inside),
        part=None if options.part is None else recipe.parse_part(options.part),
        gap=None if options.gap is None else recipe.parse_gap(options.gap),
    )


def _check_seen(options: Options) -> None:
    """See that it is said at most once where the player sees the music."""
    said = {
        "--root-as": options.root_as is not None,
        "--relative-to": options.relative_to is not None,
        "--replace-prefix": bool(options.replace_prefix),
    }
    named = [name for name, is_said in said.items() if is_said]
    if len(named) > 1:
        raise PlayshuffleError(f"{' and '.join(named)} exclude each other; choose one of them.", Exit.USAGE)
    if options.relative_to is not None and options.paths not in (None, PathStyle.RELATIVE):
        raise PlayshuffleError(
            f"--relative-to writes relative paths; leave --paths {shown(options.paths)} away.", Exit.USAGE
        )
    if (options.root_as or options.replace_prefix) and options.paths == PathStyle.RELATIVE:
        raise PlayshuffleError(f"{named[0]} writes whole paths; leave --paths relative away.", Exit.USAGE)
    if options.part_size is not None and options.part_size < 1:
        raise PlayshuffleError("--part-size takes a number from 1.", Exit.USAGE)


def _swaps(options: Options, roots: tuple[bytes, ...]) -> tuple[tuple[bytes, bytes], ...]:
    if options.root_as is not None:
        return base.root_as(os.fsencode(options.root_as), roots)
    return tuple(base.parse_swap(os.fsencode(text)) for text in options.replace_prefix)


def _output(output: str | None, player: str, root: bytes) -> bytes | None:
    if output == STDOUT:
        return None
    return default_output(player, root) if output is None else absolute(output, Exit.CANNOT_CREATE)
