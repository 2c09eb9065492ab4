"""An export to a real FAT file system: some players play its files in the order in which FAT lists them."""

import json
import os
from pathlib import Path

import pytest

from playshuffle.exporting.copied_tracks import CopiedTrack
from playshuffle.library.ignore_files import EXPORT_MARK
from tests.exporting.steps import CHUNK, music, numbered, tracks_of, written
from tests.support.file_systems import Stick
from tests.support.hostile import NAMES

pytestmark = pytest.mark.process

_START = """
import json, os, sys
from pathlib import Path
from playshuffle.exporting import copying
from playshuffle.exporting import export as module
from tests.exporting.steps import *
stick = Path("/mnt/stick")
tracks = tracks_of([os.fsencode(path) for path in json.loads(Path("paths").read_text())])
"""


def run_on_stick(tmp_path: Path, size_mb: int, tracks: list[CopiedTrack], script: str) -> tuple[Stick, str]:
    """Run a script that exports `tracks` to a FAT stick; return the stick and the output."""
    stick = Stick(tmp_path, size_mb)
    (tmp_path / "paths").write_text(json.dumps([os.fsdecode(track.source) for track in tracks]))
    return stick, stick.run(_START + script)


def test_fat_lists_the_copies_in_playlist_order_even_after_killed_exports(tmp_path: Path) -> None:
    tracks = music(tmp_path / "Music", [f"{letter}.mp3" for letter in "abcdefghij"])

    script = """
(stick / "letter.txt").write_text("mine")
export(tracks, stick)
done = export(tracks[7:2:-1] + tracks[8:], stick)  # as FAT keeps time in steps of two seconds
assert (done.copied, done.removed) == (0, 3), done
for step in range(0, 60, 4):
    export(tracks, stick)
    is_killed(lambda: export(tracks[::-2] + tracks[2:4], stick), step)
    export(tracks[3:] + tracks[1:2], stick)
    assert copies(stick) == numbered(tracks[3:] + tracks[1:2]), step
assert (stick / "letter.txt").read_text() == "mine"
assert sorted(os.listdir(stick)) == ["letter.txt", "list"]
"""
    stick, _ = run_on_stick(tmp_path, 16, tracks, script)

    names = [*numbered([*tracks[3:], tracks[1]])]
    assert stick.names("/list") == [os.fsdecode(EXPORT_MARK), *names, "list.m3u"]


def test_an_export_to_fat_keeps_files_of_other_programs_and_copies_whose_times_are_shifted(
    tmp_path: Path,
) -> None:
    tracks = music(tmp_path / "Music", [f"{letter}.mp3" for letter in "abcdef"])

    script = """
for step in range(1, 60, 3):
    export(tracks[:4], stick)
    is_disturbed(lambda: export(tracks[::-1], stick), {step: lambda: leave_notes(stick, "notes.txt")})
    assert not lost_notes(stick), step
    assert numbered(tracks[::-1]).items() <= copies(stick).items(), step
    for note in (stick / "list").glob("notes*"):
        note.unlink()
    Path("/mnt/notes").unlink(missing_ok=True)
export(tracks, stick)
os.system("umount /mnt/stick && mount -t vfat -o utf8,time_offset=-60 /dev/ubda /mnt/stick")
assert (stick / "list/0001 a.mp3").stat().st_mtime != tracks[0].mtime_ns // 10**9
for _ in range(2):
    assert export(tracks, stick).copied == 0
"""
    run_on_stick(tmp_path, 16, tracks, script)


def test_an_export_copies_the_first_tracks_to_a_full_stick_and_later_the_rest_if_there_is_room(
    tmp_path: Path,
) -> None:
    tracks = music(tmp_path / "Music", [f"{number}.mp3" for number in range(40)], size=300_000)

    script = """
first = export(tracks, stick).tracks
assert copies(stick) == numbered(tracks[:first])
for path in (stick / "list").iterdir():
    path.unlink()
(stick / "list").rmdir()
copying.fitting = lambda tracks, *_: len(tracks)  # the disk says so, in the middle of a copy
(stick / "ballast").write_bytes(bytes(3_000_000))
fewer = export(tracks, stick).tracks
assert copies(stick) == numbered(tracks[:fewer])
(stick / "ballast").unlink()
done = export(tracks, stick)
assert copies(stick) == numbered(tracks[:done.tracks])
print(first, fewer, done.tracks, done.copied)
"""
    stick, log = run_on_stick(tmp_path, 10, tracks, script)

    first, fewer, last, copied = map(int, log.split())
    assert 28 <= first <= last <= 34
    assert 17 <= fewer <= 24
    assert copied == last - fewer
    assert stick.names("/list")[1:-1] == [*numbered(tracks[:last])]


@pytest.mark.parametrize("is_ascii", [False, True])
def test_tracks_with_odd_names_are_copied_to_fat_in_playlist_order(tmp_path: Path, is_ascii: bool) -> None:
    names = sorted(name for name in NAMES if b"/" not in name)
    tracks = tracks_of(written(tmp_path / "Music", *names, size=3 * CHUNK), is_ascii=is_ascii)

    script = f"""
tracks = tracks_of([track.source for track in tracks], is_ascii={is_ascii})
for order in (tracks, tracks[::-1]):
    done = export(order, stick, max_per_folder=50)
    assert done.tracks == len(tracks)
assert done.copied == 0, done
"""
    stick, _ = run_on_stick(tmp_path, 16, tracks, script)

    copies = [*numbered(tracks[::-1])]
    assert stick.names("/list/01") == copies[:50]
    assert stick.names("/list/02") == copies[50:100]
