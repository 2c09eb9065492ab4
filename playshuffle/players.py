"""What players make of names: tracks, and how they are written -> those that some player would lose.

Found by loading hostile names into MPD 0.23.12, mpv 0.35.1, VLC 3.0.24, cmus 2.10, Quod Libet 4.5,
Mopidy 3.4, totem-pl-parser 3.26 (Rhythmbox), Audacious 4.2, Strawberry 1.0, MPlayer 1.5 and MOC 2.6;
for servers, Kodi and Rockbox by reading their sources.

Not looked for: names that differ by case or Unicode form alone, of which Navidrome plays one
twice. To find them every name has to be folded, which costs more than all the rest together.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from playshuffle.playlist import PathStyle, entries


class Loss(NamedTuple):
    """Tracks that some players cannot load, or for which they play another file.

    what: is odd about them, in a few words.
    cure: what to do about it, in a few words.
    indices: of the tracks, ascending.
    """

    what: str
    players: tuple[str, ...]
    cure: str
    indices: Sequence[int]


class _Class(NamedTuple):
    """A class of names.

    signs: every name of the class holds one of these, and any that holds one and matches
        the pattern belongs to it.
    path, uri: the players that lose it, by how it is written.
    """

    what: str
    signs: tuple[bytes, ...]
    path: tuple[str, ...]
    uri: tuple[str, ...]
    cure: str
    pattern: re.Pattern[bytes] = re.compile(b"")


_UNICODE_BREAKS = (b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
_CLASSES = (
    _Class(
        "'#' or '?' in the name",
        (b"#", b"?"),
        path=("VLC",),  # which may queue the whole folder instead
        uri=(),
        cure="use --paths uri for VLC",
    ),
    _Class(
        "what looks like a URI escape (such as %41) in the name",
        (b"%",),
        path=("VLC", "Jellyfin"),
        uri=(),
        cure="use --paths uri for VLC, rename for Jellyfin",
        pattern=re.compile(rb"(?:[^%]|%[0-9A-Fa-f]{2})*\Z"),  # any other '%', and it is none
    ),
    _Class("'%20' in the name", (b"%20",), path=("Music Assistant",), uri=(), cure="rename"),
    _Class(
        "a space or control character before or after a name",
        (b"/ ", b" /", *(bytes([control]) for control in range(1, 0x20))),
        path=("MPD before 0.24",),
        uri=(),
        cure="update MPD or rename",
        pattern=re.compile(rb".*(?:[\x01-\x20]/|/[\x01-\x20])", re.DOTALL),
    ),
    _Class(
        "a backslash in the name",
        (b"\\",),
        path=("LMS", "OwnTone", "Rockbox", "Music Assistant", "Strawberry 1.0"),
        uri=("Strawberry 1.0",),
        cure="rename",
    ),
    _Class(
        "a control character or Unicode line break in the name",
        (b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", *_UNICODE_BREAKS),
        path=("Music Assistant",),
        uri=(),
        cure="rename",
    ),
    # In path style these two are left out altogether: see `unwritable`.
    _Class(
        "a newline in the name",
        (b"\n",),
        path=(),
        uri=("MPD", "cmus", "Audacious", "MPlayer", "MOC"),
        cure="rename",
    ),
    _Class(
        "a carriage return in the name",
        (b"\r",),
        path=(),
        uri=("MPD", "cmus", "MPlayer", "MOC"),
        cure="rename",
    ),
)

_NOT_UTF8 = _Class(
    "a name that is not UTF-8",
    (),
    path=("VLC", "Mopidy", "Rhythmbox", "Strawberry", "mpv from 0.37 on", "every server"),
    uri=("MPD", "cmus", "Strawberry"),
    cure="rename to UTF-8, or use --paths uri for VLC, mpv, Mopidy and Rhythmbox",
)


class _Limit(NamedTuple):
    what: str
    players: tuple[str, ...]
    cure: str
    most: int


_LINE_LIMITS = (
    _Limit("a line of more than 260 bytes", ("Rockbox",), "use --paths relative or shorter names", 260),
    _Limit("a line of more than 4095 bytes", ("Kodi", "MPD"), "use --paths relative or shorter names", 4095),
)
_COUNT_LIMIT = _Limit(
    "a place after the first 16384", ("MPD",), "raise max_playlist_length in mpd.conf or use --limit", 16384
)


# Everything but control characters and # % ? \, as far as ASCII goes.
_PLAIN = bytes({*range(0x20, 0x7F), *range(0x80, 0x100)} - {*b"#%?\\"})
_PLAIN_LENGTH = 200  # the shortest limit, less what may be in front of a relative entry


def is_plain(top: bytes, names: bytes) -> bool:
    """Whether no player has trouble with any file of a folder; False where it takes a closer look.

    Args:
        top: the folder, with a slash at its end.
        names: of the files, joined by slashes.
    """
    text = top + names
    if text.translate(None, _PLAIN) or b" /" in text or b"/ " in text:
        return False
    if len(top) + max(map(len, names.split(b"/"))) > _PLAIN_LENGTH:
        return False
    return text.isascii() or (_is_utf8(text) and not any(sign in text for sign in _UNICODE_BREAKS))


def losses(paths: Sequence[bytes], count: int, style: PathStyle, folder: bytes) -> list[Loss]:
    """Find what some player would lose of a playlist that lies in the folder.

    Paths and folder are absolute and without dot segments. Quick where nothing is odd: all
    names are searched as one text, at the speed of C.
    """
    text = _names(paths, style, folder)
    is_uri = style is PathStyle.URI
    found = []
    for row in _CLASSES:
        players = row.uri if is_uri else row.path
        if players:
            signs = filter(bytes.isascii, row.signs) if text.isascii() else row.signs
            indices = {i for sign in signs for i, name in _holders(text, sign) if row.pattern.match(name)}
            found.append(Loss(row.what, players, row.cure, sorted(indices)))
    if not _is_utf8(text):
        indices = {index for index, name in enumerate(text.split(b"\0")[1:-1]) if not _is_utf8(name)}
        players = _NOT_UTF8.uri if is_uri else _NOT_UTF8.path
        found.append(Loss(_NOT_UTF8.what, players, _NOT_UTF8.cure, sorted(indices)))
    found += _beyond_limits(paths, count, style, folder)
    return [loss for loss in found if loss.indices]


def _names(paths: Sequence[bytes], style: PathStyle, folder: bytes) -> bytes:
    """Join what the players get to see of each path, with a NUL before and after each.

    A relative entry does not hold the folder, so what is odd about that does no harm.
    """
    text = b"\0".join([b"", *paths, b""])
    if style is PathStyle.RELATIVE:
        above = folder.rstrip(b"/") + b"/"
        while b"\0/" in text:
            text = text.replace(b"\0" + above, b"\0./")
            above = above[: above.rfind(b"/", 0, -1) + 1]
    return text


def _holders(text: bytes, sign: bytes) -> Iterator[tuple[int, bytes]]:
    index, end = -1, 0
    hit = text.find(sign)
    while hit >= 0:
        index += text.count(b"\0", end, hit)
        start = text.rindex(b"\0", end, hit) + 1
        end = text.index(b"\0", hit)
        yield index, text[start:end]
        hit = text.find(sign, end)


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _beyond_limits(paths: Sequence[bytes], count: int, style: PathStyle, folder: bytes) -> Iterator[Loss]:
    least = min(limit.most for limit in _LINE_LIMITS) - len(b"../") * folder.count(b"/") - len(b"./")
    if style is not PathStyle.URI and max(map(len, paths), default=0) > least:
        lengths = list(map(len, entries(paths, style, folder)))
        for limit in _LINE_LIMITS:
            indices = [index for index, length in enumerate(lengths) if length > limit.most]
            yield Loss(limit.what, limit.players, limit.cure, indices)
    beyond = range(_COUNT_LIMIT.most, count)
    yield Loss(_COUNT_LIMIT.what, _COUNT_LIMIT.players, _COUNT_LIMIT.cure, beyond)
