"""Lengths and tags are read from WAV, AIFF, MP4 and other containers, also if their headers are wrong."""

import os
import struct
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import mutagen
import pytest
from mutagen.apev2 import APEv2
from mutagen.flac import Picture

from playshuffle.tags.head_reader import read_head
from playshuffle.tags.reading import Tags
from tests.support.audio_data import tags_in
from tests.support.needs import need
from tests.support.program import DATA

HERTZ = 8000


def tags_of(path: Path, data: bytes) -> Tags:
    path.write_bytes(data)
    return tags_in(path)


def length_of(path: Path, data: bytes) -> int:
    """Return the length in milliseconds; 0 if unknown."""
    return tags_of(path, data).duration_ms or 0


def chunk(order: Literal["little", "big"], name: bytes, content: bytes, size: int | None = None) -> bytes:
    """Return a chunk; `size`: what its header claims, if that is wrong."""
    length = len(content) if size is None else size
    return name + length.to_bytes(4, order) + content + b"\0" * (len(content) % 2)


little, big = partial(chunk, "little"), partial(chunk, "big")


SECOND = bytes(range(250)) * 64  # 16,000 bytes: a second of 16 bits
FORM = little(b"fmt ", struct.pack("<2H2I2H", 1, 1, HERTZ, 2 * HERTZ, 2, 16))


def wav(*chunks: bytes, magic: bytes = b"RIFF") -> bytes:
    return magic + b"\xff" * 4 + b"WAVE" + b"".join(chunks)


def w64(size: int) -> bytes:
    def chunk(name: bytes, content: bytes, size: int | None = None) -> bytes:
        length = 24 + (len(content) if size is None else size)
        return name + bytes(12) + length.to_bytes(8, "little") + content + bytes(-len(content) % 8)

    riff = b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0" + bytes(8) + b"wave" + bytes(12)
    return riff + chunk(b"fmt ", FORM[8:]) + chunk(b"data", SECOND, size)


def ds64(size: int) -> bytes:
    return little(b"ds64", struct.pack("<3QI", 0, size, 0, 0))


def aiff(frames: int, size: int | None, *others: bytes, codec: bytes = b"") -> bytes:
    rate = (16383 + 12).to_bytes(2, "big") + (HERTZ << 51).to_bytes(8, "big")
    common = big(b"COMM", struct.pack(">HIH", 1, frames, 16) + rate + codec)
    sound = big(b"SSND", bytes(8) + SECOND, size)
    return b"FORM\0\0\0\0" + (b"AIFC" if codec else b"AIFF") + common + b"".join(others) + sound


