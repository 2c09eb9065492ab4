"""Test the watch with real folders and events of the kernel."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playshuffle.system import atomic_file
from playshuffle.watch import inotify, limits, root_watcher, watcher
from playshuffle.watch.inotify import InotifyWatch
from playshuffle.watch.limits import Mode
from playshuffle.watch.watcher import Watch
from tests.support.forked import forked
from tests.support.needs import need_bindfs, need_user_namespaces
from tests.support.processes import finished
from tests.support.program import CHECKOUT
from tests.support.service import wait_for
from tests.support.tree import public_folder, put
from tests.support.watched import Watched


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all delays."""
    monkeypatch.setattr(watcher, "HEARTBEAT_S", 0.3)
    monkeypatch.setattr(root_watcher, "_NEW_FOLDER_DELAY_S", 0.1)
    monkeypatch.setattr(root_watcher, "_RESTART_INTERVAL_S", 0.2)


@contextlib.contextmanager
def watched(*roots: bytes, **options: Any) -> Iterator[Watched]:
    with Watch(roots, **({"settle_s": 0.2, "latest_s": 1.0} | options)) as watch:
        yield Watched(watch)


@pytest.fixture
def top(tmp_path: Path) -> bytes:
    top = os.fsencode(tmp_path / "music")
    put(top, b"a/1.mp3", b"a/2.mp3", b"b/c/3.mp3")
    return top


def only_mode(seen: Watched) -> Mode:
    (mode,) = seen.watch.modes()
    return mode


def test_the_first_batch_is_a_full_scan_and_a_change_right_after_it_is_reported(top: bytes) -> None:
    with watched(top) as seen:
        put(top, b"a/4.mp3")

        assert seen.first.is_full_scan
        assert seen.first.why == "start"
        assert seen.next().folders == {top + b"/a/"}


def test_written_playlists_and_files_that_scans_skip_give_no_batch(top: bytes) -> None:
    with watched(top) as seen:
        for content in (b"#EXTM3U\n", b"#EXTM3U\na/1.mp3\n"):
            atomic_file.write(top + b"/everything.m3u", [content])
        put(top, b"a/4.mp3.part", b"a/.5.mp3.x7Yz", b".hidden/6.mp3", b"cover.jpg")
        os.unlink(top + b"/everything.m3u")
        os.unlink(top + b"/a/4.mp3.part")

        assert list(seen.within(0.7)) == []


def test_created_deleted_and_moved_files_and_folders_are_reported(top: bytes, tmp_path: Path) -> None:
    away = os.fsencode(tmp_path)
    with watched(top) as seen:
        os.rename(top + b"/a/1.mp3", top + b"/a/one.mp3")
        batch = seen.next()
        assert batch.moved == ((top + b"/a/1.mp3", top + b"/a/one.mp3"),)
        assert batch.folders == {top + b"/a/"}

        os.rename(top + b"/a/one.mp3", top + b"/a/ONE.mp3")  # of a case alone
        assert seen.next().moved == ((top + b"/a/one.mp3", top + b"/a/ONE.mp3"),)

        os.unlink(top + b"/a/ONE.mp3")
        assert seen.next().gone == {top + b"/a/ONE.mp3"}

        os.rename(top + b"/a", top + b"/A")
        batch = seen.next()
        assert batch.moved == ((top + b"/a", top + b"/A"),)
        assert batch.trees == {top + b"/A/"}

        os.rename(top + b"/A", away + b"/out")
        batch = seen.next()
        assert batch.gone == {top + b"/A"}
        assert batch.folders == {top + b"/"}

        os.rename(away + b"/out", top + b"/back")
        batch = seen.next()
        assert batch.trees == {top + b"/back/"}
        assert batch.gone == set()
        put(top, b"back/new/4.mp3")
        assert seen.reports(top + b"/back/new/4.mp3")


