"""Store paths relative to the home folder, so that the state also works in a copy of the home."""

import os


class HomePaths:
    """Replaces the home folder at the start of paths by `~`, and the reverse.

    Other paths are absolute, so none begins with `~`. A `home` that is `/` or relative is never replaced.
    """

    def __init__(self, home: bytes) -> None:
        home = home.rstrip(b"/")
        self._home = home if home.startswith(b"/") else b""

    def stored(self, path: bytes) -> bytes:
        is_below = self._home and (path == self._home or path.startswith(self._home + b"/"))
        return b"~" + path[len(self._home) :] if is_below else path

    def beginnings(self, folder: bytes) -> list[bytes]:
        top = folder.rstrip(b"/") + b"/"
        return [self.stored(top), *([b"~/"] if self._home and self._home.startswith(top) else [])]

    def absolute(self, path: bytes) -> bytes:
        is_below = self._home and (path == b"~" or path.startswith(b"~/"))
        return self._home + path[1:] if is_below else path


def named_paths() -> HomePaths:
    """Return the converter for paths as users name them."""
    return HomePaths(os.path.expanduser(b"~"))


def real_paths() -> HomePaths:
    """Return the converter for paths without symbolic links."""
    return HomePaths(os.path.realpath(os.path.expanduser(b"~")))
