"""tests/programs lists the programs that tests start."""

import sys
from pathlib import Path

import pytest

from tests.support.needs import need, not_listed


def test_programs_that_come_from_packages_must_be_listed() -> None:
    started = ["ffmpeg", "/usr/bin/python3", "/usr/sbin/mkfs.btrfs", "btrfs"]

    assert not_listed(started) == {"mkfs.btrfs", "btrfs"}


def test_programs_that_come_from_no_package_need_not_be_listed() -> None:
    script = Path(__file__).parent / "support/with_systemd.sh"

    assert not_listed([sys.executable, "/tmp/home/own-player", str(script)]) == set()


def test_a_test_that_starts_an_unlisted_program_fails() -> None:
    with pytest.raises(KeyError):
        need("mkfs.btrfs")
