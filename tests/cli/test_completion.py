"""Test that shells complete the values of options."""

import os
from pathlib import Path

import pytest

from tests.support.program import run

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("make --order s", ["sattolo", "spread", "sorted"]),
        ("deal --order al", ["albums"]),
        ("make --for vl", ["vlc"]),
        ("make --group-by gen", ["genre"]),
        ("make --inside l", ["last"]),
    ],
)
def test_values_of_options_are_completed(words: str, values: list[str]) -> None:
    line = f"playshuffle {words}"
    shell = {
        "_PLAYSHUFFLE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
    }

    done = run(env={**os.environ, **shell})

    assert done.out.decode().split() == values


@pytest.mark.parametrize("words", ["make --for va", "deal --for va", "watch --for va", "players va"])
def test_players_of_the_configuration_are_completed(words: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[player.van]\n")
    line = f"playshuffle {words}"
    shell = {
        "_PLAYSHUFFLE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
        "PLAYSHUFFLE_CONFIG": str(config),
    }

    assert run(env={**os.environ, **shell}).out.decode().split() == ["van"]
