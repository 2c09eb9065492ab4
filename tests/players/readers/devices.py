"""Model how Rockbox, by its source, and a car, by manuals, read playlists. `music`: the device's top."""

import os
import re

from tests.players.readers.place import BOM, Place, as_text


def rockbox(content: bytes, place: Place) -> list[bytes]:
    """Rockbox: .m3u is in the device's code page, any other file in UTF-8; paths have at most 260 bytes."""
    is_utf8 = content.startswith(BOM) or not place.is_named(b".m3u")
    opened = []
    for line in re.split(rb"[\r\n]", content.removeprefix(BOM)):
        if not line or line.startswith(b"#"):
            continue
        named = line if is_utf8 else line.decode("latin-1").encode()
        if as_text(named) is not None and len(line) <= 260:
            entry = re.sub(rb"\A[A-Za-z]:", b"", named.rstrip(b" \t").replace(b"\\", b"/"))
            opened += _on_device(entry, place)
    return opened


def car(content: bytes, place: Place) -> list[bytes]:
    """A car radio: the first 255 entries, in UTF-8, stripped of spaces, each of at most 260 bytes."""
    opened = []
    entries = 0
    for line in re.split(rb"[\r\n]", content.removeprefix(BOM)):
        text = as_text(line)
        entry = (text or "").strip().encode().replace(b"\\", b"/")
        if entry.startswith(b"#") or not line or (text is not None and not entry):
            continue
        entries += 1
        if text is not None and entries <= 255 and len(entry) <= 260:
            opened += _on_device(entry, place)
    return opened


def _on_device(entry: bytes, place: Place) -> list[bytes]:
    if entry.startswith(b"/"):
        return place.found(place.music.rstrip(b"/") + entry)
    folder = os.path.dirname(place.playlist)
    return place.found(os.path.join(folder, entry))
