"""Damage a file, and find traces of a damaged state: renamed files, and messages about damage."""

import os
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# Words of the program's messages. Tests that expect a message use them, too: so a test that expects
# none fails if the words change.
STATE_DAMAGED = "was damaged"
PLAYLIST_CHANGED = "Another program changed"

_SET_ASIDE = re.compile(r"\.damaged\b")
# Damaged tags of a file do not concern the state.
_MESSAGE = re.compile(r"^(?!.*tags could not be read).*\b(?:damaged|set aside)\b.*$", re.MULTILINE)

_messages: list[str] = []


def note_output(text: str) -> None:
    """Keep the lines of a program's output that report damage, until the test is over."""
    _messages.extend(_MESSAGE.findall(text))


def forget_output() -> None:
    _messages.clear()


def traces(folders: Iterable[Path]) -> list[str]:
    """Return the files below these folders that were renamed as damaged, and all messages about damage."""
    return [*_messages, *(path for folder in folders for path in _files_set_aside(folder))]


def _files_set_aside(folder: Path) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names if _SET_ASIDE.search(name))


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """Return a file with random damage as by a disk: a flipped bit, a lost block, a cut end."""
    at = chance.randrange(len(whole))
    match chance.randrange(5):
        case 0:
            return whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
        case 1:
            at -= at % 512
            return whole[:at] + bytes(512) + whole[at + 512 :]
        case 2:
            at -= at % 4096
            return whole[:at] + chance.randbytes(4096) + whole[at + 4096 :]
        case 3:
            return whole[:at]
        case _:
            return whole[:at] + bytes(len(whole) - at)
