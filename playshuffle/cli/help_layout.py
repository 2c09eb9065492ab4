"""Lay out help texts: options in groups, one line each at 80 columns."""

from functools import partial
from types import SimpleNamespace
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from playshuffle.cli.screen import as_typed
from playshuffle.errors import PlayshuffleError
from playshuffle.options.help_groups import EXPERT, GROUPS, OUTPUT
from playshuffle.text import known

_USAGE = 24  # columns of an option with its placeholder
_HELP = 50
_OTHER = "Options"
SHORT_HELP = f"{__name__}.short_help"  # a key in the meta of a context: -h was given


def _converted(value: Any, param: Any, ctx: Any) -> Any:
    """Convert the value of an option without pydantic, which typer 0.29 would import.

    Return a list if the option can be given several times.
    """
    if param.multiple or param.nargs == -1:
        return list(value or ())
    try:
        is_number = param.type_descriptor.annotation is int
        return int(value) if is_number and value is not None else value
    except ValueError as error:
        raise typer.BadParameter(f"{value!r} is not a valid int", ctx=ctx, param=param) from error


class _Helped:
    """A command whose help omits rarely needed options with -h, but not with --help."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Make typer call `_converted` in those versions that would import pydantic."""
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            if getattr(parameter, "type_descriptor", None) is not None:
                parameter.get_runtime_param = partial(SimpleNamespace, coerce=_converted)
        return super().parse_args(ctx, args)  # type: ignore[misc]

    def get_help(self, ctx: Any) -> str:
        return as_typed(super().get_help(ctx))  # type: ignore[misc]

    _full_help = "Show everything; -h shows what is used most"

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None and "-h" not in option.opts:
            option.help = self._full_help
        return option


class Command(_Helped, TyperCommand):
    """A command whose help shows its options in groups."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if SHORT_HELP not in ctx.meta:
            super().format_help(ctx, formatter)
            return
        self.format_usage(ctx, formatter)
        formatter.write(f"\n  {self.get_short_help_str(80)}\n\n")
        sections = {group: rows for group, rows in _sections(self, ctx).items() if group != EXPERT}
        sections[OUTPUT] = [row for row in sections[OUTPUT] if row[0] != "-h"]
        _write(formatter, sections, is_compact=True)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line, the same in all versions of typer."""
        return [self.options_metavar or "", *map(_usage, filter(_is_argument, self.get_params(ctx)))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write(formatter, _sections(self, ctx))


class CommandGroup(_Helped, TyperGroup):
    """A command whose help shows its subcommands in groups."""

    _full_help = "Show all commands and options"

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            sections.setdefault(panel, []).append((name, command.get_short_help_str(_HELP)))
        options = _sections(self, ctx)
        if SHORT_HELP in ctx.meta:
            sections.pop(EXPERT, None)
            options = {_OTHER: [row for rows in options.values() for row in rows if row[0] == "--help"]}
        _write(formatter, {**sections, **options})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a subcommand by name, or suggest the nearest name in an error."""
        if not ctx.resilient_parsing and not args[0].startswith("-"):
            if ctx.parent is None and args[0] not in self.commands:
                from playshuffle.cli.usage_errors import other_command  # as in `cli.main`

                if text := other_command(args):
                    raise PlayshuffleError(text)
            args = [known("command", args[0], self.commands, see=f"{ctx.command_path} --help"), *args[1:]]
        return super().resolve_command(ctx, args)


def parameters_by_group(command: Any, ctx: Any) -> dict[str, list[Any]]:
    """Return the parameters of a command by group, in the order of its help."""
    groups: dict[str, list[Any]] = {"Arguments": [], **{group: [] for group in GROUPS}, _OTHER: []}
    panels = {getattr(parameter, "rich_help_panel", None) for parameter in command.params}
    has_groups = bool(panels - {None, OUTPUT})
    for parameter in command.get_params(ctx):
        if parameter.get_help_record(ctx) is not None:
            group = (getattr(parameter, "rich_help_panel", None) or OUTPUT) if has_groups else _OTHER
            groups["Arguments" if _is_argument(parameter) else group].append(parameter)
    return {group: parameters for group, parameters in groups.items() if parameters}


def _sections(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    groups = parameters_by_group(command, ctx)
    return {group: [_row(parameter, ctx) for parameter in parameters] for group, parameters in groups.items()}


def _row(parameter: Any, ctx: Any) -> tuple[str, str]:
    usage, text = parameter.get_help_record(ctx)
    return _usage(parameter) if _is_argument(parameter) else usage, text


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _usage(argument: Any) -> str:
    name = str(argument.metavar or argument.human_readable_name)
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _write(formatter: Any, sections: dict[str, list[tuple[str, str]]], *, is_compact: bool = False) -> None:
    widest = max((len(usage) for rows in sections.values() for usage, _ in rows), default=0)
    for title, rows in sections.items():
        if not is_compact:
            formatter.write_paragraph()
        formatter.write_heading(title)
        formatter.indent()
        formatter.write_dl([(f"{usage:{min(widest, _USAGE)}}", text) for usage, text in rows])
        formatter.dedent()
