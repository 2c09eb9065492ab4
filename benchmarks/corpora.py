"""Make the two music folders for the benchmarks.

`tiny` has minimal MP3 files without covers; `real` has a mix of formats, with headers and covers as in
real music. Both are needed: a reader that reads much of each file looks good on tiny files.
"""

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

import mutagen
from mutagen.flac import Picture
from mutagen.id3 import APIC, TALB, TCON, TDRC, TIT2, TPE1, TPE2, TPOS, TRCK, TXXX
from mutagen.mp4 import MP4Cover

_WORDS = [
    "night",
    "river",
    "stone",
    "light",
    "paper",
    "moon",
    "garden",
    "winter",
    "engine",
    "silver",
    "harbour",
    "mirror",
    "thunder",
    "velvet",
    "signal",
    "orchard",
    "copper",
    "meadow",
    "lantern",
    "shadow",
]
_FRAME = bytes([0xFF, 0xFB, 0x90, 0x64]) + bytes(413)  # MPEG 1 layer III, 128 kbit/s, silence


def make_tiny(folder: Path, tracks: int) -> None:
    """Make small MP3 files with ID3v2.4 tags: three albums an artist, 8 to 16 tracks each."""
    chance = random.Random(1)
    made = 0
    for album in range(tracks):
        if made == tracks:
            break
        artist = f"{_WORDS[album // 3 % 20]} {_WORDS[album // 60 % 20]} {album // 3}".title()
        name = f"{chance.choice(_WORDS)} of {chance.choice(_WORDS)} {album}".title()
        there = folder / artist / f"{name} ({1970 + album % 50})"
        there.mkdir(parents=True)
        for number in range(1, 1 + min(tracks - made, chance.randrange(8, 17))):
            title = " ".join(chance.choice(_WORDS) for _ in range(3)).title()
            tags = {"TIT2": title, "TPE1": artist, "TALB": name, "TRCK": f"{number}", "TCON": "Folk"}
            frames = b"".join(_frame(key, value) for key, value in tags.items())
            content = b"ID3\x04\0\0" + _synchsafe(len(frames)) + frames + _FRAME * chance.randrange(3, 8)
            (there / f"{number:02} - {title}.mp3").write_bytes(content)
            made += 1


def _frame(key: str, value: str) -> bytes:
    text = b"\3" + value.encode()
    return key.encode() + _synchsafe(len(text)) + b"\0\0" + text


def _synchsafe(number: int) -> bytes:
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


COVER = os.urandom(300_000)
ENCODINGS = {"mp3": "128k", "flac": "", "ogg": "96k", "opus": "96k", "m4a": "96k"}

# Of ten files: the format, and whether it has a cover.
MIX = (
    ("v23.mp3", False),
    ("v23.mp3", False),
    ("v23.mp3", True),
    ("v24.mp3", False),
    ("v24.mp3", True),
    ("flac", False),
    ("flac", True),
    ("ogg", False),
    ("opus", False),
    ("m4a", True),
)
TEXT = {
    "title": "A title of common length",
    "artist": "An artist",
    "album": "An album, remastered",
    "albumartist": "An artist",
    "tracknumber": "3",
    "discnumber": "1",
    "genre": "Rock",
    "date": "2003-05-01",
    "musicbrainz_trackid": "b1a9c0e9-d987-4042-ae91-78d6a3267d69",
    "musicbrainz_albumid": "1e477f68-c407-4eae-ad01-518528cedc2c",
    "musicbrainz_artistid": "5b11f4ce-a62d-471e-81fc-a69a8278c7da",
    "replaygain_track_gain": "-7.03 dB",
}
MP4_NAMES = {
    "title": "\xa9nam",
    "artist": "\xa9ART",
    "album": "\xa9alb",
    "albumartist": "aART",
    "genre": "\xa9gen",
}
FRAMES = {
    "title": TIT2,
    "artist": TPE1,
    "album": TALB,
    "albumartist": TPE2,
    "tracknumber": TRCK,
    "discnumber": TPOS,
    "genre": TCON,
    "date": TDRC,
}


def make_real(folder: Path, tracks: int) -> None:
    """Make files of several formats, twelve to a folder, from ten encoded ones. Needs ffmpeg."""
    folder.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        models = [
            make_model(Path(scratch, f"{number}.{kind}"), has_cover)
            for number, (kind, has_cover) in enumerate(MIX)
        ]
        for number in range(tracks):
            model = models[number % len(models)]
            path = folder / f"album {number // 12:05}" / f"{number % 12 + 1:02} Title{model.suffix}"
            path.parent.mkdir(exist_ok=True)
            shutil.copy(model, path)


def make_model(path: Path, has_cover: bool) -> Path:
    """Encode eight seconds of noise, and tag them."""
    rate = ENCODINGS[path.suffix[1:]]
    encode = [
        "ffmpeg",
        "-v",
        "error",
        "-f",
        "lavfi",
        "-i",
        "anoisesrc=d=8:a=0.1",
        *(["-b:a", rate] if rate else []),
    ]
    subprocess.run([*encode, path], check=True, stdin=subprocess.DEVNULL)
    file = mutagen.File(path)
    if path.suffix == ".mp3":
        # As most taggers do it: UTF-8 in v2.4; in v2.3 UTF-16, or Latin-1 where it is enough.
        tag_id3(file.tags, has_cover, 3 if ".v24" in path.name else has_cover)
        file.save(v2_version=3 if ".v23" in path.name else 4)
        return path
    if path.suffix == ".m4a":
        for name, value in TEXT.items():
            if name in MP4_NAMES:
                file[MP4_NAMES[name]] = [value]
            else:
                file[f"----:com.apple.iTunes:{name}"] = [value.encode()]
        file["covr"] = [MP4Cover(COVER)]
    else:
        file.update({name: [value] for name, value in TEXT.items()})
        if has_cover:
            picture = Picture()
            picture.data = COVER
            file.add_picture(picture)
    file.save()
    return path


def tag_id3(tags: "mutagen.id3.ID3", has_cover: bool, encoding: int) -> None:
    """Add all tags as frames."""
    for name, value in TEXT.items():
        if name in FRAMES:
            tags.add(FRAMES[name](encoding=encoding, text=value))
        else:
            tags.add(TXXX(encoding=encoding, desc=name, text=value))
    if has_cover:
        tags.add(APIC(encoding=0, mime="image/jpeg", type=3, desc="", data=COVER))
