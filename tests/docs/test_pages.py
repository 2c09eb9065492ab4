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
from tests.docs.commands import CHECKOUT
from tests.support.program import run

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


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


_OF_PLAYERS = {"--control", "--playlist", "--load", "--shuffle", "--save-position-on-quit"}


def test_every_option_named_in_the_pages_exists() -> None:
    """In commands of playshuffle, and in backticks."""
    all_verbs = "|".join(VERBS)
    for document in DOCUMENTS:
        text = document.read_text()
        lines = [line for line in text.splitlines() if "playshuffle " in line]
        commands = re.findall(rf"playshuffle (?:{all_verbs})[^`|&\n]*", "\n".join(lines))
        quoted = re.findall(
            r"`(-[^`\n]*)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        )
        named = set(re.findall(r"(?<![\w-])--[a-z0-9-]+", " ".join(commands + quoted)))

        assert named <= OPTIONS | _OF_PLAYERS, document


def test_the_documentation_has_the_same_audio_formats_as_the_program() -> None:
    table = (ROOT / "docs" / "make.md").read_text().partition("Files with these suffixes are not")[0]

    assert {name.encode() for name in re.findall(r"`(\.[a-z0-9+]+)`", table)} == AUDIO_SUFFIXES


def test_the_documentation_has_the_same_table_of_players_as_the_program() -> None:
    page = (ROOT / "docs" / "player-names.md").read_text()
    table = page.partition("## The form")[2].partition("<!-- matrix -->")[0]
    rows = re.findall(
        r"^\| `([\w-]+)` \| `(\.\w+)`[^|]*\| ([^|]*) \| (yes|no) \| [^|]* \| ([^|]*) \|$", table, re.MULTILINE
    )
    styles = {
        None: "relative if",
        PathStyle.RELATIVE: "relative",
        PathStyle.ABSOLUTE: "absolute",
        PathStyle.URI: "URIs",
    }

    assert [row[0] for row in rows] == list(PLAYERS)
    for name, suffix, paths, extinf, known in rows:
        player = PLAYERS[name]
        assert suffix == player.suffix.decode()
        assert paths.startswith(styles[player.style]) or player.uses_mpd_conf
        assert (extinf == "yes") == player.extinf
        assert known == (player.measured or {"its source": "source"}.get(player.source, known))
        assert player.part is None or f"{player.part:,} tracks a file" in table


def test_the_architecture_names_modules_that_exist() -> None:
    named = re.findall(r"`([\w/]+/[\w.]+\.py)`", (ROOT / "docs" / "architecture.md").read_text())

    assert named
    assert [
        name for name in named if not (ROOT / name).exists() and not (ROOT / "playshuffle" / name).exists()
    ] == []


def test_no_picture_is_larger_than_60_kb() -> None:
    pictures = [
        path
        for path in (Path(__file__).parents[2] / "docs/pictures").iterdir()
        if path.stat().st_size > 60_000
    ]
    assert pictures == []


# The page on JSON


PAGE = (CHECKOUT / "docs/reference/files.md").read_text()


@pytest.mark.process
def test_the_page_of_files_names_the_json_keys_that_each_command_prints(home: Path) -> None:
    write_library(str(home / "Music"))
    for section in PAGE.split("\n### ")[1:]:
        rows = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
        keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        command = re.findall(r"^playshuffle (.*)$", section, re.MULTILINE)[0]
        done = run(*command.replace("~", str(home)).split())

        assert done.code == 0, f"{command}: {done.err}"
        assert not keys or set(json.loads(done.out)) == keys, command
