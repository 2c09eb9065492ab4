"""Exports to real drives: one that is pulled, one with short names, one of rclone."""

import os
import subprocess
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.exporting.copied_tracks import longest_name
from playshuffle.library.ignore_files import EXPORT_MARK
from tests.exporting.steps import export, tracks_of, written
from tests.support.file_systems import cloud_drive, encrypted_drive, mount_new, plugged_in
from tests.support.forked import forked
from tests.support.processes import injected
from tests.support.program import ran, run

pytestmark = pytest.mark.process
MUSIC = 6
_LONG = "\u044f" * 105  # 210 bytes


@pytest.mark.root
@pytest.mark.parametrize("keeps_names", [True, False])
def test_an_export_to_a_drive_that_is_pulled_writes_nothing_below_its_mount_point_and_can_be_continued(
    tmp_path: Path, keeps_names: bool
) -> None:
    files = written(tmp_path / "Music", *[f"{number}.mp3" for number in range(6)], size=60000)
    tracks = tracks_of(files, *([tmp_path / "Music"] if keeps_names else []))
    steps = iter(range(9))

    def pull_at_third_copy(*_: object) -> None:
        if next(steps) == 2:
            subprocess.run(["umount", "-l", tmp_path / "disk"], check=True)

    def act() -> tuple[str, list[str], int]:
        with plugged_in(tmp_path, "ext4") as disk:
            with pytest.raises(PlayshuffleError) as error:
                export(tracks, disk.here, working=pull_at_third_copy, keeps_names=keeps_names)
            left = os.listdir(disk.here)
            mount_new(disk.image, disk.here)
            return str(error.value), left, export(tracks, disk.here, keeps_names=keeps_names).tracks

    message, left, count = forked(act, own_mounts=True)

    assert "was removed or unmounted" in message
    assert left == []
    assert count == 6


@pytest.mark.root
def test_an_export_to_a_drive_with_short_names_shortens_the_names_of_copies_and_playlist(
    music: Path, tmp_path: Path
) -> None:
    for path in music.glob("*.mp3"):
        path.rename(path.with_name(f"{_LONG} {path.name}"))
    (tmp_path / "real").mkdir()
    with encrypted_drive(tmp_path / "real", seen := tmp_path / "seen"):
        assert 143 <= longest_name(bytes(seen)) < 210
        for options in [], ["--keep-names"]:
            (stick := seen / f"stick{len(options)}").mkdir()
            ran("make", music, "-o", tmp_path / f"{'l' * 200}.m3u", "--force")
            ran("export", tmp_path / f"{'l' * 200}.m3u", stick, *options)
            assert len(list(stick.rglob("*.mp3"))) == MUSIC
        # Its own name fits, and that of the file beside which it is written.
        ran("make", music, "-o", seen / f"{'l' * 150}.m3u")
        ran("make", music, "-o", seen / f"{'l' * 150}.m3u")


@pytest.mark.root
def test_each_command_writes_again_and_again_on_a_drive_of_rclone(music: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    with cloud_drive(tmp_path / "real", seen := tmp_path / "seen"):
        (seen / "stick").mkdir()
        for _ in range(3):
            ran("make", music, "-o", seen / "all.m3u")
            ran("deal", music, "-n", "2", "--now", "-o", seen / "today.m3u")
            ran("make", music, "-o", seen / "all.m3u")
            ran("undo", seen / "all.m3u")
            ran("export", seen / "all.m3u", seen / "stick", "--keep-names")
        for _ in range(3):
            ran("make", music, "-o", seen / "all.m3u")
            ran("export", seen / "all.m3u", seen / "stick")
        assert len(list((seen / "stick/all").glob("*.mp3"))) == MUSIC


def test_an_export_mark_that_cannot_be_read_is_not_taken_for_the_file_of_another_program(
    music: Path, tmp_path: Path
) -> None:
    ran("make", music)
    for options in [], ["--keep-names"]:
        (stick := tmp_path / f"stick{len(options)}").mkdir()
        ran("export", music / "playshuffle.m3u", stick, *options)
        mark = next(stick.rglob(os.fsdecode(EXPORT_MARK)))
        words: list[str | Path] = ["export", music / "playshuffle.m3u", stick, *options]

        done = run(*words, before=[*injected("openat", "error=EIO"), "-P", str(mark)])

        assert done.code == 73
        assert "which lists the copies, cannot be read: Input/output error" in done.err
