"""Test that changes of single files are reported, however they are made."""

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from playshuffle.watch import checker
from playshuffle.watch.checker import FileWatcher
from tests.support.service import wait_for


@contextmanager
def watched(*paths: Path) -> Iterator[tuple[list[FileWatcher], "queue.Queue[bytes]"]]:
    reports: queue.Queue[bytes] = queue.Queue()
    watchers = [FileWatcher(bytes(path), reports.put) for path in paths]
    try:
        yield watchers, reports
    finally:
        for watcher in watchers:
            watcher.stop()
        assert all(watcher.join(time.monotonic() + 300) for watcher in watchers)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: os.truncate(path, 9),
        Path.unlink,
        lambda path: (path.with_suffix(".new").write_text("old"), path.with_suffix(".new").replace(path)),
    ],
    ids=["extended", "removed", "replaced"],
)
def test_a_change_of_a_watched_file_is_reported_once(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    path, other = tmp_path / "a.m3u", tmp_path / "b.m3u"
    path.write_text("old")
    with watched(path, other) as (watchers, reports):
        watcher, watcher_of_other = watchers
        wait_for(lambda: watcher._status and watcher_of_other._status is None)
        change(path)  # no check is under way: one that looks during a removal sees two changes
        watcher.check()
        assert reports.get(timeout=300) == bytes(path)
        watcher.check()
        other.write_text("came")
        watcher_of_other.check()
        assert reports.get(timeout=300) == bytes(other)
        assert reports.empty()


def test_a_file_on_a_drive_that_hangs_does_not_delay_checks_of_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead, path = tmp_path / "dead.m3u", tmp_path / "a.m3u"
    path.write_text("old")
    is_asked, answer = threading.Event(), threading.Event()
    look = checker._status

    def look_or_hang(file: bytes) -> tuple[int, ...] | None:
        if file == bytes(dead):
            is_asked.set()
            answer.wait()
        return look(file)

    monkeypatch.setattr(checker, "_status", look_or_hang)
    with watched(dead, path) as ((hanging, watcher), reports):
        try:
            wait_for(lambda: watcher._status)
            path.write_text("longer")
            watcher.check()
            assert reports.get(timeout=300) == bytes(path)
            assert is_asked.wait(300)
            hanging.stop()
            assert not hanging.join(0)
        finally:
            answer.set()
