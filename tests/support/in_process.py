"""Run the program in this process, and capture its exit code and output."""

import sys
from typing import NamedTuple

import pytest

from playshuffle.cli import main


class Done(NamedTuple):
    """How a run ended: its exit code, and all that it said."""

    code: int
    out: str
    err: str


class Program:
    """Runs it, with what it says captured."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[bytes]) -> None:
        self._monkeypatch = monkeypatch
        self._captured = captured

    def __call__(self, *words: str) -> Done:
        """Run it to its end."""
        self._monkeypatch.setattr(sys, "argv", ["playshuffle", *words])
        code = main()
        out, err = self._captured.readouterr()
        return Done(code, out.decode(), err.decode())
