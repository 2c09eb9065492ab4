"""Test that batches name every folder that must be scanned again, by a model that scans no others."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from playshuffle.watch import root_watcher, watcher
from playshuffle.watch.debounce import Batch
from playshuffle.watch.watcher import Watch
from tests.support.tree import put
from tests.support.vandal import Vandal
from tests.support.watched import Watched

Stamp = tuple[int, int]
Known = dict[bytes, dict[bytes, Stamp]]  # what the model knows, by folder and name


def stamps(folder: bytes) -> dict[bytes, Stamp]:
    """Return inode and size of each file in a folder, by name; zeros for each folder in it."""
    found = {}
    for entry in os.scandir(folder):
        here = entry.stat(follow_symlinks=False)
        found[entry.name] = (0, 0) if entry.is_dir() else (here.st_ino, here.st_size)
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
    if batch.is_full_scan:
        read_tree(known, root)
    for folder in sorted(batch.folders):
        read(known, folder)
    for tree in sorted(batch.trees):
        read_tree(known, tree)


class Rowdy(Vandal):
    """Also copies folders into the library, and replaces the whole library.

    It changes no time, because no event reports that. It either writes or links files: a write to a file with
    two names is reported for only one of them.
    """

    without: Callable[[], object]

    def acts(self) -> list[Callable[[], object]]:
        acts = (act for act in super().acts() if act not in (self.touch, self.without))
        return [*acts, self.copy_in, self.start_again]

    def act(self) -> None:
        for path in self.files():  # those in copied folders, too
            self.track_of.setdefault(path, self._new())
        super().act()

    def copy_in(self) -> None:
        if outside := sorted(filter(Path.is_dir, self.outside.iterdir())):
            subprocess.run(
                ["cp", "-r", self.chance.choice(outside), self.music / self._new_name()], check=True
            )

    def start_again(self) -> None:
        shutil.rmtree(self.music)
        self.music.mkdir()
        self.track_of.clear()


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 500))]
)
def test_rescanning_only_the_folders_named_in_batches_finds_all_files(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "HEARTBEAT_S", 0.2)
    monkeypatch.setattr(root_watcher, "_NEW_FOLDER_DELAY_S", 0.1)
    monkeypatch.setattr(root_watcher, "_RESTART_INTERVAL_S", 0.1)
    vandal = Rowdy(tmp_path, seed)
    vandal.without = vandal.link if seed % 2 else vandal.write
    root = os.fsencode(vandal.music)
    put(root, b"0/1/2.mp3")
    put(bytes(vandal.outside), b"far/0/1.mp3")
    known: Known = {}
    with Watch([root], settle_s=0.1, latest_s=0.3) as seen:
        watched = Watched(seen)
        follow(known, watched.first, root + b"/")
        for _ in range(30):
            vandal.act()
            for batch in watched.within(vandal.chance.choice([0, 0, 0, 0.02])):
                follow(known, batch, root + b"/")
        while batches := list(watched.within(1.2)):
            for batch in batches:
                follow(known, batch, root + b"/")

    truth: Known = {}
    read_tree(truth, root + b"/")
    assert without_temporary(known) == without_temporary(truth), vandal.done


def without_temporary(known: Known) -> Known:
    return {
        folder: {name: stamp for name, stamp in found.items() if not name.startswith(b".")}
        for folder, found in known.items()
    }
