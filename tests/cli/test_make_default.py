"""Test which folders `make` takes when it is given none."""

from pathlib import Path

import pytest

from tests.support.in_process import Program
from tests.support.program import library


@pytest.mark.process
@pytest.mark.parametrize(
    ("file", "text", "folder", "report"),
    [
        (
            "playshuffle/config.toml",
            'folders = ["~/one"]\n[playlist.x]\n',
            "one",
            "ok: Would write ~/one/x.m3u",
        ),
        ("user-dirs.dirs", 'XDG_MUSIC_DIR="$HOME/Musik"\n', "Musik", "Folder: ~/Musik (the music folder"),
        ("other", "", "Music", "Folder: ~/Music ("),
    ],
)
def test_configured_lists_come_before_the_folder_of_the_desktop_and_music_in_the_home(
    home: Path, program: Program, file: str, text: str, folder: str, report: str
) -> None:
    for name in {"Music", folder}:
        library(home / name, ["a.mp3"])
    (home / ".config/playshuffle").mkdir(parents=True)
    (home / ".config" / file).write_text(text)

    assert program("make", "--dry-run").err.startswith(report)
    assert program("make", "-q").err == ""
