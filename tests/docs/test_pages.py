"""Check the pages against the program: options, examples, tables, links."""

import doctest
import json
import re
from pathlib import Path

import pytest

from playshuffle.demo.tones import write_library
from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist.m3u import PathStyle
from playshuffle.tags.audio_formats import AUDIO_SUFFIXES
from scripts.command_tree import commands
from tests.docs.commands import CHECKOUT, without_blocks
from tests.support.program import run

DOCS = CHECKOUT / "docs"
DOCUMENTS = sorted([CHECKOUT / "README.md", *DOCS.rglob("*.md")])


COMMANDS = list(commands())
# Every spelling of every option; typer adds --help to each command.
OPTIONS = {
    "--help",
    *(name for command in COMMANDS for option in command.options for name in option.spellings),
}
VERBS = [command.words[0] for command in COMMANDS if len(command.words) == 1]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples_in_the_pages_give_the_results_shown(document: Path) -> None:
    assert doctest.testfile(str(document), module_relative=False).failed == 0


_OF_PLAYERS = {"--one-instance", "--control", "--playlist", "--load", "--shuffle", "--save-position-on-quit"}


def test_every_option_that_a_page_names_is_an_option_of_playshuffle_or_of_a_player() -> None:
    """In commands of playshuffle, and in backticks."""
    all_verbs = "|".join(VERBS)
    for document in DOCUMENTS:
        text = document.read_text()
        lines = [line for line in text.splitlines() if "playshuffle " in line]
        commands = re.findall(rf"playshuffle (?:{all_verbs})[^`|&\n]*", "\n".join(lines))
        quoted = re.findall(r"`(-[^`\n]*)`", without_blocks(text))
        named = set(re.findall(r"(?<![\w-])--[a-z0-9-]+", " ".join(commands + quoted)))

        assert named <= OPTIONS | _OF_PLAYERS, document


def test_the_page_of_make_lists_exactly_the_suffixes_of_audio_files_that_the_program_reads() -> None:
    table = (DOCS / "make.md").read_text().partition("Files with these suffixes are not")[0]

    assert {name.encode() for name in re.findall(r"`(\.[a-z0-9+]+)`", table)} == AUDIO_SUFFIXES


def test_the_table_of_players_on_their_page_agrees_with_the_profiles_of_the_program() -> None:
    page = (DOCS / "player-names.md").read_text()
    table = page.partition("## The form")[2].partition("<!-- matrix -->")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| `(\.\w+)`[^|]*\| ([^|]*) \| ([^|]*) \|$", table, re.MULTILINE)
    styles = {
        None: "relative if",
        PathStyle.RELATIVE: "relative",
        PathStyle.ABSOLUTE: "absolute",
        PathStyle.URI: "URIs",
    }

    assert [row[0] for row in rows] == list(PLAYERS)
    for name, suffix, paths, known in rows:
        player = PLAYERS[name]
        assert suffix == player.suffix.decode()
        assert paths.startswith(styles[player.style]) or player.uses_mpd_conf
        assert known == (player.measured or {"its source": "source"}.get(player.source, known))


def test_every_module_that_the_page_of_the_architecture_names_exists() -> None:
    named = re.findall(r"`([\w/]+/[\w.]+\.py)`", (DOCS / "architecture.md").read_text())
    exist = [(CHECKOUT / name).exists() or (CHECKOUT / "playshuffle" / name).exists() for name in named]

    assert named
    assert all(exist), named[exist.index(False)]


def test_every_picture_is_shown_on_a_page_and_is_no_larger_than_60_kb() -> None:
    pages = " ".join(page.read_text() for page in DOCS.glob("*.md"))

    for path in (DOCS / "pictures").iterdir():
        assert f"pictures/{path.name}" in pages
        assert path.stat().st_size <= 60_000, path


@pytest.mark.process
def test_the_page_of_files_names_exactly_the_json_keys_that_each_command_prints(home: Path) -> None:
    write_library(str(home / "Music"))
    for section in (DOCS / "reference/files.md").read_text().split("\n### ")[1:]:
        rows = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
        keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        command = re.findall(r"^playshuffle (.*)$", section, re.MULTILINE)[0]
        done = run(*command.replace("~", str(home)).split())

        assert done.code == 0, f"{command}: {done.err}"
        assert not keys or set(json.loads(done.out)) == keys, command
