"""Explain why a file cannot be written, and what to do about it."""

import errno
import os

from playshuffle.errors import Exit, PlayshuffleError, shown

# Why writing failed, and what to do about it.
_REASONS = {
    errno.ENOSPC: ("the disk is full", "Make room and try again."),
    errno.EDQUOT: ("your disk quota is used up", "Make room and try again."),
    errno.EROFS: ("{folder} is read-only here", "Choose another folder."),
    errno.EACCES: ("this user may not write in {folder}", "Change its permissions or choose another place."),
    errno.EPERM: ("this user may not replace it", "Change its owner or flags, or choose another place."),
    errno.ENOENT: (
        "the folder {folder} does not exist",
        "Make it, mount its drive, or choose another place.",
    ),
    errno.ENOTDIR: ("{folder} is not a folder", "Choose another place."),
    errno.EISDIR: ("it is a folder", "Choose another name."),
    errno.ENODEV: ("it is not a regular file", "Choose another name."),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter one."),
}
_OTHER_CURE = "Choose another place, or look for the cause in the system's log."


def os_error(number: int) -> OSError:
    """Return the OSError of an error number."""
    return OSError(number, os.strerror(number))


def words(error: Exception) -> str:
    """Return the text of an error for users, with its path if known."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.strerror} ({shown(error.filename)})"


def refusal(path: bytes, folder: bytes, error: OSError, consequence: str | None = None) -> PlayshuffleError:
    """Return the error for a file that could not be written into a folder, and what follows from it."""
    if error.errno == errno.ENOENT and os.path.isdir(folder):
        error = os_error(errno.EROFS)  # such as /proc
    reason, cure = _REASONS.get(error.errno or 0, (error.strerror or str(error), _OTHER_CURE))
    if consequence is None:
        consequence = "The old file was not changed." if os.path.lexists(path) else "Nothing was written."
    return PlayshuffleError(
        f"Cannot write {shown(path)}: {reason.format(folder=shown(folder))}. {consequence} {cure}",
        Exit.CANNOT_CREATE,
    )


def unconfirmed(path: bytes, error: OSError) -> PlayshuffleError:
    """Return the error for a replaced file that the disk did not confirm."""
    return PlayshuffleError(
        f"{shown(path)} was replaced, but the disk did not confirm it ({error.strerror}): a power cut "
        "may still undo that. Look for the cause in the system's log.",
        Exit.CANNOT_CREATE,
    )
