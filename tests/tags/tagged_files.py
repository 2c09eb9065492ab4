"""Write audio files with tags and covers."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mutagen
from mutagen.flac import FLAC, Picture
from mutagen.id3 import APIC, ID3
from mutagen.mp4 import MP4, MP4Cover

from tests.support.program import DATA


def written(folder: Path, name: str, tags: Mapping[str, Any]) -> Path:
    """Copy an audio file of the test data, and give it these tags and no others."""
    path = folder / name
    shutil.copy(DATA / name, path)
    file = mutagen.File(path)
    file.tags.clear()
    for key, value in tags.items():
        file[key] = value
    file.save()
    return path


def add_cover(file: Any, data: bytes) -> None:
    """Add a cover to the tags of a mutagen file, which must have tags."""
    if isinstance(file.tags, ID3):
        file.tags.add(APIC(encoding=0, mime="image/png", type=3, desc="", data=data))
    elif isinstance(file, MP4):
        file["covr"] = [MP4Cover(data)]
    elif isinstance(file, FLAC):
        picture = Picture()
        picture.data = data
        file.add_picture(picture)
    else:
        file["metadata_block_picture"] = "A" * len(data)
