"""Describe errors in the command line: the fault as the user wrote it, and where to read more."""

import os
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from playshuffle.cli.screen import home_path, shell_path
from playshuffle.errors import PlayshuffleError, flag, shown
from playshuffle.options.table import ROWS
from playshuffle.playlist.formats import FORMATS
from playshuffle.text import known

# Different messages of typer's versions for the same error.
_NUMBER = r"^('.*') is not a valid int(?:eger)?(?: range)?$"
_EXTRA = r"^Got unexpected extra arguments?(?:\(s\))? \((.*)\)$"

# Options that users try on the wrong command, and the command that has them.
_OWNERS = {
    "--from": "make",
    **{f"--{name}": "deal" for name in ("again", "peek", "due", "albums", "groups", "every", "heard")},
}

# Rare options of lists that users may try, and their keys.
_KEYS = {row.flag: row.key for row in ROWS if not row.verbs or row.key in ("gap", "group_by")}


def usage_text(error: Any, words: Sequence[str]) -> str:
    """Return the sentences for a usage error of typer."""
    context = getattr(error, "ctx", None)
    command = [word for word in words[:1] if not word.startswith("-")]
    path = " ".join(("playshuffle", *command)) if context is None else context.command_path
    see = f"{path} --help"
    if context is not None and hasattr(error, "possibilities"):
        names = [name for option in context.command.params for name in option.opts if name.startswith("--")]
        option = _as_written(error.option_name, words)
        owner = _OWNERS.get(option)
        if owner is not None and owner not in path.split():
            return f"Unknown option '{option}'. It is an option of: playshuffle {owner}"
        if option in _KEYS and context.command.name in ("make", "deal", "watch"):
            return (
                f"Unknown option '{option}'. It is a key of lists in the configuration: {_KEYS[option]}."
                " See: playshuffle help config"
            )
        if f"-{option}" in names:
            return f"Unknown option '{option}'. Did you mean '-{option}'? See: {see}"
        try:
            known("option", option, names, see=see)
        except PlayshuffleError as unknown:
            return str(unknown)
    parameter = getattr(error, "param", None)
    message = re.sub(_NUMBER, r"must be a whole number, not \1", str(error.message).rstrip("."))
    message = re.sub(_EXTRA, r"Unexpected argument: \1", message)
    if parameter is None or not message:
        text = message or str(error.format_message()).rstrip(".")
    else:
        text = f"{_spelling(parameter, words)} {message}"
    return f"{shown(text)}. See: {see}"


def _as_written(option: str, words: Sequence[str]) -> str:
    """Return the whole word, such as `-where`; the parser names only `-w`."""
    if option.startswith("--"):
        return option
    names = (word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 2)
    return next((shown(name) for name in names if name[1] != "-" and name[1:].isalpha()), option)


def in_users_words(error: PlayshuffleError, words: Sequence[str]) -> str:
    """Return an error with options as on the command line: `-n` for `--limit`."""
    written = {word.partition("=")[0] for word in words if word.startswith("--")}
    short = {
        row.flags[0]: name
        for row in ROWS
        for name in row.flags[1:]
        if row.flags[0] not in written and any(word.startswith(name) for word in words)
    }
    text = error.spelled(partial(flag, short=short))
    if words[0] != "undo":
        return text
    sentences = re.split(r"(?<=\.) (?=[A-Z])", text)  # it has no options of lists
    return " ".join(each for each in sentences if not re.search(r" (-o|--force|--accept-missing)\b", each))


def _spelling(parameter: Any, words: Sequence[str]) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name).strip("[]")
    written = [name for name in parameter.opts if any(word.startswith(name) for word in words)]
    return str((written or parameter.opts)[0])


def for_path(path: str) -> str:
    """Return an error that names the command for a path."""
    place = shell_path(path)
    if os.path.isdir(path):
        hint = f"To make a playlist of this folder: playshuffle make {place}"
    elif os.fsencode(os.path.splitext(path)[1].lower()) in FORMATS:
        hint = f"To check this playlist: playshuffle check {place}"
    else:
        hint = f"To see in which playlists this file is: playshuffle why {place}"
    return f"'{home_path(path)}' is not a command. {hint}"
