"""A folder is not listed again if its time stamps prove that its names are the same.

After any changes, a walk that knows folders of an earlier walk finds the same as one that knows none.
"""

import contextlib
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from playshuffle.library import unchanged
from playshuffle.library.folder import Folder
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.tag_columns import unpack
from playshuffle.system import mounts
from playshuffle.system.workers import ALONE, Workers
from playshuffle.tags.reading import Reading, Tags
from tests.support.needs import unmet
from tests.support.tree import by_path, find, put

_HOUR_NS = 3_600_000_000_000


@pytest.fixture
def top(tmp_path: Path) -> bytes:
    """A folder on a file system with fine time stamps."""
    found = mounts.device_kind(os.fsencode(tmp_path))
    if found is None or found[1] not in unchanged._FINE_STAMPS:
        unmet("the tests do not run on ext4, btrfs, xfs or zfs")
    music = tmp_path / "music"
    music.mkdir()
    return os.fsencode(music)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """A list that grows with each known folder that is listed again."""
    paths: list[bytes] = []
    real = os.listdir

    def listdir(path: bytes) -> list[bytes]:
        paths.append(path)
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    return paths


def later_ns() -> int:
    """Return a time long after the last change of each folder, as usual."""
    return time.time_ns() + _HOUR_NS


def scan(
    top: bytes, known: dict[bytes, Folder], clock_ns: Callable[[], int] = later_ns
) -> dict[bytes, Folder]:
    return by_path(find([top], known, clock_ns=clock_ns))


def wait_for_a_tick(folder: Path) -> None:
    """Wait until the clock of the file system has moved on."""
    probe = folder / "probe"
    probe.touch()
    first = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == first:
        probe.chmod(0o600)


def test_a_folder_unchanged_for_long_is_not_listed_again(top: bytes, listed: list[bytes]) -> None:
    put(top, b"a/x.mp3", b"b/c/y.mp3", b"z.mp3")
    known = scan(top, {})
    assert all(folder.is_settled for folder in known.values())

    again = scan(top, known)

    assert listed == []
    assert all(again[path] is known[path] for path in known)


@pytest.mark.parametrize(
    ("age_ns", "is_settled"),
    [
        (0, False),
        (900_000_000, False),
        (1_100_000_000, True),
        (-_HOUR_NS, False),  # the clock was set back, or the folder's stamps come from another one
    ],
)
def test_the_time_stamps_of_a_folder_are_trusted_one_second_after_its_last_change(
    top: bytes, age_ns: int, is_settled: bool
) -> None:
    """After a second without a change of its names: any later change will change its time stamps."""
    put(top, b"x.mp3")
    changed_ns = os.stat(top).st_ctime_ns

    (folder,) = scan(top, {}, lambda: changed_ns + age_ns).values()

    assert folder.is_settled == is_settled


def test_a_folder_that_changed_in_the_same_clock_tick_as_the_scan_is_listed_again(top: bytes) -> None:
    """To the next scan, the folder looks as if the second change had left its time stamps unchanged."""
    put(top, b"x.mp3")
    (before,) = scan(top, {}, time.time_ns).values()
    put(top, b"y.mp3")
    status = os.stat(top)
    alike = before._replace(mtime_ns=status.st_mtime_ns, ctime_ns=status.st_ctime_ns)

    found = scan(top, {alike.path: alike})

    assert found[alike.path].names == b"x.mp3/y.mp3"


