"""Define odd names of audio files, and decoys: the files that a player would open if it misread such a name.

Each class of names is a row of the matrix in docs/player-names.md.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote_to_bytes

_DATA = Path(__file__).parents[1] / "data"
_SAMPLES = {
    b".mp3": "v23.mp3", b".flac": "tone.flac", b".ogg": "tone.ogg", b".opus": "tone.opus",
    b".m4a": "tone.m4a",
}  # fmt: skip
SUFFIXES = tuple(_SAMPLES)

# Without suffixes: each class gets names with every suffix.
_STEMS: dict[str, tuple[bytes, ...]] = {
    "ASCII": (
        b"plain", b"two  spaces inside", b"-rf", b"--help", b"~", b"~root", b"(brackets) ", b"'quoted'",
        b'"quoted"', b"*", b"a&b;c|d", b"<br>", b"[x]", b"{0}", b"=sum()", b"+plus", b"a+b", b"$HOME",
        b"`reboot`", b"!important", b"@file", b"list.m3u", b"~/x", b"-/x", b"[/b]", b"album.mp3/x",
    ),
    "hidden": (b".hidden", b"..two dots", b"..."),
    "UTF-8": (
        "ÄÖÜ nfc".encode(), "A\u0308 nfd".encode(), "音楽".encode(), "🎵".encode(), "👩‍🎤".encode(),
        "שלום".encode(), "\u202egnp.exe".encode(), "\u2066iso\u2069".encode(), "\u200bzero".encode(),
        "soft\xadhyphen".encode(), "音/x".encode(), b"csi\xc2\x9b2J",
    ),
    "'#' first": (b"#1 hit", b"#EXTM3U", b"#EXTINF:1,x", b"#", b"#/x", b"#CURTRACK 1"),
    "'#' later": (b"a#b", b"x #EXTINF:1,y", b"disc #1/x", b"x #CURTRACK 1", b"e#"),
    "'%41' and the like": (
        b"a%20b", b"%41", b"%2F", b"%00", b"%2e%2E/x", b"c%2Fd", b"1+1%20", b"%E9", b"%0A",
    ),
    "'%' alone": (b"100% pure", b"%", b"%zz", b"%25%", b"a%20b 100%", b"%s%n"),
    "'?'": (b"who?", b"?", b"?/x", b"a?b=c", b"what?/x"),
    "':' in the first part": (
        b"co:lon", b"http:x", b"file:x", b"file:", b"a:b:c", b"http:/d/x", b"file:/x", b"co:lon/x",
        b"x-y.z:1",
    ),
    "a space or tab first": (b" leading space", b"\tleading tab", b"  two", b" edge/x", b"\t/x"),
    "NBSP or U+FEFF first": (b"\xc2\xa0nbsp", b"\xef\xbb\xbfbom", b"\xe3\x80\x80ideographic", b"\xc2\xa0/x"),
    "a space before '/'": (b"dir /x", b"dir\t/x", b"a/dir /x"),
    "a tab inside": (b"tab\tinside", b"two\t\ttabs"),
    "'\\'": (b"back\\slash", b"\\first", b"last\\", b"a\\b\\c"),
    "'C:\\' or '\\\\srv'": (b"C:\\x", b"\\\\srv\\x", b"d:x", b"C:/x"),
    "NEL, U+2028, U+2029": (b"nel\xc2\x85x", b"ls\xe2\x80\xa8x", b"ps\xe2\x80\xa9x", b"\xc2\x85first"),
    "control characters": (
        b"vt\x0bx", b"ff\x0cx", b"fs\x1cx", b"gs\x1dx", b"rs\x1ex", b"us\x1fx", b"\x1b]0;title\x07",
        b"\x1b[2J", b"bs\x08\x08", b"del\x7f", b"soh\x01", b"\x01soh first", b"\x0bvt first",
    ),
    "a name of 250 bytes": (b"n" * 245, "ü".encode() * 122),
    "a path of 1200 bytes": (b"/".join([b"d" * 239] * 5), "/".join(["ö" * 119] * 5).encode()),
    "a path of 3600 bytes": (b"/".join([b"e" * 239] * 15),),
    "twins by case or Unicode form": (b"Twin", b"tWIN", "é".encode(), "e\u0301".encode()),
    "a newline": (b"new\nline", b"\n", b"new\n./line", b"new\n/etc/passwd", b"new\nfolder/x", b"new\n#1"),
    "a carriage return": (b"cr\rinside", b"crlf\r\ninside", b"end\r", b"\rfirst", b"c\rr/x"),
    "not UTF-8": (
        b"caf\xe9", b"\xed\xa0\x80", b"\xc0\xaf", b"cut\xe9\x9f", b"\xff\xfe", b"\x80", b"sur\xed\xb2\x80",
        b"\xe9/x", b"a\xe9#b", b"\xe9%41",
    ),
}  # fmt: skip

# Names without the suffix of an audio file: only players are tested with them, as playshuffle writes none.
UNSUFFIXED = (b"trailing.mp3 ", b"trailing.flac\t", b"none")


def _suffixed(stems: tuple[bytes, ...]) -> tuple[bytes, ...]:
    count = max(len(stems), len(SUFFIXES))
    if stems[0] == b"Twin":  # two names with different suffixes are not twins
        return tuple(stem + suffix for stem in stems for suffix in SUFFIXES)
    return tuple(stems[index % len(stems)] + SUFFIXES[index % len(SUFFIXES)] for index in range(count))


CLASSES: dict[str, tuple[bytes, ...]] = {row: _suffixed(stems) for row, stems in _STEMS.items()}


def _cut(path: bytes) -> bytes:
    return path.replace(b"?", b"#").partition(b"#")[0]


def _rest(path: bytes) -> bytes:
    return path.replace(b"\r", b"\n").rpartition(b"\n")[2].lstrip(b"/")


def _parts(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda path: b"/".join(map(change, path.split(b"/")))


# What players were seen to make of a path.
_MISREADINGS: tuple[Callable[[bytes], bytes], ...] = (
    unquote_to_bytes,
    _cut,
    _rest,
    bytes.strip,
    _parts(bytes.strip),
    _parts(lambda part: part.strip(bytes(range(0x21)))),
    lambda path: path.replace(b"\\", b"/"),
    lambda path: path.partition(b":")[2].replace(b"\\", b"/"),
    lambda path: path.decode("latin-1").encode(),
    lambda path: path.decode(errors="replace").encode(),
    lambda path: path.decode(errors="replace").strip().encode(),
    lambda path: path.decode(errors="ignore").encode(),
    lambda path: path.removeprefix(b"\xef\xbb\xbf"),
)


def decoys(paths: Iterable[bytes]) -> list[bytes]:
    """Return the other paths that a player might open if it misread these paths."""
    known = dict.fromkeys(paths)
    others = dict.fromkeys(misread(path) for path in known for misread in _MISREADINGS)
    return [other for other in others if _is_a_file(other) and other not in known]


def _is_a_file(path: bytes) -> bool:
    parts = path.split(b"/")
    # Not a folder: some players would queue all files below it.
    is_plain = b"\0" not in path and parts[0] != b"new" and not {b"", b".", b".."} & {*parts}
    return is_plain and max(map(len, parts)) < 256


ALL = tuple(path for paths in CLASSES.values() for path in paths)
DECOYS = tuple(decoys(ALL))


def is_track(path: bytes) -> bool:
    """Return whether playshuffle takes a path for a track: an audio file that is not hidden."""
    return path.lower().endswith(SUFFIXES) and not any(part.startswith(b".") for part in path.split(b"/"))


def fill(music: Path, paths: Iterable[bytes]) -> list[bytes]:
    """Write real audio files at these paths below a folder; return the paths that were written.

    A path is omitted if a file has the name of one of its folders, or if it is a folder.
    """
    made = []
    for path in paths:
        file = os.path.join(os.fsencode(music), path)
        suffix = os.path.splitext(path.rstrip())[1].lower()
        sample = _DATA / _SAMPLES.get(suffix, "v23.mp3")
        try:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            if not os.path.exists(file):
                shutil.copyfile(sample, file)
                made.append(path)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue  # a decoy's folder has the name of a file, or the other way round
    return made
