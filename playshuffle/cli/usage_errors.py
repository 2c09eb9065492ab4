"""Describe errors in the command line: the fault as the user wrote it, and where to read more."""

import contextlib
import os
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from playshuffle import duration
from playshuffle.cli.everyday_words import answer_to
from playshuffle.cli.screen import home_path, shell_path
from playshuffle.config.words import NoListError
from playshuffle.errors import PlayshuffleError, flag, shown
from playshuffle.options.table import ROWS
from playshuffle.playlist.formats import FORMATS
from playshuffle.selection.fields import FIELDS
from playshuffle.text import UnknownNameError, known, shell_word

# Different messages of typer's versions for the same error.
_NUMBER = r"^('.*') is not a valid int(?:eger)?(?: range)?$"
_EXTRA = r"^Got unexpected extra arguments?(?:\(s\))? \((.*)\)$"

# What users try in place of an option, also on the wrong command, and in place of a command.
_MEANT_OPTIONS = (
    ("from", "playshuffle make --from"),
    ("again due albums groups every heard peek", "playshuffle deal --{}"),
    ("first start begin", "--pin TRACK"),
    ("exclude skip ignore omit except", "--where -genre:jazz or --without LIST"),
    ("filter query only match", "--where QUERY"),
    ("max number count tracks top songs", "--limit N"),
    ("length duration minutes hours", "--time 90m"),
    ("sort sort-by", "--order by:year, with any field, or --order sorted (by path)"),
    ("sorted", "--order sorted"),
    ("keep-order same-order unshuffled no-shuffle", "--order kept"),
    ("random shuffle", "--order random"),
    ("no-repeat no-repeats", "--order spread (artists far apart) or playshuffle deal (each track once)"),
    ("not-heard unheard fresh", "--rest 30d"),
    ("dest destination file out name", "--output FILE"),
    ("player profile format", "--for PLAYER"),
    ("unique no-copies", "--no-duplicates"),
    ("overwrite yes replace", "--force"),
    ("tomorrow next", "playshuffle deal --peek"),
)
_MEANT_COMMANDS = (
    ("ban block exclude skip remove", "never TRACK"),
    ("unban unblock", "never --undo"),
    ("genres", "tags genre"),
    ("measure", "audit LIST"),
    ("heard", "deal --heard"),
    ("peek tomorrow preview", "deal --peek"),
    ("moved rename", "move OLD NEW"),
    ("shuffle create new mix playlist random", "make FOLDER"),
    ("list lists playlists show info", "status"),
)

# Rare options of lists that users may try, and their keys.
_KEYS = {row.flag: row.key for row in ROWS if not row.verbs or row.key in ("gap", "group_by")}


def usage_text(error: Any, words: Sequence[str]) -> str:
    """Return sentences that describe a usage error of typer."""
    context = getattr(error, "ctx", None)
    command = [word for word in words[:1] if not word.startswith("-")]
    path = " ".join(("playshuffle", *command)) if context is None else context.command_path
    see = f"{path} --help"
    if context is not None and hasattr(error, "possibilities"):
        names = [name for option in context.command.params for name in option.opts if name.startswith("--")]
        option = _as_written(error.option_name, words)
        if context.parent is None and any(option in row.flags for row in ROWS):
            return f"'{option}' comes after a command, as in: playshuffle make ~/Music {option}"
        if option in _KEYS and context.command.name in ("make", "deal", "watch"):
            return (
                f"Unknown option '{option}'. It is a key of lists in the configuration: {_KEYS[option]}."
                " See: playshuffle help config"
            )
        if meant := _meant_option(option.removeprefix("--"), names):
            return f"Unknown option '{option}'. Write {meant}. See: {see}"
        if f"-{option}" in names:
            return f"Unknown option '{option}'. Did you mean '-{option}'? See: {see}"
        answer = answer_to(option)
        try:
            known("option", option, names, see=see)
        except PlayshuffleError as unknown:
            return str(unknown) if answer is None else f"Unknown option '{option}'. {answer.line}"
    parameter = getattr(error, "param", None)
    message = re.sub(_NUMBER, r"must be a whole number, not \1", str(error.message).rstrip("."))
    message += _as_time(message) if parameter is not None and "--limit" in parameter.opts else ""
    message = re.sub(_EXTRA, r"Unexpected argument: \1", message)
    if parameter is None or not message:
        text = message or str(error.format_message()).rstrip(".")
    else:
        text = f"{_spelling(parameter, words)} {message}"
    return f"{shown(text)}. See: {see}"


def _as_time(message: str) -> str:
    text = message.rpartition(" ")[2].strip("'")
    text += ":00" if re.fullmatch(r"\d+:\d\d", text) else ""
    with contextlib.suppress(PlayshuffleError):
        duration.parse(text)
        return f". For a playing time, write --time {text}"
    return ""


def _meant_option(word: str, names: Sequence[str]) -> str:
    options = [meant.format(word) for words, meant in _MEANT_OPTIONS if word in words.split()]
    if word in FIELDS:
        options.append(f"--where {word}:VALUE")
    return next((option for option in options if option.split()[0] in (*names, "playshuffle")), "")


def _as_written(option: str, words: Sequence[str]) -> str:
    """Return an option as the user typed it: `-where` if the parser names only `-w`."""
    if option.startswith("--"):
        return option
    names = (word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 2)
    return next((shown(name) for name in names if name[1] != "-" and name[1:].isalpha()), option)


def in_users_words(error: PlayshuffleError, words: Sequence[str]) -> str:
    """Return an error's text with options as the user typed them: `-n` for `--limit`."""
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
    return " ".join(text for text in sentences if not re.search(r" (-o|--force|--accept-missing)\b", text))


def details_of(error: PlayshuffleError, words: Sequence[str]) -> Sequence[str]:
    """Return the lines below an error's text: its own, or the commands that do what the user wants."""
    cause = error.__cause__
    if isinstance(cause, UnknownNameError) and (answer := answer_to(cause.name)) is not None:
        return answer.text, answer.command
    if not isinstance(error, NoListError):
        return error.details
    command = ["playshuffle", *words]
    return f"playshuffle make {shell_path(error.folder)}", " ".join(map(shell_path, command))


def _spelling(parameter: Any, words: Sequence[str]) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name).strip("[]")
    written = [name for name in parameter.opts if any(word.startswith(name) for word in words)]
    return str((written or parameter.opts)[0])


def other_command(words: Sequence[str]) -> str:
    """Return an error that suggests a command for a path or an unknown command; empty if none fits."""
    word = words[0]
    if os.path.isdir(word) or ("/" in word and os.path.lexists(word)):
        is_playlist = os.fsencode(os.path.splitext(word)[1].lower()) in FORMATS
        command = "make" if os.path.isdir(word) else "check" if is_playlist else "why"
        return f"'{home_path(word)}' is not a command. Write: playshuffle {command} {shell_path(word)}"
    rest = " ".join(map(shell_word, words[1:]))
    for names, meant in _MEANT_COMMANDS:
        if word.lower() in names.split():
            command = re.sub("( [A-Z]+)+$", lambda match: f" {rest}" if rest else match[0], meant)
            return f"Unknown command '{shown(word)}'. Write: playshuffle {command}"
    answer = answer_to(word)
    return "" if answer is None else f"Unknown command '{shown(word)}'. {answer.line}"
