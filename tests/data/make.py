"""Make the audio files of this folder: a third of a second of a tone each, with known tags.

Needs ffmpeg, lame, flac, oggenc, opusenc and wavpack. They write most tags, so that our reader is not tested
only with tags of the library that it uses. Debian has no encoder for Monkey's Audio,
Musepack, TAK, OptimFROG and DSD: no file of those is here.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import mutagen
from mutagen.asf import ASF
from mutagen.id3 import ID3, POPM, TXXX, UFID
from mutagen.mp4 import MP4

# As in Vorbis comments and APEv2; the title is added to it.
TAGS = {
    "artist": "Björk; 椎名林檎",
    "album": "Älbum",
    "albumartist": "Various",
    "discnumber": "1/2",
    "tracknumber": "3/12",
    "genre": "Electronic",
    "date": "1997-09-22",
    "composer": "Komponist",
    "grouping": "Group",
    "work": "Opus 1",
    "musicbrainz_trackid": "b1a9c0e9-d987-4042-ae91-78d6a3267d69",
    "musicbrainz_albumid": "1e477f68-c407-4eae-ad01-518528cedc2c",
    "musicbrainz_artistid": "5b11f4ce-a62d-471e-81fc-a69a8278c7da",
    "rating": "80",
}
FFMPEG_NAMES = {"albumartist": "album_artist", "discnumber": "disc", "tracknumber": "track"}
PICARD_NAMES = {
    "work": "WORK",
    "musicbrainz_albumid": "MusicBrainz Album Id",
    "musicbrainz_artistid": "MusicBrainz Artist Id",
}


def run(*command: str | Path) -> None:
    """Run an encoder without its output."""
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def ffmpeg(tone: Path, target: Path, *options: str, tags: Mapping[str, str] = TAGS) -> None:
    """Encode in the format of the suffix, with the tags that ffmpeg has names for."""
    named = {"title": f"Title {target.name}", **tags} if tags else {}
    pairs = [f"{FFMPEG_NAMES.get(name, name)}={value}" for name, value in named.items() if "z_" not in name]
    metadata = [word for pair in pairs for word in ("-metadata", pair)]
    run("ffmpeg", "-v", "error", "-y", "-i", tone, "-map_metadata", "-1", *metadata, *options, target)


def pairs_for(target: Path, option: str) -> list[str]:
    """Return all tags as arguments, each after the option."""
    pairs = [f"{name}={value}" for name, value in {"title": f"Title {target.name}", **TAGS}.items()]
    return [word for pair in pairs for word in (option, pair)]


def make_vorbis(tone: Path, folder: Path) -> None:
    """Make FLAC and Ogg files with Vorbis comments."""
    flac, oga, ogg, opus = (folder / f"tone.{suffix}" for suffix in ("flac", "oga", "ogg", "opus"))
    run("flac", "-sf", "--no-padding", *pairs_for(flac, "-T"), tone, "-o", flac)
    run("flac", "-sf", "--no-padding", "--ogg", *pairs_for(oga, "-T"), tone, "-o", oga)
    run("oggenc", "-Q", "-q", "0", *pairs_for(ogg, "-c"), "-o", ogg, tone)
    run("opusenc", "--quiet", "--bitrate", "8", *pairs_for(opus, "--comment"), tone, opus)
    ffmpeg(tone, folder / "tone.spx", "-c:a", "libspeex")


def make_apev2(tone: Path, folder: Path) -> None:
    """Make WavPack, True Audio and MP3 files with APEv2 tags."""
    wv, tta, mp3, plain = folder / "tone.wv", folder / "tone.tta", folder / "ape2.mp3", folder / "none.mp3"
    run("wavpack", "-qy", *pairs_for(wv, "-w"), tone, "-o", wv)
    ffmpeg(tone, tta)
    ffmpeg(tone, plain, "-b:a", "8k", "-id3v2_version", "0", "-write_id3v1", "0", tags={})
    tagged = tta.read_bytes()
    tag = tagged[tagged.index(b"APETAGEX") :].replace(tta.name.encode(), mp3.name.encode())
    mp3.write_bytes(plain.read_bytes() + tag)


def make_id3(tone: Path, folder: Path) -> None:
    """Make MP3, AIFF and WAV files with every version of ID3."""
    v23, v1 = folder / "v23.mp3", folder / "v1.mp3"
    basic = [
        "--ta", TAGS["artist"], "--tl", TAGS["album"], "--ty", "1997", "--tn", "3/12", "--tg",
        "Electronic",
    ]  # fmt: skip
    frames = ["TPE2=Various", "TPOS=1/2", "TCOM=Komponist", "TIT1=Group"]
    more = [word for frame in frames for word in ("--tv", frame)]
    run("lame", "--quiet", "--id3v2-only", "--id3v2-utf16", "--tt", "Title v23.mp3", *basic, *more, tone, v23)
    add_to_id3(v23, 3)
    latin = [
        "--tt", "Title v1.mp3", "--ta", "Artist", "--tl", "Album", "--ty", "1997", "--tn", "3", "--tg",
        "17",
    ]  # fmt: skip
    run("lame", "--quiet", "--id3v1-only", *latin, tone, v1)

    old = {
        "TT2": "Title v22.mp3", "TP1": "Björk", "TAL": "Älbum", "TRK": "3/12", "TYE": "1997", "TCO": "(17)",
    }  # fmt: skip
    body = b"".join(
        name.encode() + (len(text) + 1).to_bytes(3, "big") + b"\0" + text.encode("latin-1")
        for name, text in old.items()
    )
    header = b"ID3\2\0\0" + bytes([0, 0, len(body) >> 7, len(body) & 0x7F])
    (folder / "v22.mp3").write_bytes(header + body + (folder / "none.mp3").read_bytes())

    ffmpeg(tone, folder / "v24.mp3", "-b:a", "8k", "-id3v2_version", "4")
    ffmpeg(tone, folder / "tone.aiff", "-write_id3v2", "1")
    run("ffmpeg", "-v", "error", "-y", "-i", tone, "-bitexact", folder / "tone.wav")
    wave = mutagen.File(folder / "tone.wav")
    wave.add_tags()
    wave.tags.update(ID3(folder / "v24.mp3"))
    wave.tags["TIT2"].text = ["Title tone.wav"]
    wave.save()
    for name in ("v24.mp3", "tone.aiff", "tone.wav"):
        add_to_id3(folder / name, 4)


def add_to_id3(path: Path, version: int) -> None:
    """Add the ID3 frames that no encoder writes."""
    file = mutagen.File(path)
    file.tags.add(UFID(owner="http://musicbrainz.org", data=TAGS["musicbrainz_trackid"].encode()))
    file.tags.add(POPM(email="someone@example.org", rating=204, count=0))
    for name, described in PICARD_NAMES.items():
        file.tags.add(TXXX(encoding=1, desc=described, text=TAGS[name]))
    file.save(v2_version=version)


def make_others(tone: Path, folder: Path) -> None:
    """Make MP4 and ASF files, and formats without tags."""
    m4a, wma = folder / "tone.m4a", folder / "tone.wma"
    ffmpeg(tone, m4a, "-b:a", "8k")
    mp4 = MP4(m4a)
    for name, described in (PICARD_NAMES | {"musicbrainz_trackid": "MusicBrainz Track Id"}).items():
        mp4[f"----:com.apple.iTunes:{described}"] = TAGS[name].encode()
    mp4["rate"] = [TAGS["rating"]]
    mp4.save(padding=lambda _: 0)

    ffmpeg(tone, folder / "alac.m4a", "-c:a", "alac")
    mp4 = MP4(folder / "alac.m4a")
    mp4["\xa9cmt"], mp4["tmpo"], mp4["stik"] = "A comment", [120], [2]
    mp4.save(padding=lambda _: 0)

    ffmpeg(tone, wma, "-ar", "16000")
    asf = ASF(wma)
    for name in ("Track", "Album", "Artist"):
        asf[f"MusicBrainz/{name} Id"] = TAGS[f"musicbrainz_{name.lower()}id"]
    asf["WM/Work"] = TAGS["work"]
    asf["WM/SharedUserRating"] = 75
    asf.save(padding=lambda _: 0)

    for suffix in ("aac", "ac3"):
        ffmpeg(tone, folder / f"tone.{suffix}", "-b:a", "8k", tags={})


def main() -> None:
    """Make all files, in the given folder or in this one."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    with tempfile.TemporaryDirectory() as scratch:
        tone = Path(scratch, "tone.wav")
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:duration=0.3:sample_rate=8000", tone)
        for make in (make_vorbis, make_apev2, make_id3, make_others):
            make(tone, folder)


if __name__ == "__main__":
    main()
