"""An audio mark identifies audio: no change of tags changes it, and other audio has another mark."""

import os
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mutagen
import pytest
from mutagen.apev2 import APEv2
from mutagen.id3 import ID3, TIT2, TXXX

from playshuffle.tags.head_file import audio_mark
from playshuffle.tags.head_reader import read_head
from playshuffle.tags.tag_reader import read
from tests.support.program import DATA
from tests.tags.tagged_files import add_cover

MARKED = [
    "v22.mp3", "v23.mp3", "v24.mp3", "v1.mp3", "none.mp3", "ape2.mp3", "tone.flac", "tone.ogg", "tone.opus",
    "tone.oga", "tone.spx", "tone.m4a", "tone.wav", "tone.aiff",
]  # fmt: skip
COVER = bytes(range(256)) * 1000


def mark(path: Path) -> int:
    """Return the audio mark of a file. Both tag readers must agree, unless the head reader declines it."""
    reading = read(os.fsencode(path))
    assert reading.tags is not None
    assert read_head(os.fsencode(path)) in (None, reading)
    return reading.audio_mark


def opened(path: Path) -> Any:
    """Return an audio file that has tags, maybe empty ones."""
    file = mutagen.File(path)
    if file.tags is None:
        file.add_tags()
    return file


@pytest.mark.parametrize("name", MARKED)
def test_no_change_of_tags_changes_the_audio_mark(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    shutil.copy(DATA / name, path)
    first = mark(path)
    file = opened(path)
    add_cover(file, COVER)
    if isinstance(file.tags, ID3):
        file.tags.add(TXXX(3, desc="LYRICS", text=["word " * 5000]))
    else:
        file["\xa9lyr" if name.endswith(".m4a") else "lyrics"] = ["word " * 20000]
    file.save()
    marks = [mark(path)]
    mutagen.File(path).delete()
    marks.append(mark(path))
    opened(path).save(padding=lambda _: 50_000)
    marks.append(mark(path))

    assert first > 0
    assert marks == [first] * 3


@pytest.mark.parametrize("name", ["none.mp3", "v24.mp3", "tone.flac"])
def test_tags_before_and_after_the_audio_do_not_change_the_audio_mark(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    audio = (DATA / name).read_bytes()
    tag = ID3()
    tag.add(TIT2(3, ["Title"]))
    if name == "tone.flac":
        tag.save(path, v1=0)
        path.write_bytes(path.read_bytes() + audio)
    else:
        path.write_bytes(audio)
        tag.save(path, v1=2)
        ape = APEv2()
        ape["Title"] = "Title"
        ape.save(path)

    assert mark(path) == mark(DATA / name) > 0


def test_audio_that_repeats_itself_like_silence_has_no_audio_mark(tmp_path: Path) -> None:
    """Many songs begin with silence, so it identifies none."""
    form = b"fmt " + struct.pack("<I2H2I2H", 16, 1, 2, 44100, 176400, 4, 16)
    for sample, is_marked in ((b"\0\0\0\0", False), (b"\1\0\1\0", False), (None, True)):
        audio = bytes(range(250)) * 40 if sample is None else sample * 2500
        path = tmp_path / "x.wav"
        path.write_bytes(b"RIFF\0\0\0\0WAVE" + form + b"data" + len(audio).to_bytes(4, "little") + audio)

        assert (mark(path) > 0) is is_marked
    assert audio_mark(b"") == 0


def test_an_mp4_that_begins_with_silence_has_no_audio_mark(tmp_path: Path) -> None:
    """The mark is of the sizes of samples, and other silence has samples of the same sizes."""
    data = bytearray((DATA / "tone.m4a").read_bytes())
    sizes = data.index(b"stsz") + 16
    data[sizes : sizes + 16] = struct.pack(">4I", 239, 4, 4, 6)
    (tmp_path / "x.m4a").write_bytes(data)

    assert mark(DATA / "tone.m4a") > 0
    assert mark(tmp_path / "x.m4a") == 0


def with_last_packets(data: bytes, packets: Sequence[bytes]) -> bytes:
    """Replace the packets of the last page of an Ogg file. No reader checks the checksum of the page."""
    page = data.rindex(b"OggS")
    return data[: page + 26] + bytes([len(packets), *map(len, packets)]) + b"".join(packets)


@pytest.mark.parametrize("name", ["tone.ogg", "tone.opus"])
def test_silence_at_the_end_of_an_ogg_stream_does_not_change_its_audio_mark(
    name: str, tmp_path: Path
) -> None:
    """A silent packet has one byte in Vorbis, three in Opus, or many at a constant bit rate."""
    data = (DATA / name).read_bytes()
    marks = []
    for loud in (bytes(range(100)), bytes(range(100, 200)), bytes(range(40))):
        silence = [b"\xf8\xff\xfe", bytes(range(255, 55, -1))] * 20
        (tmp_path / name).write_bytes(with_last_packets(data, [loud, *silence]))
        marks.append(mark(tmp_path / name))
    (tmp_path / name).write_bytes(with_last_packets(data, [b"\xf8\xff\xfe" + bytes(200)]))
    marks.append(mark(tmp_path / name))
    (tmp_path / name).write_bytes(with_last_packets(data, [bytes(range(100))]))

    assert marks[0] == mark(tmp_path / name) > 0
    assert marks[0] != marks[1] > 0
    assert marks[2:] == [0, 0]


def test_a_flac_file_without_the_md5_of_its_audio_has_no_audio_mark(tmp_path: Path) -> None:
    data = bytearray((DATA / "tone.flac").read_bytes())
    data[26:42] = bytes(16)
    (tmp_path / "x.flac").write_bytes(data)

    assert mark(tmp_path / "x.flac") == 0


ENCODERS = {
    "mp3": ("-b:a", "128k"),
    "cbr.mp3": ("-b:a", "128k", "-write_xing", "0"),
    "ogg": ("-c:a", "libvorbis"),
    "opus": (),
    "m4a": (),
    "flac": (),
    "wav": (),
    "aiff": (),
}


@pytest.mark.process
@pytest.mark.parametrize("suffix", ENCODERS)
def test_different_sounds_of_the_same_length_have_different_audio_marks(suffix: str, tmp_path: Path) -> None:
    marks = set()
    for number in range(12):
        path = tmp_path / f"{number}.{suffix}"
        sound = f"sine=frequency={300 + 10 * number}:duration=2"
        words = ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", sound, *ENCODERS[suffix], path]
        subprocess.run([*map(str, words)], check=True)
        marks.add(mark(path))

    assert len(marks - {0}) == 12
