"""Only regular files are opened: a FIFO would block for ever."""

import os
from pathlib import Path

import pytest

from playshuffle.system.regular_file import NotRegularError, open_regular


@pytest.mark.parametrize("kind", ["folder", "FIFO", "device", "link to a FIFO"])
def test_a_file_of_another_kind_is_refused_before_it_is_opened(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_file_that_a_fifo_replaces_after_the_check_is_refused_and_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, fifo = tmp_path / "file", tmp_path / "fifo"
    file.touch()
    os.mkfifo(fifo)
    before = os.stat(file)
    monkeypatch.setattr(os, "stat", lambda _: before)
    held = len(os.listdir("/proc/self/fd"))

    with pytest.raises(NotRegularError):
        open_regular(bytes(fifo))

    assert len(os.listdir("/proc/self/fd")) == held
