"""Read the entries of a playlist from any program, or of a list of files, and find their files.

Files and lists that entries name are not opened, and nothing is requested from the network.
"""

import errno
import io
import itertools
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote_to_bytes

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.playlist.formats import FORMATS, M3U, format_of
from playshuffle.playlist.m3u import comments_in, paths_of, unescaped, without_dots
from playshuffle.playlist.names import Names
from playshuffle.playlist.path_map import Back
from playshuffle.system import mpd_server
from playshuffle.system.regular_file import read_regular
from playshuffle.text import composed, is_utf8

STDIN = "-"
_STDIN_FILE = b"/proc/self/fd/0"
_MOST = 256 << 20  # bytes; a million entries have some 100 MB
_LONGEST_PATH = 64 << 10  # bytes; Linux opens paths of up to 4 KiB, which take up to 12 KiB as a URI
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_FILE = rb"(?i)file:(?=/)"
_HLS = (
    rb"(?m)"
    rb"^#EXT-X-(?:TARGETDURATION|MEDIA-SEQUENCE|KEY|ALLOW-CACHE|ENDLIST|STREAM-INF|DISCONTINUITY|VERSION)"
)
_HLS_BYTES = 1024
_HEAD_BYTES = 4096
_FIRST = 20  # entries to look for
_HASH = ord("#")
_XSPF_STARTS = (b"<?xml", b"<playlist")
_EXTENC = rb"(?im)^#EXTENC:[ \t]*([\w.:-]+)"

# Formats that are not read: name, suffixes, and first bytes.
_OTHER_FORMATS = (
    ("a cue sheet", (b".cue",), rb"(?:.*\n)*?[ \t]*TRACK[ \t]+\d+[ \t]+AUDIO\s"),
    ("an ASX file", (b".asx", b".wax", b".wvx"), rb"<asx\b"),
    ("a B4S file of Winamp", (b".b4s",), rb"(?:<\?xml[^>]*>\s*)?<WinampXML\b"),
    ("an MPC-HC playlist", (b".mpcpl",), rb"MPCPLAYLIST\b"),
    ("an iTunes library", (), rb"(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE plist\b|<plist\b)"),
    ("a Windows Media playlist", (b".wpl", b".zpl"), rb"<\?(?:wpl|zpl)\b|<smil\b"),
    ("a PLS file", (b".pls",), rb"\[playlist\][ \t]*\r?\n"),
    ("a JSPF file", (b".jspf",), rb'\{\s*"playlist"\s*:'),
    ("a foobar2000 playlist", (b".fpl",), rb"\xe1\xa0\x9c\x91\xf8<wB"),
    ("an AIMP playlist", (b".aimppl4",), rb"#-----SUMMARY-----#"),
    ("a PotPlayer playlist", (b".dpl",), rb"DAUMPLAYLIST\b"),
    ("a Samsung playlist", (b".smpl",), rb'\{\s*"members"\s*:'),
)

# VLC writes every entry as a URI, and omits the folder of the playlist.
_URI = rb"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]++|%[0-9A-Fa-f]{2})*+"


class Entry(NamedTuple):
    """One entry of a playlist.

    Attributes:
        line: from 1; in formats without lines, the number of the entry.
        text: as in the file, cut to the first 64 KiB.
        form: one of `player.FORMS`; empty if the entry is not a local file.
        path: absolute; empty if the entry is not a local file.
        taken: key of the interpretation that finds the file; empty if the entry names it exactly.
    """

    line: int
    text: bytes
    form: str
    path: bytes
    taken: str = ""


class Listed(NamedTuple):
    """The content of a playlist.

    Attributes:
        odd: oddities of the whole playlist: keys of `quirks.LIST_QUIRKS`.
        is_m3u: no other format can be checked for players.
        player: the player that playshuffle wrote it for; empty if unknown.
    """

    entries: list[Entry]
    odd: frozenset[str]
    is_m3u: bool
    player: str = ""


class FileList(NamedTuple):
    """A list of files.

    Attributes:
        files: absolute paths, each once.
        others: entries that are not files, such as radio stations.
        source: the file with the list; None for a pipe.
        player: the player that playshuffle wrote it for; empty if unknown.
    """

    files: tuple[bytes, ...]
    others: tuple[bytes, ...] = ()
    source: bytes | None = None
    player: str = ""


