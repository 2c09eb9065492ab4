"""Read plain command lines without typer, since importing it takes longer than most commands run.

A plain command line has known options only, spelled in full, with values that cannot be mistaken for
options, and the right number of arguments. All others are left to typer, which writes errors and help.
"""

from collections.abc import Callable, Sequence
from typing import Any

from playshuffle.cli.parameters import REQUIRED, Parameter, parameters
from playshuffle.cli.verbs import command_of

_DIGITS = 9  # of a number; a longer one is left to typer


class _UnusualError(Exception):
    """The command line is not plain."""


def parse(words: Sequence[str]) -> tuple[Callable[..., object], dict[str, Any]] | None:
    """Return the command of a plain command line, and the value of each parameter; None for any other."""
    if (found := command_of(words)) is None:
        return None
    command, rest = found
    try:
        return command, _values(parameters(command), rest)
    except _UnusualError:
        return None


def _values(known: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any]:
    options = {flag: parameter for parameter in known for flag in parameter.flags}
    values: dict[str, Any] = {}
    arguments: list[str] = []
    remaining = iter(words)
    for word in remaining:
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        flag, sign, text = word.partition("=")
        if (option := options.get(flag)) is None or (sign and not word.startswith("--")):
            raise _UnusualError
        if not option.takes_value:
            if sign:
                raise _UnusualError
            values[option.name] = True
            continue
        if not sign:
            text = next(remaining, "--")
            if text.startswith("-") and text != "-":
                raise _UnusualError
        value = _value(option, text)
        values[option.name] = [*values.get(option.name, ()), value] if option.is_list else value
    _add_arguments(values, [each for each in known if each.facts.is_argument], arguments)
    for parameter in known:
        if values.setdefault(parameter.name, parameter.default) is REQUIRED:
            raise _UnusualError
    return values


def _add_arguments(values: dict[str, Any], arguments: Sequence[Parameter], words: list[str]) -> None:
    for argument in arguments:
        if words and argument.is_list:
            values[argument.name] = [_value(argument, word) for word in words]
            words = []
        elif words:
            values[argument.name] = _value(argument, words[0])
            words = words[1:]
    if words:
        raise _UnusualError


def _value(parameter: Parameter, text: str) -> Any:
    if parameter.type is str:
        return text
    if parameter.type is int:
        if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
            return int(text)
        raise _UnusualError
    try:
        return parameter.type(text)  # one of its choices
    except ValueError:
        raise _UnusualError from None
