"""Model how MPD, mpv, VLC, cmus and Quod Libet read playlists."""

import os
import re

from tests.players.readers.place import AUDIO, BOM, Place, as_text, from_uri

_BLANKS = bytes(range(0x21))


def mpd(content: bytes, place: Place) -> list[bytes]:
    """MPD 0.23: `music` is its music_directory; a playlist elsewhere counts as one in its playlist_directory.

    It strips spaces from each line and each part of a path, reads no URIs, and plays only files in its
    database: those with the suffix of an audio file and without a newline in the name.
    """
    is_stored = not place.playlist.startswith(place.music + b"/")
    if is_stored and not place.is_named(b".m3u"):
        return []
    base = b"" if is_stored else place.folder.removeprefix(place.music)
    opened = []
    for line in content.split(b"\n"):
        entry = line.strip(_BLANKS)
        if not entry or entry.startswith(b"#") or len(line) >= 4096:
            continue
        entry = entry.removeprefix(b"file://")
        if entry.startswith(place.music + b"/"):
            entry = entry.removeprefix(place.music + b"/")
        elif entry.startswith(b"/") or b"//" in entry:
            continue
        else:
            entry = base + b"/" + entry
        parts = [part.strip(_BLANKS) for part in os.path.normpath(b"/" + entry.lstrip(b"/")).split(b"/")]
        path = place.music + b"/".join(parts)
        if path.lower().endswith(AUDIO):
            opened += place.found(path)
    return opened


def mpv(content: bytes, place: Place) -> list[bytes]:
    """Mpv 0.35 with --playlist: without the line #EXTM3U, '#' begins no comment."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-16").encode()
    lines = [line.strip(b" \f\n\r\t\v") for line in content.removeprefix(BOM).split(b"\n")]
    is_extended = lines[0] == b"#EXTM3U"
    opened = []
    for entry in lines:
        if not entry or (is_extended and entry.startswith(b"#")):
            continue
        path = from_uri(entry)
        if path is not None:
            opened += place.found(path)
        elif not re.match(rb"[A-Za-z0-9+.-]+://", entry):
            opened += place.relative(entry)
    return opened


def vlc(content: bytes, place: Place) -> list[bytes]:
    """VLC 3: every line is a URI reference; the path ends before '#' or '?'."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-16").encode()
    must_be_utf8 = place.is_named(b".m3u8") or content.startswith(BOM)
    if len(re.findall(rb"^#EXT-X-[A-Z]", content[:1024], re.MULTILINE)) and re.search(
        rb"^#EXT-X-(TARGETDURATION|MEDIA-SEQUENCE|KEY|ALLOW-CACHE|ENDLIST|STREAM-INF|DISCONTINUITY|VERSION)",
        content[:1024],
        re.MULTILINE,
    ):
        return []  # a stream, not a playlist
    opened = []
    # With .m3u8 it does not remove a byte order mark, which then is a part of the first line.
    lines = (content if place.is_named(b".m3u8") else content.removeprefix(BOM)).split(b"\n")
    # A carriage return alone ends a line only after the last newline.
    for line in [*(line.removesuffix(b"\r") for line in lines[:-1]), *lines[-1].split(b"\r")]:
        entry = line.lstrip(b" \t\r")
        if not entry or entry.startswith(b"#"):
            continue
        if as_text(entry) is None:
            if must_be_utf8:
                continue
            entry = entry.decode("latin-1").encode()
        opened += place.found(*_vlc_path(entry, place))
    return opened


def _vlc_path(entry: bytes, place: Place) -> list[bytes]:
    if re.search(rb"%(?![0-9A-Fa-f]{2})", entry):  # any other '%', and none is an escape
        entry = entry.replace(b"%", b"%25")
    if scheme := re.match(rb"[A-Za-z][A-Za-z0-9+.-]*:", entry):
        if scheme[0].lower() != b"file:":
            return []
    elif entry.startswith(b"?"):
        return [place.playlist]
    elif not entry.startswith(b"/"):
        folder = place.folder.replace(b"%", b"%25").replace(b"#", b"%23").replace(b"?", b"%3F")
        entry = b"file://" + os.path.join(folder, entry)
    else:
        entry = b"file://" + entry
    path = from_uri(entry.partition(b"#")[0].partition(b"?")[0])
    return [] if path is None else [path]


def cmus(content: bytes, place: Place) -> list[bytes]:
    """Cmus 2.10: paths only; nothing is stripped from a line except a carriage return at the end."""
    if not place.is_named(b".m3u", b".pl", b".pls"):
        return []
    opened = []
    for line in content.split(b"\n"):
        entry = line.removesuffix(b"\r")
        if entry.strip() and not entry.lstrip().startswith(b"#") and entry.lower().endswith(AUDIO):
            opened += place.relative(entry)
    return opened


def quodlibet(content: bytes, place: Place) -> list[bytes]:
    """Quod Libet 4.5: if one line is empty or is not an audio file, nothing is loaded."""
    if not place.is_named(b".m3u", b".m3u8"):
        return []
    opened = []
    for line in content.removesuffix(b"\n").split(b"\n"):
        entry = line.strip()
        if entry.startswith(b"#"):
            continue
        if entry.isascii() and re.match(rb"[A-Za-z][A-Za-z0-9+.-]+:.", entry):
            path = from_uri(entry)
            if path is None:
                continue  # a stream
            entry = path
        found = place.relative(entry) if os.path.splitext(entry)[1].lower() in AUDIO else []
        if not found:
            return []
        opened += found
    return opened
