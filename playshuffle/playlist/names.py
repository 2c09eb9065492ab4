"""Find files whose names a list writes in another encoding, Unicode form or letter case.

Windows writes CP1252, old Macs wrote Mac Roman, and the names on a Mac's disk are decomposed. Only names
that no file has exactly are looked up, in folders that are read once.
"""

import os
from collections import defaultdict

from playshuffle.text import composed, folded, is_utf8

_ENCODINGS = ("cp1252", "latin-1", "mac_roman")
_LONGEST = 4096  # bytes of a path that Linux opens
_DEEPEST = 200  # folders


class Names:
    """Names in folders, as far as they were looked up.

    Args:
        encoding: that the list declares for itself; empty if it declares none.
    """

    def __init__(self, encoding: str = "") -> None:
        self._encodings = (*filter(None, [encoding]), *_ENCODINGS)
        self._folders: dict[bytes, dict[str, list[bytes]]] = {}
        self._found: dict[tuple[bytes, str], bytes | None] = {}

    def find(self, path: bytes) -> bytes | None:
        """Return the file that an absolute path names, in the first way that fits exactly one."""
        if len(path) > _LONGEST or path.count(b"/") > _DEEPEST:
            return None
        encodings = self._encodings if not is_utf8(path) else _ENCODINGS[:1]
        return next(filter(None, (self._find(path, encoding) for encoding in encodings)), None)

    def _find(self, path: bytes, encoding: str) -> bytes | None:
        folder, name = os.path.split(path)
        if not name:
            return folder
        if (folder, encoding) not in self._found:
            self._found[folder, encoding] = self._find(folder, encoding)
        real = self._found[folder, encoding]
        if real is None or os.path.lexists(os.path.join(real, name)):
            return real and os.path.join(real, name)
        text = _text(name, encoding)
        alike = self._names(real).get(folded(text), [])
        same = [each for each in alike if composed(_text(each)) == composed(text)]
        return os.path.join(real, *(same or alike)) if len(same or alike) == 1 else None

    def _names(self, folder: bytes) -> dict[str, list[bytes]]:
        """Return the names in a folder by what is common to those that are alike."""
        if folder not in self._folders:
            self._folders[folder] = defaultdict(list)
            try:
                for name in os.listdir(folder):
                    self._folders[folder][folded(_text(name))].append(name)
            except OSError:
                pass
        return self._folders[folder]


def _text(name: bytes, encoding: str = _ENCODINGS[0]) -> str:
    """Decode a name that may be in this encoding."""
    for each in ("utf-8", encoding):
        try:
            return name.decode(each)
        except (LookupError, ValueError):
            pass
    return name.decode("latin-1")
