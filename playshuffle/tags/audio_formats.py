"""Recognise the audio format of a file by its first bytes and its suffix."""

HEAD_BYTES = 512  # enough for every signature, and for the first page of an Ogg file

# Every audio format that mutagen reads, except MIDI, which has no length or title worth reading.
# Containers that mostly have video (.mp4, .asf, .ogv, .mpg) are omitted; .m4b is not. Of the formats
# that only players read: formats that MPD, mpv and Kodi play, and that are mostly music.
BY_SUFFIX = {
    b".aac": "aac", b".adts": "aac",
    b".ac3": "ac3", b".eac3": "ac3",
    b".aif": "aiff", b".aifc": "aiff", b".aiff": "aiff",
    b".ape": "ape",
    b".dff": "dsdiff",
    b".dts": "dts",
    b".dsf": "dsf",
    b".flac": "flac",
    b".m4a": "mp4", b".m4b": "mp4", b".m4p": "mp4",
    b".mka": "matroska",
    b".mp+": "musepack", b".mpc": "musepack", b".mpp": "musepack",
    b".mp1": "mp3", b".mp2": "mp3", b".mp3": "mp3",
    b".oga": "vorbis", b".ogg": "vorbis",
    b".ofr": "optimfrog", b".ofs": "optimfrog",
    b".opus": "opus",
    b".shn": "shorten",
    b".spx": "speex",
    b".tak": "tak",
    b".tta": "tta",
    b".w64": "wave", b".wav": "wave", b".wave": "wave",
    b".wma": "asf",
    b".wv": "wavpack",
}  # fmt: skip
AUDIO_SUFFIXES = frozenset(BY_SUFFIX)
WITHOUT_TAGS = frozenset(("dts", "matroska", "shorten"))  # no tag reader reads these

_MATROSKA = b"\x1a\x45\xdf\xa3"

# The first bytes of a format, after N arbitrary bytes.
_SIGNATURES = (
    (0, b"fLaC", "flac"),
    (4, b"ftyp", "mp4"),
    (8, b"WAVE", "wave"),
    (0, b"riff.\x91\xcf\x11", "wave"),
    (8, b"AIFF", "aiff"),
    (8, b"AIFC", "aiff"),
    (0, b"wvpk", "wavpack"),
    (0, b"0&\xb2u\x8ef\xcf\x11\xa6\xd9\x00\xaa\x00b\xcel", "asf"),
    (0, b"MAC ", "ape"),
    (0, b"MPCK", "musepack"),
    (0, b"MP+", "musepack"),
    (0, b"TTA1", "tta"),
    (0, b"tBaK", "tak"),
    (0, b"OFR ", "optimfrog"),
    (0, b"DSD ", "dsf"),
    (0, b"FRM8", "dsdiff"),
    (0, b"\x0bw", "ac3"),
    (0, b"ajkg", "shorten"),
    # Words of 16 or 14 bits, each in both byte orders.
    (0, b"\x7f\xfe\x80\x01", "dts"),
    (0, b"\xfe\x7f\x01\x80", "dts"),
    (0, b"\x1f\xff\xe8\x00", "dts"),
    (0, b"\xff\x1f\x00\xe8", "dts"),
)
# Files that are not audio, though MPEG frames may occur in them by chance.
_NOT_AUDIO = (
    (b"\x7fELF", "a program"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x89PNG\r\n", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\0", "a database"),
    (_MATROSKA, "a Matroska video"),
)
_VIDEO_IN_OGG = (b"\x80theora", b"BBCD\0", b"\x01video\0")
_IN_OGG = ((b"\x01vorbis", "vorbis"), (b"OpusHead", "opus"), (b"\x7fFLAC", "oggflac"), (b"Speex   ", "speex"))


def format_of(head: bytes, suffix: bytes) -> str | None:
    """Return the audio format of a file by its first bytes; None if it is not audio.

    The suffix counts only if several formats begin with these bytes: many files have a wrong suffix.
    """
    if head.startswith(b"OggS"):
        is_video = any(signature in head for signature in _VIDEO_IN_OGG)
        otherwise = None if is_video else BY_SUFFIX.get(suffix, "vorbis")
        return next((name for signature, name in _IN_OGG if signature in head), otherwise)
    if head.startswith(_MATROSKA):  # only the suffix shows whether it is a video
        return "matroska" if BY_SUFFIX.get(suffix) == "matroska" else None
    for offset, signature, name in _SIGNATURES:
        if head.startswith(signature, offset):
            return name
    return _mpeg(head, suffix)


def other_kind(head: bytes) -> str | None:
    """Return the kind of a file that is certainly not audio."""
    if head.startswith(b"OggS") and any(signature in head for signature in _VIDEO_IN_OGG):
        return "a video without sound"
    if head.startswith(b"MZ") and b"PE\0\0" in head:
        return "a program"
    return next((kind for signature, kind in _NOT_AUDIO if head.startswith(signature)), None)


def _mpeg(head: bytes, suffix: bytes) -> str | None:
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    version, layer, rate, frequency = head[1] >> 3 & 3, head[1] >> 1 & 3, head[2] >> 4, head[2] >> 2 & 3
    if layer == 0:
        return "aac" if version & 2 else None
    # Layer I only by its name: FF FE, its usual header, also begins UTF-16 text.
    is_known = layer != 3 or suffix == b".mp1"
    return "mp3" if version != 1 and is_known and rate not in (0, 15) and frequency != 3 else None
