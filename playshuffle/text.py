"""Write counts and lists for users, match the names that users give, and recognise UTF-8."""

import os
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from playshuffle.errors import PlayshuffleError, shown

_CLOSENESS = 0.75  # minimum similarity of a name to a suggestion: below, suggestions mislead
_FEW = 10  # names listed in an error

# Other accepted names of an order, a field of queries or a topic of help.
_RANDOM = {"uniform": "random", "durstenfeld": "random", "shuffle": "random"}
_TOPICS = {
    **_RANDOM,
    **dict.fromkeys(("queries", "query"), "where"),
    "exit": "exit-codes",
    "time": "times",
    **dict.fromkeys(("heard", "plays", "played", "ratings"), "history"),
    **dict.fromkeys(("move", "moving", "computer", "backup", "state"), "files"),
    **dict.fromkeys(("android", "iphone", "ios"), "phone"),
}
_FIELDS = {
    "album_artist": "albumartist", "comments": "comment", "disk": "disc", "duration": "length",
    "genres": "genre", "mb_albumid": "release_id", "mb_trackid": "recording_id", "number": "track",
    "play_count": "plays", "played": "last_played", "sample_rate": "samplerate", "skip_count": "skips",
}  # fmt: skip
ALIASES: Mapping[str, Mapping[str, str]] = {
    "order": _RANDOM,
    "order to audit": _RANDOM,
    "field": _FIELDS,
    "topic": _TOPICS,
}

_COMMANDS = {
    "order": "playshuffle help orders",
    "player": "playshuffle help players",
    "field": "playshuffle tags",
}


class UnknownNameError(PlayshuffleError):
    """A name is unknown."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


def known(kind: str, name: str, names: Iterable[str], *, see: str = "") -> str:
    """Return the known name that a user means, whether in upper or lower case.

    `see` is the command that lists the names; its default depends on `kind`.

    Raises:
        PlayshuffleError: the name is unknown; the error suggests the nearest one.
    """
    names = list(names)
    if name in names:
        return name
    plain = folded(name.strip())
    by_plain = {folded(candidate): candidate for candidate in names}
    alias = ALIASES.get(kind, {}).get(plain, plain)
    if alias in by_plain:
        return by_plain[alias]
    see = see or _COMMANDS.get(kind, "")
    near = nearest(plain, by_plain)
    if near is not None:
        hint = f"Did you mean '{shown(near)}'?"
        hint += f" See: {see}" if see else ""
    elif not names:
        hint = "There are none."
    elif see and len(names) > _FEW:
        hint = f"To see all: {see}"
    else:
        rest = [f"{len(names) - _FEW} others"] if len(names) > _FEW else []
        hint = f"Use {any_of([*map(shown, names[:_FEW]), *rest])}."
    raise UnknownNameError(name, f"Unknown {kind} '{shown(name)}'. {hint}")


def nearest(plain: str, names: Mapping[str, str] | Iterable[str]) -> str | None:
    """Return the most similar name, or its value in a mapping; None if no name is close."""
    near = get_close_matches(plain, list(names), 1, _CLOSENESS)
    if not near:
        return None
    return names[near[0]] if isinstance(names, Mapping) else near[0]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 track", "2 tracks"; `plural` is for nouns such as "entry"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def any_of(words: Sequence[str]) -> str:
    """Return "a", "a or b", "a, b or c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def shortened(lines: Sequence[str], limit: int) -> list[str]:
    """Return the first lines, and "… and N more" for the others."""
    if len(lines) <= limit:
        return list(lines)
    return [*lines[:limit], f"… and {len(lines) - limit:,} more"]


def short(text: bytes | str, longest: int = 300) -> str:
    """Return a user's text, harmless to print, cut to `longest` characters."""
    whole = shown(text)
    return whole if len(whole) <= longest else f"{whole[:longest]}…"


def shell_word(text: bytes | str) -> str:
    """Return a text as one word of a shell, harmless to print."""
    word = os.fsdecode(text)
    if shown(word) == word:
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(sign: str) -> str:
    if shown(sign) == sign and sign not in "'\\":
        return sign
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(sign))


def list_word(name: str, path: bytes) -> str:
    """Return the word of a command for a list: its name, but its path if the name looks like an option."""
    return shell_word(path if name.startswith("-") else name)


def composed(text: str) -> str:
    """Return the text in Unicode's composed form (NFC)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """Return the text in composed form, without differences of case."""
    return text.lower() if text.isascii() else composed(composed(text).casefold())


def is_utf8(name: bytes) -> bool:
    """Return whether a name is UTF-8."""
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