@pytest.mark.parametrize("size", [len(SECOND), 0, 0xFFFFFFFF, 0x7FFFFFFF, 20_000])
def test_the_length_of_wav_and_aiff_is_computed_from_their_bytes_whatever_length_the_header_claims(
    size: int, tmp_path: Path
) -> None:
    """Headers claim too much if a file was written into a pipe or cut off."""
    files = {
        "a.wav": wav(FORM, little(b"data", SECOND, size)),
        "b.wav": wav(ds64(0), FORM, little(b"data", SECOND, size), magic=b"RF64"),
        "c.wav": wav(ds64(size << 20), FORM, little(b"data", SECOND, 0xFFFFFFFF), magic=b"RF64"),
        "d.w64": w64(size),
        "e.aiff": aiff(size // 2, size + 8 & 0xFFFFFFFF),
        "f.aif": aiff(HERTZ, size + 8 & 0xFFFFFFFF),
        "g.aifc": aiff(size // 2, size + 8 & 0xFFFFFFFF, codec=b"sowt"),
    }
    lengths = {name: length_of(tmp_path / name, data) for name, data in files.items()}

    assert lengths == dict.fromkeys(files, 1000)


def test_text_chunks_behind_the_audio_of_a_wav_are_read_and_do_not_count_as_audio(tmp_path: Path) -> None:
    info = little(
        b"LIST", b"INFO" + little(b"INAM", b"Title") + little(b"IPRD", b"Album") + little(b"IPRT", b"3")
    )
    for data in (
        wav(FORM, little(b"data", SECOND), info),
        wav(ds64(len(SECOND)), FORM, little(b"data", SECOND, 0xFFFFFFFF), info, magic=b"RF64"),
    ):
        tags = tags_of(tmp_path / "x.wav", data)
        assert (tags.title, tags.album, tags.number, tags.duration_ms) == ("Title", "Album", 3, 1000)


def test_the_length_of_compressed_aiff_is_computed_from_its_samples_or_counts_as_unknown(
    tmp_path: Path,
) -> None:
    law = aiff(2 * HERTZ, None, codec=b"ulaw")

    assert length_of(tmp_path / "x.aifc", law) == 2000
    assert tags_of(tmp_path / "x.aifc", law.replace(b"ulaw", b"ima4")).duration_ms is None


@pytest.mark.parametrize("promised", [1, 10, 1000])
@pytest.mark.parametrize("suffix", [".dsf", ".dff"])
def test_the_length_of_dsd_is_computed_from_its_bytes_whatever_length_the_header_claims(
    suffix: str, promised: int, tmp_path: Path
) -> None:
    hertz, size = 2_822_400, 2_822_400 // 8
    if suffix == ".dsf":
        form = struct.pack("<4sQ6IQ2I", b"fmt ", 52, 1, 0, 1, 1, hertz, 1, promised * hertz, 4096, 0)
        data = struct.pack("<4s3Q", b"DSD ", 28, 0, 0) + form + struct.pack("<4sQ", b"data", size + 12)
    else:

        def wide(name: bytes, content: bytes, length: int | None = None) -> bytes:
            return name + (len(content) if length is None else length).to_bytes(8, "big") + content

        kind = wide(b"FS  ", hertz.to_bytes(4, "big")) + wide(b"CHNL", b"\0\1C000")
        kind += wide(b"CMPR", b"DSD \3raw\0\0"[:10])
        data = b"DSD " + wide(b"PROP", b"SND " + kind) + wide(b"DSD ", b"", promised * size)
        data = wide(b"FRM8", data, len(data) + promised * size)

    assert abs(length_of(tmp_path / f"x{suffix}", data + bytes(size)) - 1000) < 10


@pytest.fixture
def moov_first(tmp_path: Path) -> bytes:
    """An MP4 file whose audio is at the end."""
    data = (DATA / "tone.m4a").read_bytes()
    atoms = {}
    place = 0
    while place < len(data):
        size = int.from_bytes(data[place : place + 4], "big")
        atoms[data[place + 4 : place + 8]] = data[place : place + size]
        place += size
    return atoms[b"ftyp"] + atoms[b"moov"] + atoms[b"mdat"]


def test_the_length_of_mp4_is_computed_from_its_audio_whatever_length_the_header_claims(
    moov_first: bytes, tmp_path: Path
) -> None:
    whole = tags_of(tmp_path / "x.m4a", moov_first)
    length_ms = whole.duration_ms or 0
    audio_bytes = len(moov_first) - moov_first.index(b"mdat") - 4
    header = moov_first.index(b"mdhd") + 20
    length = int.from_bytes(moov_first[header : header + 4], "big")
    promised = moov_first[:header] + (1000 * length).to_bytes(4, "big") + moov_first[header + 4 :]

    assert abs(length_of(tmp_path / "x.m4a", moov_first[: -audio_bytes // 2]) - length_ms // 2) <= 5
    assert tags_of(tmp_path / "x.m4a", promised)._replace(duration_ms=0) == whole._replace(duration_ms=0)
    assert abs(length_of(tmp_path / "x.m4a", promised) - length_ms) < 50


def with_tags_of_track(data: bytes) -> bytes:
    """Add a `meta` without a version to the track, as QuickTime does."""
    meta = b"\0\0\0\x20meta" + bytes(3) + b"\x18hdlr" + bytes(16)
    changed = bytearray(data)
    for name in (b"moov", b"trak"):
        place = data.index(name) - 4
        size = int.from_bytes(data[place : place + 4], "big")
        changed[place : place + 4] = (size + len(meta)).to_bytes(4, "big")
    return bytes(changed[: place + size] + meta + changed[place + size :])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: shrunk(data, b"moov", b"udta", b"meta"),
        lambda data: data[: data.index(b"mdat") - 4] + bytes(4) + data[data.index(b"mdat") :],
        lambda data: data + b"\0\0\0\0free" + bytes(100),
        lambda data: data + bytes(4),
        with_tags_of_track,
    ],
    ids=["no version", "audio to the end", "an atom to the end", "bytes at the end", "tags of a track"],
)
def test_tags_of_mp4_are_read_even_if_atoms_have_no_version_or_length_or_a_track_has_its_own_tags(
    damage: Callable[[bytes], bytes], moov_first: bytes, tmp_path: Path
) -> None:
    whole = tags_of(tmp_path / "x.m4a", moov_first)
    damaged = tags_of(tmp_path / "y.m4a", damage(moov_first))

    assert whole.title
    assert damaged == whole
    assert read_head(os.fsencode(tmp_path / "y.m4a")) is not None


def test_an_mp4_that_was_cut_off_before_its_audio_has_tags_but_no_length(
    moov_first: bytes, tmp_path: Path
) -> None:
    """It was cut off in its header, such as in the cover."""
    end = moov_first.index(b"ilst") + 4 + moov_first[moov_first.index(b"ilst") + 7]
    tags = tags_of(tmp_path / "x.m4a", moov_first[:end])

    assert tags.duration_ms is None
    assert tags.title


def shrunk(data: bytes, *names: bytes) -> bytes:
    """Remove the version of `meta`, and shorten the atoms around it."""
    meta = data.index(b"meta")
    changed = bytearray(data[: meta + 4] + data[meta + 8 :])
    for name in names:
        place = changed.rindex(name, 0, meta + 4) - 4
        size = int.from_bytes(changed[place : place + 4], "big") - 4
        changed[place : place + 4] = size.to_bytes(4, "big")
    return bytes(changed)


def test_tags_are_read_from_the_text_chunks_of_aiff(tmp_path: Path) -> None:
    texts = (
        big(b"NAME", "Straße".encode()),
        big(b"AUTH", "Café".encode("mac_roman")),
        big(b"ANNO", b"one\0"),
        big(b"ANNO", b"two"),
    )
    tags = tags_of(tmp_path / "x.aiff", aiff(HERTZ, None, *texts))

    assert (tags.title, tags.artist, tags.comment) == ("Straße", "Café", "one; two")


@pytest.mark.parametrize(
    ("page", "text", "encoding"),
    [
        (1251, "Кино", "cp1251"),
        (932, "東京", "cp932"),
        *((page, "Straße", "utf-8") for page in (65001, 0, 9999)),
        *((page, "Straße", "cp1252") for page in (0, None)),
    ],
)
def test_text_chunks_of_wav_are_decoded_by_the_code_page_that_the_file_declares(
    page: int | None, text: str, encoding: str, tmp_path: Path
) -> None:
    info = little(b"LIST", b"INFO" + little(b"INAM", text.encode(encoding) + b"\0"))
    named = [] if page is None else [little(b"CSET", struct.pack("<4H", page, 0, 0, 0))]
    for chunks in ([*named, info], [info, *named]):
        assert tags_of(tmp_path / "x.wav", wav(FORM, *chunks, little(b"data", SECOND))).title == text


def test_an_id3_chunk_of_wav_or_aiff_counts_more_than_its_text_chunks(tmp_path: Path) -> None:
    for name, chunk in (("x.wav", little), ("x.aiff", big)):
        frame = b"TPE1\0\0\0\4\0\0\0Ann"
        id3 = chunk(b"ID3 ", b"ID3\3\0\0\0\0\0%c" % len(frame) + frame)
        texts = little(b"LIST", b"INFO" + little(b"IART", b"Bob") + little(b"INAM", b"Title"))
        other = wav(FORM, texts, little(b"data", SECOND), id3)
        data = (
            other if name == "x.wav" else aiff(HERTZ, None, big(b"AUTH", b"Bob"), big(b"NAME", b"Title"), id3)
        )
        tags = tags_of(tmp_path / name, data)

        assert (tags.artist, tags.title) == ("Ann", "Title")


V1 = b"TAG" + b"".join((name + b" of v1").ljust(30, b"\0") for name in (b"Title", b"Artist", b"Album"))
V1 += bytes(35)


def ape(tmp_path: Path, **texts: str) -> bytes:
    tag = APEv2()
    tag.update(texts)
    path = tmp_path / "ape"
    path.write_bytes(b"")
    tag.save(path)
    return path.read_bytes()


def id3(*frames: tuple[bytes, bytes]) -> bytes:
    body = b"".join(name + len(text).to_bytes(4, "big") + b"\0\0" + text for name, text in frames)
    return b"ID3\3\0\0\0\0\0%c" % len(body) + body


def test_a_tag_at_the_end_of_an_mp3_completes_an_id3v2_tag_that_lacks_title_artist_or_album(
    tmp_path: Path,
) -> None:
    audio = (DATA / "none.mp3").read_bytes()
    end = ape(tmp_path, Title="Title of APE", Artist="Artist of APE", Comment="of APE")
    title, artist, album = (b"TIT2", b"\0Title"), (b"TPE1", b"\0Artist"), (b"TALB", b"\0Album")
    whole = id3(title, artist, album)

    for data, *expected in (
        (id3(title) + audio + end, "Title", "Artist of APE", "", "of APE"),
        (id3(title) + audio + end + V1, "Title", "Artist of APE", "", "of APE"),
        (id3(title) + audio + V1, "Title", "Artist of v1", "Album of v1", ""),
        (id3(artist, album) + audio + V1, "Title of v1", "Artist", "Album", ""),
        (id3(title, album) + audio + V1, "Title", "Artist of v1", "Album", ""),
        (id3(title, artist) + audio + V1, "Title", "Artist", "Album of v1", ""),
        (audio + end + V1, "Title of APE", "Artist of APE", "", "of APE"),
        (whole + audio + end, "Title", "Artist", "Album", ""),
        (whole + audio + V1[:97] + b"of v1".ljust(30, b"\0") + b"\0", "Title", "Artist", "Album", ""),
    ):
        tags = tags_of(tmp_path / "x.mp3", data)
        assert [tags.title, tags.artist, tags.album, tags.comment] == expected


def test_an_id3v1_tag_is_read_from_a_wavpack_file_that_has_no_other_tag(tmp_path: Path) -> None:
    path = tmp_path / "x.wv"
    path.write_bytes((DATA / "tone.wv").read_bytes())
    mutagen.File(path).delete()

    assert tags_of(path, path.read_bytes() + V1)[1:3] == ("Title of v1", "Artist of v1")


@pytest.mark.parametrize("suffix", ["wv", "m4a", "ogg", "wav", "flac", "tta", "wma", "aac"])
def test_audio_behind_an_id3_tag_is_read_but_the_tag_counts_only_if_the_format_has_no_other_tags(
    suffix: str, tmp_path: Path
) -> None:
    alone = tags_in(DATA / f"tone.{suffix}")
    tags = tags_of(
        tmp_path / f"x.{suffix}", id3((b"TIT2", b"\0Of ID3")) + (DATA / f"tone.{suffix}").read_bytes()
    )

    assert tags == (alone if suffix not in ("aac", "tta") else alone._replace(title="Of ID3"))


def test_the_length_of_compressed_wav_is_computed_from_its_blocks_or_byte_rate(tmp_path: Path) -> None:
    """µ-law; IMA ADPCM, with and without the samples of a block in its header; MP3 by its byte rate."""
    law = struct.pack("<2H2I2H", 7, 1, HERTZ, HERTZ, 1, 8)
    ima = struct.pack("<2H2I2H", 0x11, 1, HERTZ, 4055, 256, 4)
    mp3 = struct.pack("<2H2I2H", 0x55, 1, HERTZ, 4000, 1, 0)
    wrong_rate = ima[:8] + bytes(4) + ima[12:] + struct.pack("<2H", 2, 505)

    for form, length_ms in ((law, 2000), (ima, 4000), (wrong_rate, 4000), (mp3, 4000)):
        data = wav(little(b"fmt ", form), little(b"data", SECOND))
        assert length_of(tmp_path / "x.wav", data) == pytest.approx(length_ms, abs=0 if form is law else 60)


@pytest.mark.parametrize("name", ["none.mp3", "tone.wma"])
def test_the_length_of_a_cut_off_mp3_or_wma_is_computed_from_the_bytes_that_are_left(
    name: str, tmp_path: Path
) -> None:
    data = (DATA / name).read_bytes()
    start = int.from_bytes(data[16:24], "little") if name == "tone.wma" else 0
    whole_ms = length_of(tmp_path / name, data)

    assert start or b"Xing" in data or b"Info" in data
    assert whole_ms > 250
    assert abs(length_of(tmp_path / name, data[: (start + len(data)) // 2]) - whole_ms / 2) < 10


def test_mp3_frames_of_several_bit_rates_are_counted_if_no_header_has_the_number_of_frames(
    tmp_path: Path,
) -> None:
    """The first frames are of silence, with a low bit rate."""
    # MPEG 1, layer III, 44.1 kHz: 104 bytes at 32 kbit/s, 626 bytes at 192 kbit/s.
    quiet, loud = (bytes((255, 251, rate << 4, 0)) for rate in (1, 11))
    data = 20 * (quiet + bytes(100)) + 1000 * (loud + bytes(622))

    assert abs(length_of(tmp_path / "x.mp3", data + b"TAG" + bytes(125)) - 1020 * 1152 / 44.1) < 10


def test_an_mp1_file_has_the_length_of_its_frames(tmp_path: Path) -> None:
    # 384 kbit/s and 44.1 kHz: 417 or 418 bytes hold 384 samples.
    frame = b"\xff\xff\xc0\0" + bytes(range(256)) + bytes(416 - 260)

    assert abs(length_of(tmp_path / "x.mp1", frame * 115) - 1000) < 20
    assert length_of(tmp_path / "x.mp1", frame * 8) > 0


@pytest.mark.process
@pytest.mark.parametrize(("codec", "suffix"), [("libvorbis", ".ogg"), ("libopus", ".opus")])
def test_a_piece_cut_from_an_ogg_stream_has_the_length_of_the_piece(
    codec: str, suffix: str, tmp_path: Path
) -> None:
    """Pages keep their positions in the whole stream, as in recordings of a radio station."""
    need("ffmpeg")
    sound = "anoisesrc=r=48000:seed=1:amplitude=0.1:d=61"
    words = ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", sound, "-c:a", codec, "-b:a", "64k"]
    words += ["-f", "segment", "-segment_time", "12", "-segment_format", "ogg"]
    subprocess.run([*words, str(tmp_path / f"%d{suffix}")], check=True)

    lengths = [tags_in(tmp_path / f"{number}{suffix}").duration_ms for number in range(6)]

    assert lengths == [*[pytest.approx(12_000, rel=0.02)] * 5, None]  # the last has one page


@pytest.mark.parametrize("name", ["tone.ogg", "tone.opus"])
def test_the_length_of_an_ogg_stream_whose_positions_restart_is_its_last_position(
    name: str, tmp_path: Path
) -> None:
    """As after a lost connection, or if pages of a video are between pages of the sound."""
    data = (DATA / name).read_bytes()
    page = data.rindex(b"OggS")
    earlier = b"OggS\0\0" + (1 << 30).to_bytes(8, "little") + data[page + 14 :]
    (tmp_path / name).write_bytes(data[:page] + earlier + data[page:])

    assert tags_in(tmp_path / name).duration_ms == tags_in(DATA / name).duration_ms


@pytest.mark.parametrize("name", ["tone.flac", "tone.ogg", "tone.opus", "tone.spx"])
def test_vorbis_comments_in_latin1_are_read(tmp_path: Path, name: str) -> None:
    """The changed text has as many bytes, so that lengths of pages and blocks stay right."""
    data = (DATA / name).read_bytes()
    tags = tags_of(tmp_path / name, data.replace("Älbum".encode(), b"\xc4lbum\xfc"))

    assert (tags.album, tags.artist) == ("Älbumü", "Björk; 椎名林檎")


def test_a_flac_file_with_a_picture_longer_than_its_block_claims_is_read(tmp_path: Path) -> None:
    """Some programs write more bytes than the length of the block says."""
    data = (DATA / "tone.flac").read_bytes()
    picture = Picture()
    picture.data = b"\xff" * 5000
    block = picture.write()
    place = 4 + 4 + 34
    broken = data[:place] + b"\6" + (len(block) - 4000).to_bytes(3, "big") + block + data[place:]
    whole = tags_in(DATA / "tone.flac")

    assert tags_of(tmp_path / "x.flac", broken)._replace(bitrate=whole.bitrate) == whole
