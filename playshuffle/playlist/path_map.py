"""Map paths of this machine to the paths that a player sees, and back.

A music folder may have another path in a container or on a share. A comment in the playlist has the map, to
read the playlist here.
"""

import os
import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from playshuffle.errors import OptionError

_SAFE = "/-._~"
_ROOTED = rb"/|[A-Za-z]:[/\\]|\\\\|[a-z][a-z0-9+.-]*://"
_MAP = rb"(.+)=((?:%b)[^\x00-\x1f]*)" % _ROOTED


class Base(NamedTuple):
    """How a player sees the paths of this computer.

    Attributes:
        folder: where relative entries start.
        swaps: pairs of a folder here and its path for the player, both with a separator at the end.
        within: folders that the player sees, with a slash at the end; empty if it sees all.
    """

    folder: bytes
    swaps: tuple[tuple[bytes, bytes], ...] = ()
    within: tuple[bytes, ...] = ()

    def is_seen(self, path: bytes) -> bool:
        """Return whether the player sees a path; a folder has a slash at its end."""
        return not self.within or path.startswith(self.within)

    def for_player(self, path: bytes) -> bytes:
        player_path, rest = self._divided(path)
        return player_path + (rest.replace(b"/", b"\\") if player_path.endswith(b"\\") else rest)

    def shape(self, path: bytes) -> bytes:
        """Return the path as the player sees it, with slashes instead of Windows' separators."""
        player_path, rest = self._divided(path)
        return player_path.replace(b"\\", b"/") + rest

    def is_nameable(self, path: bytes) -> bool:
        """Return whether the player can open a path: not if a backslash in a name would be a separator."""
        player_path, rest = self._divided(path)
        return not (player_path.endswith(b"\\") and b"\\" in rest)

    def _divided(self, path: bytes) -> tuple[bytes, bytes]:
        """Return the player's folder for a path, perhaps empty, and the rest of the path."""
        for local, player_path in self.swaps:
            if path.startswith(local):
                return player_path, path[len(local) :]
        return b"", path

    def comment(self, folder: bytes) -> str:
        folder_here = os.path.join(self.folder, b"")
        pairs = [(player_path, local) for local, player_path in self.swaps if player_path != folder_here]
        if folder_here != os.path.join(folder, b""):
            pairs.append((b"", folder_here))
        if not pairs:
            return ""
        return " ".join(f"{quote_from_bytes(a, _SAFE)}={quote_from_bytes(b, _SAFE)}" for a, b in pairs)


class Back(NamedTuple):
    """A map from a playlist's entries to local paths, read from its comment."""

    folder: bytes
    swaps: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def read(cls, comment: str, folder: bytes) -> "Back":
        """Read the map from the comment of a playlist in a folder; ignore invalid pairs."""
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
        for player_path, local in self.swaps:
            if path.startswith(player_path):
                rest = path[len(player_path) :]
                return local + (rest.replace(b"\\", b"/") if player_path.endswith(b"\\") else rest)
        return path


def with_folder(text: bytes, convert: Callable[[bytes], bytes]) -> bytes:
    """Convert FROM in a text `FROM=TO`, or a text without `=TO` as a whole."""
    match = re.fullmatch(_MAP, text, re.DOTALL)
    return convert(text) if match is None else convert(match[1]) + b"=" + match[2]


def parse_map(text: bytes) -> tuple[bytes, bytes]:
    r"""Parse `FROM=TO`, a folder here and the player's folder: ~/Music=/music or ~/Music=Z:\Music.

    The last `=` before an absolute path divides them.
    """
    match = re.fullmatch(_MAP, text, re.DOTALL)
    local = os.path.expanduser(match[1]) if match else b""
    if match is None or not local.startswith(b"/"):
        raise OptionError(
            "{} '{text}' is not FROM=TO with two absolute paths. Write it like ~/Music=/music.",
            "map",
            text=text,
        )
    separator = b"\\" if b"\\" in match[2] else b"/"
    return os.path.join(os.path.normpath(local), b""), match[2].rstrip(separator) + separator
