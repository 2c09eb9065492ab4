"""Run the commands of pages that show results, in order, and compare their output.

`PLAYSHUFFLE_RESULTS=write pytest tests/docs/test_results.py` writes changed output into the pages.
"""

import os
import re
import tempfile
from pathlib import Path

import pytest

from playshuffle.demo.tones import write_library
from tests.docs.commands import PAGES, TUTORIAL
from tests.support.program import program_in
from tests.support.terminal import on_terminal

_PAGES = [page for page in PAGES if "\n```console\n" in page.read_text()]
# The home folder in the pages.
_HOME = "/home/ann"


def _printed(command: str) -> str:
    """Run a command on a terminal, and return its output without colours."""
    seen = on_terminal("-c", command, program=["bash"], NO_COLOR="1")
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", seen.text).replace(os.environ["HOME"], _HOME)
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _is_shown(page: str, printed: str) -> bool:
    """Return whether a page shows the printed text; its line `...` stands for any number of lines."""
    lines = [r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in page.splitlines()]
    return re.fullmatch("".join(lines), printed) is not None


def test_a_line_of_three_dots_in_a_page_stands_for_any_number_of_omitted_lines() -> None:
    assert _is_shown("a\n...\nd\n", "a\nb\nc\nd\n")
    assert not _is_shown("a\n...\nd\n", "a\nb\nc\ne\n")
    assert not _is_shown("a\n", "a\nb\n")


@pytest.mark.process
@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_each_command_in_a_console_block_prints_what_the_page_shows_below_it(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{program_in(tmp_path / 'bin')}:{os.environ['PATH']}")
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)

    def run(match: re.Match[str]) -> str:
        printed = _printed(match[1])
        return match[0] if _is_shown(match[2], printed) else f"$ {match[1]}\n{printed}"

    text = page.read_text()
    # A short path, since lines are broken where those of the page are.
    with tempfile.TemporaryDirectory() as home:
        monkeypatch.setenv("HOME", home)
        # As on a machine with systemd, where the pages were written.
        monkeypatch.setenv("XDG_RUNTIME_DIR", f"{home}/run")
        (Path(home) / "run/systemd").mkdir(parents=True)
        (Path(home) / "run/systemd/private").touch()
        monkeypatch.chdir(home)
        if page != TUTORIAL:
            write_library(f"{home}/Music")
            Path(home, "stick").mkdir()
        true = re.sub(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", run, text, flags=re.MULTILINE)
    if os.environ.get("PLAYSHUFFLE_RESULTS") == "write":
        page.write_text(true)

    assert true == text
