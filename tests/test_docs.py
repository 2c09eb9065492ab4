"""What the documents say is so."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from playshuffle.errors import Exit
from playshuffle.library.formats import AUDIO_SUFFIXES
from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist.m3u import PathStyle

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def options() -> set[str]:
    """Every long option of every verb."""
    said = ""
    groups = {verb: verbs(verb) for verb in verbs()}
    all_words = [
        [verb, *inner] for verb, group in groups.items() for inner in ([], *([one] for one in group))
    ]
    for words in ([], *all_words):
        said += subprocess.check_output([sys.executable, "-m", "playshuffle", *words, "--help"], text=True)
    return set(re.findall(r"--[a-z0-9-]+", said))


def verbs(*group: str) -> list[str]:
    said = subprocess.check_output([sys.executable, "-m", "playshuffle", *group, "--help"], text=True)
    return re.findall(r"^  (\w+)  ", said.partition("Commands:")[2], re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_examples_in_python_are_true(document: Path) -> None:
    assert doctest.testfile(str(document), module_relative=False).failed == 0


def test_every_option_that_is_named_exists() -> None:
    """In commands of playshuffle, and in backticks."""
    known, all_verbs = options(), "|".join(verbs())
    for document in DOCUMENTS:
        text = document.read_text()
        lines = [line for line in text.splitlines() if "playshuffle " in line]
        commands = re.findall(rf"playshuffle (?:{all_verbs})[^`|&\n]*", "\n".join(lines))
        quoted = re.findall(r"`(-[^`]*)`", text)
        named = set(re.findall(r"(?<![\w-])--[a-z0-9-]+", " ".join(commands + quoted)))

        assert named <= known | {"--playlist"}, document


def test_every_option_is_explained() -> None:
    text = " ".join(document.read_text() for document in DOCUMENTS)

    assert {name for name in options() if name not in text} <= {"--show-completion", "--help", "--version"}


def test_the_table_of_formats_is_that_of_the_program() -> None:
    table = (ROOT / "docs" / "make.md").read_text().partition("Not taken")[0]

    assert {name.encode() for name in re.findall(r"`(\.[a-z0-9+]+)`", table)} == AUDIO_SUFFIXES


def test_the_table_of_players_is_that_of_the_program() -> None:
    page = (ROOT / "docs" / "players.md").read_text()
    table = page.partition("## What is written")[2].partition("<!-- matrix -->")[0]
    rows = re.findall(
        r"^\| `(\w+)` \| `(\.\w+)`[^|]*\| ([^|]*) \| (yes|no) \| [^|]* \| ([^|]*) \|$", table, re.MULTILINE
    )
    styles = {None: "relative where", PathStyle.RELATIVE: "relative", PathStyle.URI: "URIs"}

    assert [row[0] for row in rows] == list(PLAYERS)
    for name, suffix, paths, extinf, known in rows:
        player = PLAYERS[name]
        assert suffix == player.suffix.decode()
        assert paths.startswith(styles[player.style]) or player.where
        assert (extinf == "yes") == player.extinf
        assert known == (player.measured or {"its source": "source"}.get(player.source, known))
        assert player.part is None or f"{player.part:,} tracks a file" in table


def test_the_table_of_exit_codes_is_that_of_the_program() -> None:
    table = (ROOT / "README.md").read_text().partition("## Exit codes")[2].partition("##")[0]

    assert {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == set(Exit)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text()):
        assert (document.parent / link).exists(), link
