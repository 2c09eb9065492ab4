"""Map paths of this machine to the paths that a player sees, and back.

A music folder in a container, on a stick or on a share has a different path there. A comment in the
playlist says what was replaced, so that it can be read here.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from playshuffle.errors import OptionError, shown

_SAFE = "/-._~"
_ROOTED = rb"/|[A-Za-z]:[/\\]|\\\\|[a-z][a-z0-9+.-]*://"


class Base(NamedTuple):
    """How paths are seen elsewhere.

    folder: the folder that relative entries are relative to.
    swaps: pairs of a folder here, with a slash at its end, and what it is there, with its separator.
    within: what alone can be seen there, with a slash at its end; empty for everything.
    """

    folder: bytes
    swaps: tuple[tuple[bytes, bytes], ...] = ()
    within: tuple[bytes, ...] = ()

    def is_seen(self, path: bytes) -> bool:
        """Return whether the player can see a file, or a folder (with a slash at its end)."""
        return not self.within or path.startswith(self.within)

    def for_player(self, path: bytes) -> bytes:
        """Return the path of a file as the player sees it."""
        for local, player_path in self.swaps:
            if path.startswith(local):
                rest = path[len(local) :]
                return player_path + (rest.replace(b"/", b"\\") if player_path.endswith(b"\\") else rest)
        return path

    def shape(self, path: bytes) -> bytes:
        """Return the player's path with slashes as separators, so that a backslash belongs to a name."""
        for local, player_path in self.swaps:
            if path.startswith(local):
                return player_path.replace(b"\\", b"/") + path[len(local) :]
        return path

    def is_nameable(self, path: bytes) -> bool:
        """Return whether the names in a path are possible for the player, where a backslash may separate."""
        return b"\\" not in path or not any(
            player_path.endswith(b"\\") and b"\\" in path[len(local) :]
            for local, player_path in self.swaps
            if path.startswith(local)
        )

    def comment(self, folder: bytes) -> str:
        """Return the comment that lets `Back` find the files of a playlist; empty if none is needed."""
        folder_here = _with_separator(self.folder)
        pairs = [(player_path, local) for local, player_path in self.swaps if player_path != folder_here]
        if folder_here != _with_separator(folder):
            pairs.append((b"", folder_here))
        if not pairs:
            return ""

        return " ".join(f"{quote_from_bytes(a, _SAFE)}={quote_from_bytes(b, _SAFE)}" for a, b in pairs)


class Back(NamedTuple):
    """A map from the entries of a playlist to local paths, read from its comment."""

    folder: bytes
    swaps: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def read(cls, comment: str, folder: bytes) -> "Back":
        """Parse a comment; pairs that make no sense are ignored."""
        base, swaps = folder, []
        for pair in comment.split():
            player_path, _, local = (unquote_to_bytes(part) for part in pair.partition("="))
            if not local.startswith(b"/") or b"\0" in local:
                continue
            if player_path:
                swaps.append((player_path, local))
            else:
                base = local
        return cls(base, tuple(swaps))

    def real(self, path: bytes) -> bytes:
        """Return the local path of an entry; the same path if no swap applies."""
        for player_path, local in self.swaps:
            if path.startswith(player_path):
                rest = path[len(player_path) :]
                return local + (rest.replace(b"\\", b"/") if player_path.endswith(b"\\") else rest)
        return path


def parse_swap(text: bytes) -> tuple[bytes, bytes]:
    r"""Read `FROM=TO`: a folder here, and what it is to the player; /srv/music=/music, or =Z:\Music.

    Raises:
        OptionError: it is no such pair.
    """
    local, equals, player_path = text.rpartition(b"=")
    if not (equals and local.startswith(b"/") and _is_rooted(player_path)):
        raise OptionError(
            "{} '{text}' is not FROM=TO with two absolute paths. Write it like /srv/music=/music.",
            "replace_prefix",
            text=shown(text),
        )
    return _with_separator(local), _with_separator(player_path)


def root_as(text: bytes, roots: Sequence[bytes]) -> tuple[tuple[bytes, bytes], ...]:
    """Put the folder that the player knows in place of the music folder.

    Raises:
        OptionError: it is not an absolute path, or there are several music folders.
    """
    if not _is_rooted(text):
        raise OptionError(
            "{} '{text}' is not an absolute path. Write it like /Music.", "root_as", text=shown(text)
        )
    if len(roots) != 1:
        raise OptionError(
            "{} works with one music folder only. For several use {}.",
            "root_as",
            'replace_prefix = "FROM=TO"',
        )
    return ((_with_separator(roots[0]), _with_separator(text)),)


def is_foreign(swaps: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether the swaps lead to paths of another system: a drive, a share, a URL."""
    return any(not player_path.startswith(b"/") for _, player_path in swaps)


def _is_rooted(path: bytes) -> bool:
    return re.match(_ROOTED, path) is not None and not any(byte < 0x20 for byte in path)


def _with_separator(path: bytes) -> bytes:
    if b"\\" in path:
        return path.rstrip(b"\\") + b"\\"
    return path.rstrip(b"/") + b"/"
