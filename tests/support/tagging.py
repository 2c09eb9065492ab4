"""Write real audio files with given tags."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import mutagen

from tests.support.program import DATA


def tagged_library(folder: Path, files: Mapping[str, Mapping[str, str]]) -> Path:
    """Write audio files, each with these tags and no others."""
    for name, tags in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        suffix = path.suffix
        source = {".mp3": "v24.mp3", ".m4b": "tone.m4a"}.get(suffix, f"tone{suffix}")
        shutil.copyfile(DATA / source, path)
        audio = mutagen.File(path, easy=True)
        assert audio is not None
        audio.delete()
        tag(path, tags)
    return folder


def tag(path: Path, tags: Mapping[str, str]) -> None:
    """Add tags to an audio file."""
    audio = mutagen.File(path, easy=True)
    if audio.tags is None:
        audio.add_tags()
    for name, value in tags.items():
        audio[name] = value
    audio.save()


def tone(path: Path, seconds: int, **tags: str) -> None:
    """Write an audio file of any length and format, with these tags."""
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"sine=d={seconds}", "-ac", "1", str(path)]
    subprocess.run(command, check=True, timeout=500)
    tag(path, tags)
