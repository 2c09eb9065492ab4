"""Head readers read usual files from few bytes, exactly as the reference reader with mutagen, or decline."""

import contextlib
import os
import random
import subprocess
import sys
from pathlib import Path

import mutagen
import pytest
from mutagen.id3 import POPM, TXXX

from playshuffle.tags.head_file import DeclinedError, HeadFile
from playshuffle.tags.head_reader import read_head
from playshuffle.tags.tag_reader import read
from tests.support.audio_data import FILES, tags_in
from tests.support.bad_audio import mutants
from tests.support.program import DATA
from tests.tags.tagged_files import add_cover

PLAIN = ["v23.mp3", "v24.mp3", "none.mp3", "tone.flac", "tone.ogg", "tone.opus", "tone.m4a"]
ROOT = Path(__file__).parents[2]


def assert_as_the_reference(path: Path) -> bool:
    """Return whether a head reader accepts a file. Then its reading must equal that of the reference reader.

    The reference reader rejects a FLAC file with a damaged picture; the head reader may read its tags.
    """
    reading, reference = read_head(os.fsencode(path)), read(os.fsencode(path))
    if reading is None:
        return False
    is_refused_flac = reference.tags is None and path.read_bytes().startswith(b"fLaC")
    assert is_refused_flac or reading == reference, path
    return True


def test_head_readers_accept_mp3_flac_ogg_opus_and_mp4_files_with_usual_tags() -> None:
    assert [name for name in FILES if assert_as_the_reference(DATA / name)] == [
        name for name in FILES if name in PLAIN or name == "alac.m4a"
    ]


@pytest.mark.parametrize(
    ("seed", "count"),
    [
        *[(seed, 500) for seed in (101, 102, 103)],
        *[pytest.param(seed, 20_000, marks=pytest.mark.slow) for seed in range(1, 6)],
    ],
)
@pytest.mark.timeout(1800)
def test_no_head_reader_reads_a_damaged_file_differently_from_the_reference_reader(
    seed: int, count: int, tmp_path: Path
) -> None:
    accepted = 0
    for name, data in mutants(DATA, count, seed):
        path = tmp_path / name
        path.write_bytes(data)
        accepted += assert_as_the_reference(path)
        path.unlink()

    assert accepted > count // 10


@pytest.mark.parametrize("wrong", [b"minf", b"trak", b"free"])
def test_misplaced_mp4_tags_are_read_as_by_the_reference_reader(wrong: bytes, tmp_path: Path) -> None:
    """The tags of the file are in moov, udta, meta, ilst. A track may have such atoms, too."""
    path = tmp_path / "x.m4a"
    data = (DATA / "tone.m4a").read_bytes()
    for right in (b"udta", b"meta", b"ilst"):
        path.write_bytes(data.replace(right, wrong))
        assert_as_the_reference(path)
    start = data[3]  # the length of ftyp
    path.write_bytes(data[:start] + b"\0\0\0\x08meta" + data[start:].replace(b"meta", wrong))
    assert_as_the_reference(path)


_LITTLE, _BIG = b"\xff\xfe", b"\xfe\xff"


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        (1, _LITTLE + "a\0b\ufeffc".encode("utf-16-le")),
        (1, _LITTLE + "a\0\ufeffb".encode("utf-16-le")),
        (1, _LITTLE + "a\0".encode("utf-16-le") + _BIG + "b".encode("utf-16-be")),
        (1, _BIG + "a\0".encode("utf-16-be") + "b".encode("utf-16-le")),
        (1, _BIG + "a\0".encode("utf-16-be") + _BIG + "b".encode("utf-16-be")),
        (1, _BIG + "a".encode("utf-16-be")),
        (1, "a\0b".encode("utf-16-le")),
        (2, "a\0\ufeffb".encode("utf-16-be")),
        (3, "\ufeffa\0\ufeffb".encode()),
    ],
)
def test_byte_order_marks_are_read_as_by_the_reference_reader(
    encoding: int, data: bytes, tmp_path: Path
) -> None:
    """Each text of a frame may begin with a byte order mark."""
    path = tmp_path / "x.mp3"
    frame = b"TPE1" + (1 + len(data)).to_bytes(4, "big") + bytes((0, 0, encoding)) + data
    tag = b"ID3\4\0\0" + len(frame).to_bytes(4, "big") + frame
    path.write_bytes(tag + (DATA / "none.mp3").read_bytes())

    assert tags_in(path).artist in ("a", "a; b", "a; bc")


_WORDS = [
    "Night", "Höhe", "椎名林檎", "", " x ", "a; b", "a/b", "🎵", "The\0End", "x" * 300, "(17)", "17", "RX",
]  # fmt: skip
_FIELDS = {
    "TIT2": "title", "TPE1": "artist", "TALB": "album", "TPE2": "albumartist", "TPOS": "discnumber",
    "TRCK": "tracknumber", "TCON": "genre", "TDRC": "date", "TCOM": "composer", "TIT1": "grouping",
    "TBPM": "bpm", "TLAN": "language",
}  # fmt: skip
_NUMBERS = ["3", "3/12", "03", "x", "1997", "1997-09-22", "1997-9", "2003-05", ""]


