import os
import subprocess
from pathlib import Path
from unittest import mock

import pytest

from playshuffle.system import mounts
from playshuffle.system.mounts import Mount, parse, under
from tests.support.forked import forked

_TABLE = (
    rb"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
30 22 8:1 / /mnt/a rw shared:5 master:2 - vfat /dev/sda1 rw,iocharset=utf8
31 22 8:2 / /mnt/ab rw - exfat /dev/sdb1 rw
32 30 8:3 /sub /mnt/a/usb\040stick\134x\011y\012z rw - fuse.sshfs me@host:/a\040b rw
33 22 0:40 / /media/empty rw - tmpfs  rw
34 22 0:41 / /media/caf\xe9 rw - cifs //nas/\r\xe9 rw
""".lstrip()
    .replace(rb"\xe9", b"\xe9")
    .replace(rb"\r", b"\r")
)


def points(folder: bytes, table: bytes = _TABLE) -> list[bytes]:
    return [mount.point for mount in under(folder, parse(table))]


def test_each_line_of_the_kernels_mount_table_is_read_and_its_escapes_are_decoded() -> None:
    """A source may have no name, and the kernel does not escape a carriage return."""
    assert parse(_TABLE) == [
        Mount(b"/", "ext4", b"/dev/vda", 0),
        Mount(b"/proc", "proc", b"proc", 0),
        Mount(b"/mnt/a", "vfat", b"/dev/sda1", 0),
        Mount(b"/mnt/ab", "exfat", b"/dev/sdb1", 0),
        Mount(b"/mnt/a/usb stick\\x\ty\nz", "fuse.sshfs", b"me@host:/a b", 0),
        Mount(b"/media/empty", "tmpfs", b"", 0),
        Mount(b"/media/caf\xe9", "cifs", b"//nas/\r\xe9", 0),
    ]


def test_finding_the_mount_of_a_folder_does_not_access_mounts_below_the_folder() -> None:
    """A network share there may not answer."""
    with mock.patch("os.statvfs", wraps=os.statvfs) as statvfs:
        assert [mount.point for mount in mounts.at(b"/", parse(_TABLE))] == [b"/"]

    statvfs.assert_called_once_with(b"/")


def test_only_the_devices_of_network_file_systems_are_remote() -> None:
    """Not those of an overlay, whose folders are mostly on this computer."""
    table = _TABLE + b"35 22 0:50 / /o rw - overlay overlay rw\n36 22 0:51 / /n rw - nfs4 nas:/n rw\n"

    assert mounts.remote_devices(table) == {os.makedev(8, 3), os.makedev(0, 41), os.makedev(0, 51)}


def test_of_several_mounts_at_one_mount_point_only_the_last_counts() -> None:
    stacked = _TABLE + b"40 30 0:50 / /mnt/a rw - tmpfs over rw\n"

    assert [mount.source for mount in under(b"/mnt/a/music", parse(stacked))] == [b"over"]


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        (b"/home/me", [b"/"]),
        (b"/mnt/a", [b"/mnt/a", b"/mnt/a/usb stick\\x\ty\nz"]),
        (b"/mnt/a/", [b"/mnt/a", b"/mnt/a/usb stick\\x\ty\nz"]),
        (b"/mnt/a/music", [b"/mnt/a"]),
        (b"/mnt/ab/music", [b"/mnt/ab"]),
        (b"/mnt/abc", [b"/"]),
        (b"/mnt", [b"/", b"/mnt/a", b"/mnt/ab", b"/mnt/a/usb stick\\x\ty\nz"]),
        (b"/", [mount.point for mount in parse(_TABLE)]),
    ],
)
def test_the_mounts_of_a_folder_are_the_nearest_one_above_and_all_below_it(
    folder: bytes, found: list[bytes]
) -> None:
    """A folder is not below another one whose path only begins with the same letters."""
    assert points(folder) == found


def test_a_folder_mounted_on_itself_does_not_count_as_a_mount() -> None:
    """As systemd mounts it in a sandbox. A mount that shows another folder or drive there counts."""
    sandbox = (
        b"40 22 254:0 /home/a\\040b /home/a\\040b rw - ext4 /dev/vda rw\n"
        b"41 40 254:0 /home/a\\040b/c /home/a\\040b/c rw - ext4 /dev/vda rw\n"
        b"42 30 8:1 /x /mnt/a/x rw - vfat /dev/sda1 rw\n"
        b"43 30 8:1 / /mnt/a rw - vfat /dev/sda1 rw\n"
    )
    others = (
        b"50 22 254:0 /home/a /srv rw - ext4 /dev/vda rw\n"
        b"51 22 8:9 /var /var rw - ext4 /dev/sdz rw\n"
        b"52 50 254:0 /srv/b /srv/b rw - ext4 /dev/vda rw\n"
    )

    assert parse(_TABLE + sandbox) == parse(_TABLE)
    assert [mount.point for mount in parse(_TABLE + others)[-3:]] == [b"/srv", b"/var", b"/srv/b"]


@pytest.mark.parametrize(
    ("fsid", "other", "is_same"),
    [
        (7, Mount(b"/m", "ext4", b"/dev/sda1", 7), True),
        (7, Mount(b"/m", "ext4", b"/dev/sdb1", 7), True),
        (7, Mount(b"/m", "ext4", b"/dev/sda1", 8), True),
        (7, Mount(b"/m", "ext4", b"/dev/sda1", 0), True),
        (7, Mount(b"/m", "ext4", b"/dev/sdb1", 8), False),
        (7, Mount(b"/m", "ext4", b"/dev/sdb1", 0), False),
        (0, Mount(b"/m", "ext4", b"/dev/sdb1", 0), False),
        (7, Mount(b"/m", "xfs", b"/dev/sda1", 7), False),
        (7, Mount(b"/n", "ext4", b"/dev/sda1", 7), False),
    ],
)
def test_mounts_of_one_kind_at_one_point_are_the_same_if_source_or_file_system_number_is_equal(
    fsid: int, other: Mount, is_same: bool
) -> None:
    """A drive may come back as another device."""
    mount = Mount(b"/m", "ext4", b"/dev/sda1", fsid)

    assert mount.is_same(other) is is_same
    assert other.is_same(mount) is is_same


@pytest.mark.root
@pytest.mark.process
def test_each_mounted_tmpfs_is_found_but_no_folder_that_is_mounted_on_itself(tmp_path: Path) -> None:
    """One tmpfs on another, one below that, at a path with odd characters."""
    top = os.fsencode(tmp_path) + b"/mu sic\\040\r\n\t\xe9"

    def seen_after(*command: bytes | str) -> list[Mount]:
        os.makedirs(command[-1], exist_ok=True)
        subprocess.run(command, check=True)
        return under(top, mounts.table())

    def come_and_go() -> list[list[Mount]]:
        return [
            under(top, mounts.table()),
            seen_after("mount", "--bind", top, top),
            seen_after("mount", "--bind", top, top),
            seen_after("mount", "-t", "tmpfs", "first", top),
            seen_after("mount", "-t", "tmpfs", "second", top),
            seen_after("mount", "-t", "tmpfs", "third", top + b"/in side"),
            seen_after("umount", top + b"/in side"),
            seen_after("umount", top),
            seen_after("umount", top),
        ]

    before, bound, twice_bound, one, two, three, two_again, one_again, after = forked(
        come_and_go, own_mounts=True
    )

    assert before == bound == twice_bound == after
    assert (one, two) == (one_again, two_again)
    assert [(m.point, m.kind, m.source) for m in one] == [(top, "tmpfs", b"first")]
    assert [(m.point, m.source) for m in three] == [(top, b"second"), (top + b"/in side", b"third")]
    assert len({m.fsid for m in three}) == 2
    assert all(m.fsid for m in three)
