"""Give commands the options of a playlist."""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Annotated, Any

import typer

from playshuffle.cli import completion
from playshuffle.config.options import Field, Options, Row, rows


def takes_playlist_options(
    verb: str, *, shown: Collection[str] | None = None
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Replace the parameter `options` of a command with all playlist options that this verb takes.

    shown: fields of the options that help shows; None for all.
    """
    fields = {field.name: (field, row) for field, row in rows() if verb in row.verbs}

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        signature = inspect.signature(command)
        parameters = list(signature.parameters.values())
        position = list(signature.parameters).index("options")
        parameters[position : position + 1] = [
            _parameter(field, row, is_hidden=shown is not None and name not in shown)
            for name, (field, row) in fields.items()
        ]

        @functools.wraps(command)
        def wrapper(**given: Any) -> object:
            values = {name: _value(field, row, given.pop(name)) for name, (field, row) in fields.items()}
            return command(options=Options(**values), **given)

        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return wrapper

    return decorate


def _parameter(field: Field, row: Row, *, is_hidden: bool) -> inspect.Parameter:
    type_: Any = field.type
    if type_ == tuple[str, ...]:
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
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[type_, option]
    )


def _completion(row: Row) -> Callable[..., list[str]] | None:
    if row.after_colon:
        # 3:artist, 3:album and so on.
        return lambda incomplete: [f"{incomplete.partition(':')[0] or 1}:{tag}" for tag in row.after_colon]
    if row.names is None:
        return None
    what, values = row.names
    return {"player": completion.players, "order": completion.orders}.get(what) or (lambda: list(values))


def _value(field: Field, row: Row, value: Any) -> Any:
    if row.is_negated:
        return not value
    return tuple(value or ()) if field.type == tuple[str, ...] else value
