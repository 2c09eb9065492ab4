"""Compare the keys in docs/reference/files.md with the output of the program."""

import json
import re
from pathlib import Path

import pytest

from playshuffle.demo.tones import write_library
from tests.docs.commands import CHECKOUT
from tests.support.program import run

PAGE = (CHECKOUT / "docs/reference/files.md").read_text()


@pytest.mark.process
def test_the_page_names_the_keys_of_each_command(home: Path) -> None:
    write_library(str(home / "Music"))
    for section in PAGE.split("\n### ")[1:]:
        rows = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
        keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        command = re.findall(r"^playshuffle (.*)$", section, re.MULTILINE)[0]
        done = run(*command.replace("~", str(home)).split())

        assert done.code == 0, f"{command}: {done.err}"
        assert not keys or set(json.loads(done.out)) == keys, command
