"""Model how Mopidy, Rhythmbox (totem-pl-parser), Strawberry, Audacious and Liquidsoap read playlists."""

import io
import re

from tests.players.readers.place import BOM, Place, as_text, from_uri


def mopidy(content: bytes, place: Place) -> list[bytes]:
    """Mopidy 3: entries are relative to `music`, its base_dir; .m3u is Latin-1; a scheme makes a URI."""
    if not place.is_named(b".m3u", b".m3u8"):
        return []
    encoding = "utf-8" if place.is_named(b".m3u8") else "latin-1"
    opened = []
    for line in io.TextIOWrapper(io.BytesIO(content), encoding, "replace"):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", entry):
            path = from_uri(entry.encode())
            opened += [] if path is None else place.found(path)
        else:
            opened += place.relative(entry.encode(), place.music)
    return opened


def rhythmbox(content: bytes, place: Place) -> list[bytes]:
    """totem-pl-parser 3.26: if one byte is not UTF-8, the whole file is read as Latin-1."""
    has_returns = b"\r" in content
    text = as_text(content)
    if text is None:
        text = content.decode("latin-1")
    if "#EXT-X-TARGETDURATION" in text:
        return []  # a stream, not a playlist
    opened = []
    for line in re.split("[\r\n]", text):
        entry = line.lstrip(" \t\f\r\n")
        if not line or entry.startswith("#"):
            continue
        if "://" in entry:
            path = from_uri(entry.encode())
            opened += [] if path is None else place.found(path)
        elif entry.startswith("/"):
            opened += place.found(entry.encode())
        elif not re.match(r"[A-Za-z]:\\|\\\\", entry):
            if has_returns:
                entry = entry.replace("\\", "/")
            opened += place.relative(entry.encode())
    return opened


def strawberry(content: bytes, place: Place) -> list[bytes]:
    """Strawberry 1.0: only UTF-8, in URIs too; a carriage return ends a line, a backslash is a slash."""
    opened = []
    for line in re.split("[\r\n]", _each_replaced(content.removeprefix(BOM))):
        entry = line.strip().removeprefix("\ufeff")
        if not entry or entry.startswith("#"):
            continue
        path = entry.encode()
        if re.match(r"[a-z]{2,}:", entry, re.IGNORECASE):
            path = from_uri(path) or re.sub(rb"\Afile:(?!//)|.*", b"", path, count=1) or b"\0"
        opened += place.relative(_each_replaced(path).encode().replace(b"\\", b"/"))
    return opened


def _each_replaced(text: bytes) -> str:
    """Decode UTF-8 as Qt does: each wrong byte becomes U+FFFD."""
    return re.sub("[\udc80-\udcff]", "\ufffd", text.decode(errors="surrogateescape"))


def audacious(content: bytes, place: Place) -> list[bytes]:
    """Audacious 4.2: relative entries are converted to UTF-8, absolute ones are not."""
    opened = []
    for line in content.removeprefix(BOM).split(b"\n"):
        entry = line.removesuffix(b"\r").lstrip(b" \t")
        if not entry or entry.startswith(b"#"):
            continue
        if b"://" in entry:
            path = from_uri(entry)
            opened += [] if path is None else place.found(path)
        elif entry.startswith(b"/"):
            opened += place.found(entry)
        else:
            text = as_text(entry)
            opened += place.relative(entry if text is not None else entry.decode("latin-1").encode())
    return opened


def liquidsoap(content: bytes, place: Place) -> list[bytes]:
    """Liquidsoap 2.1: nothing is stripped from a path; `file://` is removed, but escapes are not decoded."""
    opened = []
    for line in re.split(rb"[\r\n]+", content):
        if line and not line.startswith(b"#"):
            path = line.removeprefix(b"file://")
            opened += place.relative(path) or place.found(place.folder + b"/" + path)
    return opened
