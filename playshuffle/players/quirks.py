"""Find odd names and lines that players misread, each oddity with its own key."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from playshuffle.library.suspect_names import UNICODE_BREAKS
from playshuffle.text import is_utf8


class Quirk(NamedTuple):
    """An oddity of a name, or of a line of a playlist.

    Attributes:
        signs: every odd name has one of these; a name that also matches `pattern` is odd. Empty if names
            alone cannot show the oddity.
        instead: returns the path that a player with this problem would open.
    """

    what: str
    cure: str = "rename"
    signs: tuple[bytes, ...] = ()
    pattern: bytes = b""
    instead: Callable[[bytes], bytes] | None = None


_BLANKS = bytes(range(1, 0x21))


def _stripped(path: bytes) -> bytes:
    return b"/".join(segment.strip(_BLANKS) for segment in path.split(b"/"))


# Oddities of names, as they appear in an entry with the path in front. Messages keep this order.
QUIRKS: dict[str, Quirk] = {
    "hash": Quirk("'#' or '?' in the name", "use --paths uri for VLC", (b"#", b"?")),
    "escape": Quirk(
        "what looks like a URI escape (such as %41) in the name",
        "use --paths uri or --for vlc",
        (b"%",),
        rb"(?:[^%]|%[0-9A-Fa-f]{2})*\Z",  # any other '%': not an escape
    ),
    "decoded": Quirk(
        "a URI escape (such as %41) in the name", "use --for jellyfin", (b"%",), rb"(?s).*%[0-9A-Fa-f]{2}"
    ),
    "escaped-space": Quirk("'%20' in the name", signs=(b"%20",)),
    "edge": Quirk(
        "a space or control character before or after a name",
        "update MPD or rename",
        (b"/ ", b" /", *(bytes([control]) for control in range(1, 0x20))),
        rb"(?s).*(?:[\x01-\x20]/|/[\x01-\x20])",
        _stripped,
    ),
    "backslash": Quirk(
        "a backslash in the name", signs=(b"\\",), instead=lambda path: path.replace(b"\\", b"/")
    ),
    "break": Quirk(
        "a control character or Unicode line break in the name",
        signs=(b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", *UNICODE_BREAKS),
    ),
    "noncharacter": Quirk("U+FFFE in the name", signs=(b"\xef\xbf\xbe",)),
    "extended": Quirk("'#EXT' in the name", signs=(b"#EXT",)),
    "curtrack": Quirk("'#CURTRACK' in the name", signs=(b"#CURTRACK",)),
    # In path style a newline is never written, and a carriage return rarely: see `unwritable`.
    "newline": Quirk("a newline in the name", signs=(b"\n",)),
    "return": Quirk("a carriage return in the name", signs=(b"\r",)),
    "bytes": Quirk(
        "a name that is not UTF-8", "rename to UTF-8, or use --paths uri for VLC, mpv, Mopidy and Rhythmbox"
    ),
}


# Oddities of lines and lists from other programs; `check` recognises them.
LIST_QUIRKS = {
    "colon": Quirk("a ':' before the first slash, as in a URI", "write ./ before it"),
    "blank": Quirk("a space at the start, which is removed", "write ./ before it"),
    "tilde": Quirk("'~/' in front, taken for the home folder", "write ./ before it"),
    "angle": Quirk("'<' in front", "write ./ before it"),
    "letter": Quirk("one letter and ':' in front, as of a drive", "write ./ before it"),
    "drive": Quirk("a start that looks like a drive or a share", "write ./ before it"),
    "doubled": Quirk("'//' within the path", "write one '/'"),
    "itself": Quirk("an entry named like the playlist", "rename the playlist"),
    "folder": Quirk("an entry that is a folder", "list its files"),
    "music": Quirk("a relative entry, which counts from its music folder", "use absolute paths or URIs"),
    "device": Quirk("an absolute path, which is another one on a device", "use --map or relative paths"),
    "uri": Quirk("a file:// URI", "use paths"),
    "percent": Quirk("a relative path with URI escapes", "write the path itself"),
    "windows": Quirk("backslashes for slashes", "write slashes"),
    "latin1": Quirk("a name in another encoding than on the disk", "convert the file to UTF-8"),
    "form": Quirk("a name in another Unicode form than on the disk", "write it as on the disk"),
    "case": Quirk("a name in other letter case than on the disk", "write it as on the disk"),
    "headless": Quirk("a byte order mark and no #EXTM3U: the first entry", "remove the mark"),
    "utf16": Quirk("a file in UTF-16", "convert the file to UTF-8"),
    "mac": Quirk("lines that end in CR alone", "end them with LF"),
    "hls": Quirk("tags of a stream (#EXT-X-…)", "remove them"),
    "empty": Quirk("an empty line", "remove it"),
    "dead": Quirk("one missing file makes it reject the whole playlist", "remove missing entries"),
    "spoilt": Quirk("a file that is not UTF-8: its names are taken for Latin-1", "convert the file to UTF-8"),
    "codepage": Quirk("a suffix for which names are not taken for UTF-8", "call it .m3u8"),
    "capitals": Quirk("a suffix in capitals", "write it in small letters"),
    "suffix": Quirk("a suffix that it does not load", "call it .m3u"),
}


def odd_in(names: Sequence[bytes], key: str) -> list[int]:
    """Return the indices of the names with this oddity, ascending."""
    quirk = QUIRKS[key]
    if key == "bytes":
        return [index for index, name in enumerate(names) if not is_utf8(name)]
    text = b"\0".join(names)  # usually no name is odd, and then 100,000 names take no time
    if not any(sign in text for sign in quirk.signs):
        return []
    return [
        index
        for index, name in enumerate(names)
        if any(map(name.__contains__, quirk.signs)) and re.match(quirk.pattern, name)
    ]
