"""Split a long list into several files, such as name-1.m3u8, each replaced in one step.

They are one playlist, whose name has no number. Parts that a shorter list no longer needs are removed after
the others are written.
"""

import contextlib
import os
import pwd
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, product

from playshuffle.errors import Exit, Note, OptionError, shown
from playshuffle.playlist.m3u import Text
from playshuffle.playlist.playlist_file import existing_parts, is_our_part, not_ours, part_name
from playshuffle.system import atomic_file


class Parts:
    """The text of a playlist, in one or more parts; iterating yields the pieces of all parts.

    Attributes:
        basis: a checksum of all that the text is made of, except the order: the number and the line of each
            track, and the comments.
    """

    def __init__(self, texts: Sequence[Text], basis: str) -> None:
        self.texts = texts
        self.basis = basis

    def __iter__(self) -> Iterator[bytes]:
        return chain.from_iterable(self.texts)

    @cached_property
    def fingerprint(self) -> str:
        return " ".join(text.fingerprint for text in self.texts)


def playlist_text(
    kind: Callable[[Sequence[bytes], Sequence[int], Sequence[tuple[str, str]]], Text],
    lines: Sequence[bytes],
    order: Sequence[int],
    comments: Sequence[tuple[str, str]],
    max_per_file: int | None,
    basis: str,
) -> Parts:
    """Return the text of a playlist, in parts if it has more than `max_per_file` entries."""
    if max_per_file is None or len(order) <= max_per_file:
        return Parts([kind(lines, order, comments)], basis)
    starts = range(0, len(order), max_per_file)
    return Parts(
        [
            kind(lines, order[start : start + max_per_file], [*comments, ("PART", f"{number}/{len(starts)}")])
            for number, start in enumerate(starts, 1)
        ],
        basis,
    )


def files_of(path: bytes, text: Parts) -> list[bytes]:
    """Return the paths of a playlist's files: its own, or those of its parts."""
    if len(text.texts) == 1:
        return [path]
    return [part_name(path, number) for number in range(1, len(text.texts) + 1)]


def surplus(path: bytes, text: Parts) -> list[bytes]:
    """Return the existing files of a playlist, which may be split, that its new version does not need."""
    parts = existing_parts(path)
    if len(text.texts) == 1:
        return parts
    return parts[len(text.texts) :] + ([path] if os.path.lexists(path) else [])


class PreparedParts:
    """The files of a playlist, each with its new content in a temporary file beside it."""

    def __init__(self, ready: Sequence[atomic_file.Prepared], surplus: Sequence[bytes]) -> None:
        self._ready = ready
        self._surplus = surplus

    @property
    def stamp(self) -> str:
        return " ".join(ready.stamp for ready in self._ready)

    def replace(self) -> bool:
        """Replace each file in one step; return False if no content differed and no file was touched.

        Raises:
            PlayshuffleError: a file could not be replaced. Each file has its old or its new content.
        """
        is_changed = False
        for ready in self._ready:
            is_changed |= ready.replace()
        return _removed(self._surplus) or is_changed


@contextlib.contextmanager
def prepared(
    path: bytes, text: Parts, *, force: bool, is_same: bool | None = None
) -> Iterator[PreparedParts]:
    """Write the new content of a playlist beside its file or files; `replace` puts it in place.

    Args:
        force: also replace parts from other programs, and files of other users.

    Raises:
        PlayshuffleError: a file is from another program or of another user. No file was changed.
    """
    files = files_of(path, text)
    for file in files if len(files) > 1 else ():
        if not force and os.path.lexists(file) and not is_our_part(file):
            raise not_ours(file)
    with contextlib.ExitStack() as stack:
        ready = [
            stack.enter_context(atomic_file.prepared(file, content, is_same))
            for file, content in zip(files, text.texts, strict=True)
        ]
        unused = surplus(path, text)
        owners = [*zip(files, (one.owner for one in ready), strict=True), *product(unused, [ready[0].owner])]
        for file, owner in owners if not force else ():
            _check_owner(path, file, owner)
        yield PreparedParts(ready, unused)


def _check_owner(path: bytes, file: bytes, owner: int) -> None:
    # Only writing shows the owner: on some file systems all files have the same one, and root may keep it.
    try:
        other = os.lstat(file).st_uid
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


def _removed(files: Sequence[bytes]) -> bool:
    for file in files:
        with contextlib.suppress(OSError):  # a leftover part does less harm than an error now
            os.unlink(file)
    return bool(files)
