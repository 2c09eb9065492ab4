"""Write and read XSPF, and find the format of a playlist by its suffix.

The standard library reads XSPF, since xspf-lib is an alpha version. XML with a document type is refused, so
that no entity can expand.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from playshuffle.library.folder import Folder
from playshuffle.playlist.m3u import TITLE, Parsed, PathStyle, Text, entries, located, parse

_KEY = "playshuffle:"
_NOT_XML = "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
_SCHEME = rb"[A-Za-z][A-Za-z0-9+.-]*:"


def _uris(folder: Folder, style: PathStyle, base: bytes) -> list[bytes]:
    paths = folder.file_paths()
    if style is not PathStyle.RELATIVE:
        return entries(paths, PathStyle.URI, base)
    return [
        entry.removeprefix(b"file://") for entry in entries(entries(paths, style, base), PathStyle.URI, base)
    ]


class _Xspf(Text):
    _tail = b"  </trackList>\n</playlist>\n"

    def _head(self, comments: Sequence[tuple[str, str]]) -> bytes:
        metas = "".join(
            f"  <title>{_xml(value)}</title>\n"
            if key == TITLE
            else f'  <meta rel="{_KEY}{key}">{_xml(value)}</meta>\n'
            for key, value in comments
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<playlist version="1" xmlns="http://xspf.org/ns/0/">\n'
            f"{metas}  <trackList>\n"
        ).encode(errors="replace")

    @staticmethod
    def lines(folder: Folder, style: PathStyle, base: bytes, *, with_extinf: bool) -> list[bytes]:
        uris = _uris(folder, style, base)
        extinfs = folder.extinf_lines() if with_extinf else [b""] * len(uris)
        columns = zip(uris, extinfs, folder.all_artists(), folder.all_durations_ms(), strict=True)
        return [_xspf_track(*fields) for fields in columns]


def _xspf_track(uri: bytes, extinf: bytes, artist: bytes, duration_ms: int) -> bytes:
    name = extinf.partition(b",")[2].rstrip(b"\n")
    title = name.removeprefix(artist + b" - ") if artist else name
    text = _element("location", uri)
    if title:
        text += _element("title", title)
    if artist and title != name:
        text += _element("creator", artist)
    if title:
        text += f"<duration>{duration_ms}</duration>"
    return f"    <track>{text}</track>\n".encode()


def _element(tag: str, content: bytes) -> str:
    return f"<{tag}>{_xml(content.decode(errors='replace'))}</{tag}>"


def _xml(text: str) -> str:
    plain = re.sub(_NOT_XML, " ", text)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _read_xspf(content: bytes, folder: bytes) -> Parsed:
    where: list[str] = []
    comments: dict[str, str] = {}
    locations: dict[int, str] = {}  # by track
    text = key = ""
    tracks = 0

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal text, key, tracks
        where.append(name.rpartition(" ")[2])
        text, key = "", attributes.get("rel", "")
        tracks += where[-1] == "track"

    def end(_: str) -> None:
        if where[-2:] == ["track", "location"]:
            locations.setdefault(tracks, text)  # further locations are copies of the file
        elif where == ["playlist", "meta"] and key.startswith(_KEY):
            comments[key.removeprefix(_KEY)] = text
        where.pop()

    def data(part: str) -> None:
        nonlocal text
        text += part

    def refuse(*_: object) -> None:
        raise ValueError("has a document type, which no playlist needs")

    from xml.parsers import expat  # slow to import, and most playlists are M3U

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError) as error:  # of its syntax, or of an unknown encoding
        raise ValueError(f"is no XML ({error})") from error
    return _from_uris(locations.values(), folder, comments)


def _from_uris(locations: Iterable[str], folder: bytes, comments: Mapping[str, str]) -> Parsed:
    """Parse the locations of tracks; without a scheme, a location is a path with URI escapes."""
    entries = []
    for location in locations:
        uri = location.strip().replace("\n", "%0A").encode(errors="replace")
        if re.match(_SCHEME, uri):
            entries.append(uri)
        elif uri:
            entries.append((b"" if uri.startswith(b"/") else b"./") + unquote_to_bytes(uri))
    return located(entries, folder, comments)


class Format(NamedTuple):
    """A playlist format: how it is written and read.

    Attributes:
        read: parses the content of a playlist in a folder. Raises ValueError with the reason if it cannot.
        mark: pattern of the beginning of a playlist that playshuffle wrote.
        is_uri: every entry is a URI, whatever the path style.
    """

    text: type[Text]
    read: Callable[[bytes, bytes], Parsed]
    mark: bytes
    is_uri: bool = False


M3U = Format(Text, parse, rb"(?:\xef\xbb\xbf)?(?:#.*\n)*#PLAYSHUFFLE-")
FORMATS: dict[bytes, Format] = {
    b".m3u": M3U,
    b".m3u8": M3U,
    b".xspf": Format(_Xspf, _read_xspf, rb'(?s).*<meta rel="playshuffle:', is_uri=True),
}


def format_of(path: bytes) -> Format:
    """Return the format for the suffix of a playlist; M3U for an unknown suffix."""
    name = path.rpartition(b"/")[2]
    return FORMATS.get(name[max(name.rfind(b"."), 0) :].lower(), M3U)
