"""Give commands the options of a playlist."""

import functools
from collections.abc import Callable, Collection, Iterable
from typing import Any

from playshuffle.cli import names
from playshuffle.cli.common_options import completes
from playshuffle.cli.parameters import Completion, Option, Parameter, signature_parameters
from playshuffle.config.option_rows import Row
from playshuffle.config.options import Field, Options, rows


def takes_playlist_options(
    verb: str, *, shown: Collection[str] | None = None
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Replace the parameter `options` of a command with all playlist options that this verb takes.

    shown: fields of the options that help shows; None for all.
    """
    fields = {field.name: (field, row) for field, row in rows() if verb in row.verbs}

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        parameters = signature_parameters(command)
        position = list(command.__annotations__).index("options")
        parameters[position:position] = [
            _parameter(field, row, is_hidden=shown is not None and name not in shown)
            for name, (field, row) in fields.items()
        ]

        @functools.wraps(command)
        def wrapper(**given: Any) -> object:
            values = {name: _value(field, row, given.pop(name)) for name, (field, row) in fields.items()}
            return command(options=Options(**values), **given)

        wrapper.parameters = parameters  # type: ignore[attr-defined]
        return wrapper

    return decorate


def _parameter(field: Field, row: Row, *, is_hidden: bool) -> Parameter:
    type_: Any = field.type
    if row.choices is not None:
        type_ = row.choices | None
    elif type_ == tuple[str, ...]:
        type_ = list[str] | None
    default = not field.default if row.is_negated else field.default or None
    if type_ is bool:
        default = bool(default)
    option = Option(
        *row.flags,
        metavar=row.metavar,
        help=row.help,
        group=row.group,
        completion=_completion(row),
        is_hidden=is_hidden,
    )
    return Parameter(field.name, type_, option, default)


def _completes_after_colon(values: Iterable[str]) -> Completion:
    """Return a function that completes what is behind the colon of a value, such as 3:artist."""

    def complete(incomplete: str, config: str | None) -> list[str]:
        start, _, name = incomplete.partition(":")
        return [f"{start or 1}:{value}" for value in completes(values)(name, config)]

    return complete


def _completion(row: Row) -> Completion | None:
    if row.after_colon:
        return _completes_after_colon(row.after_colon)
    if row.names is None:
        return None
    what, values = row.names
    return {"player": names.players, "order": names.orders}.get(what) or completes(values)


def _value(field: Field, row: Row, value: Any) -> Any:
    if row.is_negated:
        return not value
    return tuple(value or ()) if field.type == tuple[str, ...] else value
