"""Store paths below the home folder without its name, so that a copy of the home goes on with its state."""

import os


class HomePaths:
    """How paths are stored that are below a home folder: with `~` for that.

    All other paths are absolute, so none of them begins with `~`.

    Args:
        home: the home folder; nothing is below it if it is not absolute, or is the root folder.
    """

    def __init__(self, home: bytes) -> None:
        home = home.rstrip(b"/")
        self._home = home if home.startswith(b"/") else b""

    def stored(self, path: bytes) -> bytes:
        """Return a path as it is stored."""
        is_below = self._home and (path == self._home or path.startswith(self._home + b"/"))
        return b"~" + path[len(self._home) :] if is_below else path

    def beginnings(self, folder: bytes) -> list[bytes]:
        """Return how the stored paths of all files below a folder begin."""
        top = folder.rstrip(b"/") + b"/"
        return [self.stored(top), *([b"~/"] if self._home and self._home.startswith(top) else [])]

    def absolute(self, path: bytes) -> bytes:
        """Return the path that was stored."""
        is_below = self._home and (path == b"~" or path.startswith(b"~/"))
        return self._home + path[1:] if is_below else path


def named_paths() -> HomePaths:
    """Return how paths are stored as users name them."""
    return HomePaths(os.path.expanduser(b"~"))


def real_paths() -> HomePaths:
    """Return how paths without symbolic links are stored."""
    return HomePaths(os.path.realpath(os.path.expanduser(b"~")))
