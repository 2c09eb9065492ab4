"""Test whether a root that a run does not scan seems to be missing."""

import os
from array import array
from pathlib import Path

import pytest

from playshuffle.library.lost_roots import seems_missing
from playshuffle.library.missing import Root
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount


def known(root: Path) -> Root:
    return Root(array("I", [1]), mounts.under(os.path.realpath(bytes(root)), mounts.table()))


def test_a_root_is_missing_if_it_is_gone_or_empty_or_on_another_mount(tmp_path: Path) -> None:
    root = tmp_path / "Music"
    root.mkdir()
    here = known(root)
    assert seems_missing(bytes(root), here)
    (root / "a.mp3").touch()
    assert not seems_missing(bytes(root), here)
    drive = Mount(bytes(root), "ext4", b"/dev/sdb1", 7)
    assert seems_missing(bytes(root), here._replace(mounts=[drive]))
    assert seems_missing(bytes(tmp_path / "none"), here)


def test_a_run_does_not_wait_for_a_share_that_it_does_not_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may hang. Nothing looks at it."""
    (tmp_path / "a.mp3").touch()
    share = Mount(bytes(tmp_path), "nfs4", b"nas:/music", 0)
    for name in ("stat", "listdir", "open"):
        monkeypatch.setattr(os, name, None)

    assert seems_missing(bytes(tmp_path), Root(array("I", [1]), [share]))
