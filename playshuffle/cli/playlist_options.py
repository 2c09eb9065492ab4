"""Give commands the options of a playlist."""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Annotated, Any

import typer

from playshuffle.cli import common_options
from playshuffle.config.options import ROWS, Options, Row
from playshuffle.config.own_players import player_names


def takes_playlist_options(
    verb: str, *, shown: Collection[str] | None = None
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Replace the parameter `options` of a command with all playlist options that this verb takes.

    shown: fields of the options that help shows; None for all.
    """
    rows = [row for row in ROWS if verb in row.verbs]

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        signature = inspect.signature(command)
        parameters = list(signature.parameters.values())
        position = list(signature.parameters).index("options")
        parameters[position : position + 1] = [
            _parameter(row, is_hidden=shown is not None and row.name not in shown) for row in rows
        ]
        parameters.append(_SHORT_HELP)

        @functools.wraps(command)
        def wrapper(**given: Any) -> object:
            values = {row.name: _value(row, given.pop(row.name)) for row in rows}
            del given[_SHORT_HELP.name]
            return command(options=Options(**values), **given)

        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return wrapper

    return decorate


def given_options(context: typer.Context, options: Options) -> dict[str, Any]:
    """Return the options that the command line gives, by their fields."""
    sources = {row.name: context.get_parameter_source(row.name) for row in ROWS}
    names = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    return {name: getattr(options, name) for name in names}


def _parameter(row: Row, *, is_hidden: bool) -> inspect.Parameter:
    type_: Any = row.type
    if type_ == tuple[str, ...]:
        type_ = list[str] | None
    default = not row.default if row.is_negated else row.default or None
    if type_ is bool:
        default = bool(default)
    option = typer.Option(
        *row.flags,
        metavar=row.metavar,
        help=row.help,
        rich_help_panel=row.group,
        autocompletion=_completion(row),
        hidden=is_hidden,
    )
    return inspect.Parameter(
        row.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[type_, option]
    )


_SHORT_HELP = inspect.Parameter(
    "is_short_help",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=common_options.ShortHelp,
)


def _completion(row: Row) -> Callable[..., list[str]] | None:
    if row.suggestions:
        return lambda: list(row.suggestions)
    if row.names is None:
        return None
    what, values = row.names
    return player_names if what == "player" else lambda: list(values)


def _value(row: Row, value: Any) -> Any:
    if row.is_negated:
        return not value
    return tuple(value or ()) if row.type == tuple[str, ...] else value