def test_the_time_stamps_of_a_folder_are_not_trusted_if_they_are_whole_seconds(
    top: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on ext4 with small inodes. A later change within the same second does not change the times."""
    put(top, b"x.mp3")
    real = os.stat

    def whole_seconds(path: int | str | bytes, **options: bool) -> os.stat_result | SimpleNamespace:
        status = real(path, **options)
        if not (isinstance(path, bytes) and path.startswith(top)):
            return status
        fields = {name: getattr(status, name) for name in dir(status) if name.startswith("st_")}
        return SimpleNamespace(**{**fields, "st_ctime_ns": status.st_ctime_ns // 10**9 * 10**9})

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", whole_seconds)
        found = scan(top, {})

    assert [folder.is_settled for folder in found.values()] == [False]


@pytest.mark.parametrize(
    "kind", ["overlay", "fuse.sshfs", "nfs4", "cifs", "vfat", "exfat", "tmpfs", "ext3", None]
)
def test_folders_on_file_systems_without_fine_time_stamps_are_always_listed_again(
    top: bytes, listed: list[bytes], monkeypatch: pytest.MonkeyPatch, kind: str | None
) -> None:
    put(top, b"a/x.mp3")
    known = scan(top, {})
    device = os.stat(top).st_dev
    monkeypatch.setattr(mounts, "device_kind", lambda _: None if kind is None else (device, kind))

    assert scan(top, known) == known
    assert sorted(listed) == [top + b"/", top + b"/a/"]


# Any changes


_FILES = (b"a.mp3", b"b.flac", b"c.txt", b".hidden.mp3", b"._a.mp3")
_FOLDERS = (b"one", b"two", b"three")
_IGNORE_FILES = (b".nomedia", b".ndignore", b".mpdignore")


class Walk(NamedTuple):
    """The folders of a walk, with tags read, and the packed tags of each folder; both by path."""

    folders: dict[bytes, Folder]
    fields: dict[bytes, str]


def read(folders: dict[bytes, Folder], last: Walk) -> Walk:
    """Read new and changed files. The made-up tags contain path and content of the file."""

    def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for number, path in enumerate(paths):
            content = Path(os.fsdecode(path)).read_bytes()
            yield number, Reading(Tags(duration_ms=1000, title=path.hex(), artist=content.hex()))

    fresh = with_readings(
        folders.values(), last.folders, lambda folder: unpack(last.fields[folder.path].encode()), read_all
    )
    new = {folder.path: (folder, text) for folder, text in fresh}
    return Walk(
        folders | {path: folder for path, (folder, _) in new.items()},
        {path: new[path][1] if path in new else last.fields[path] for path in folders},
    )


def write(path: bytes, content: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK), "wb") as file:
        file.write(content)


def change_a_byte(path: bytes) -> None:
    """Change the first byte of a file but not its size and mtime, as some tag editors do."""
    before = os.stat(path)
    with open(os.open(path, os.O_RDWR | os.O_NONBLOCK), "r+b", buffering=0) as file:
        file.write(bytes(255 - byte for byte in os.pread(file.fileno(), 1, 0)))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _change(top: bytes, chance: random.Random) -> None:
    """Do one thing that a user or a program does in a folder of music."""
    folders = sorted(path for path, _, _ in os.walk(top))
    folder = chance.choice(folders)
    path = folder + b"/" + chance.choice(_FILES)
    other = chance.choice(folders) + b"/" + chance.choice(_FILES)
    sub = folder + b"/" + chance.choice(_FOLDERS)
    acts: list[Callable[[], object]] = [
        lambda: write(path, bytes(chance.randrange(9))),
        lambda: os.unlink(path),
        lambda: os.rename(path, other),
        lambda: os.link(path, other),
        lambda: os.utime(path, ns=(chance.randrange(10**18), chance.randrange(10**18))),
        lambda: os.utime(folder, ns=(1, chance.choice((os.stat(top).st_mtime_ns, chance.randrange(10**18))))),
        lambda: os.mkdir(sub),
        lambda: shutil.rmtree(sub),
        lambda: os.rename(sub, chance.choice(folders) + b"/" + chance.choice(_FOLDERS)),
        lambda: os.symlink(os.path.basename(path), other),
        lambda: os.symlink(folder, sub),
        lambda: change_a_byte(path),
        lambda: os.chmod(path, chance.choice((0o600, 0o644))),
        lambda: put(folder, chance.choice(_IGNORE_FILES), content=chance.choice((b"a*\n", b"b*\n"))),
        lambda: os.unlink(folder + b"/" + chance.choice(_IGNORE_FILES)),
        lambda: os.mkfifo(path),
        lambda: os.rename(sub, sub + b".mp3"),
    ]
    with contextlib.suppress(OSError):  # nothing of that name, or something else is in the way
        chance.choice(acts)()


@pytest.mark.parametrize("seed", range(12))
def test_a_walk_that_knows_the_result_of_an_earlier_walk_finds_the_same_as_a_walk_without_it(
    top: bytes, tmp_path: Path, seed: int
) -> None:
    """After random changes, with the folders of any earlier walk, with one worker or 16.

    Odd seeds have roots that overlap. Folders, time stamps and tags are compared.
    """
    chance = random.Random(seed)
    put(top, *(folder + b"/" + file for folder in _FOLDERS for file in _FILES))
    roots = [top, top + b"/one"][: 1 + seed % 2]
    walks = [Walk({}, {})]
    for _ in range(25):
        wait_for_a_tick(tmp_path)
        there = [root for root in roots if os.path.isdir(root)]  # a missing root would stay as it was
        fresh = find(there, {}, clock_ns=later_ns)
        last = chance.choice(walks)
        with Workers(16) as workers:
            found = [
                find(there, known.folders, clock_ns=later_ns, workers=some)
                for known, some in ((last, ALONE), (last, workers), (walks[-1], ALONE))
            ]
        for one, known in zip(found, (last, last, walks[-1]), strict=True):
            assert (one.skipped, one.unreadable) == (fresh.skipped, fresh.unreadable)
            assert [[folder.path for folder in root] for root in one.roots.values()] == [
                [folder.path for folder in root] for root in fresh.roots.values()
            ]
            assert read(by_path(one), known) == read(by_path(fresh), Walk({}, {}))
        walks.append(read(by_path(found[-1]), walks[-1]))
        for _ in range(chance.randrange(8)):
            _change(top, chance)
