"""Give commands the options of a playlist."""

import functools
import inspect
from collections.abc import Callable, Collection, Iterable
from dataclasses import Field
from typing import Annotated, Any

import typer

from playshuffle.cli.common_options import completes
from playshuffle.config.option_row import Row
from playshuffle.config.options import Options, rows


def takes_playlist_options(
    verb: str, *, shown: Collection[str] | None = None
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Replace the parameter `options` of a command with all playlist options that this verb takes.

    shown: fields of the options that help shows; None for all.
    """
    fields = {field.name: (field, row) for field, row in rows() if verb in row.verbs}

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        parameters = []
        for parameter in inspect.signature(command).parameters.values():
            if parameter.name == "options":
                parameters += [
                    _parameter(field, row, is_hidden=shown is not None and name not in shown)
                    for name, (field, row) in fields.items()
                ]
            else:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

        @functools.wraps(command)
        def wrapper(**given: Any) -> object:
            values = {name: _value(field, row, given.pop(name)) for name, (field, row) in fields.items()}
            return command(options=Options(**values), **given)

        wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return wrapper

    return decorate


def _parameter(field: Field[Any], row: Row, *, is_hidden: bool) -> inspect.Parameter:
    type_: Any = field.type
    if row.choices is not None:
        type_ = row.choices | None
    elif type_ == tuple[str, ...]:
        type_ = list[str] | None
    default = not field.default if row.is_negated else field.default or None
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
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=Annotated[type_, option])


def completes_player(incomplete: str) -> list[str]:
    """Complete the name of a player, of those in the configuration too."""
    from playshuffle.config.own_players import player_names

    return completes(player_names())(incomplete)


def completes_order(incomplete: str) -> list[str]:
    """Complete the name of an order, of those of other packages too."""
    from playshuffle.ordering import orders, plugin_orders

    return completes([*orders.ORDERS, *plugin_orders.names()])(incomplete)


def _completes_after_colon(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes what is behind the colon of a value, such as 3:artist."""

    def complete(incomplete: str) -> list[str]:
        start, _, name = incomplete.partition(":")
        return [f"{start or 1}:{value}" for value in completes(names)(name)]

    return complete


def _completion(row: Row) -> Callable[[str], list[str]] | None:
    if row.after_colon:
        return _completes_after_colon(row.after_colon)
    if row.names is None:
        return None
    what, names = row.names
    return {"player": completes_player, "order": completes_order}.get(what) or completes(names)


def _value(field: Field[Any], row: Row, value: Any) -> Any:
    if row.is_negated:
        return not value
    return tuple(value or ()) if field.type == tuple[str, ...] else value
