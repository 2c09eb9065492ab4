"""`playshuffle config` as a user runs it."""

import os
import re
from pathlib import Path

import pytest

from playshuffle.config.example import music_folder
from playshuffle.config.load import load
from tests.support.program import CHECKOUT, Done, run
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process


def config(*words: str | Path, **env: str) -> Done:
    done = run("config", *words, env=env)
    assert "Traceback" not in done.err
    return done


def test_config_init_writes_a_valid_configuration_and_refuses_to_replace_it(home: Path) -> None:
    path = home / ".config/playshuffle/config.toml"

    first = config("init")
    content = path.read_bytes()
    again = config("init")
    checked = config("check")

    assert (first.code, again.code, checked.code) == (0, 73, 1)
    assert "~/.config/playshuffle/config.toml" in first.err
    assert "already exists" in again.err
    assert path.read_bytes() == content
    assert "~/Music does not exist and was never scanned." in checked.err
    assert checked.err.startswith("warning: ~/.config/playshuffle/config.toml: 1 playlist, 1 warning\n")
    (home / "music").mkdir()
    assert "Did you mean ~/music?" in config("check").err
    (home / "Music").mkdir()
    assert config("check").err == "ok: ~/.config/playshuffle/config.toml: 1 playlist, no problems\n"
    (wanted,) = load(os.fsencode(path)).playlists
    assert wanted.request.output == os.fsencode(home / "Music/everything.m3u")


def test_the_commented_lines_of_the_example_configuration_are_valid(home: Path, tmp_path: Path) -> None:
    config("init")
    text = (home / ".config/playshuffle/config.toml").read_text()
    path = tmp_path / "all.toml"
    path.write_text(re.sub(r"^# (?=\[|.* = )", "", text, flags=re.MULTILINE))

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
    home: Path, said: str, folder: str
) -> None:
    (home / ".config").mkdir(exist_ok=True)
    (home / ".config/user-dirs.dirs").write_text(said)

    assert music_folder() == folder
    assert config("init").code == 0
    (wanted,) = load(os.fsencode(home / ".config/playshuffle/config.toml")).playlists
    assert wanted.request.roots == (os.path.expanduser(folder).encode(),)


def test_a_music_folder_that_toml_cannot_quote_is_not_in_the_example_configuration() -> None:
    done = config("init", XDG_MUSIC_DIR="/srv/\udcff")

    assert done.code == 0
    assert config("check").code == 1


def test_config_init_names_the_file_that_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = config("init", "--config", tmp_path / "file/x/config.toml")

    assert done.code == 73
    assert "/file/x is not a folder. Nothing was written." in done.err


def test_the_example_configuration_in_the_documentation_loads(tmp_path: Path) -> None:
    example = (CHECKOUT / "docs/config.md").read_text().partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "config.toml").write_text(example)

    loaded = load(os.fsencode(tmp_path / "config.toml"))

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
