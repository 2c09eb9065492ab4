"""Test that a long command shows its progress, and that Ctrl-C ends it with one line and exit code 130."""

import re
from pathlib import Path

import pytest

from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("words", "activity"),
    [("audit --order spread --rounds 1000000", "Shuffling"), ("check x.m3u", "Checking entries")],
)
def test_a_long_command_shows_its_progress_and_ends_on_ctrl_c(
    words: str, activity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.m3u").write_text("".join(f"{number}/{number}.mp3\n" for number in range(400_000)))
    seen = on_terminal(*words.split(), until=activity.encode())

    assert seen.code == 130
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.text)
    assert "Traceback" not in plain
    assert plain.rstrip("\n").split("\n")[-1].removeprefix("^C").endswith("Interrupted.")
