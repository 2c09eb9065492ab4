"""List names of playlists, tags and values of options, for the completion of a shell."""

import contextlib
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import typer

from playshuffle.errors import PlayshuffleError, shown
from playshuffle.options.table import Row

if TYPE_CHECKING:
    from playshuffle.tags.reading import Tags


def lists(ctx: typer.Context) -> list[str]:
    """Return the names of configured, made and dealt lists."""
    # Completion of options does not need them.
    from playshuffle.config.known_list import names_of
    from playshuffle.config.load import all_lists

    with contextlib.suppress(PlayshuffleError):
        return [*map(shown, names_of(all_lists(ctx.params.get("config"))))]
    return []


def of_option(row: Row) -> Callable[..., list[str]] | None:
    """Return a function that lists the values of an option; None if any text is a value."""
    if row.name in ("source", "without"):
        return lists
    if row.name == "history":
        return _histories
    if row.name == "where":
        return terms
    kind = row.names
    return None if kind is None else lambda: _names(kind)


def terms(incomplete: str) -> list[str]:
    """Return fields for queries, such as `genre:`; after a field, its values in the cache."""
    # As in `lists`.
    from playshuffle.selection.fields import FIELDS

    field, colon, value = incomplete.partition(":")
    if not colon:
        return [f"{name}:" for name in FIELDS]
    if field not in FIELDS:
        return []
    name = {"albumartist": "album_artist"}.get(field, field)
    texts = {str(getattr(tags, name, None) or "") for tags in _all_tags()}
    values = _beginning(value.lstrip('"'), {part for text in texts for part in text.split("; ")})
    return [_Offered(f"{field}:{_quoted(each)}") for each in values]


def titles(incomplete: str) -> list[str]:
    """Return the titles of known tracks."""
    return [*map(_Offered, _beginning(incomplete, {tags.title for tags in _all_tags()}))]


def _quoted(value: str) -> str:
    """Quote a value for a query, if it needs that."""
    if not re.search(r"""[\s"'\\(),]""", value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Offered(str):
    """A completion that typer keeps although its case or quotes are not as typed."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        return True


def _beginning(start: str, texts: Iterable[str]) -> list[str]:
    return sorted(shown(text) for text in texts if text and text.lower().startswith(start.lower()))


def _all_tags() -> Iterable["Tags"]:
    """Return the cached tags of all known tracks."""
    # As in `lists`.
    from playshuffle.library.cached_tags import cached_tags
    from playshuffle.store.state import State

    with contextlib.suppress(PlayshuffleError):
        with State(writes=False) as state:
            folders = state.load_tracks().folders
        return cached_tags(
            path + name for path, row in folders.items() for name in row.names.split(b"/")
        ).values()
    return ()


def _histories() -> list[str]:
    # As in `lists`.
    from playshuffle.history.histories import NAMES

    return [*NAMES]


def _names(kind: str) -> list[str]:
    # As in `lists`.
    from playshuffle.config.own_players import value_names

    return value_names(kind)
