"""Check what happens before the command line is read, and when it cannot be answered."""

import subprocess
import sys

import pytest

from tests.support.processes import finished
from tests.support.program import PROGRAM, environment

pytestmark = pytest.mark.process

# Stands in for a system that has none of these modules.
_ELSEWHERE = """
import sys
sys.platform = sys.argv.pop(1)
sys.modules.update(dict.fromkeys(("fcntl", "pwd", "resource", "termios")))
from playshuffle.__main__ import main
main()
"""


@pytest.mark.parametrize("system", ["darwin", "win32", "freebsd14"])
@pytest.mark.parametrize(
    "words", [[], ["--version"], ["make", "Music"], ["watch"], ["status", "--json"]], ids=str
)
def test_each_command_says_in_a_sentence_that_it_needs_linux(system: str, words: list[str]) -> None:
    done = finished([sys.executable, "-c", _ELSEWHERE, system, *words], env=environment())

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: playshuffle runs on Linux only. This system ({system}) lacks ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["--help"], ["make", "--help"], ["config", "--help"], ["--version"]], ids=str
)
def test_help_on_a_full_disk_ends_without_a_traceback(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, *words],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )

    assert done.returncode in (1, 73)
    assert done.stderr == b"error: Cannot write to standard output: No space left on device.\n"
