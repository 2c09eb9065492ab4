"""Find the sources of a play history."""

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
        hint = f"Did you mean '{near}'?" if near else f"Use {any_of([*NAMES])}, or name a file."
        raise OptionError("{}: '{text}' is unknown. {hint}", "history", text=text, hint=hint)
    file, _, user = path.rpartition(b"#")
    return Source(text, file or path, os.fsdecode(user) if file else "")
