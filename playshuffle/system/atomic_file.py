"""Bytes -> a file, in one step: whoever reads sees the old playlist or the new one, never a part."""

import contextlib
import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from playshuffle.errors import Exit, PlayshuffleError, shown

_NAME_MAX = 255  # bytes of a file name, on all common file systems
_CHANCE = 6  # random bytes in the name of a temporary file
_NEW_MODE = 0o644
_LINKS_MAX = 40  # as many as the kernel follows
_RETRY_S = 0.05
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

# Why it could not be done, and what to do about it.
_REASONS = {
    errno.ENOSPC: ("the disk is full", "Make room and try again."),
    errno.EDQUOT: ("your disk quota is used up", "Make room and try again."),
    errno.EROFS: (
        "{folder} is read-only here",
        "Choose another place; for a service, name the folder in ReadWritePaths= of its unit.",
    ),
    errno.EACCES: ("this user may not write in {folder}", "Change its permissions or choose another place."),
    errno.EPERM: ("this user may not replace it", "Change its owner or flags, or choose another place."),
    errno.ENOENT: ("the folder {folder} does not exist", "Make it first or choose another place."),
    errno.ENOTDIR: ("{folder} is not a folder", "Choose another place."),
    errno.EISDIR: ("it is a folder", "Choose another name."),
    errno.ENODEV: ("it is no regular file", "Choose another name."),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter one."),
    errno.ELOOP: ("its symbolic links lead nowhere", "Remove them or choose another place."),
}
_OTHER_CURE = "Choose another place, or look for the cause in the system's log."


def resolved(path: bytes) -> bytes:
    """Find the file that a playlist is really kept in, which need not exist yet.

    A symbolic link is followed only if this user or root made it, in a folder that not
    everyone can write to: elsewhere it may have been planted, and will be replaced.

    Raises:
        PlayshuffleError: the links lead in a circle.
    """
    here = path
    for _ in range(_LINKS_MAX):
        folder, name = os.path.split(here)
        folder = os.path.realpath(folder)
        here = os.path.join(folder, name)
        try:
            made = os.lstat(here)
            open_to_all = os.stat(folder).st_mode & stat.S_IWOTH
            if not stat.S_ISLNK(made.st_mode) or made.st_uid not in (0, os.geteuid()) or open_to_all:
                return here
            here = os.path.join(folder, os.readlink(here))
        except OSError:  # nothing there, or nothing to be seen: writing will tell
            return here
    raise _refusal(path, folder, _os_error(errno.ELOOP))


def write(path: bytes, content: Iterable[bytes], commit: Callable[[], object] = lambda: None) -> bool:
    """Make this the content of the file, in one step that no crash or power cut can divide.

    An old file passes on its mode, its extended attributes (access lists among them) and, as
    far as allowed, its owner. A new one may be read by all: players run as other users.

    Args:
        path: of the file.
        content: gone through twice where the file exists: to compare, then to write.
        commit: called when all is safe on the disk, just before it takes the place of what was
            there; what this raises leaves the old file as it was.

    Returns:
        False if the file held exactly this already; then it was not touched.

    Raises:
        PlayshuffleError: it could not be done; an old file is as it was.
    """
    folder, name = os.path.split(resolved(path))
    is_replaced = False
    try:
        with _folder(folder) as folder_fd:
            old = _old(name, folder_fd)
            if old is not None and _holds(name, folder_fd, content):
                commit()
                return False
            _replace(name, folder_fd, content, old, commit)
            is_replaced = True
            with _as_far_as_allowed():  # some file systems cannot sync a folder
                os.fsync(folder_fd)
    except OSError as error:
        raise (_unconfirmed(path, error) if is_replaced else _refusal(path, folder, error)) from error
    return True


def sweep(folder: bytes, name: bytes) -> None:
    """Remove what attempts to write this playlist left behind when they were killed.

    Only while the folder is `held`: the temporary file of a living process looks the same.
    """
    before, after = _around(name)
    is_litter = re.compile(re.escape(before) + b"[0-9a-f]{%d}" % (2 * _CHANCE) + re.escape(after)).fullmatch
    with contextlib.suppress(OSError), _folder(folder) as folder_fd:  # litter does no harm; writing will tell
        for found in filter(is_litter, map(os.fsencode, os.listdir(folder_fd))):
            made = os.stat(found, dir_fd=folder_fd, follow_symlinks=False)
            if stat.S_ISREG(made.st_mode) and made.st_uid == os.geteuid():
                os.unlink(found, dir_fd=folder_fd)


