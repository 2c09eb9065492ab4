"""Test that a reader who scans only what batches name ends up with the truth."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from playshuffle.watch import root_watcher, watcher
from playshuffle.watch.debounce import Batch
from playshuffle.watch.watcher import Watch
from tests.support.tree import put
from tests.support.watched import Watched

pytestmark = pytest.mark.process

Stamp = tuple[int, int, int]
Known = dict[bytes, dict[bytes, Stamp]]  # by folder and name


def stamps(folder: bytes) -> dict[bytes, Stamp]:
    """Return the stamps of the files in a folder; zeros for the folders in it."""
    found = {}
    for entry in os.scandir(folder):
        here = entry.stat(follow_symlinks=False)
        found[entry.name] = (0, 0, 0) if entry.is_dir() else (here.st_ino, here.st_size, here.st_mtime_ns)
    return found


def read(known: Known, folder: bytes) -> None:
    """Read one folder again; forget removed folders with all folders below them."""
    try:
        found = stamps(folder)
    except (FileNotFoundError, NotADirectoryError):
        found = None
    for path in list(known):
        is_left = found is not None and path.removeprefix(folder).split(b"/")[0] in {b"", *found}
        if path.startswith(folder) and not is_left:
            del known[path]
    if found is not None:
        known[folder] = found


def read_tree(known: Known, top: bytes) -> None:
    for path in [path for path in known if path.startswith(top)]:
        del known[path]
    read(known, top)
    for path, folders, _ in os.walk(top):
        for folder in folders:
            read(known, os.path.join(path, folder, b""))


def follow(known: Known, batch: Batch, root: bytes) -> None:
    """Scan what a batch names, and nothing else."""
    if batch.is_whole:
        read_tree(known, root)
    for folder in sorted(batch.folders):
        read(known, folder)
    for tree in sorted(batch.trees):
        read_tree(known, tree)


class Vandal:
    """Changes a music folder at random, as people and programs do."""

    def __init__(self, root: bytes, outside: bytes, seed: int) -> None:
        self.root = root
        self.outside = outside
        self.chance = random.Random(seed)
        self.count = 0

    def act(self) -> str:
        self.count += 1
        acts: list[Callable[[], object]] = [
            self.create, self.create, self.write, self.rename, self.change_case, self.replace, self.link,
            self.make_folders, self.move_folder, self.move_out, self.move_in, self.copy_in, self.remove,
            self.remove_folder,
        ]  # fmt: skip
        act = self.chance.choice(acts)
        act()
        return act.__name__

    def folder(self) -> bytes:
        return self.chance.choice(sorted(path for path, _, _ in os.walk(self.root)))

    def file(self) -> bytes:
        files = sorted(os.path.join(path, name) for path, _, names in os.walk(self.root) for name in names)
        return self.chance.choice(files) if files else self.create()

    def name(self) -> bytes:
        return self.folder() + b"/%d.mp3" % self.chance.randrange(8)

    def create(self) -> bytes:
        path = self.name()
        put(b"/", path[1:])
        return path

    def write(self) -> None:
        with open(self.file(), "ab") as file:
            # For a file with hard links, the system reports a write under one of its names only.
            if os.fstat(file.fileno()).st_nlink == 1:
                file.write(b"more")

    def rename(self) -> None:
        os.rename(self.file(), self.name())

    def change_case(self) -> None:
        path, name = os.path.split(self.file())
        os.rename(path + b"/" + name, path + b"/" + name.swapcase())

    def replace(self) -> None:
        path, name = os.path.split(self.file())
        put(path, b"." + name)
        os.rename(path + b"/." + name, path + b"/" + name)

    def link(self) -> None:
        source, path = self.file(), self.name()
        if not os.path.lexists(path):
            os.link(source, path)

    def make_folders(self) -> None:
        put(self.folder(), b"%d/%d/%d.mp3" % tuple(self.chance.randrange(4) for _ in range(3)))

    def new_folder(self) -> bytes:
        return self.folder() + b"/new%d" % self.count

    def move_folder(self) -> None:
        source, target = self.folder(), self.new_folder()
        if source != self.root and not target.startswith(source + b"/"):
            os.rename(source, target)

    def move_out(self) -> None:
        source = self.folder()
        if source != self.root:
            os.rename(source, self.outside + b"/%d" % self.count)

    def move_in(self) -> None:
        outside = sorted(os.listdir(self.outside))
        if outside:
            os.rename(self.outside + b"/" + self.chance.choice(outside), self.new_folder())

    def copy_in(self) -> None:
        outside = sorted(os.listdir(self.outside))
        if outside:
            source = self.outside + b"/" + self.chance.choice(outside)
            subprocess.run(["cp", "-r", source, self.new_folder()], check=True)

    def remove(self) -> None:
        os.unlink(self.file())

    def remove_folder(self) -> None:
        path = self.folder()
        shutil.rmtree(path)
        os.makedirs(self.root, exist_ok=True)


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 500))]
)
def test_a_reader_that_follows_the_batches_knows_all_files(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "HEARTBEAT_S", 0.2)
    monkeypatch.setattr(root_watcher, "_NEW_FOLDER_DELAY_S", 0.1)
    monkeypatch.setattr(root_watcher, "_RESTART_INTERVAL_S", 0.1)
    root, outside = os.fsencode(tmp_path / "music"), os.fsencode(tmp_path / "outside")
    put(root, b"0/1/2.mp3", b"3.mp3")
    put(outside, b"far/0/1.mp3")
    vandal = Vandal(root, outside, seed)
    known: Known = {}
    done = []
    with Watch([root], settle_s=0.1, latest_s=0.3) as seen:
        watched = Watched(seen)
        follow(known, watched.first, root + b"/")
        for _ in range(30):
            done.append(vandal.act())
            for batch in watched.within(vandal.chance.choice([0, 0, 0, 0.02])):
                follow(known, batch, root + b"/")
        while batches := list(watched.within(1.2)):
            for batch in batches:
                follow(known, batch, root + b"/")

    truth: Known = {}
    read_tree(truth, root + b"/")
    assert without_temporary(known) == without_temporary(truth), done


def without_temporary(known: Known) -> Known:
    return {
        folder: {name: stamp for name, stamp in found.items() if not name.startswith(b".")}
        for folder, found in known.items()
    }
