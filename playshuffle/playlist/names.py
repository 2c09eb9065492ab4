"""Find files whose names a list writes in another encoding, Unicode form or letter case.

Windows writes the code page of its country or of DOS, old Macs wrote Mac Roman, and names on a Mac's disk are
in decomposed Unicode.
"""

import contextlib
import os
from collections import defaultdict

from playshuffle.system.regular_file import names_in
from playshuffle.text import composed, folded, is_utf8

# The usual ones first. Only an existing file shows that a list is in another one.
_ENCODINGS = ("cp1252", "latin-1", "mac_roman", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "cp932",
              "gb18030", "cp949", "cp950", "cp850", "cp437", "cp866")  # fmt: skip
_LONGEST = 4096  # bytes of a path that Linux opens
_DEEPEST = 200  # folders


class Names:
    """Finds files by the names in a list, and reads each folder once.

    Args:
        encoding: declared by the list; empty if it declares none.
    """

    def __init__(self, encoding: str = "") -> None:
        self._encodings = (*filter(None, [encoding]), *_ENCODINGS)
        self._folders: dict[bytes, dict[str, list[bytes]]] = {}
        self._found: dict[tuple[bytes, str], bytes | None] = {}

    def find(self, path: bytes) -> bytes | None:
        """Return the file that a path means, by the first encoding and form that fit exactly one file."""
        if len(path) > _LONGEST or path.count(b"/") > _DEEPEST:
            return None
        encodings = ("utf-8",) if is_utf8(path) else self._encodings
        return next(filter(None, (self._find(path, encoding) for encoding in encodings)), None)

    def _find(self, path: bytes, encoding: str) -> bytes | None:
        folder, name = os.path.split(path)
        if not name:
            return folder
        if (folder, encoding) not in self._found:
            self._found[folder, encoding] = self._find(folder, encoding)
        real = self._found[folder, encoding]
        if real is None:
            return None
        if os.path.lexists(path := os.path.join(real, name)):
            return path
        # Two letters of another encoding may also be one letter in UTF-8.
        for text in dict.fromkeys((_text(name, encoding), _text(name, "utf-8", encoding))):
            alike = self._names(real).get(folded(text), [])
            same = [other for other in alike if composed(_text(other)) == composed(text)]
            if len(same or alike) == 1:
                return os.path.join(real, *(same or alike))
        return None

    def _names(self, folder: bytes) -> dict[str, list[bytes]]:
        if folder not in self._folders:
            self._folders[folder] = defaultdict(list)
            for name in names_in(folder):
                self._folders[folder][folded(_text(name))].append(name)
        return self._folders[folder]


def _text(name: bytes, *encodings: str) -> str:
    for encoding in encodings or ("utf-8", _ENCODINGS[0]):
        with contextlib.suppress(LookupError, ValueError):
            return name.decode(encoding)
    return name.decode("latin-1")
