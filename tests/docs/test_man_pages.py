"""Check the man pages and the generated tables against the program."""

import subprocess
import tomllib
from pathlib import Path

import pytest

from playshuffle.config import keys
from playshuffle.errors import Exit
from scripts import facts, generate, man_pages
from tests.support.needs import need

OUTPUTS = dict(generate.outputs())


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: path.name)
def test_each_generated_file_is_what_its_generator_writes_now(path: Path) -> None:
    assert path.read_text() == OUTPUTS[path], "run: python -m scripts.generate"


def test_the_generated_readme_has_a_test_badge_exactly_if_the_project_has_an_address() -> None:
    plain = "# playshuffle\n\nShuffled playlists.\n"
    badge = "https://example.org/ann/playshuffle/actions/workflows/ci.yml"

    named = generate.with_badge(plain, "https://example.org/ann/playshuffle/")

    assert named == f"# playshuffle\n\n[![tests]({badge}/badge.svg)]({badge})\n\nShuffled playlists.\n"
    assert generate.with_badge(named, "https://example.org/ann/playshuffle") == named
    assert generate.with_badge(named, "") == plain


def test_the_install_page_installs_from_the_package_index_exactly_if_the_project_has_an_address() -> None:
    page = (generate.CHECKOUT / "docs/install.md").read_text()

    named = generate.with_index(page, "https://example.org/ann/playshuffle")

    for command in ("`pipx install playshuffle`", "`uv tool install playshuffle`", "`uvx playshuffle demo`"):
        assert command in named
        assert command not in page
    assert generate.with_index(named, "") == page


@pytest.mark.process
def test_man_shows_every_man_page_without_a_warning(tmp_path: Path) -> None:
    need("man")
    need("groff")
    man_pages.main(tmp_path)
    pages = sorted(tmp_path.rglob("*.[15]"))
    assert tmp_path / "man1/playshuffle-make.1" in pages
    for page in pages:
        done = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, check=True
        )

        assert done.stderr == b"", page


def test_the_documented_exit_codes_are_exactly_those_of_the_program() -> None:
    assert {code for code, _ in facts.EXIT_CODES} == set(Exit)


@pytest.mark.parametrize("key", facts.playlist_keys(), ids=lambda key: key.name)
def test_the_documented_example_of_each_configuration_key_is_valid(key: facts.Key) -> None:
    for example in key.example.split(" or "):
        value = tomllib.loads(f"{key.name} = {example}")[key.name]

        assert keys.wrong(key.name, value, keys.PLAYLIST[key.name]) is None


def test_the_documented_keys_for_all_playlists_are_exactly_those_that_the_program_reads() -> None:
    assert [key.name for key in facts.KEYS_OF_ALL] == list(keys.TOP)
