"""Test that no command is silent: without arguments it acts and reports it, or asks for an argument."""

import pytest

from playshuffle.cli.app import COMMANDS
from tests.support.in_process import Program


# watch ends only when it is stopped; the tests of the service start it.
@pytest.mark.process  # some look for systemd, or make tones
@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "watch"])
def test_a_command_without_arguments_prints_a_result_or_an_error(program: Program, command: str) -> None:
    done = program(command)

    assert done.out or done.err
