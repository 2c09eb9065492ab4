"""Write counts and lists for users, and find the names that users give."""

from collections.abc import Iterable, Mapping, Sequence

from playshuffle.errors import Exit, PlayshuffleError, shown

_CLOSENESS = 0.75  # of a name to the one that is suggested for it: below, suggestions mislead
_FEW = 10  # names that an error lists

# Names that are accepted in place of the name of an order.
_RANDOM = {"uniform": "random", "durstenfeld": "random", "shuffle": "random"}
ALIASES: Mapping[str, Mapping[str, str]] = {"order": _RANDOM, "order to audit": _RANDOM}

# Words that users of other programs try, and what they probably mean: only suggested.
_SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "order": {
        **dict.fromkeys(("true", "yes", "normal", "fisher-yates", "randomise", "randomize"), "random"),
        **dict.fromkeys(("artist", "artists", "smart", "balanced", "no-repeat-artist", "fair"), "spread"),
        **dict.fromkeys(("album", "album-shuffle"), "albums"),
        **dict.fromkeys(("folder", "directory", "directories"), "folders"),
        **dict.fromkeys(("group", "blocks", "block", "genre", "composer", "work"), "groups"),
        **dict.fromkeys(("semi", "partial", "slight"), "light"),
        **dict.fromkeys(("rating", "ratings", "favourites", "favorites", "favourite", "stars"), "weighted"),
        **dict.fromkeys(("none", "off", "path", "name", "natural", "alphabetical", "sort"), "sorted"),
        "cycle": "sattolo",
    },
    "player": {
        **dict.fromkeys(
            ("winamp", "foobar", "foobar2000", "plex", "sonos", "itunes", "any", "other", "default"),
            "generic",
        ),
        **dict.fromkeys(("android", "iphone", "phone", "poweramp", "aimp", "musicbee", "windows"), "generic"),
        **dict.fromkeys(("mpc", "ncmpcpp", "ncmpc", "cantata"), "mpd"),
        **dict.fromkeys(("xbmc", "libreelec", "osmc"), "kodi"),
        "subsonic": "navidrome",
    },
    "tag": {"year": "date", "band": "artist", "directory": "folder"},
}

_COMMANDS = {"order": "playshuffle orders", "player": "playshuffle players"}


def known(kind: str, name: str, names: Iterable[str]) -> str:
    """Return the one of these names that a user means; upper and lower case are the same.

    Args:
        kind: what the names are of, as the tables above call it.
        name: as the user wrote it.
        names: all that there are.

    Raises:
        PlayshuffleError: the name is unknown; suggests the nearest one.
    """
    if isinstance(names, Mapping) and name in names:  # may know more names than it lists
        return name
    names = list(names)
    if name in names:
        return name
    plain = name.strip().casefold()
    by_plain = {candidate.casefold(): candidate for candidate in names}
    alias = ALIASES.get(kind, {}).get(plain, plain)
    if alias in by_plain:
        return by_plain[alias]
    near = _suggestion(kind, plain, by_plain)
    if near is not None:
        hint = f"Did you mean '{shown(near)}'?"
        hint += f" See: {_COMMANDS[kind]}" if kind in _COMMANDS else ""
    elif not names:
        hint = "There are none."
    elif kind in _COMMANDS and len(names) > _FEW:
        hint = f"To see all: {_COMMANDS[kind]}"
    else:
        hint = f"Use {any_of([shown(candidate) for candidate in names])}."
    raise PlayshuffleError(f"Unknown {kind} '{shown(name)}'. {hint}", Exit.USAGE)


def _suggestion(kind: str, plain: str, by_plain: Mapping[str, str]) -> str | None:
    synonym = _SYNONYMS.get(kind, {}).get(plain, "")
    return by_plain.get(synonym) or nearest(plain, by_plain)


def nearest(plain: str, names: Mapping[str, str] | Iterable[str]) -> str | None:
    """Return the name that is spelled most like this one; None if no name is close."""
    from difflib import get_close_matches  # only for a misspelt name

    near = get_close_matches(plain, list(names), 1, _CLOSENESS)
    if not near:
        return None
    return names[near[0]] if isinstance(names, Mapping) else near[0]


def counted(number: int, noun: str) -> str:
    """Return "1 track", "2 tracks"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def any_of(words: Sequence[str]) -> str:
    """Return "a", "a or b", "a, b or c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def shortened(lines: Sequence[str], limit: int) -> list[str]:
    """Return the first lines, and "… and N more" for the others."""
    if len(lines) <= limit:
        return list(lines)
    return [*lines[:limit], f"… and {len(lines) - limit:,} more"]
