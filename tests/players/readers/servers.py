"""Model how Navidrome, Jellyfin, Kodi, LMS and Music Assistant read playlists, from their sources."""

import os
import re
import unicodedata

from tests.players.readers.place import AUDIO, BOM, Place, as_text, from_uri


def navidrome(content: bytes, place: Place) -> list[bytes]:
    """Navidrome: finds the files of its library in any letter case and Unicode form."""
    if os.path.basename(place.playlist).startswith(b"."):
        return []
    known: dict[str, bytes] = {}
    for track in place.tracks:
        known.setdefault(_folded(track.decode(errors="surrogateescape")), track)
    opened = []
    for line in re.split("\r\n|\r|\n", content.removeprefix(BOM).decode(errors="replace")):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        if entry.startswith("file://"):
            located = from_uri(entry.encode())
            if located is None:
                continue
            entry = located.decode(errors="replace")
        if entry.lower().endswith(tuple(suffix.decode() for suffix in AUDIO)):
            whole = os.path.normpath(os.path.join(place.folder.decode(errors="surrogateescape"), entry))
            if _folded(whole) in known:
                opened.append(known[_folded(whole)])
    return opened


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def jellyfin(content: bytes, place: Place) -> list[bytes]:
    """Jellyfin: after the line #EXTM3U, URI escapes in every path are decoded."""
    lines = [line.strip() for line in re.split("[\r\n]", content.removeprefix(BOM).decode(errors="replace"))]
    is_extended = bool(lines) and lines[0] == "#EXTM3U"
    tags: set[str] = set()
    opened = []
    for line in lines:
        if is_extended and line.startswith("#EXT") and line != "#EXTM3U":
            tag, colon, _ = line.partition(":")
            if colon and (tag == "#EXT-X-VERSION" or (tag != "#EXTINF" and tag in tags)):
                return []  # it throws
            tags.add(tag)
            if colon:
                continue
        elif not line or line.startswith("#"):
            continue
        tags.clear()
        if "://" not in line:
            opened += place.relative(_form_decoded(line) if is_extended else line.encode())
    return opened


def _form_decoded(text: str) -> bytes:
    decoded = re.sub(
        rb"%([0-9A-Fa-f]{2})", lambda match: bytes.fromhex(match[1].decode()), text.replace("+", " ").encode()
    )
    return decoded.decode(errors="replace").encode() if re.search(r"%[0-9A-Fa-f]{2}", text) else text.encode()


def kodi(content: bytes, place: Place) -> list[bytes]:
    """Kodi: UTF-8; longer lines are cut after 4095 bytes; a colon as second character makes a drive."""
    opened = []
    for line in content.split(b"\n"):
        for piece in (line[start : start + 4095] for start in range(0, len(line), 4095)):
            text = as_text(piece)
            entry = (text or "").strip().encode()
            if not entry or entry.startswith(b"#") or entry[1:2] == b":" or b"://" in entry:
                continue
            if os.path.basename(entry) != os.path.basename(place.playlist):
                opened += place.relative(entry)
    return opened


def lms(content: bytes, place: Place) -> list[bytes]:
    """LMS: a backslash is a slash; a missing file is looked for below `music`, its media folder."""
    opened = []
    for line in content.removeprefix(BOM).replace(b"\r", b"").split(b"\n"):
        entry = line.strip()
        if not entry or entry.startswith((b"#", b"<")) or b"#CURTRACK" in entry:
            continue
        path = from_uri(entry)
        if path is not None:
            opened += place.found(path)
        elif not re.match(rb"[a-z]{2,}:", entry):
            entry = re.sub(rb"\A[A-Za-z]:(?=/)", b"", entry.replace(b"\\", b"/"))
            opened += place.relative(entry) or place.relative(entry, place.music)
    return [path for path in opened if path.startswith(place.music.rstrip(b"/") + b"/")]


def music_assistant(content: bytes, place: Place) -> list[bytes]:
    """Music Assistant: any Unicode line break ends a line, %20 is a space, and a backslash is a slash."""
    opened = []
    for line in map(str.strip, content.removeprefix(BOM).decode(errors="replace").splitlines()):
        if line and not line.startswith("#") and "#EXT" not in line and "://" not in line:
            entry = line.replace("%20", " ").replace("\\", "/").encode()
            opened += place.relative(entry) or place.relative(entry, place.music)
    return opened