@pytest.mark.process
def test_a_copied_tree_of_folders_is_reported_and_so_are_later_changes_in_the_copy(
    top: bytes, tmp_path: Path
) -> None:
    source = os.fsencode(tmp_path / "source")
    put(source, *(b"%d/%d/%d.mp3" % (i % 7, i % 60, i) for i in range(600)))
    with watched(top) as seen:
        subprocess.run(["cp", "-r", source, top + b"/new"], check=True)
        assert seen.reports(*(top + b"/new/%d/%d/%d.mp3" % (i % 7, i % 60, i) for i in range(600)))

        list(seen.within(0.5))
        late = [top + b"/new/%d/%d/late.mp3" % (i % 7, i % 60) for i in range(60)]
        for path in late:
            put(b"/", path[1:])
        assert seen.reports(*late)

        shutil.rmtree(top + b"/new")
        gone = frozenset[bytes]().union(*(b.gone for b in seen.until(lambda b: top + b"/new" in b[-1].gone)))
        assert top + b"/new/0/0/0.mp3" in gone


def test_changes_below_a_root_that_is_a_link_are_reported_by_paths_through_the_link(
    top: bytes, tmp_path: Path
) -> None:
    """Also after the link was replaced by a link to another folder."""
    link, other = os.fsencode(tmp_path / "link"), os.fsencode(tmp_path / "other")
    put(other, b"x/")
    os.symlink(top, link)
    with watched(link) as seen:
        put(top, b"a/4.mp3")
        assert seen.next().folders == {link + b"/a/"}

        os.unlink(link)
        os.symlink(other, link)
        assert seen.whole("root")
        put(other, b"x/5.mp3")
        assert seen.next().folders == {link + b"/x/"}


def test_a_change_below_two_overlapping_roots_is_reported_once(top: bytes) -> None:
    with watched(top, top + b"/a", top) as seen:
        put(top, b"a/4.mp3")

        assert seen.next().folders == {top + b"/a/"}
        assert [mode.state for mode in seen.watch.modes()] == ["events", "events"]


