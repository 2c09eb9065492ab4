"""Replace files in one step: readers see the old content or the new one, never a part."""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system import lock
from playshuffle.system.write_errors import os_error, refusal, unconfirmed

_NAME_MAX = 143  # bytes of a file name, on eCryptfs; elsewhere 255
_CHANCE = 6  # random bytes in the name of a temporary file
_NEW_MODE = 0o644
_CANNOT_SYNC_FOLDERS = (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP)  # some file systems
_LINKS_MAX = 40  # the limit of the kernel
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def resolved(path: bytes) -> bytes:
    """Return the path of a playlist's real file, which need not exist yet.

    A symbolic link is followed only if this user or root made it, in a folder that not everyone can write to.
    An attacker may have made any other link, which will be replaced. For links in a circle, return the path.
    """
    current = path
    for _ in range(_LINKS_MAX):
        folder, name = os.path.split(current)
        folder = os.path.realpath(folder)
        current = os.path.join(folder, name)
        try:
            status = os.lstat(current)
            open_to_all = os.stat(folder).st_mode & stat.S_IWOTH
            if not stat.S_ISLNK(status.st_mode) or status.st_uid not in (0, os.geteuid()) or open_to_all:
                return current
            current = os.path.join(folder, os.readlink(current))
        except OSError:  # missing, or hidden from this user: writing will show
            return current
    return path


class Prepared:
    """The new content of a file, safe in a temporary file beside it."""

    def __init__(self, path: bytes, asked_path: bytes, folder_fd: int, temporary: bytes | None) -> None:
        self._path = path
        self._asked_path = asked_path  # for messages: without links resolved
        self._folder_fd = folder_fd
        self._temporary = temporary

    def replace(self) -> bool:
        """Put the new content in place, in one step that no crash or power cut can divide.

        Return False if the file already had this content.

        Raises:
            PlayshuffleError: the file is as it was, or the disk did not confirm the replacement.
        """
        if self._temporary is None:
            return False
        folder, name = os.path.split(self._path)
        try:
            os.replace(self._temporary, name, src_dir_fd=self._folder_fd, dst_dir_fd=self._folder_fd)
        except OSError as error:
            raise refusal(self._asked_path, folder, error) from error
        self._temporary = None
        try:
            os.fsync(self._folder_fd)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC_FOLDERS:
                raise unconfirmed(self._asked_path, error) from error
        return True

    @property
    def stamp(self) -> str:
        return stamp(self._current, self._folder_fd)

    @property
    def owner(self) -> int:
        return os.stat(self._current, dir_fd=self._folder_fd).st_uid

    @property
    def _current(self) -> bytes:
        return self._temporary or os.path.basename(self._path)

    def discard(self) -> None:
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._temporary, dir_fd=self._folder_fd)


def stamp(path: bytes, folder_fd: int | None = None) -> str:
    """Return inode, size and time of a file, which stay the same until somebody writes to it."""
    status = os.stat(path, dir_fd=folder_fd)
    return f"{status.st_ino}-{status.st_size}-{status.st_mtime_ns}"


@contextlib.contextmanager
def prepared(path: bytes, content: Iterable[bytes]) -> Iterator[Prepared]:
    """Write the new content of a file beside it; `Prepared.replace` puts it in place.

    Before that call, when nothing on the disk can fail any more, the caller can save other data. An exception
    leaves the old file as it was.

    A new file keeps the mode of the old one, its extended attributes and, if allowed, its owner. Without an
    old file, everyone may read it: players run as other users.

    Args:
        content: iterated twice if the file exists, first to compare.

    Raises:
        PlayshuffleError: the content could not be written.
    """
    real_path = resolved(path)
    folder, name = os.path.split(real_path)
    with contextlib.ExitStack() as stack:
        try:
            folder_fd = stack.enter_context(_folder(folder))
            old = _old(name, folder_fd)
            is_same = old is not None and _holds(name, folder_fd, content)
            temporary = None if is_same else _write_temporary(name, folder_fd, content, old)
        except OSError as error:
            raise refusal(path, folder, error) from error
        ready = Prepared(real_path, path, folder_fd, temporary)
        stack.callback(ready.discard)
        yield ready


def write(path: bytes, content: Iterable[bytes]) -> bool:
    """Replace the content of a file, by `prepared` and `Prepared.replace`."""
    with prepared(path, content) as ready:
        return ready.replace()


def make_folder_for(path: bytes) -> None:
    """Create the folder of a file."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise refusal(path, folder, error) from error


def remove(path: bytes) -> bool:
    """Remove a file; return whether it existed."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise PlayshuffleError(
            f"Cannot remove {shown(path)}: {error.strerror}.", Exit.CANNOT_CREATE
        ) from error
    return True


