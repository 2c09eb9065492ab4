"""Print which items match which queries in the beets of this Python, from JSON to JSON.

It is a separate program, because Debian's beets runs on Debian's Python.
"""

import contextlib
import io
import json
import logging
import sys
from typing import Any

import beets
from beets.library import Item, Library, parse_query_string

HAS_LISTS = "genres" in Item._fields


def item_of(fields: dict[str, Any]) -> Item:
    fields = dict(fields)
    genres = fields.pop("genres")
    fields["genres" if HAS_LISTS else "genre"] = genres if HAS_LISTS else "; ".join(genres)
    return Item(**{**fields, "path": fields["path"].encode()})


def matches(library: Library, items: list[Item], query: str) -> list[int] | str:
    """Return the numbers of items that `beet list` shows, or the class of its error.

    Items with several genres are matched by the Python code of beets, not by its SQL.
    """
    query = query.replace("genre:", "genres:") if HAS_LISTS else query
    try:
        shown = {item.id for item in library.items(query)}
        parsed, _ = parse_query_string(query, Item)
    except Exception as error:  # noqa: BLE001 - whatever beets raises is its answer
        return type(error).__name__
    several = {item.id for item in items if HAS_LISTS and len(item.genres) > 1}
    found = shown - several | {item.id for item in items if item.id in several and parsed.match(item)}
    return [number for number, item in enumerate(items) if item.id in found]


def main() -> None:
    logging.disable(logging.CRITICAL)
    job = json.load(sys.stdin)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        library = Library(":memory:", job["folder"])
        for fields in job["items"]:
            library.add(item_of(fields))
        items = sorted(library.items(), key=lambda item: int(item.id))
        answers = [matches(library, items, query) for query in job["queries"]]
    json.dump({"version": beets.__version__, "answers": answers}, sys.stdout)


main()
