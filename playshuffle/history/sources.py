"""Find the sources of a play history."""

import contextlib
import os
from typing import NamedTuple

from playshuffle.errors import OptionError
from playshuffle.history.histories import NAMES, usual_file
from playshuffle.text import any_of, nearest


class Source(NamedTuple):
    """A file with a play history.

    Attributes:
        user: name of the user whose plays count; empty for all.
    """

    text: str
    path: bytes
    user: str = ""

    @property
    def saved_text(self) -> str:
        """Return a text that names the same source, whatever the current folder."""
        if self.text in NAMES:
            return self.text
        return os.fsdecode(self.path) + (f"#{self.user}" if self.user else "")


def sources_here() -> str:
    """Return a sentence with the names of this computer's sources, or with the command that begins one."""
    here = []
    for name, history in NAMES.items():
        with contextlib.suppress(OSError, OptionError):  # MPD may have no sticker_file
            path = usual_file(history)
            if os.path.isfile(path) or (os.path.isdir(path) and os.listdir(path)):
                here.append(name)
    if here:
        return f"This computer has {any_of(here)}."
    return (
        "This computer has none yet. To begin one: playshuffle service install --listen. Until it has heard"
        " something, no track counts as played."
    )


def find_source(text: str, path: bytes) -> Source:
    """Return the source that `text` names: one of `NAMES`, or a file, optionally with `#USER`.

    `path` is the text as an absolute path.

    Raises:
        OptionError: the text names neither.
    """
    if text in NAMES:
        return Source(text, usual_file(NAMES[text]))
    if os.path.exists(path):
        return Source(text, path)
    if "/" not in text and "." not in text:  # a program's name, or a file in the current folder
        near = nearest(text.lower(), [*NAMES])
        hint = f"Did you mean '{near}'?" if near else f"{sources_here()} All: playshuffle help history"
        raise OptionError("{}: '{text}' is unknown. {hint}", "history", text=text, hint=hint)
    file, _, user = path.rpartition(b"#")
    return Source(text, file or path, os.fsdecode(user) if file else "")