@contextlib.contextmanager
def held(folder: bytes, patience_s: float = 10) -> Iterator[None]:
    """Keep every other playshuffle from writing in the folder meanwhile.

    Raises:
        PlayshuffleError: another one held it all the time that patience lasts, or there is no such folder.
    """
    try:
        fd = os.open(folder, _FOLDER_FLAGS)
    except OSError as error:
        raise _refusal(os.path.join(folder, b""), folder, error) from error
    try:
        _lock(fd, folder, patience_s)
        yield
    finally:
        # Closing alone would not do: a child forked meanwhile has the descriptor too.
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def _lock(fd: int, folder: bytes, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise PlayshuffleError(
                    f"Another playshuffle has been writing in {shown(folder)} for {patience_s:g} seconds. "
                    "Nothing was changed; try again when it is done.",
                    Exit.CANNOT_CREATE,
                ) from error
            time.sleep(_RETRY_S)
        except OSError:  # NFS and others cannot lock a folder; replacing stays one step without
            return
        else:
            return


@contextlib.contextmanager
def _folder(folder: bytes) -> Iterator[int]:
    fd = os.open(folder, _FOLDER_FLAGS)
    try:
        yield fd
    finally:
        os.close(fd)


def _old(name: bytes, folder_fd: int) -> os.stat_result | None:
    try:
        old = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(old.st_mode):  # one that `resolved` does not trust
        return None
    if stat.S_ISDIR(old.st_mode):
        raise _os_error(errno.EISDIR)
    if not stat.S_ISREG(old.st_mode):
        raise _os_error(errno.ENODEV)
    return old


def _open_old(name: bytes, folder_fd: int) -> BinaryIO:
    # Not blocking: it may have become a FIFO since it was looked at.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(name, flags, dir_fd=folder_fd), "rb")


def _holds(name: bytes, folder_fd: int, content: Iterable[bytes]) -> bool:
    try:
        with _open_old(name, folder_fd) as file:
            return all(file.read(len(chunk)) == chunk for chunk in content) and not file.read(1)
    except OSError:  # what cannot be read can be replaced
        return False


def _replace(
    name: bytes,
    folder_fd: int,
    content: Iterable[bytes],
    old: os.stat_result | None,
    commit: Callable[[], object],
) -> None:
    before, after = _around(name)
    temporary = before + os.getrandom(_CHANCE).hex().encode() + after
    # Nobody else may open it until it has the mode of the old file.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temporary, flags, 0o600, dir_fd=folder_fd)
    try:
        with os.fdopen(fd, "wb") as file:
            file.writelines(content)
            file.flush()
            if old is None:
                with _as_far_as_allowed():
                    os.fchmod(fd, _NEW_MODE)
            else:
                _inherit(fd, name, folder_fd, old)
            os.fsync(fd)
        commit()
        os.replace(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder_fd)
        raise


def _inherit(fd: int, name: bytes, folder_fd: int, old: os.stat_result) -> None:
    made = os.fstat(fd)
    if made.st_uid != old.st_uid:
        with _as_far_as_allowed():
            os.fchown(fd, old.st_uid, -1)
    if made.st_gid != old.st_gid:
        with _as_far_as_allowed():
            os.fchown(fd, -1, old.st_gid)
    with _as_far_as_allowed(), _open_old(name, folder_fd) as file:
        old_fd = file.fileno()
        attributes = os.listxattr(old_fd)
        for attribute in set(os.listxattr(fd)).difference(attributes):  # the folder's default access list
            with _as_far_as_allowed():
                os.removexattr(fd, attribute)
        for attribute in attributes:
            with _as_far_as_allowed():
                os.setxattr(fd, attribute, os.getxattr(old_fd, attribute))
    with _as_far_as_allowed():
        os.fchmod(fd, old.st_mode & 0o777)


@contextlib.contextmanager
def _as_far_as_allowed() -> Iterator[None]:
    """FAT knows no modes, a sandbox no owners, not every user may: the playlist matters more."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP):
            raise


def _around(name: bytes) -> tuple[bytes, bytes]:
    """What stands before and after the random part in the name of a temporary file.

    Hidden, which scanners skip, and not ending in .m3u, since MPD lists even a hidden one.
    """
    room = _NAME_MAX - len(b"...tmp") - 2 * _CHANCE
    if len(name) > room:  # some file systems take no half characters
        name = name[:room].decode(errors="ignore").encode()
    return b"." + name + b".", b".tmp"


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _refusal(path: bytes, folder: bytes, error: OSError) -> PlayshuffleError:
    reason, cure = _REASONS.get(error.errno or 0, (error.strerror or str(error), _OTHER_CURE))
    kept = "What was there is as it was." if os.path.lexists(path) else "Nothing was written."
    return PlayshuffleError(
        f"Cannot write {shown(path)}: {reason.format(folder=shown(folder))}. {kept} {cure}",
        Exit.CANNOT_CREATE,
    )


def _unconfirmed(path: bytes, error: OSError) -> PlayshuffleError:
    return PlayshuffleError(
        f"{shown(path)} was replaced, but the disk did not confirm it ({error.strerror}): a power cut "
        "may still undo that. Look for the cause in the system's log.",
        Exit.CANNOT_CREATE,
    )
