"""Find the tracks that a player would lose because of their names in a playlist."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from playshuffle.players.player import FORM_OF, Player
from playshuffle.players.profiles import GENERIC, PLAYERS, READERS
from playshuffle.players.quirks import QUIRKS, odd_in
from playshuffle.playlist.m3u import PathStyle, entries, unwritable
from playshuffle.text import folded

_SERVERS = "every server"


class Loss(NamedTuple):
    """Tracks that some players cannot load, or mistake for another file.

    Attributes:
        what: the oddity, such as 'a # in the name'.
        indices: indices of checked paths, ascending. A range has positions in the playlist instead.
    """

    what: str
    players: tuple[str, ...]
    cure: str
    indices: Sequence[int]


def losses(
    paths: Sequence[bytes], count: int, style: PathStyle, folder: bytes, player: str = GENERIC
) -> list[Loss]:
    """Find the tracks of a playlist that a player would lose; for the generic player, that any player would.

    Paths and folder are absolute, without dot segments. `paths` may omit tracks with plain names; `count`
    includes them. Only `twins` finds names that differ by nothing but case or Unicode form.
    """
    readers = READERS if player == GENERIC else (PLAYERS[player],)
    names = _names(paths, style, folder)
    form = FORM_OF[style]
    all_losses = []
    for key, quirk in QUIRKS.items():
        if key == "return" and form != "U":  # `left_out` omits it for players that would lose it
            continue
        if player == GENERIC:
            losers = [reader for reader in readers if key in reader.loses and reader.loses[key].has(form)]
        else:
            losers = [reader for reader in readers if reader.loses_written(key, form) is not None]
        if losers and (indices := odd_in(names, key)):
            all_losses.append(Loss(quirk.what, _labels(losers, key), quirk.cure, indices))
    all_losses += _beyond_limits(readers, paths, count, style, folder)
    return [loss for loss in all_losses if loss.indices]


def left_out(paths: Sequence[bytes], style: PathStyle, folder: bytes, player: str) -> dict[int, str]:
    """Map the index of each track that the player's playlist must omit to the reason.

    The player would lose the track, or play another file. If only some versions would, the track is omitted
    only if that other file exists.
    """
    reader, form = PLAYERS[player], FORM_OF[style]
    lines = entries(paths, style, folder)
    may_return = "return" not in reader.loses or not reader.loses["return"].has(form)
    out = dict.fromkeys(unwritable(lines, may_return=may_return), "line break in the name")
    if player == GENERIC:
        return out
    names = _names(paths, style, folder)
    for key, quirk in QUIRKS.items():
        lost = reader.loses_written(key, form)
        if lost is None:
            continue
        for index in odd_in(names, key):
            instead = quirk.instead if lost.plays_another(form) else None
            if not lost.versions or (
                instead and os.path.lexists(os.path.join(folder, instead(names[index])))
            ):
                out.setdefault(index, f"{quirk.what} (lost by {reader.title})")
    if reader.longest is not None:
        for index, entry in enumerate(lines):
            if len(entry) > reader.longest:
                out.setdefault(index, f"a line of more than {reader.longest} bytes (lost by {reader.title})")
    return out


def twins(paths: Sequence[bytes]) -> dict[int, bytes]:
    """Map the index of each path that differs from an earlier one only by case or Unicode form to that one.

    This takes longer than all other checks together.
    """
    first: dict[str, bytes] = {}
    twin_of = {}
    for index, path in enumerate(paths):
        first_path = first.setdefault(folded(os.fsdecode(path)), path)
        if first_path != path:
            twin_of[index] = first_path
    return twin_of


def _labels(readers: Sequence[Player], key: str) -> tuple[str, ...]:
    servers = [reader for reader in READERS if reader.is_server]
    all_servers = len(readers) > 1 and all(server in readers for server in servers)
    labels = (
        _SERVERS if all_servers and reader.is_server else f"{reader.title} {reader.loses[key].versions}"
        for reader in readers
    )
    return tuple(dict.fromkeys(map(str.rstrip, labels)))


def _names(paths: Sequence[bytes], style: PathStyle, folder: bytes) -> Sequence[bytes]:
    """Return the part of each path that the players see.

    A relative entry omits the folder, so oddities of the folder do no harm.
    """
    if style is not PathStyle.RELATIVE:
        return paths
    return [re.sub(rb"\A(?:\.\.?/)*", b"./", entry) for entry in entries(paths, style, folder)]


def _beyond_limits(
    readers: Sequence[Player], paths: Sequence[bytes], count: int, style: PathStyle, folder: bytes
) -> Iterator[Loss]:
    limited = sorted((r for r in readers if r.longest is not None), key=lambda r: r.longest or 0)
    if limited and style is not PathStyle.URI:
        lengths = list(map(len, entries(paths, style, folder)))
        for longest, group in groupby(limited, key=lambda reader: reader.longest or 0):
            indices = [index for index, length in enumerate(lengths) if length > longest]
            yield Loss(
                f"a line of more than {longest} bytes",
                tuple(reader.title for reader in group),
                "use --paths relative or shorter names",
                indices,
            )
    for reader in readers:
        if reader.most is not None:
            yield Loss(
                f"it reads the first {reader.most:,} entries",
                (reader.title,),
                reader.more,
                range(reader.most, count),
            )