def read_file_list(source: str) -> FileList:
    """Read a list of files: one name a line, names ended by NUL, or an M3U or XSPF playlist.

    Relative names start at the folder of the list; on standard input (`STDIN`) or in a pipe, at the current
    folder.

    Raises:
        PlayshuffleError: the source is not a list of files.
    """
    path = os.path.abspath(os.fsencode(source))
    content = _list_content(source, path)
    file = path if source != STDIN else _STDIN_FILE if os.path.isfile(_STDIN_FILE) else None
    if path.startswith((b"/dev/fd/", b"/dev/stdin")):  # the shell's name for <(find …)
        path = os.path.abspath(os.fsencode(STDIN))
    others: tuple[bytes, ...] = ()
    player = ""
    _refuse_other_format(path, content)
    if b"\0" in content and not content.startswith(_UTF16_MARKS):
        folder = os.path.dirname(path)
        alike = Names()
        paths = [without_dots(os.path.join(folder, name)) for name in content.split(b"\0") if name]
        names = [alike.find(path) or path for path in paths]
    else:
        if os.path.splitext(path)[1].lower() not in FORMATS:
            path += b".xspf" if content.lstrip().startswith(_XSPF_STARTS) else b".m3u"
        entries, _, _, player = read_content(content, path)
        names = [os.path.normpath(entry.path) for entry in entries if entry.path]
        others = tuple(entry.text for entry in entries if not entry.path)
    return FileList(tuple(dict.fromkeys(names)), others, file, player)


def _list_content(source: str, path: bytes) -> bytes:
    if source == STDIN:
        if sys.stdin is None:
            raise PlayshuffleError("Standard input is closed, so - reads nothing.", Exit.NO_INPUT)
        return _piped(sys.stdin.buffer)
    try:
        if not stat.S_ISFIFO(os.stat(path).st_mode):  # the shell's pipe for <(find …)
            return content_of(path)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # ends if nobody writes
        os.set_blocking(descriptor, True)
        with open(descriptor, "rb") as pipe:
            return _piped(pipe)
    except OSError as error:
        raise _unreadable(path, error) from error


def _piped(pipe: BinaryIO) -> bytes:
    content = pipe.read(_MOST + 1)
    if len(content) > _MOST:
        raise PlayshuffleError(
            f"The input is not a list of files: it is larger than {_MOST >> 20} MB.", Exit.NO_INPUT
        )
    return content


def read(path: bytes) -> Listed:
    """Read the playlist in a file."""
    return read_content(content_of(path), path)


def read_content(content: bytes, path: bytes) -> Listed:
    """Parse the content of a playlist. `path` decides the format, and where relative entries start.

    Raises:
        PlayshuffleError: the content is not a playlist.
    """
    _refuse_other_format(path, content)
    format_ = format_of(path)
    if format_ is not M3U:
        try:
            paths = format_.read(content, os.path.dirname(path))
        except ValueError as error:
            raise _no_playlist(path, str(error)) from error
        names = Names()
        entries = [
            _existing(Entry(number, file, "U", file), {"": file}, names)
            for number, file in enumerate(paths.paths, 1)
        ]
        return Listed(entries + [Entry(0, b"", "", b"")] * paths.foreign, frozenset(), is_m3u=False)
    content, oddities = _without_oddities(content, path)
    comments = comments_in(io.BytesIO(content))
    folder = os.path.dirname(path) if comments else _entries_folder(path, content)
    back = Back.read(comments.get("BASE", ""), folder)
    entries = list(_entries(content, back, comments))
    return Listed(entries, frozenset(oddities), is_m3u=True, player=comments.get("FOR", ""))


def _without_oddities(content: bytes, path: bytes) -> tuple[bytes, set[str]]:
    oddities = set()
    if content.startswith(_UTF16_MARKS):
        content = content.decode("utf-16", "replace").encode()
        oddities.add("utf16")
    elif b"\0" in content:
        raise _no_playlist(path, "it holds NUL bytes")
    if content.startswith(_UTF8_MARK):
        content = content.removeprefix(_UTF8_MARK)
        oddities |= {"headless"} if not content.startswith(b"#EXTM3U") else set()
    if b"\n" not in content and b"\r" in content.rstrip(b"\r"):
        content = content.replace(b"\r", b"\n")
        oddities.add("mac")
    if re.search(_HLS, content[:_HLS_BYTES]):
        oddities.add("hls")
    if not is_utf8(content):
        oddities.add("spoilt")
    content = content.replace(b"\r\n", b"\n").replace(b"\n" + _UTF8_MARK, b"\n")  # of several lists
    if b"\n\n" in content or (content.startswith(b"\n") and content != b"\n"):
        oddities.add("empty")
    return content, oddities


def lines_of(path: bytes) -> bytes:
    """Return the content of a playlist in M3U in lines, to change some of them.

    Line ends of old Macs are replaced.

    Raises:
        PlayshuffleError: the file is too large to be a playlist.
    """
    content = content_of(path)
    plain, oddities = _without_oddities(content, path)
    return plain if "mac" in oddities else content


