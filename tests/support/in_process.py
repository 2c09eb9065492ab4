"""Run the program in this process, and capture its exit code and output."""

import sys
from typing import NamedTuple

import pytest

from playshuffle.cli import main
from playshuffle.system import mpd_server


class Done(NamedTuple):
    """The result of a run: its exit code, and its output."""

    code: int
    out: str
    err: str


class Program:
    """Runs the program, with its output captured."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[bytes]) -> None:
        self._monkeypatch = monkeypatch
        self._captured = captured

    def __call__(self, *words: str) -> Done:
        self._monkeypatch.setattr(sys, "argv", ["playshuffle", *words])
        mpd_server.forget_answers()  # as in a new process
        code = main()
        out, err = self._captured.readouterr()
        return Done(code, out.decode(), err.decode())

    def refused(self, code: int, *words: str) -> str:
        """Run it; it must exit with this code and print only an error. Return the error."""
        done = self(*words)
        assert (done.code, done.out, done.err[:7]) == (code, "", "error: "), done.err
        return done.err
