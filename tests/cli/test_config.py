"""`playshuffle config` as a user runs it."""

import os
import re
from pathlib import Path

import pytest

from playshuffle.config.example import music_folder
from playshuffle.config.load import load
from tests.support.program import CHECKOUT, configured, ran, refused, run
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process


@pytest.fixture
def path(home: Path) -> Path:
    """The configuration file of the user, which does not exist yet."""
    return home / ".config/playshuffle/config.toml"


def test_config_init_writes_a_valid_configuration_and_refuses_to_replace_it(home: Path, path: Path) -> None:
    assert "~/.config/playshuffle/config.toml" in ran("config", "init").err
    content = path.read_bytes()
    assert "already exists" in refused(73, "config", "init")
    assert path.read_bytes() == content

    checked = run("config", "check")
    assert checked.code == 1
    assert checked.err.startswith("warning: ~/.config/playshuffle/config.toml: 1 playlist, 1 warning\n")
    assert "~/Music does not exist and was never scanned." in checked.err
    (home / "music").mkdir()
    assert "Did you mean ~/music?" in run("config", "check").err
    (home / "Music").mkdir()
    assert run("config", "check").err == "ok: ~/.config/playshuffle/config.toml: 1 playlist, no problems\n"
    (wanted,) = load(os.fsencode(path)).playlists
    assert wanted.request.output == os.fsencode(home / "Music/everything.m3u")


def test_the_commented_lines_of_the_example_configuration_are_valid(path: Path) -> None:
    ran("config", "init")
    path.write_text(re.sub(r"^# (?=\[|.* = )", "", path.read_text(), flags=re.MULTILINE))

    loaded = load(os.fsencode(path))

    assert not loaded.broken
    assert [wanted.name for wanted in loaded.playlists] == ["everything", "calm", "today"]


@pytest.mark.parametrize(
    ("said", "folder"),
    [
        ('XDG_MUSIC_DIR="$HOME/Musik"', "~/Musik"),
        ('# x\nXDG_MUSIC_DIR="/srv/\\"m\\""\n', '/srv/"m"'),
        ('XDG_MUSIC_DIR="$HOME/"', "~/Music"),
        ('XDG_MUSIC_DIR="$HOMER/x"', "~/Music"),
        ("", "~/Music"),
    ],
)
def test_the_example_configuration_names_the_music_folder_of_the_desktop(
    home: Path, path: Path, said: str, folder: str
) -> None:
    (home / ".config").mkdir(exist_ok=True)
    (home / ".config/user-dirs.dirs").write_text(said)

    assert music_folder() == folder
    ran("config", "init")
    (wanted,) = load(os.fsencode(path)).playlists
    assert wanted.request.roots == (os.path.expanduser(folder).encode(),)


def test_if_toml_cannot_quote_the_music_folder_the_example_configuration_names_music_in_the_home(
    home: Path, path: Path
) -> None:
    ran("config", "init", env={"XDG_MUSIC_DIR": "/srv/\udcff"})

    (wanted,) = load(os.fsencode(path)).playlists
    assert wanted.request.roots == (bytes(home / "Music"),)


def test_the_error_of_config_init_names_the_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    said = refused(73, "config", "init", "--config", tmp_path / "file/x/config.toml")
    assert "/file/x is not a folder. Nothing was written." in said


def test_the_example_configuration_in_the_documentation_is_valid() -> None:
    example = (CHECKOUT / "docs/config.md").read_text().partition("```toml\n")[2].partition("```")[0]
    loaded = load(os.fsencode(configured(example)))

    assert not loaded.broken
    assert len(loaded.playlists) == 3


def test_each_problem_of_the_configuration_is_wrapped_on_a_terminal(home: Path) -> None:
    (home / "c.toml").write_text('quiet = "2s"\nfolders = ["~/W"]\n[playlist.run]\norder = "sprea"\n')

    code, screen = on_terminal("config", "check", "--config", home / "c.toml", NO_COLOR="1")

    assert code == 78
    assert screen.splitlines() == [
        "✗ ~/c.toml: 2 problems",
        "~/c.toml, line 1: Unknown key 'quiet'. For all keys: playshuffle help config",
        "~/c.toml, line 4: Unknown order 'sprea'. Did you mean 'spread'? See:",
        "    playshuffle help orders",
    ]
