"""Describe the arguments and options of commands.

A command is a function. Its signature gives each parameter a name, a type and a default. An `Option` or an
`Argument` in the annotation gives the rest. Nothing here imports typer, which takes longer than a short run.
"""

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any, NamedTuple

# Takes the beginning of a word, and the --config of the command line; returns the values that fit.
Completion = Callable[[str, str | None], Sequence[str]]

REQUIRED = ...  # the default of a parameter that has none


class Option:
    """Describe an option, except for its type and its default.

    flags: its spellings; if there are none, `--` and the name of the parameter. metavar: placeholder of
        the value. group: one of `option_groups.GROUPS`. completion: of its values in a shell.
    """

    is_argument = False

    def __init__(
        self,
        *flags: str,
        help: str,  # noqa: A002 - the usual word
        metavar: str | None = None,
        group: str | None = None,
        completion: Completion | None = None,
        is_hidden: bool = False,
    ) -> None:
        self.flags = flags
        self.help = help
        self.metavar = metavar
        self.group = group
        self.completion = completion
        self.is_hidden = is_hidden


class Argument(Option):
    """Describe an argument, except for its type and its default."""

    is_argument = True

    def __init__(self, *, metavar: str, help: str, completion: Completion | None = None) -> None:  # noqa: A002
        super().__init__(metavar=metavar, help=help, completion=completion)


class Parameter(NamedTuple):
    """A parameter of a command; `annotation` is the type as the signature has it."""

    name: str
    annotation: Any
    facts: Option
    default: Any

    @property
    def flags(self) -> tuple[str, ...]:
        """Return the spellings of an option; an argument has none."""
        if self.facts.is_argument:
            return ()
        return self.facts.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def is_list(self) -> bool:
        """Return whether it takes several values."""
        return getattr(self._type, "__origin__", None) is list

    @property
    def type(self) -> Any:
        """Return the type of a value: bool, int, str or an enumeration."""
        return self._type.__args__[0] if self.is_list else self._type

    @property
    def takes_value(self) -> bool:
        """Return whether it is not a flag."""
        return self.type is not bool

    @property
    def _type(self) -> Any:
        union: tuple[Any, ...] = getattr(self.annotation, "__args__", ())
        return union[0] if NoneType in union else self.annotation


def parameters(command: Callable[..., object]) -> Sequence[Parameter]:
    """Return the parameters of a command in the order of its signature."""
    given: Sequence[Parameter] | None = getattr(command, "parameters", None)
    return signature_parameters(command) if given is None else given


def signature_parameters(command: Any) -> list[Parameter]:
    """Return the parameters of a function that an `Option` or `Argument` describes.

    Without `inspect`, since importing it takes longer than most runs.
    """
    code = command.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = command.__defaults__ or ()
    defaults = dict(zip(names[code.co_argcount - len(values) :], values, strict=False))
    defaults |= command.__kwdefaults__ or {}
    types = {name: type_ for name, type_ in command.__annotations__.items() if hasattr(type_, "__metadata__")}
    return [
        Parameter(name, types[name].__origin__, types[name].__metadata__[0], defaults.get(name, REQUIRED))
        for name in names
        if name in types
    ]
