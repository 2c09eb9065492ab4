"""The files with the play histories of players are found where the players write them."""

import os
from pathlib import Path

import pytest

from playshuffle.history.histories import HISTORIES
from playshuffle.history.history_reader import SourceError, stamp_of
from playshuffle.history.sources import Source, find_source


def touched(path: Path, time_s: int = 1) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (time_s, time_s))
    return bytes(path)


def found(name: str) -> bytes:
    """Return the path of the play history of a player by its name for --history."""
    return find_source(name, b"/nowhere/" + name.encode()).path


PLACES = [
    ("elisa", ".local/share/elisa/elisaDatabase.db"),
    ("elisa", ".var/app/org.kde.elisa/data/elisa/elisaDatabase.db"),
    ("elisa", "snap/elisa/current/.local/share/elisa/elisaDatabase.db"),
    ("clementine", ".var/app/org.clementine_player.Clementine/config/Clementine/clementine.db"),
    ("mpv", ".local/state/mpv/watch_history.jsonl"),
    ("mpv", ".var/app/io.mpv.Mpv/.local/state/mpv/watch_history.jsonl"),
    ("kodi", ".kodi/userdata/Database/MyMusic83.db"),
    ("kodi", ".var/app/tv.kodi.Kodi/data/userdata/Database/MyMusic82.db"),
    ("beets", ".config/beets/library.db"),
]


@pytest.mark.parametrize(("name", "path"), PLACES)
def test_the_play_history_of_a_player_is_found_even_if_the_player_is_a_flatpak_or_snap(
    name: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    expected = touched(Path.home() / path)
    assert found(name) == expected


def test_of_several_play_history_files_of_a_player_the_one_that_was_written_last_is_used() -> None:
    touched(Path.home() / ".kodi/userdata/Database/MyMusic82.db", 2)
    latest = touched(Path.home() / ".kodi/userdata/Database/MyMusic83.db", 3)
    touched(Path.home() / ".var/app/tv.kodi.Kodi/data/userdata/Database/MyMusic83.db", 1)

    assert found("kodi") == latest


def test_a_play_history_is_found_in_the_folder_that_an_environment_variable_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEETSDIR", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "[data]"))

    assert found("beets") == bytes(tmp_path / "library.db")
    expected = touched(tmp_path / "[data]/elisa/elisaDatabase.db")
    assert found("elisa") == expected


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("rhythmbox", "No such file or directory. Rhythmbox writes this file when it ends."),
        ("mpv", "No such file or directory. mpv writes it with save-watch-history=yes in mpv.conf."),
        ("elisa", "No such file or directory. Check the name or the permissions."),
    ],
)
def test_the_error_for_a_missing_play_history_says_when_the_player_writes_the_file(
    name: str, advice: str
) -> None:
    with pytest.raises(SourceError, match=advice):
        stamp_of(Source(name, found(name)))


def test_each_row_of_the_table_of_play_histories_has_known_paths_or_a_description_of_its_file() -> None:
    assert [row.title for row in HISTORIES if not (row.file or row.places)] == []
