"""Run the commands in the pages on a library of tones, in an empty home."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from playshuffle.demo.tones import write_library
from tests.docs.commands import CHECKOUT, GENERATED, ONLY_PARSED, PAGES, TUTORIAL, commands, without_blocks
from tests.history.databases import NAVIDROME_0_55, database
from tests.support.databases import execute
from tests.support.needs import need
from tests.support.processes import finished
from tests.support.program import environment, listed, make, program_in
from tests.support.tagging import tagged_library

# Absolute folders in pages, which a test replaces by folders below the sandbox.
_PLACES = ("/srv/", "/media/", "/mnt/")
COOKBOOK = CHECKOUT / "docs/cookbook.md"
_LIBRARIES = ("srv/music", "media/stick/Music", "media/ipod/Music", "mnt/nas/music")


@pytest.fixture(scope="module")
def tones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tones") / "Music"
    write_library(str(folder))
    return folder


@pytest.fixture
def sandbox(home: Path, tones: Path) -> Path:
    """A home with music in it, and a program `playshuffle`."""
    for folder in ("Music", *_LIBRARIES):
        shutil.copytree(tones, home / folder)
    (home / "stick").mkdir()
    shutil.copytree(tones / "Saw Tooth", home / "More")
    (home / "media/you/PHONE/Music").mkdir(parents=True)
    (home / ".kodi/userdata/playlists/music").mkdir(parents=True)
    _write_histories(home)
    program_in(home / "bin")
    return home


def _write_histories(home: Path) -> None:
    """Write play histories of Navidrome and of `playshuffle listen`, with the first track of two albums."""
    first, second = "Anna Sine/First Waves/01 Morning.wav", "Anna Sine/Second Waves/01 Harbour.wav"
    navidrome = home / "srv/navidrome/navidrome.db"
    navidrome.parent.mkdir()
    database(
        navidrome,
        NAVIDROME_0_55 + "UPDATE library SET path = '/';",
        "INSERT INTO media_file (id, path) VALUES (?, ?)",
        [("1", f"{home}/Music/{first}"), ("2", f"{home}/Music/{second}")],
    )
    annotation = "INSERT INTO annotation (user_id, item_id, item_type, play_count, play_date, rating)"
    plays = [("1", 1, "2020-01-01 00:00:00", 5), ("2", 4, "2026-01-01 00:00:00", 1)]
    execute(navidrome, f"{annotation} VALUES ('u1', ?, 'media_file', ?, ?, ?)", *plays)
    folder = home / ".local/share/playshuffle/plays"
    folder.mkdir(parents=True)
    for machine, path in (("desk", first), ("den", second)):
        row = f"1700000000,1,0,{home}/Music/{path}"
        (folder / f"{machine}.csv").write_text(f"last_played,plays,skips,path\n{row}\n")


def bash(text: str, sandbox: Path) -> subprocess.CompletedProcess[str]:
    for place in _PLACES:
        text = re.sub(rf"(?<![\w/]){place}", f"{sandbox}{place}", text)
    return finished(
        ["bash", "-c", text],
        cwd=sandbox,
        env=environment(PATH=f"{sandbox}/bin:{os.environ['PATH']}"),
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.process
@pytest.mark.parametrize("page", sorted({*PAGES} - {*GENERATED, TUTORIAL}), ids=lambda page: page.name)
def test_each_documented_command_ends_with_its_documented_exit_code(page: Path, sandbox: Path) -> None:
    for command in commands(page):
        if not command.reason:
            done = bash(command.text, sandbox)

            assert done.returncode == command.exit_code, f"{command}\n{done.stdout}{done.stderr}"
        elif command.reason in ONLY_PARSED.values():
            done = bash(f"{command.text} --help", sandbox)

            assert done.returncode == 0, f"{command}\n{done.stderr}"


@pytest.mark.process
def test_songs_stay_together_after_the_line_of_the_recipe_that_tags_them(home: Path) -> None:
    need("operon")
    names = [f"{folder}/{number:02}.flac" for folder in ("Album", "Other") for number in range(1, 6)]
    music = tagged_library(home / "Music", {name: {"title": name} for name in names})
    (line,) = (command.text for command in commands(COOKBOOK) if command.text.startswith("operon "))
    done = bash(line, home)
    assert done.returncode == 0, done.stderr

    for seed in range(5):
        make(music, "--order", "groups", "--group-by", "grouping", "--seed", str(seed))
        order = listed(music / "playshuffle.m3u")
        assert order.index("Album/02.flac") == order.index("Album/01.flac") + 1


def test_each_command_on_a_page_is_a_playshuffle_command_or_has_a_reason_not_to_be_tested() -> None:
    for page in PAGES:
        for command in commands(page):
            is_ours = command.text.startswith(("playshuffle ", "bin/playshuffle "))
            assert command.reason or is_ours, str(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_a_playshuffle_command_in_an_indented_block_because_no_test_runs_such_blocks(
    page: Path,
) -> None:
    assert not re.search(r"^    (?:\$ )?playshuffle ", without_blocks(page.read_text()), re.MULTILINE)
