"""Read the mount table, and find the file system of a folder."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from playshuffle.system.regular_file import read_if_any

# File systems that other computers change, without an event here.
_BLIND = frozenset(
    (
        *("9p", "afs", "ceph", "cifs", "coda", "davfs", "fuse", "glusterfs", "lustre", "nfs", "nfs4"),
        *("ocfs2", "overlay", "smb3", "smbfs", "vboxsf", "virtiofs"),
    )
)

# File systems that keep the number of a file, its inode, as long as it exists. FUSE, FAT and exFAT make up
# numbers at each mount, and some shares do.
LASTING_NUMBERS = frozenset(
    (
        *("btrfs", "ext2", "ext3", "ext4", "f2fs", "hfsplus", "jfs", "nfs4"),
        *("nfs", "reiserfs", "tmpfs", "xfs", "zfs"),
    )
)

# File systems that show the files of several folders, whose names their source lists.
_POOLS = frozenset(("aufs", "bcachefs", "fuse.mergerfs", "fuse.mhddfs", "fuse.unionfs"))

_REMOVABLE = (b"/media/", b"/run/media/", b"/mnt/")

_ESCAPE = rb"\\([0-7]{3})"


class Mount(NamedTuple):
    """A row of the mount table.

    A device number does not identify a file system: the same drive may come back with another number.

    Attributes:
        fsid: the file system's own number; 0 if unknown.
    """

    point: bytes
    kind: str
    source: bytes
    fsid: int

    def is_same(self, other: "Mount") -> bool:
        return (
            self.point == other.point
            and self.kind == other.kind
            and (self.source == other.source or self.fsid == other.fsid != 0)
        )

    def may_have_all_of(self, other: "Mount") -> bool:
        """Return whether this may be a mount of the same files: not a pool that has lost a disk."""
        if self.point != other.point or other.kind not in _POOLS:
            return self.point == other.point
        parts = self.source.split(b":")  # without the beginning that all have in common
        return self.kind == other.kind and all(
            any(part.endswith(before) or before.endswith(part) for part in parts)
            for before in other.source.split(b":")
        )


def is_blind(kind: str) -> bool:
    """Return whether files in a kind of file system may change without an event."""
    # Not `fuseblk`, NTFS or exFAT on a local drive: all its changes pass through this kernel.
    return kind in _BLIND or kind.startswith("fuse.")


def mountinfo(process: int | str = "self") -> bytes:
    """Return the kernel's mount table, as a process sees it; empty if it cannot be read."""
    return read_if_any(f"/proc/{process}/mountinfo")


class MountRow(NamedTuple):
    """A row of the kernel's mount table, with its paths unescaped."""

    number: bytes
    device: bytes
    root: bytes
    point: bytes
    options: bytes
    kind: str
    source: bytes


def rows(mountinfo: bytes) -> Iterator[MountRow]:
    """Yield the rows of a mount table."""
    for line in mountinfo.split(b"\n")[:-1]:  # a carriage return may be part of a name
        # 36 35 98:0 /root /point options [tags…] - type source superoptions
        before, _, after = line.partition(b" - ")
        number, _, device, root, point, options = before.split(b" ")[:6]
        kind, source = after.split(b" ")[:2]
        root, point, source = map(_unescaped, (root, point, source))
        yield MountRow(number, device, root, point, options, os.fsdecode(kind), source)


def table() -> list[Mount]:
    """Read the mount table."""
    return parse(mountinfo())


def parse(mountinfo: bytes) -> list[Mount]:
    """Return the mounts of a table; of several mounts at one point, only the last, which hides the others.

    A folder mounted on itself does not count: systemd mounts writable folders so in a sandbox, and a library
    there must not seem to be on another drive.
    """
    mounts = {}
    origins = {}
    for row in rows(mountinfo):
        mounts[row.point] = Mount(row.point, row.kind, row.source, 0)
        origins[row.point] = (row.device, row.root)
    return [mount for point, mount in mounts.items() if not _is_on_itself(point, origins)]


def removable(mounts: Iterable[Mount]) -> list[bytes]:
    """Return the mount points of removable drives, as desktops and users choose them."""
    return sorted(mount.point for mount in mounts if mount.point.startswith(_REMOVABLE))


def remote_devices(mountinfo: bytes) -> frozenset[int]:
    """Return the devices of file systems that are not on a local disk."""
    devices = {row.device for row in rows(mountinfo) if is_blind(row.kind) and row.kind != "overlay"}
    return frozenset(os.makedev(*map(int, device.split(b":"))) for device in devices)


def _is_on_itself(point: bytes, origins: Mapping[bytes, tuple[bytes, bytes]]) -> bool:
    """Return whether the same folder would be at a mount point without the mount."""
    below, above = b"", point
    while above != b"/":
        above, name = os.path.split(above)
        below = os.path.join(name, below) if below else name
        if above in origins:
            device, root = origins[above]
            return origins[point] == (device, os.path.join(root, below))
    return False


def at(folder: bytes, mounts: Iterable[Mount]) -> list[Mount]:
    """Return the mount of a resolved folder, with its fsid; empty if unknown."""
    top = os.path.join(folder, b"")
    around = [mount for mount in mounts if top.startswith(os.path.join(mount.point, b""))]
    return [_with_fsid(mount) for mount in sorted(around, key=lambda mount: len(mount.point))[-1:]]


def under(folder: bytes, mounts: Sequence[Mount]) -> list[Mount]:
    """Return the mount of a resolved folder, then those below it, with their fsid."""
    top = os.path.join(folder, b"")
    below = [mount for mount in mounts if mount.point.startswith(top) and mount.point != top]
    return [*at(folder, mounts), *map(_with_fsid, below)]


def _with_fsid(mount: Mount) -> Mount:
    try:
        return mount._replace(fsid=os.statvfs(mount.point).f_fsid)
    except OSError:
        return mount


def device_kind(folder: bytes) -> tuple[int, str] | None:
    """Return the device number of a folder and the kind of its file system, such as `ext4`, if known."""
    # The kernel names the mount of an open folder. Paths and device numbers do not: a mount may hide another
    # one, and btrfs numbers each subvolume.
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            device = os.fstat(opened).st_dev
            with open(f"/proc/self/fdinfo/{opened}", "rb") as file:
                facts = dict(line.split(b":", 1) for line in file)
        finally:
            os.close(opened)
        mount = facts[b"mnt_id"].strip()
    except (OSError, ValueError, KeyError):
        return None
    return next(((device, row.kind) for row in rows(mountinfo()) if row.number == mount), None)


def _unescaped(field: bytes) -> bytes:
    return re.sub(_ESCAPE, lambda match: bytes([int(match[1], 8)]), field)
