"""Give commands the options of a playlist."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from playshuffle.cli import completion
from playshuffle.cli.common_options import ShortHelp
from playshuffle.options.given import Given
from playshuffle.options.table import ROWS, Options, Row


def takes_playlist_options(verb: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return a decorator that replaces the parameter `given` by the playlist options of `verb`."""
    rows = [row for row in ROWS if verb in row.verbs]

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        signature = inspect.signature(command)
        parameters = [*signature.parameters.values()]
        position = list(signature.parameters).index("given")
        parameters[position : position + 1] = map(_parameter, rows)
        parameters += _FOR_ALL

        @functools.wraps(command)
        def wrapper(*, context: typer.Context, **values: Any) -> object:
            del values["is_short_help"]
            options = {row.name: _value(row, values.pop(row.name)) for row in rows}
            names = frozenset(name for name in options if _is_given(context, name))
            return command(given=Given(Options(**options), names), **values)

        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return wrapper

    return decorate


def _parameter(row: Row) -> inspect.Parameter:
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
        show_default=row.default != "generic",  # its help says that in words
        rich_help_panel=row.group,
        autocompletion=completion.of_option(row),
    )
    return inspect.Parameter(
        row.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[type_, option]
    )


_FOR_ALL = (
    inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
    inspect.Parameter("is_short_help", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=ShortHelp),
)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _value(row: Row, value: Any) -> Any:
    if row.is_negated:
        return not value
    return tuple(value or ()) if row.type == tuple[str, ...] else value
