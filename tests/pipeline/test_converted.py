"""A library that was converted to another format is the same music."""

import os
import subprocess
from pathlib import Path

import pytest

from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.request import Request
from tests.support.library import FRAME, deal, keep, tools
from tests.support.needs import need
from tests.support.program import listed
from tests.support.tagging import tag

COUNT = 300


def to_opus(files: list[Path]) -> None:
    """Convert files beside themselves, with their tags, as converters do."""
    inputs = [word for file in files for word in ("-i", str(file))]
    outputs = [
        word
        for number, file in enumerate(files)
        for word in ("-map", f"{number}", "-map_metadata", f"{number}", str(file.with_suffix(".opus")))
    ]
    subprocess.run(["ffmpeg", "-v", "error", *inputs, *outputs], check=True, timeout=100)


def stems(playlist: Path) -> list[str]:
    return [Path(entry).stem for entry in listed(playlist)]


@pytest.mark.process
@pytest.mark.parametrize("deletes_first", [False, True])
def test_a_library_converted_to_opus_keeps_its_positions_and_deals(
    tmp_path: Path, deletes_first: bool
) -> None:
    """Also where the new files appear long after the old ones were deleted."""
    need("ffmpeg")
    music = tmp_path / "Music"
    music.mkdir()
    files = [music / f"{number:03}.mp3" for number in range(COUNT)]
    for number, file in enumerate(files):
        file.write_bytes(FRAME * (20 + number % 30))
        if number % 5:  # the others are known by their names
            tag(file, {"artist": f"Artist {number % 7}", "title": f"Title {number % 50}"})
    kept, dealt = (
        Request((os.fsencode(music),), os.fsencode(tmp_path / f"{name}.m3u"), Recipe()) for name in "kd"
    )
    keep(kept, tools(seed="1"))
    order = stems(tmp_path / "k.m3u")
    deal(dealt, tools(), COUNT // 2)
    first_half = stems(tmp_path / "d.m3u")

    to_opus(files)
    for file in files[COUNT // 2 :] if deletes_first else files:
        file.unlink()
    if deletes_first:
        hidden = music.rename(tmp_path / "hidden") / "."
        music.mkdir()
        for file in hidden.glob("*.mp3"):
            file.rename(music / file.name)
        keep(kept, tools(seed="2"))
        assert len(listed(tmp_path / "k.m3u")) == COUNT // 2
        for file in files[: COUNT // 2]:
            file.unlink()
        for file in hidden.glob("*.opus"):
            file.rename(music / file.name)
    report = keep(kept, tools(seed="2"))

    assert stems(tmp_path / "k.m3u") == order
    assert {Path(entry).suffix for entry in listed(tmp_path / "k.m3u")} == {".opus"}
    assert deletes_first or (report.came, report.went, report.renamed) == (0, 0, COUNT)
    deal(dealt, tools(), COUNT // 2)
    assert sorted(first_half + stems(tmp_path / "d.m3u")) == sorted(order)
