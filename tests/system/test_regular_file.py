"""Only regular files are opened, and nothing waits."""

import os
from pathlib import Path

import pytest

from playshuffle.system.regular_file import NotRegularError, open_regular


@pytest.mark.parametrize("kind", ["folder", "FIFO", "device", "link to a FIFO"])
def test_only_regular_files_are_opened(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    link = tmp_path / "link"
    link.symlink_to(fifo)
    paths = {"folder": tmp_path, "FIFO": fifo, "device": Path("/dev/zero"), "link to a FIFO": link}
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda *words: opened.append(words))

    with pytest.raises(NotRegularError):
        open_regular(bytes(paths[kind]))

    assert opened == []


def test_a_file_exchanged_for_a_fifo_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, fifo = tmp_path / "file", tmp_path / "fifo"
    file.touch()
    os.mkfifo(fifo)
    before = os.stat(file)
    monkeypatch.setattr(os, "stat", lambda _: before)
    held = len(os.listdir("/proc/self/fd"))

    with pytest.raises(NotRegularError):
        open_regular(bytes(fifo))

    assert len(os.listdir("/proc/self/fd")) == held
