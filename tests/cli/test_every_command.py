"""Test that each command without arguments prints something: what it did, or which argument it needs."""

from pathlib import Path

import pytest

from playshuffle.cli.app import COMMANDS
from tests.support.in_process import Program


# watch and listen end only when they are stopped; their own tests start them.
@pytest.mark.process  # some look for systemd, or make tones
@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in ("watch", "listen")])
def test_a_command_without_arguments_prints_a_result_or_an_error(
    program: Program, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = program(command)

    assert done.out or done.err
