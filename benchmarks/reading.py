"""How long it takes to read the tags of a mixed library, against a plain loop over `mutagen.File`.

    python -m benchmarks.reading [FILES] [ROUNDS]

Makes a library of so many files (2,000) in a temporary folder and reads it in both ways in turn. Prints the
medians; what counts is the ratio. The start of the workers and their limits are included. Needs ffmpeg.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import mutagen
from mutagen.flac import Picture
from mutagen.id3 import APIC, TALB, TCON, TDRC, TIT2, TPE1, TPE2, TPOS, TRCK, TXXX
from mutagen.mp4 import MP4Cover

from playshuffle.library.reader_pool import read_all
from playshuffle.library.tag_reader import read

COVER = os.urandom(300_000)
ENCODINGS = {"mp3": "128k", "flac": "", "ogg": "96k", "opus": "96k", "m4a": "96k"}

# Of ten files: what, and whether with a cover.
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


def make_library(folder: Path, count: int) -> list[bytes]:
    """Write so many files, twelve to a folder."""
    models = [
        make_model(folder / f"{number}.{kind}", has_cover) for number, (kind, has_cover) in enumerate(MIX)
    ]
    paths = []
    for number in range(count):
        model = models[number % len(models)]
        path = folder / f"album {number // 12:05}" / f"{number % 12 + 1:02} Title{model.suffix}"
        path.parent.mkdir(exist_ok=True)
        shutil.copy(model, path)
        paths.append(os.fsencode(path))
    return paths


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
    """Add all as frames."""
    for name, value in TEXT.items():
        if name in FRAMES:
            tags.add(FRAMES[name](encoding=encoding, text=value))
        else:
            tags.add(TXXX(encoding=encoding, desc=name, text=value))
    if has_cover:
        tags.add(APIC(encoding=0, mime="image/jpeg", type=3, desc="", data=COVER))


def with_mutagen(paths: Sequence[bytes]) -> None:
    """Read as anyone would."""
    for path in paths:
        mutagen.File(os.fsdecode(path))


def in_process(paths: Sequence[bytes]) -> None:
    """Read as a worker does."""
    for path in paths:
        read(path)


def with_workers(paths: Sequence[bytes], processes: int) -> None:
    """Read as we do."""
    for _ in read_all(paths, processes=processes):
        pass


class Spent(NamedTuple):
    """Time on the clock, and of all processors."""

    clock_s: float
    processors_s: float


def spent(work: Callable[[], None]) -> Spent:
    """Measure one run, its workers included."""
    clock_s, before = time.perf_counter(), os.times()
    work()
    clock_s, after = time.perf_counter() - clock_s, os.times()
    return Spent(clock_s, sum(after[:4]) - sum(before[:4]))


def main() -> None:
    """Compare, and print."""
    count, rounds = (int(word) for word in (sys.argv[1:] + ["2000", "7"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        paths = make_library(Path(folder), count)
        ways: dict[str, Callable[[], None]] = {
            "mutagen.File": lambda: with_mutagen(paths),
            "tags.read": lambda: in_process(paths),
            "one worker": lambda: with_workers(paths, 1),
            "two workers": lambda: with_workers(paths, 2),
        }
        for way in ways.values():
            way()  # to warm the page cache
        runs = [{name: spent(way) for name, way in ways.items()} for _ in range(rounds)]
    print(f"{count} files, medians of {rounds} rounds; ratios to mutagen.File of time, of processor time")
    for name in ways:
        us = statistics.median(run[name].clock_s for run in runs) / count * 1e6
        ratios = [
            statistics.median(run[name][field] / run["mutagen.File"][field] for run in runs)
            for field in (0, 1)
        ]
        print(f"{name:12} {us:6.0f} us a file {ratios[0]:6.2f} {ratios[1]:6.2f}")


if __name__ == "__main__":
    main()
