import os
import subprocess
from pathlib import Path

import pytest

from playshuffle.system import mounts
from playshuffle.system.mounts import Mount, parse, under
from tests.support.forked import forked

_TABLE = rb"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
30 22 8:1 / /mnt/a rw shared:5 master:2 - vfat /dev/sda1 rw,iocharset=utf8
31 22 8:2 / /mnt/ab rw - exfat /dev/sdb1 rw
32 30 8:3 /sub /mnt/a/usb\040stick\134x\011y\012z rw - fuse.sshfs me@host:/a\040b rw
33 22 0:40 / /media/empty rw - tmpfs  rw
34 22 0:41 / /media/caf\xe9 rw - cifs //nas/caf\xe9 rw
""".lstrip().replace(rb"\xe9", b"\xe9")


def points(folder: bytes, table: bytes = _TABLE) -> list[bytes]:
    return [mount.point for mount in under(folder, parse(table))]


def test_each_line_is_a_mount_with_its_escapes_undone() -> None:
    """Of a source without a name, too, and without any optional field."""
    assert parse(_TABLE) == [
        Mount(b"/", "ext4", b"/dev/vda", 0),
        Mount(b"/proc", "proc", b"proc", 0),
        Mount(b"/mnt/a", "vfat", b"/dev/sda1", 0),
        Mount(b"/mnt/ab", "exfat", b"/dev/sdb1", 0),
        Mount(b"/mnt/a/usb stick\\x\ty\nz", "fuse.sshfs", b"me@host:/a b", 0),
        Mount(b"/media/empty", "tmpfs", b"", 0),
        Mount(b"/media/caf\xe9", "cifs", b"//nas/caf\xe9", 0),
    ]


def test_finding_the_mount_of_a_folder_does_not_access_mounts_below_the_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of them may hang."""
    asked: list[bytes] = []
    real = os.statvfs

    def statvfs(path: bytes) -> os.statvfs_result:
        asked.append(path)
        return real(path)

    monkeypatch.setattr(os, "statvfs", statvfs)

    assert [mount.point for mount in mounts.at(b"/", parse(_TABLE))] == [b"/"]

    assert asked == [b"/"]


def test_disks_of_this_machine_are_not_remote() -> None:
    """An overlay, too, is made of folders that are mostly here."""
    table = _TABLE + b"35 22 0:50 / /o rw - overlay overlay rw\n36 22 0:51 / /n rw - nfs4 nas:/n rw\n"

    assert mounts.remote_devices(table) == {os.makedev(8, 3), os.makedev(0, 41), os.makedev(0, 51)}


def test_a_carriage_return_is_part_of_the_name_of_a_mount_point() -> None:
    """The kernel does not escape it."""
    assert parse(b"1 2 0:1 / /mnt/a\rb rw - tmpfs x\ry rw\n") == [Mount(b"/mnt/a\rb", "tmpfs", b"x\ry", 0)]


def test_of_several_mounts_at_one_place_the_last_counts() -> None:
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
    """A name that only begins like another is another."""
    assert points(folder) == found


def test_a_folder_mounted_on_itself_does_not_count_as_a_mount() -> None:
    """As in a sandbox; one on such a one, too. What shows another folder, or another drive, is a mount."""
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
    ("other", "is_same"),
    [
        (Mount(b"/m", "ext4", b"/dev/sda1", 7), True),
        (Mount(b"/m", "ext4", b"/dev/sdb1", 7), True),
        (Mount(b"/m", "ext4", b"/dev/sda1", 8), True),
        (Mount(b"/m", "ext4", b"/dev/sda1", 0), True),
        (Mount(b"/m", "ext4", b"/dev/sdb1", 8), False),
        (Mount(b"/m", "ext4", b"/dev/sdb1", 0), False),
        (Mount(b"/m", "xfs", b"/dev/sda1", 7), False),
        (Mount(b"/n", "ext4", b"/dev/sda1", 7), False),
    ],
)
def test_mounts_at_the_same_place_are_the_same_if_source_or_file_system_number_is_equal(
    other: Mount, is_same: bool
) -> None:
    """At the same place and of the same kind: a drive may come back as another device."""
    assert Mount(b"/m", "ext4", b"/dev/sda1", 7).is_same(other) is is_same
    assert other.is_same(Mount(b"/m", "ext4", b"/dev/sda1", 7)) is is_same


def test_mounts_of_different_sources_are_not_the_same_if_both_numbers_are_unknown() -> None:
    assert not Mount(b"/m", "ext4", b"/dev/sda1", 0).is_same(Mount(b"/m", "ext4", b"/dev/sdb1", 0))


@pytest.mark.root
@pytest.mark.process
def test_a_real_folder_mounted_on_itself_does_not_count_as_a_mount(tmp_path: Path) -> None:
    folder = bytes(tmp_path / "a b")
    os.mkdir(folder)

    def bound() -> list[list[Mount]]:
        seen = [under(folder, mounts.table())]
        for _ in range(2):
            subprocess.run(["mount", "--bind", folder, folder], check=True)
        return [*seen, under(folder, mounts.table())]

    before, after = forked(bound, own_mounts=True)

    assert before == after


@pytest.mark.root
@pytest.mark.process
def test_real_mounts_appear_in_the_mount_table_and_disappear(tmp_path: Path) -> None:
    """One on another, one within, one of an odd name."""
    top = os.fsencode(tmp_path) + b"/mu sic\\040\r\n\t\xe9"
    os.makedirs(top)

    def mount(path: bytes, source: bytes) -> None:
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", source, path], check=True)

    def come_and_go() -> list[list[Mount]]:
        seen = [under(top, mounts.table())]
        mount(top, b"first")
        seen.append(under(top, mounts.table()))
        mount(top, b"second")
        mount(top + b"/in side", b"third")
        seen.append(under(top, mounts.table()))
        subprocess.run(["umount", top + b"/in side"], check=True)
        subprocess.run(["umount", top], check=True)
        seen.append(under(top, mounts.table()))
        subprocess.run(["umount", top], check=True)
        seen.append(under(top, mounts.table()))
        return seen

    before, one, three, again, after = forked(come_and_go, own_mounts=True)

    assert before == after
    assert one == again
    assert [(m.point, m.kind, m.source) for m in one] == [(top, "tmpfs", b"first")]
    assert [(m.point, m.source) for m in three] == [(top, b"second"), (top + b"/in side", b"third")]
    assert len({m.fsid for m in three}) == 2
    assert all(m.fsid for m in three)


@pytest.mark.parametrize(
    ("kinds", "is_blind"),
    [
        ("nfs nfs4 cifs smb3 9p virtiofs fuse fuse.sshfs overlay", True),
        ("ext4 xfs btrfs zfs vfat exfat ntfs3 fuseblk tmpfs", False),
    ],
)
def test_network_file_systems_may_change_without_an_event_but_local_drives_cannot(
    kinds: str, is_blind: bool
) -> None:
    assert {mounts.is_blind(kind) for kind in kinds.split()} == {is_blind}
