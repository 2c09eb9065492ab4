"""Test how the watch mode of a root is described, and which advice a limit of the kernel gives."""

import errno
import os
from pathlib import Path

import pytest

from playshuffle.system.mounts import Mount
from playshuffle.watch import limits
from tests.support.tree import put


def at(*kinds: str) -> list[Mount]:
    """Return mounts of file systems of these kinds: at the root /m, and below it."""
    return [Mount(b"/m" + b"/x" * number, kind, b"", 0) for number, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (("ext4",), "events"),
        (("ext4", "fuseblk", "vfat"), "events"),
        ((), "events"),
        (("cifs",), "polling (cifs)"),
        (("nfs4", "ext4"), "polling (nfs4)"),
        (("ext4", "cifs", "vfat", "fuse.sshfs"), "partly (cifs at /m/x, fuse.sshfs at /m/x/x/x)"),
    ],
)
def test_the_watch_mode_of_a_root_depends_on_its_file_systems(kinds: tuple[str, ...], words: str) -> None:
    assert str(limits.mode_of(b"/m", 3, 3, at(*kinds))) == words


def test_control_characters_in_the_path_of_a_mount_are_escaped() -> None:
    mounts = [*at("ext4"), Mount(b"/m/\x1b[2J", "cifs", b"", 0)]

    assert limits.mode_of(b"/m", 3, 3, mounts).detail == r"cifs at /m/\x1b[2J"


@pytest.mark.parametrize(
    ("number", "words", "advice"),
    [
        (errno.ENOSPC, "polling (watch limit: 1 of 3)", "sysctl fs.inotify.max_user_watches=524288"),
        (errno.EMFILE, "polling (limit of inotify instances)", "sysctl fs.inotify.max_user_instances=1024"),
        (errno.ENOSYS, "polling (Function not implemented: 1 of 3)", ""),
        (None, "partly (not all watched: 1 of 3)", ""),
    ],
)
def test_a_watch_that_the_kernel_refuses_is_reported_with_advice(
    number: int | None, words: str, advice: str
) -> None:
    refused = limits.mode_of(b"/m", 3, 1, at("ext4"), number)

    assert str(refused) == words
    assert refused.advice == advice


def test_hidden_folders_are_counted_but_not_symbolic_links_to_folders(tmp_path: Path) -> None:
    """As watchdog sets watches."""
    top = os.fsencode(tmp_path)
    put(top, b"a/b/1.mp3", b".c/")
    os.symlink(top, top + b"/a/loop")

    assert limits.count_folders(top) == 4
