"""Test that a path with any name stays this path as an option, a value of TOML, a term and a rule."""

import os
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
import tomlkit

from tests.support.hostile import PATHS
from tests.support.in_process import Program
from tests.support.program import configured, entries, library

pytestmark = pytest.mark.process

_FOLDERS = {os.path.splitext(path)[0].partition(b"/")[0] for path in PATHS}
NAMES = [
    *sorted(name.decode() for name in _FOLDERS if name.decode(errors="replace").encode() == name),
    *("Rock,", "a , b", "AC: DC", "a ", '"', "''", "a\\", "(", "a)", "OR", "^x", "=~", "x@1", "a@last"),
    *("a=/b", "=", "'''", '"""', "\\u0041", "#NEVER:x", "path:x", "a*", "1..2", "2024-01-01", "x, -y"),
]
_TARGET = ' AC: DC, "x" (1)=, '


def _term(folder: Path) -> str:
    quoted = str(folder).replace("\\", "\\\\").replace('"', '\\"')
    return f'path:"{quoted}/"'


def _paths(playlist: Path) -> list[str]:
    return [
        os.fsdecode(unquote_to_bytes(entry[len("file://") :])) for entry in entries(playlist.read_bytes())
    ]


def test_paths_of_any_name_stay_themselves_in_saved_lists_pins_queries_skip_lists_and_moves(
    home: Path, program: Program
) -> None:
    def run(*words: str | Path) -> None:
        done = program(*map(str, words))
        assert done.code == 0, (words[0], done.err)

    def check(music: Path) -> None:
        run("config", "check")
        run("make", "few")
        paths = _paths(home / "l.m3u")
        assert paths[: len(NAMES)] == [f"{music / name}/1.mp3" for name in NAMES]
        assert sorted(paths[len(NAMES) :]) == sorted(f"{music / name}/3.mp3" for name in NAMES)
        run("make", "terms")
        assert sorted(_paths(home / "terms.m3u")) == sorted(
            f"{music / name}/{number}.mp3" for name in NAMES if name[0] != "." for number in "13"
        )

    music = home / "Music"
    for name in NAMES:
        library(music / name, ["1.mp3", "2.mp3", "3.mp3"])
        (music / name / "skip.m3u8").write_text("#EXTM3U\n2.mp3\n")
    where = " , ".join(_term(music / name) for name in NAMES)
    configured(
        f'folders = ["~/Music"]\n[playlist.terms]\noutput = "~/terms.m3u"\npaths = "uri"\n'
        f"where = {tomlkit.item(where).as_string()}\nwithout = ["
        + ", ".join(tomlkit.item(f"{music / name}/skip.m3u8").as_string() for name in NAMES)
        + "]\n"
    )
    folders = [music / name for name in NAMES]
    pins = [f"--pin={folder}/1.mp3@{number}" for number, folder in enumerate(folders, 1)]
    skipped = [f"--without={folder}/skip.m3u8" for folder in folders]
    run("make", *folders, "-o", home / "l.m3u", "--paths", "uri", *pins, *skipped, "--save", "few")

    check(music)
    music = music.rename(home / _TARGET)
    run("move", home / "Music", music)
    check(music)


def test_folders_of_any_name_stay_out_and_come_back(home: Path, program: Program) -> None:
    music = home / "Music"
    names = [name for name in NAMES if not {"\n", "\r"}.intersection(name)]  # these are refused
    for name in ("plain", *names):
        library(music / name, ["1.mp3"])
    folders = [str(music / name) for name in names]
    options = ["-o", str(home / "l.m3u"), "--paths", "uri"]

    def made(music: Path) -> list[str]:
        assert program("make", str(music), *options).code == 0
        return sorted(_paths(home / "l.m3u"))

    everything = made(music)
    done = program("never", *folders)
    assert done.code == 0, done.err
    assert made(music) == [f"{music}/plain/1.mp3"]
    music = music.rename(home / _TARGET)
    assert program("move", str(home / "Music"), str(music)).code == 0
    assert made(music) == [f"{music}/plain/1.mp3"]
    done = program("never", "--undo", *(str(music / name) for name in names))
    assert done.code == 0, done.err
    assert made(music) == [path.replace(f"{home}/Music", str(music)) for path in everything]
