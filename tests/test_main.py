"""Start the program on systems other than Linux, and with output to a full disk."""

import sys

import pytest

from tests.support.processes import finished
from tests.support.program import PROGRAM, environment

pytestmark = pytest.mark.process

# Simulates a system that has none of these modules.
_ELSEWHERE = """
import sys
sys.platform = sys.argv.pop(1)
sys.modules.update(dict.fromkeys(("fcntl", "pwd", "resource", "termios")))
from playshuffle.__main__ import main
main()
"""


@pytest.mark.parametrize("system", ["darwin", "win32", "freebsd14"])
@pytest.mark.parametrize("words", [[], ["--version"], ["make", "Music"], ["watch"], ["status"]], ids=str)
def test_on_other_systems_each_command_says_that_it_needs_linux(system: str, words: list[str]) -> None:
    done = finished([sys.executable, "-c", _ELSEWHERE, system, *words], env=environment())

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: playshuffle runs on Linux only. This system ({system}) lacks ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["--help", "make --help", "config --help", "--version"])
def test_help_that_cannot_be_written_to_a_full_disk_is_an_error_of_one_line(command: str) -> None:
    words = ["sh", "-c", 'exec "$@" > /dev/full', "sh", *PROGRAM, *command.split()]
    done = finished(words, env=environment())

    assert done.returncode in (1, 73)
    assert done.stderr == "error: Cannot write to standard output: No space left on device.\n"
