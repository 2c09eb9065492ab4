"""List the commands of the program, with their arguments and options."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import typer.main

from playshuffle.cli.app import COMMANDS, app, load
from playshuffle.cli.help_layout import parameters_by_group


class Option(NamedTuple):
    """An argument or option of a command, as its help shows it."""

    spellings: tuple[str, ...]
    metavar: str
    help: str
    default: str
    group: str

    @property
    def is_argument(self) -> bool:
        return not self.spellings

    @property
    def usage(self) -> str:
        """Return the spellings with the placeholder of the value."""
        return ", ".join(self.spellings) + (f" {self.metavar}" if self.metavar else "")


class Command(NamedTuple):
    """A command: its words, such as `config check`, and its help."""

    words: tuple[str, ...]
    help: str
    examples: tuple[str, ...]
    options: tuple[Option, ...]
    children: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the words as a user types them."""
        return " ".join(("playshuffle", *self.words))


def commands() -> Iterator[Command]:
    """List the program itself, then each command, then its subcommands."""
    program: Any = typer.main.get_command(app)
    program.commands = {name: load(name) for name in COMMANDS}
    yield from _commands(program, (), typer.Context(program, **program.context_settings))


def _commands(group: Any, words: tuple[str, ...], context: Any) -> Iterator[Command]:
    children = {name: child for name, child in getattr(group, "commands", {}).items() if not child.hidden}
    yield Command(
        words,
        _text(group.help),
        tuple(_examples(group.epilog)),
        tuple(
            _option(parameter, group_name)
            for group_name, parameters in parameters_by_group(group, context).items()
            for parameter in parameters
        ),
        tuple(children),
    )
    for name, child in children.items():
        yield from _commands(child, (*words, name), typer.Context(child, context))


def _text(help_: str | None) -> str:
    return re.sub(r"[ \n]+", " ", (help_ or "").partition("\f")[0]).strip()


def _examples(epilog: str | None) -> list[str]:
    """Return the lines of an epilog without their common indent."""
    lines = [line for line in (epilog or "").splitlines() if line.strip("\b ")]
    return [line.removeprefix("  ") for line in lines if line != "Examples:"]


def _option(parameter: Any, group: str) -> Option:
    is_argument = parameter.param_type_name == "argument"
    metavar = parameter.metavar or ""
    if not metavar and not is_argument and not parameter.is_flag:
        metavar = parameter.make_metavar(None).strip("<>[]")
    default = parameter.default
    if (
        callable(default)
        or default in (None, False, True, "")
        or parameter.multiple
        or not parameter.show_default
    ):
        default = ""
    spellings = () if is_argument else (*parameter.opts, *parameter.secondary_opts)
    return Option(
        tuple(sorted(spellings, key=lambda spelling: not spelling.startswith("--"))),
        metavar,
        _text(parameter.help),
        str(default),
        group,
    )