def make_file(folder: Path, chance: random.Random) -> Path:
    """Copy a sound file and give it random tags, as mutagen writes them."""
    name = chance.choice(["none.mp3", "v24.mp3", "v1.mp3", *(name for name in PLAIN if "tone" in name)])
    path = folder / name
    path.write_bytes((DATA / name).read_bytes())
    file = mutagen.File(path)
    if file.tags is None:
        file.add_tags()
    pairs = {
        frame: [
            chance.choice(_NUMBERS if frame in ("TPOS", "TRCK", "TDRC", "TBPM") else _WORDS)
            for _ in range(chance.choice((1, 1, 1, 2)))
        ]
        for frame in chance.sample(sorted(_FIELDS), chance.randrange(len(_FIELDS)))
    }
    size = chance.choice((0, 0, 3000, 9000, 70_000))
    version = chance.choice((3, 4))
    if size:
        add_cover(file, bytes(size))
    if name.endswith(".mp3"):
        for frame, values in pairs.items():
            file.tags.add(getattr(mutagen.id3, frame)(encoding=chance.randrange(4), text=values))
        file.tags.add(TXXX(encoding=chance.randrange(4), desc=chance.choice(_WORDS), text=_WORDS[:2]))
        file.tags.add(POPM(email="x", rating=chance.randrange(256), count=chance.randrange(300)))
        with contextlib.suppress(mutagen.MutagenError):  # Latin-1 cannot hold every word
            file.save(v2_version=version, v1=chance.randrange(3), v23_sep=chance.choice((None, "/")))
    elif name.endswith(".m4a"):
        for (_, values), key in zip(
            pairs.items(), ("\xa9nam", "\xa9ART", "\xa9wrk", "\xa9day"), strict=False
        ):
            file[key] = values
        file["trkn"] = [(chance.randrange(20), 20)]
        file["----:com.apple.iTunes:MOOD"] = [word.encode() for word in chance.sample(_WORDS, 2)]
        file.save()
    else:
        file.update({_FIELDS[frame]: values for frame, values in pairs.items()})
        file.save()
    return path


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(1800)
def test_no_head_reader_reads_a_tagged_file_differently_from_the_reference_reader(
    count: int, tmp_path: Path
) -> None:
    """Tags, covers and versions of tags are random, and written by mutagen."""
    chance = random.Random(1)
    accepted = sum(assert_as_the_reference(make_file(tmp_path, chance)) for _ in range(count))

    assert accepted > count * 0.7


# In a process of its own, in which nothing else imports mutagen.
WITHOUT_MUTAGEN = """
import sys
from playshuffle.tags.head_reader import read_head
assert all(read_head(name.encode()) is not None for name in sys.argv[1:])
assert "mutagen" not in sys.modules
"""


@pytest.mark.process
def test_mutagen_is_not_imported_to_read_files_with_usual_tags() -> None:
    names = ("v24.mp3", "none.mp3", "tone.flac", "tone.ogg", "tone.opus")
    subprocess.run(
        [sys.executable, "-c", WITHOUT_MUTAGEN, *(str(DATA / name) for name in names)], cwd=ROOT, check=True
    )


def with_cover(name: str, path: Path) -> Path:
    """Copy a file, add a cover of 300 KB and audio after it."""
    path.write_bytes((DATA / name).read_bytes())
    file = mutagen.File(path)
    add_cover(file, bytes(300_000))
    file.save()
    with path.open("ab") as end:
        end.write(bytes(50_000))
    return path


@pytest.mark.parametrize(
    ("name", "cover", "most"),
    [
        *[(name, False, 1) for name in ("v23.mp3", "v24.mp3", "none.mp3", "tone.flac", "tone.m4a")],
        *[(name, False, 2) for name in ("tone.ogg", "tone.opus")],
        *[(name, True, 2) for name in ("v23.mp3", "v24.mp3", "tone.flac")],
    ],
)
def test_a_head_reader_needs_at_most_two_reads_of_a_file_with_usual_tags(
    name: str, cover: bool, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cover is not read."""
    path = with_cover(name, tmp_path / name) if cover else DATA / name
    sizes: list[int] = []
    pread = os.pread

    def count(descriptor: int, size: int, offset: int) -> bytes:
        data = pread(descriptor, size, offset)
        sizes.append(len(data))
        return data

    with monkeypatch.context() as context:
        context.setattr(os, "pread", count)
        read_head(os.fsencode(path))

    assert assert_as_the_reference(path)
    assert 1 <= len(sizes) <= most
    assert sum(sizes) <= 8192 + 16384


def test_head_readers_decline_links_fifos_and_files_that_do_not_exist(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.mp3")
    (tmp_path / "link.mp3").symlink_to(DATA / "v24.mp3")
    before = os.listdir("/proc/self/fd")

    for name in ("fifo.mp3", "link.mp3", "nothing.mp3"):
        assert read_head(os.fsencode(tmp_path / name)) is None
    assert read_head(b"a\0b.mp3") is None
    assert os.listdir("/proc/self/fd") == before


def test_a_head_reader_declines_a_file_after_a_disk_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int, size: int, offset: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "pread", fail)

    assert read_head(os.fsencode(DATA / "v24.mp3")) is None


def test_head_readers_decline_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(100))
    with path.open("rb") as file:
        head = HeadFile(file.fileno(), 100_000)
        assert head.at(0, 100) == bytes(100)
        with pytest.raises(DeclinedError):
            head.at(50_000, 1)
