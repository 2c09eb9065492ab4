"""Write counts and lists for users, find the names that users give, and tell what is UTF-8."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from playshuffle.errors import Exit, PlayshuffleError, shown

_CLOSENESS = 0.75  # of a name to the one that is suggested for it: below, suggestions mislead
_FEW = 10  # names that an error lists

# Names that are accepted in place of the name of an order, a field of queries or a topic of help.
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
    "album_artist": "albumartist",
    "comments": "comment",
    "disk": "disc",
    "duration": "length",
    "genres": "genre",
    "mb_albumid": "release_id",
    "mb_trackid": "recording_id",
    "number": "track",
    "play_count": "plays",
    "played": "last_played",
    "sample_rate": "samplerate",
    "skip_count": "skips",
}
ALIASES: Mapping[str, Mapping[str, str]] = {
    "order": _RANDOM,
    "order to audit": _RANDOM,
    "field": _FIELDS,
    "topic": _TOPICS,
}

# Names of what does not exist here, and what to do instead.
_NO_PLAYER = "Name no player: the list works in nearly all of them."
_NOT_MEASURED = "It is not random inside, so it is not measured. To measure a list: playshuffle audit FILE"
_HINTS: Mapping[str, Mapping[str, str]] = {
    "player": dict.fromkeys(
        ("android", "iphone", "phone", "poweramp", "sonos", "itunes", "foobar2000", "winamp", "windows"),
        _NO_PLAYER,
    ),
    "order": dict.fromkeys(
        ("newest", "new", "added", "recent"), "For new tracks: --where mtime:-1m.. -o new.m3u"
    ),
    "topic": {
        **dict.fromkeys(
            ("audiobook", "audiobooks"), "To play one: playshuffle make FOLDER --spoken --order sorted"
        ),
        **dict.fromkeys(
            ("people", "users", "accounts", "share", "family"),
            "Each user writes lists of their own: -o FOLDER/NAME.m3u",
        ),
        "drives": "Name all folders, such as: playshuffle make ~/Music /mnt/usb",
        **dict.fromkeys(("stick", "usb"), "To copy a playlist to one: playshuffle export LIST FOLDER"),
    },
    "order to audit": dict.fromkeys(("albums", "folders", "sorted"), _NOT_MEASURED),
    "command": {
        "play": "To play a list: mpv --playlist=FILE.m3u",
        "search": "To find values of tags: playshuffle tags. To ask about a file: playshuffle why FILE",
        "history": "To see what was dealt or played: playshuffle help history",
        "edit": "To edit it: ${EDITOR:-nano} ~/.config/playshuffle/config.toml",
        "start": "To start it: systemctl --user start playshuffle",
        "restart": "To restart it: systemctl --user restart playshuffle",
        "stop": "To stop it: systemctl --user stop playshuffle",
        **dict.fromkeys(("log", "logs"), "To read it: journalctl --user -u playshuffle"),
    },
}

# Words that users of other programs try, and what they probably mean: only suggested.
_SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "order": {
        **dict.fromkeys(("true", "yes", "normal", "fisher-yates", "randomise", "randomize"), "random"),
        **dict.fromkeys(("artist", "artists", "smart", "balanced", "no-repeat-artist", "fair"), "spread"),
        **dict.fromkeys(("album", "album-shuffle"), "albums"),
        **dict.fromkeys(("folder", "directory", "directories"), "folders"),
        **dict.fromkeys(("group", "blocks", "block", "genre", "composer", "work"), "groups"),
        **dict.fromkeys(("semi", "partial", "slight"), "light"),
        **dict.fromkeys(("rating", "ratings", "weighted", "favorites", "favourite", "stars"), "favourites"),
        **dict.fromkeys(("none", "off", "path", "name", "natural", "alphabetical", "sort"), "sorted"),
        "cycle": "sattolo",
    },
    "player": {
        **dict.fromkeys(
            ("any", "other", "default"),
            "generic",
        ),
        **dict.fromkeys(("mpc", "ncmpcpp", "ncmpc", "cantata"), "mpd"),
        **dict.fromkeys(("xbmc", "libreelec", "osmc"), "kodi"),
        "subsonic": "navidrome",
    },
    "field": {"band": "artist", "directory": "folder"},
    "command": {
        **dict.fromkeys(("shuffle", "reshuffle", "create", "generate", "write", "new", "playlist"), "make"),
        **dict.fromkeys(("next", "daily", "today"), "deal"),
        **dict.fromkeys(("daemon", "run", "serve", "monitor"), "watch"),
        **dict.fromkeys(("validate", "verify", "lint"), "check"),
        **dict.fromkeys(("explain", "which"), "why"),
        **dict.fromkeys(("ban", "block", "hate", "dislike", "exclude"), "never"),
        **dict.fromkeys(("copy", "sync", "stick"), "export"),
        **dict.fromkeys(("back", "restore", "revert"), "undo"),
        **dict.fromkeys(("dupes", "duplicate"), "duplicates"),
        **dict.fromkeys(("prune", "remove", "delete"), "forget"),
        **dict.fromkeys(("list", "ls", "info", "deck", "decks", "rotation"), "status"),
    },
    "option": {
        **dict.fromkeys(("shuffle", "random", "sort", "mode"), "order"),
        **dict.fromkeys(("include", "exclude", "filter", "query", "genre", "artist", "match"), "where"),
        **dict.fromkeys(("duration", "length", "minutes"), "time"),
        **dict.fromkeys(("count", "number", "max", "tracks", "size"), "limit"),
        **dict.fromkeys(("per-artist", "max-per-artist", "limit-per-artist"), "most"),
        **dict.fromkeys(("player", "target", "profile"), "for"),
        **dict.fromkeys(("out", "file", "to", "dest", "path"), "output"),
        **dict.fromkeys(("by", "tag", "group"), "group-by"),
        **dict.fromkeys(("no-repeat", "window"), "gap"),
        **dict.fromkeys(("part-size", "split"), "max-per-file"),
        **dict.fromkeys(("overwrite", "replace"), "force"),
        **dict.fromkeys(("audiobooks", "podcasts"), "spoken"),
        **dict.fromkeys(("dedupe", "deduplicate", "duplicates", "unique"), "no-duplicates"),
        **dict.fromkeys(("skip", "omit", "ignore", "blacklist"), "without"),
        **dict.fromkeys(("dir", "directory", "folder", "music"), "folders"),
        **dict.fromkeys(("quiet", "debounce", "delay"), "settle"),
        **dict.fromkeys(("interval", "rescan"), "poll"),
        **dict.fromkeys(("period", "schedule"), "every"),
        **dict.fromkeys(("dryrun", "simulate", "preview"), "dry-run"),
        "dry-run": "peek",
    },
}

_COMMANDS = {
    "order": "playshuffle help orders",
    "player": "playshuffle help players",
    "field": "playshuffle tags",
}


def known(kind: str, name: str, names: Iterable[str], *, see: str = "") -> str:
    """Return the one of these names that a user means; upper and lower case are the same.

    Args:
        kind: what the names are of, as the tables above call it.
        name: as the user wrote it.
        names: all that there are.
        see: the command that shows them all; empty for that of the tables above, if it has one.

    Raises:
        PlayshuffleError: the name is unknown; suggests the nearest one.
    """
    names = list(names)
    if name in names:
        return name
    plain = name.strip().casefold()
    by_plain = {candidate.casefold(): candidate for candidate in names}
    alias = ALIASES.get(kind, {}).get(plain, plain)
    if alias in by_plain:
        return by_plain[alias]
    see = see or _COMMANDS.get(kind, "")
    near = suggestion(kind, plain, by_plain)
    if plain in _HINTS.get(kind, {}):
        hint = _HINTS[kind][plain]
    elif near is not None:
        hint = f"Did you mean '{shown(near)}'?"
        hint += f" See: {see}" if see else ""
    elif not names:
        hint = "There are none."
    elif see and len(names) > _FEW:
        hint = f"To see all: {see}"
    else:
        rest = [f"{len(names) - _FEW} others"] if len(names) > _FEW else []
        hint = f"Use {any_of([*map(shown, names[:_FEW]), *rest])}."
    raise PlayshuffleError(f"Unknown {kind} '{shown(name)}'. {hint}", Exit.USAGE)


def suggestion(kind: str, plain: str, names: Mapping[str, str]) -> str | None:
    """Return the name that a user probably means; None if there is none.

    Args:
        kind: what the names are of, as the tables above call it.
        plain: as the user wrote it, in small letters.
        names: all that there are, by their spelling in small letters. Dashes in front do not count.
    """
    bare = plain.lstrip("-")
    synonym = _SYNONYMS.get(kind, {}).get(bare, "")
    return names.get(plain[: len(plain) - len(bare)] + synonym) or nearest(plain, names)


def nearest(plain: str, names: Mapping[str, str] | Iterable[str]) -> str | None:
    """Return the name that is spelled most like this one; None if no name is close."""
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
    """Return a text of the user, harmless to print, without what is behind this number of characters."""
    whole = shown(text)
    return whole if len(whole) <= longest else f"{whole[:longest]}…"


def is_utf8(name: bytes) -> bool:
    """Return whether a name is UTF-8."""
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