def sweep(folder: bytes, name: bytes) -> None:
    """Remove the temporary files that killed writers of a playlist left.

    Call it only while the folder is `held`: the temporary file of a running process looks the same.
    """
    before, after = _around(name)
    is_litter = re.compile(re.escape(before) + b"[0-9a-f]{%d}" % (2 * _CHANCE) + re.escape(after)).fullmatch
    with contextlib.suppress(OSError), _folder(folder) as folder_fd:  # litter does no harm; writing will tell
        for litter in filter(is_litter, map(os.fsencode, os.listdir(folder_fd))):
            status = os.stat(litter, dir_fd=folder_fd, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                os.unlink(litter, dir_fd=folder_fd)


@contextlib.contextmanager
def held(folder: bytes, name: bytes = b"", patience_s: float = 10) -> Iterator[None]:
    """Keep other playshuffle processes from writing in a folder. Errors name the file `name` in it.

    Raises:
        PlayshuffleError: another process held it for too long, or the folder does not exist.
    """
    try:
        fd = os.open(folder, _FOLDER_FLAGS)
    except OSError as error:
        raise refusal(os.path.join(folder, name), folder, error) from error
    with lock.held_descriptor(fd, patience_s) as is_free:
        if not is_free:
            raise PlayshuffleError(
                f"Another playshuffle has been writing in {shown(folder)} for {patience_s:g} seconds. "
                "Nothing was changed. Try again when it is done.",
                Exit.CANNOT_CREATE,
            )
        yield


@contextlib.contextmanager
def _folder(folder: bytes) -> Iterator[int]:
    fd = os.open(folder, _FOLDER_FLAGS)
    try:
        yield fd
    finally:
        with contextlib.suppress(OSError):  # nothing is lost: every write is synced, or was refused
            os.close(fd)


def _old(name: bytes, folder_fd: int) -> os.stat_result | None:
    try:
        old = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(old.st_mode):  # a link that `resolved` does not trust
        return None
    if stat.S_ISDIR(old.st_mode):
        raise os_error(errno.EISDIR)
    if not stat.S_ISREG(old.st_mode):
        raise os_error(errno.ENODEV)
    return old


def _open_old(name: bytes, folder_fd: int) -> BinaryIO:
    # Non-blocking: it may have become a FIFO since it was checked.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(name, flags, dir_fd=folder_fd), "rb")


def _holds(name: bytes, folder_fd: int, content: Iterable[bytes]) -> bool:
    try:
        with _open_old(name, folder_fd) as file:
            return all(file.read(len(chunk)) == chunk for chunk in content) and not file.read(1)
    except OSError:  # an unreadable file can be replaced
        return False


def _write_temporary(
    name: bytes, folder_fd: int, content: Iterable[bytes], old: os.stat_result | None
) -> bytes:
    before, after = _around(name)
    temporary = before + os.getrandom(_CHANCE).hex().encode() + after
    # Nobody else may open it before it has the mode of the old file.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temporary, flags, 0o600, dir_fd=folder_fd)
    try:
        with os.fdopen(fd, "wb") as file:
            file.writelines(content)
            file.flush()
            if old is None:
                with _if_possible():
                    os.fchmod(fd, _NEW_MODE)
            else:
                _inherit(fd, name, folder_fd, old)
            os.fsync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder_fd)
        raise
    return temporary


def _inherit(fd: int, name: bytes, folder_fd: int, old: os.stat_result) -> None:
    status = os.fstat(fd)
    if status.st_uid != old.st_uid:
        with _if_possible():
            os.fchown(fd, old.st_uid, -1)
    if status.st_gid != old.st_gid:
        with _if_possible():
            os.fchown(fd, -1, old.st_gid)
    with _if_possible(), _open_old(name, folder_fd) as file:
        old_fd = file.fileno()
        attributes = os.listxattr(old_fd)
        for attribute in set(os.listxattr(fd)).difference(attributes):  # the folder's default access list
            with _if_possible():
                os.removexattr(fd, attribute)
        for attribute in attributes:
            with _if_possible():
                os.setxattr(fd, attribute, os.getxattr(old_fd, attribute))
    with _if_possible():
        os.fchmod(fd, old.st_mode & 0o777)


def _if_possible() -> contextlib.suppress:
    """Ignore an error about the attributes of a file: its content counts.

    Setting them can fail on FAT, in a sandbox and without permission, and reading them on a network drive.
    """
    return contextlib.suppress(OSError)


def _around(name: bytes) -> tuple[bytes, bytes]:
    """Return the name of a temporary file before and after its random part.

    Scanners skip it because it is hidden. It does not end in .m3u, since MPD lists even hidden ones.
    """
    room = _NAME_MAX - len(b"...tmp") - 2 * _CHANCE
    if len(name) > room:  # some file systems take no half characters
        name = name[:room].decode(errors="ignore").encode()
    return b"." + name + b".", b".tmp"