@pytest.mark.parametrize("rounds", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_changes_in_a_root_are_reported_also_after_the_root_was_removed_and_restored_several_times(
    top: bytes, rounds: int
) -> None:
    shutil.rmtree(top)
    with watched(top) as seen:
        assert str(only_mode(seen)) == "missing (not there)"
        for number in range(rounds):
            put(top, b"a/")
            assert seen.whole("root")
            put(top, b"a/%d.mp3" % number)
            assert seen.reports(top + b"/a/%d.mp3" % number)
            if number % 2:
                os.rename(top, top + b"%d" % number)
            else:
                shutil.rmtree(top)
            assert seen.whole("root", "lost")
            assert only_mode(seen).state == "missing"


def test_if_a_root_is_moved_away_and_replaced_at_once_the_new_folder_is_watched(top: bytes) -> None:
    """Watchdog alone would report changes in the moved folder, by its old path."""
    with watched(top) as seen:
        os.rename(top, top + b".old")
        put(top, b"a/")
        assert seen.whole("root")

        put(top + b".old", b"a/old.mp3")
        assert list(seen.within(0.8)) == []
        put(top, b"a/new.mp3")
        assert seen.reports(top + b"/a/new.mp3")


@pytest.fixture
def music() -> Iterator[bytes]:
    """The path for a new folder of the user nobody."""
    with public_folder() as public:
        os.chmod(public, 0o777)
        yield public + b"/music"


@pytest.mark.process
def test_a_root_that_cannot_be_read_counts_as_missing_until_it_is_readable(music: bytes) -> None:
    def look() -> list[str]:
        os.mkdir(music, 0)
        with watched(music) as seen:
            modes = [str(only_mode(seen))]
            os.chmod(music, 0o755)
            seen.whole("root")
            return [*modes, str(only_mode(seen))]

    assert forked(look, as_nobody=True) == ["missing (not readable)", "events"]


@pytest.mark.process
def test_an_unreadable_folder_is_watched_as_soon_as_it_is_readable(
    music: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it is not counted. watchdog counts each refused watch, and does not try again."""
    monkeypatch.setattr(root_watcher, "_RENEWAL_INTERVAL_S", 1.0)

    def counts(seen: Watched) -> tuple[str, int, int]:
        return str(only_mode(seen)), only_mode(seen).folders, only_mode(seen).watches

    def look() -> list[tuple[str, int, int]]:
        for name, bits in ((b"a", 0), (b"b", 0), (b"c", 0o755)):
            put(music, name + b"/1.mp3")
            os.chmod(music + b"/" + name, bits)
        with watched(music) as seen:
            before = counts(seen)
            put(music, b"c/2.mp3")
            assert seen.reports(music + b"/c/2.mp3")
            os.chmod(music + b"/a", 0o755)
            assert seen.whole("hourly")
            wait_for(lambda: only_mode(seen).folders == 3)
            put(music, b"a/2.mp3")
            assert seen.reports(music + b"/a/2.mp3")
            return [before, counts(seen)]

    assert forked(look, as_nobody=True) == [("events", 2, 2), ("events", 3, 3)]


@pytest.mark.timing
def test_a_root_that_hangs_does_not_delay_reports_about_other_roots(
    top: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call to a dead server or drive may hang for ever."""
    is_back = threading.Event()
    count = limits.count_folders
    monkeypatch.setattr(root_watcher, "_STALLED_AFTER_S", 0.3)
    monkeypatch.setattr(
        limits, "count_folders", lambda path: count(path) if path != top + b"/b" or is_back.wait() else 0
    )
    try:
        with watched(top + b"/a", top + b"/b") as seen:
            assert seen.first.why == "start"
            modes = [re.sub(r"\d+", "N", str(mode)) for mode in seen.watch.modes()]
            assert modes == ["events", "missing (no answer for N s)"]
            put(top, b"a/4.mp3")
            assert seen.reports(top + b"/a/4.mp3")
            is_back.set()
            assert seen.whole("root")
            assert [str(mode) for mode in seen.watch.modes()] == ["events", "events"]
            is_back.clear()
            seen.watch._root_watchers[1]._location = "elsewhere"
            list(seen.within(0.4))
            began = time.monotonic()
        assert time.monotonic() - began < 10  # the call hangs for ever
    finally:
        is_back.set()


@pytest.mark.process
@pytest.mark.parametrize("is_late", [False, True])
def test_a_tree_of_very_many_levels_of_folders_does_not_end_the_watch(top: bytes, is_late: bool) -> None:
    """Watchdog recurses into each level, too deep for Python 3.11: there the root is polled."""
    first = deepest = (b"%s.new" if is_late else b"%s/d") % top
    os.mkdir(first)
    for _ in range(1199):
        deepest += b"/d"
        os.mkdir(deepest)
    try:
        with watched(top, poll_s=0.5) as seen:
            assert seen.first.why == "start"
            if is_late:
                os.rename(first, top + b"/d")
                assert seen.reports(top + b"/d/1.mp3")
            else:
                assert only_mode(seen).folders == 1204
            put(top, b"a/4.mp3")
            assert seen.reports(top + b"/a/4.mp3")
    finally:
        subprocess.run(["rm", "-rf", top + b"/d", first], check=True)  # what Python deletes with cannot


def test_a_new_folder_is_watched_even_if_its_parent_folder_is_moved_at_once(top: bytes) -> None:
    """Watchdog looks for it at its old path."""
    with watched(top) as seen:
        with inotify_of(seen).reader._lock:
            put(top, b"a/new/deep/4.mp3")
            os.rename(top + b"/a", top + b"/z")
        assert seen.reports(top + b"/z/new/deep/4.mp3")

        list(seen.within(1))
        put(top, b"z/new/deep/5.mp3")
        assert seen.next(lambda batch: batch.folders == {top + b"/z/new/deep/"})


def inotify_of(seen: Watched) -> InotifyWatch:
    watch = seen.watch._root_watchers[0]._inotify
    assert watch is not None
    return watch


def test_a_folder_moved_out_of_the_root_and_replaced_does_not_end_the_watch(
    top: bytes, tmp_path: Path
) -> None:
    """Watchdog confuses the old folder with the new one, and its reading thread would end."""
    out = os.fsencode(tmp_path / "out")
    with watched(top) as seen:
        os.rename(top + b"/a", out)
        seen.next(lambda batch: top + b"/a" in batch.gone)
        os.mkdir(top + b"/a")
        seen.next(lambda batch: top + b"/a/" in batch.trees)
        os.rmdir(top + b"/a")
        seen.next(lambda batch: top + b"/a" in batch.gone)
        shutil.rmtree(out)
        seen.next(lambda batch: top + b"/a/1.mp3" in batch.gone)
        put(top, b"b/4.mp3")
        assert seen.next().folders == {top + b"/b/"}
    assert threading.enumerate() == [threading.main_thread()]


@pytest.mark.parametrize("thread", ["reader", "forwarder"])
def test_a_root_is_watched_again_after_a_thread_of_its_watch_has_died(top: bytes, thread: str) -> None:
    with watched(top) as seen:
        watch = inotify_of(seen)
        watch.reader.stop() if thread == "reader" else watch.folders._move_event_grouper.close()
        assert seen.whole("lost")
        put(top, b"a/4.mp3")
        assert seen.reports(top + b"/a/4.mp3")


@pytest.mark.timing
def test_a_watch_yields_none_at_each_heartbeat_and_when_a_given_descriptor_can_be_read(top: bytes) -> None:
    read_end, write_end = os.pipe()
    with Watch([top]) as watch:
        batches = watch.batches(read_end)
        while next(batches) is None:
            pass
        assert next(batches) is None
        began = time.monotonic()
        assert next(batches) is None
        assert 0.1 < time.monotonic() - began < 10

        watch._heartbeat_s = 1000
        assert next(batches) is None
        os.write(write_end, b"x")
        assert next(batches) is None
        os.read(read_end, 1)
        watch.request_full_scan()
        batch = next(batches)
        assert batch is not None
        assert (batch.is_full_scan, batch.why) == (True, "asked")
    os.close(read_end)
    os.close(write_end)


@pytest.mark.timing
def test_a_requested_rescan_of_folders_comes_after_the_requested_time(top: bytes) -> None:
    with watched(top) as seen:
        began = time.monotonic()
        seen.watch.rescan([top + b"/a/"], 0.6)
        batch = seen.next()

        assert batch.folders == {top + b"/a/"}
        assert batch.why == "growing"
        assert time.monotonic() - began >= 0.6


def test_full_scans_come_at_the_given_interval(top: bytes) -> None:
    with watched(top, full_scan_s=0.7) as seen:
        assert [seen.next().why, seen.next().why] == ["hourly", "hourly"]


def test_a_full_scan_follows_a_sleep_of_the_machine(top: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched(top) as seen:
        monkeypatch.setattr(watcher, "_asleep_s", lambda: 1e9)

        assert seen.next().why == "resume"


def test_too_many_waiting_events_are_replaced_by_a_full_scan(
    top: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "_MAX_REPORTS", 50)
    with watched(top) as seen:
        for number in range(60):
            put(top, b"a/%d.mp3" % number)
        wait_for(lambda: "lost" in [report for _, report in list(seen.watch._reports)])

        assert seen.whole("lost")


@pytest.mark.process
@pytest.mark.timing
def test_the_end_of_a_watch_is_fast_and_leaves_no_thread_or_descriptor_open(top: bytes) -> None:
    before = os.listdir("/proc/self/fd")
    with watched(top, top + b"/a") as seen:
        put(top, b"a/4.mp3")
        os.rename(top + b"/a/4.mp3", top + b"/../4.mp3")  # watchdog waits half a second for the other half
        assert not any(os.fsdecode(top) in os.path.realpath(fd) for fd in Path("/proc/self/fd").iterdir())
        began = time.monotonic()

    assert time.monotonic() - began < 5
    assert threading.enumerate() == [threading.main_thread()]
    assert os.listdir("/proc/self/fd") == before
    assert list(seen.watch.modes()) == []


@pytest.mark.process
@pytest.mark.root
def test_changes_on_a_drive_that_is_mounted_and_unmounted_below_the_root_are_reported(
    tmp_path: Path, top: bytes
) -> None:
    def look() -> None:
        with watched(top) as seen:
            for number in range(2):
                subprocess.run(["mount", "-t", "tmpfs", "none", top + b"/a"], check=True)
                seen.whole("mounts")
                put(top, b"a/x/%d.mp3" % number)
                assert seen.reports(top + b"/a/x/%d.mp3" % number)
                subprocess.run(["umount", "-l", top + b"/a"], check=True)
                seen.whole("mounts", "lost")
                list(seen.within(0.5))

    forked(look, own_mounts=True)


@pytest.mark.process
@pytest.mark.root
@pytest.mark.parametrize(("place", "how"), [(b"", "polling (fuse)"), (b"/a", "partly (fuse at {}/a)")])
def test_a_file_system_without_events_is_polled(tmp_path: Path, top: bytes, place: bytes, how: str) -> None:
    need_bindfs()
    source = os.fsencode(tmp_path / "source")
    put(source, b"old.mp3")

    def look() -> tuple[str, str]:
        subprocess.run(["bindfs", "-n", "-o", "nonempty", source, top + place], check=True)
        try:
            with watched(top, poll_s=0.8) as seen:
                put(source, b"new.mp3")
                return str(only_mode(seen)), seen.whole("poll").why
        finally:
            subprocess.run(["umount", top + place], check=True)

    assert forked(look, own_mounts=True) == (how.format(os.fsdecode(top)), "poll")


_LIMITED = """
import os, sys, time
from playshuffle.watch import root_watcher, watcher
watcher.HEARTBEAT_S = 0.3
root_watcher._RENEWAL_INTERVAL_S = 1.2
root_watcher._RESTART_INTERVAL_S = 0.2
top = os.fsencode(sys.argv[1])
with watcher.Watch([top], settle_s=0.1, poll_s=0.4) as seen:
    batches = seen.batches()
    while next(batches) is None:
        pass
    print(seen.modes()[0], seen.modes()[0].advice, sep="|")
    if sys.argv[2:]:
        for number in range(int(sys.argv[2])):
            os.mkdir(top + b"/late%d" % number)
    whys = []
    while "poll" not in whys:
        batch = next(batches)
        whys += [] if batch is None else [batch.why]
    print(batch.is_full_scan, "lost" in whys)
    print(seen.modes()[0])
    for limit in ("watches", "instances"):
        with open("/proc/sys/user/max_inotify_" + limit, "w") as file:
            file.write("1000")
    while seen.modes()[0].state != "events":
        next(batches)
    batch = None
    while batch is None or not batch.trees:  # a full scan does not name folders
        os.mkdir(top + b"/last%d" % len(os.listdir(top)))
        batch = next(batch for batch in batches if batch is not None)
    print(batch.why)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("limit", "folders", "late", "mode"),
    [
        ("watches=100", 300, "", "polling (watch limit: 100 of 301)"),
        ("watches=0", 3, "", "polling (watch limit: 0 of 4)"),
        ("instances=0", 3, "", "polling (limit of inotify instances)"),
        ("watches=10", 3, "20", "polling (watch limit: 10 of 24)"),
    ],
)
def test_a_root_is_polled_while_the_kernel_allows_too_few_watches(
    tmp_path: Path, limit: str, folders: int, late: str, mode: str
) -> None:
    """Also if new folders exceed the limit; no events count as lost. Later, more watches are allowed."""
    need_user_namespaces()
    put(os.fsencode(tmp_path), *(b"%d/" % number for number in range(folders)))
    name, _, most = limit.partition("=")
    words = f'echo {most} >/proc/sys/user/max_inotify_{name}; exec "$@"'
    watch = [sys.executable, "-W", "error", "-c", _LIMITED, str(tmp_path), *late.split()]
    done = finished(
        ["unshare", "-Ur", "sh", "-c", words, "-", *watch], env={**os.environ, "PYTHONPATH": str(CHECKOUT)}
    )

    first, *others = done.stdout.splitlines()
    assert first == "events|" if late else first.startswith(f"{mode}|sysctl fs.inotify.max_user_{name}=")
    assert (others, done.returncode) == (["True False", mode, "events"], 0), done.stderr


@pytest.mark.parametrize("change", ["nothing to import", "other arguments", "no attribute"])
def test_a_root_is_polled_if_the_version_of_watchdog_is_unknown(
    top: bytes, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change == "nothing to import":
        monkeypatch.setattr(root_watcher, "InotifyWatch", None)
    elif change == "other arguments":
        monkeypatch.setattr(inotify, "Folders", lambda path: path)
    else:
        monkeypatch.delattr(inotify.Folders.__mro__[1], "_activate")
    with watched(top, poll_s=0.5) as seen:
        assert str(only_mode(seen)) == "polling (unknown version of watchdog: 0 of 4)"
        assert seen.whole("poll")
