"""The demo library is real audio with tags, and never writes over anything else."""

from io import BytesIO
from pathlib import Path

from mutagen.wave import WAVE

from playshuffle.demo.tones import tracks, wav, write_library


def test_every_track_is_a_wav_file_with_its_tags() -> None:
    for track in tracks():
        audio = WAVE(BytesIO(wav(track)))

        assert 1 < audio.info.length < 1.5
        assert [str(audio.tags[frame]) for frame in ("TIT2", "TPE1", "TALB", "TRCK")] == [
            track.title, track.artist, track.album, str(track.number),
        ]  # fmt: skip


def test_the_library_is_small(tmp_path: Path) -> None:
    write_library(str(tmp_path / "demo"))

    assert sum(file.stat().st_size for file in (tmp_path / "demo").rglob("*.wav")) < 500_000


def test_a_second_demo_in_the_same_folder_changes_no_file(tmp_path: Path) -> None:
    write_library(str(tmp_path))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.wav")}
    write_library(str(tmp_path))

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.wav")} == before
