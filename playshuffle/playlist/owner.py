"""Write a playlist in one step, unless it belongs to another user."""

import contextlib
import os
import pwd
from collections.abc import Iterator

from playshuffle.errors import Exit, Note, OptionError, shown
from playshuffle.playlist.m3u import Text
from playshuffle.system import atomic_file


@contextlib.contextmanager
def prepared(path: bytes, text: Text, *, force: bool) -> Iterator[atomic_file.Prepared]:
    """Write the new content of a playlist beside it; `replace` puts it in place.

    Args:
        force: also replace a playlist of another user.

    Raises:
        PlayshuffleError: the playlist belongs to another user. It was not changed.
    """
    with atomic_file.prepared(path, text) as ready:
        if not force:
            _check_owner(path, ready.owner)
        yield ready


def _check_owner(path: bytes, owner: int) -> None:
    # Only writing shows the owner: on some file systems all files have the same one, and root may keep it.
    try:
        other = os.lstat(path).st_uid
    except OSError:
        return
    if other != owner:
        stem, suffix = os.path.splitext(path)
        raise OptionError(
            "{path} is a playlist of user {user}, so it was not changed. Write your own with {}, such as"
            " {own}, or add {} to replace it.",
            "output",
            "force = true",
            code=Exit.CANNOT_CREATE,
            path=path,
            user=user_name(other),
            own=b"%b-%b%b" % (stem, os.fsencode(user_name(owner)), suffix),
        )


def owner_notes(path: bytes) -> list[Note]:
    """Return a note for root about another user's playlist that root replaces."""
    with contextlib.suppress(OSError):
        if os.geteuid() == 0 and (owner := os.stat(path).st_uid):
            text = f"{shown(path)} is a playlist of user {user_name(owner)}, who stays its owner."
            return [Note("owner", text)]
    return []


def user_name(number: int) -> str:
    """Return the name of a user, or else the number."""
    try:
        return shown(pwd.getpwuid(number).pw_name)
    except KeyError:
        return str(number)