def content_of(path: bytes) -> bytes:
    """Return the whole content of a playlist, which must be a regular file.

    Raises:
        PlayshuffleError: the file is too large to be a playlist.
    """
    try:
        content = read_regular(path, _MOST + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(content) > _MOST:
        raise _no_playlist(path, f"it has more than {_MOST >> 20} MB")
    return content


def _unreadable(path: bytes, error: OSError) -> PlayshuffleError:
    reason, advice = error.strerror or "unreadable", "Name a playlist or a list of files."
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        reason = "it is a folder"
    if error.errno == errno.ENOENT and not os.path.exists(folder):
        reason, advice = f"{shown(folder)} does not exist", "Is its drive mounted?"
    return PlayshuffleError(f"{shown(path)} cannot be read: {reason}. {advice}", Exit.NO_INPUT)


def _refuse_other_format(path: bytes, content: bytes) -> None:
    suffix, start = os.path.splitext(path)[1].lower(), content[:_HEAD_BYTES]
    if start.startswith(_UTF16_MARKS):
        start = start.decode("utf-16", "replace").encode()
    start = start.removeprefix(_UTF8_MARK).lstrip()
    for kind, suffixes, pattern in _OTHER_FORMATS:
        if suffix in suffixes or re.match(pattern, start, re.IGNORECASE):
            raise PlayshuffleError(
                f"{shown(path)} is {kind}, not a playlist in M3U or XSPF. Save it as M3U.", Exit.NO_INPUT
            )


def _no_playlist(path: bytes, why: str) -> PlayshuffleError:
    return PlayshuffleError(f"{shown(path)} is not a playlist: {why}. Name another file.", Exit.NO_INPUT)


def _entries_folder(path: bytes, content: bytes) -> bytes:
    """Return the folder of relative entries: the list's, or MPD's music folder if MPD may have saved it.

    MPD is asked only if one of the first relative entries is not in the list's folder.
    """
    folder = os.path.dirname(path)
    relative = (line for _, line in _numbered_lines(content) if line[:1] != b"/" and b":/" not in line)
    first = [os.path.join(folder, line) for line in itertools.islice(relative, _FIRST)]
    if all(map(os.path.lexists, first)):
        return folder
    conf = mpd_server.settings()
    if conf is None or conf.playlists is None or conf.music is None:
        return folder
    return conf.music if os.path.realpath(conf.playlists) == os.path.realpath(folder) else folder


def _entries(content: bytes, back: Back, comments: Mapping[str, str]) -> Iterator[Entry]:
    encoding = re.search(_EXTENC, content[:_HEAD_BYTES])
    names = Names(encoding[1].decode() if encoding else "")
    are_uris = not comments and all(re.fullmatch(_URI, line) for _, line in _numbered_lines(content))
    for number, line in _numbered_lines(content):
        form = "A" if line.startswith(b"/") else "D" if line.startswith((b"./", b"../")) else "R"
        form = "U" if re.match(_FILE, line) else form
        if form == "R" and back.real(line) != line:  # a drive or a share, written by playshuffle
            form = "A"
        plain = unescaped(line) if "ESCAPES" in comments else line
        [path] = paths_of([plain], back)
        entry = Entry(number, line, form, path, "percent" if plain != line else "")
        if not path:  # a stream, or on another host
            entry = Entry(number, line, "", b"")
        elif are_uris and form == "R" and b"%" in line:
            entry = _existing(entry, {**_in_other_words(entry, back), "": path}, names)
        elif not os.path.lexists(path):
            entry = _existing(entry, {"": path, **_in_other_words(entry, back)}, names)
        yield entry


def _numbered_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    # Not with split(): a list of all lines would take as much memory as the entries.
    for number, ended_line in enumerate(io.BytesIO(content), 1):
        if ended_line[0] == _HASH:
            continue
        line = ended_line[:_LONGEST_PATH].removesuffix(b"\n")
        if line and not line.isspace() and not line.lstrip(b" \t").startswith(b"#"):
            yield number, line


def _in_other_words(entry: Entry, back: Back) -> dict[str, bytes]:
    """Map names of ways to read an entry, other than as it stands, to the paths that they give."""
    if entry.taken or not (entry.form in ("D", "R") or entry.text.startswith(b"/")):
        return {}
    words = {
        "blank": entry.text.strip(),
        "percent": unquote_to_bytes(entry.text),
        "windows": re.sub(rb"^[A-Za-z]:(?=\\)", b"", entry.text).replace(b"\\", b"/"),
    }
    paths = {}
    for key, text in words.items():
        if text and text != entry.text:
            is_relative = entry.form != "A" and text[:1] != b"/"
            [paths[key]] = paths_of([b"./" + text if is_relative else text], back)
    return {key: path for key, path in paths.items() if path}


def _existing(entry: Entry, paths: Mapping[str, bytes], names: Names) -> Entry:
    for key, path in paths.items():
        if os.path.lexists(path):
            return entry._replace(path=path, taken=key or entry.taken)
    for key, path in paths.items():
        if (real := names.find(path)) is not None:
            return entry._replace(path=real, taken=key or entry.taken or _difference(path, real))
    return entry


def _difference(path: bytes, real: bytes) -> str:
    if not (is_utf8(path) and is_utf8(real)):
        return "latin1"
    return "form" if composed(path.decode()) == composed(real.decode()) else "case"
