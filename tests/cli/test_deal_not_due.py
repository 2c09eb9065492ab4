"""`playshuffle deal` answers that nothing is due without a look at the folders or the cache."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.program import environment, listed, numbered

pytestmark = pytest.mark.process

# Runs the program, and prints each folder that it lists and each database that it opens.
_WATCHED = """
import os, sys
def note(event, arguments):
    if event in ("os.listdir", "os.scandir", "sqlite3.connect"):
        path = arguments[0]
        os.write(1, (path if isinstance(path, bytes) else str(path).encode()) + b"\\n")
sys.addaudithook(note)
from playshuffle.__main__ import main
main()
"""


def looks(*words: str | Path, below: Path, home: Path) -> tuple[list[str], str]:
    """Deal; return which folders below a path and which caches are looked at, and what is reported."""
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, "deal", *words],
        env=environment(HOME=str(home)),
        capture_output=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    paths = done.stdout.decode(errors="replace").splitlines()
    return [path for path in paths if path.startswith(str(below)) or "cache.db" in path], done.stderr.decode()


def test_a_second_run_on_the_same_day_lists_no_folder_and_opens_no_cache(tmp_path: Path, home: Path) -> None:
    music = numbered(tmp_path / "Music", 9)
    seen, _ = looks(music, "-n", "3", below=music, home=home)
    assert seen
    before = (music / "today.m3u").stat().st_mtime_ns

    seen, said = looks(music, "-n", "3", below=music, home=home)

    assert seen == []
    assert said.splitlines()[:2] == [
        "ok: Already dealt today (3 tracks), next: tomorrow 00:00",
        f"File: {music}/today.m3u: 3 tracks, deal 1 of 3 in round 1",
    ]
    assert (music / "today.m3u").stat().st_mtime_ns == before


def test_a_run_of_all_configured_decks_lists_no_folder_if_none_is_due(tmp_path: Path, home: Path) -> None:
    music = numbered(tmp_path / "Music", 9)
    config = tmp_path / "config.toml"
    config.write_text(
        "".join(f'[playlist.{name}]\nfolders = ["{music}"]\ndeal = 2\n' for name in ("today", "car"))
    )
    looks("--due", "--config", config, below=music, home=home)

    seen, said = looks("--due", "--config", config, below=music, home=home)

    assert seen == []
    assert said.count("Already dealt today (2 tracks)") == 2


def _edit(music: Path) -> None:
    with (music / "today.m3u").open("a") as file:
        file.write("000.mp3\n")


def _delete_playlist(music: Path) -> None:
    (music / "today.m3u").unlink()


def _rename_track(music: Path) -> None:
    track = music / listed(music / "today.m3u")[0]
    track.rename(track.with_name("new name.mp3"))


def _edit_skip_list(music: Path) -> None:
    dealt = listed(music / "today.m3u")
    other = next(name for name in ("001.mp3", "002.mp3", "003.mp3", "004.mp3") if name not in dealt)
    (music.parent / "never.m3u").write_text(f"{music}/000.mp3\n{music}/{other}\n")


def test_a_deleted_track_brings_a_full_run(tmp_path: Path, home: Path) -> None:
    music = numbered(tmp_path / "Music", 9)
    looks(music, "-n", "3", below=music, home=home)

    (music / listed(music / "today.m3u")[0]).unlink()

    assert looks(music, "-n", "3", below=music, home=home)[0]
    assert len(listed(music / "today.m3u")) == 2


def test_a_file_that_lacks_a_dealt_track_is_completed_when_the_track_is_back(
    tmp_path: Path, home: Path
) -> None:
    music = numbered(tmp_path / "Music", 9)
    looks(music, "-n", "3", below=music, home=home)
    before = listed(music / "today.m3u")
    (music / before[0]).rename(tmp_path / "away.mp3")
    looks(music, "-n", "3", below=music, home=home)
    assert listed(music / "today.m3u") == before[1:]

    (tmp_path / "away.mp3").rename(music / before[0])
    looks(music, "-n", "3", below=music, home=home)

    assert listed(music / "today.m3u") == before


@pytest.mark.parametrize("change", [_edit, _delete_playlist, _rename_track, _edit_skip_list])
def test_a_change_of_what_was_dealt_brings_a_full_run(
    tmp_path: Path, home: Path, change: Callable[[Path], None]
) -> None:
    music = numbered(tmp_path / "Music", 9)
    (tmp_path / "never.m3u").write_text(f"{music}/000.mp3\n")
    words = (music, "-n", "3", "--without", tmp_path / "never.m3u")
    looks(*words, below=music, home=home)

    change(music)
    seen, _ = looks(*words, below=music, home=home)

    assert seen
    assert all((music / name).exists() for name in listed(music / "today.m3u"))
    assert looks(*words, below=music, home=home)[0] == []


@pytest.mark.parametrize("words", [["--for", "vlc"], ["--no-extinf"], ["--order", "spread"]])
def test_other_options_bring_a_full_run(tmp_path: Path, home: Path, words: list[str]) -> None:
    music = numbered(tmp_path / "Music", 9)
    output = ["-n", "3", "-o", str(music / "today.m3u")]
    looks(music, *output, below=music, home=home)

    assert looks(music, *output, *words, below=music, home=home)[0]
    assert looks(music, *output, *words, below=music, home=home)[0] == []


@pytest.mark.parametrize("words", [["--json"], ["-v"], ["--peek"], ["--again"], ["--every", "run"]])
def test_what_asks_for_more_brings_a_full_run(tmp_path: Path, home: Path, words: list[str]) -> None:
    music = numbered(tmp_path / "Music", 9)
    looks(music, "-n", "3", below=music, home=home)

    assert looks(music, "-n", "3", *words, below=music, home=home)[0]


def test_a_track_behind_a_link_is_looked_for_where_it_leads(tmp_path: Path, home: Path) -> None:
    real = numbered(tmp_path / "drive", 3)
    music = tmp_path / "Music"
    music.mkdir()
    (music / "link").symlink_to(real)
    looks(music, "-n", "3", below=music, home=home)

    os.rename(real, tmp_path / "gone")
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, "deal", music, "-n", "3"],
        env=environment(HOME=str(home)),
        capture_output=True,
        check=False,
        timeout=100,
    )

    assert b"Already dealt" not in done.stderr
