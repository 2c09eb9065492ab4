"""Save a list in the configuration, or new paths of moved folders. All other text stays, comments too."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from playshuffle.config.keys import FOR_ALL, expanded, options_of
from playshuffle.config.load import PATHS, understand, with_absolute_paths
from playshuffle.config.toml_file import Document, parsed, read
from playshuffle.errors import OptionError, PlayshuffleError, shown
from playshuffle.options.table import ROWS, Options
from playshuffle.pipeline.request import Request
from playshuffle.playlist.path_map import with_folder
from playshuffle.selection.query import with_new_paths as query_with_new_paths
from playshuffle.store.home_paths import named_paths
from playshuffle.store.saved_options import with_paths
from playshuffle.system import atomic_file

_KEPT = ("reshuffle", "tell", "force")  # keys of a list that are not saved with it


def save_list(path: bytes, name: str, request: Request) -> None:
    """Add a list to a configuration, or change the list of this name if it has the same file, or by `force`.

    The configuration is created if needed.

    Raises:
        PlayshuffleError: the configuration cannot contain the list, and was not changed.
    """
    atomic_file.make_folder_for(path)
    with atomic_file.held(os.path.dirname(path)):
        atomic_file.write(path, [with_list(path, name, request).encode()])


def with_list(path: bytes, name: str, request: Request) -> str:
    """Return a configuration's text with a list in it, as `save_list` writes it. Raise the same error."""
    document = read(path) if os.path.lexists(path) else Document(path, "", {})
    _check_name(document, name, request)
    options = with_paths(request.saved_options or Options(), named_paths().stored)
    if document.table.get("playlist"):  # otherwise the values at the top apply to no list yet
        options = _without_rules(options, document)
    values = _values(options, document.table)
    content = tomlkit.parse(document.text)
    if name not in (lists := content.get("playlist", {})):
        if isinstance(lists, InlineTable):
            lists[name] = tomlkit.inline_table()
        else:  # a header at the end is right after each other spelling of the lists
            start = document.text.rstrip() + "\n\n" if document.text.strip() else document.text
            content = tomlkit.parse(f"{start}[playlist.{tomlkit.key(name).as_string()}]\n")
    table = content["playlist"][name]
    for key in [key for key in table if key not in values and key not in _KEPT]:
        del table[key]
    for key, value in values.items():
        if table.get(key) != value:
            table[key] = value
    text = _text(content, request.output or name)
    for broken in understand(parsed(path, text)).broken:
        if broken.name == name:
            raise PlayshuffleError(broken.message)
    return text


def with_new_paths(path: bytes, new_place: Callable[[bytes], bytes]) -> bytes:
    """Return the content of a faultless configuration with each path changed by `new_place`.

    Raises:
        PlayshuffleError: a new path cannot be written into the configuration.
    """
    content = tomlkit.parse(read(path).text)

    def moved(value: bytes) -> bytes:
        before = expanded(os.fsdecode(value), os.path.dirname(path))
        after = new_place(before)
        return value if after == before else named_paths().stored(after)

    def changed(key: str, value: str) -> str:
        if key == "where":
            return query_with_new_paths(value, moved)
        name = os.fsencode(value)
        return os.fsdecode(with_folder(name, moved) if key == "map" else moved(name))

    for table in (content, *content.get("playlist", {}).values()):
        for key in table.keys() & {*PATHS, "map", "pin", "where"}:
            values = table[key]
            texts = (
                [(table, key)]
                if isinstance(values, str)
                else [(values, index) for index in range(len(values))]
            )
            for place, index in texts:
                if (after := changed(key, place[index])) != place[index]:
                    place[index] = after
    return _text(content, new_place(b"/")).encode()


def _text(content: tomlkit.TOMLDocument, name: bytes | str) -> str:
    """Return the configuration's text; refuse a `name` that is not UTF-8."""
    text = str(tomlkit.dumps(content))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise PlayshuffleError(
            f"{shown(name)} cannot be in a configuration, which is UTF-8. Rename it."
        ) from error
    return text


def _without_rules(options: Options, document: Document) -> Options:
    table = with_absolute_paths(document, {**document.table, "folders": ()})
    rules = with_paths(Options(**options_of(table)), named_paths().stored)
    own: dict[str, Any] = {
        name: tuple(value for value in getattr(options, name) if value not in getattr(rules, name))
        for name in FOR_ALL
    }
    return options._replace(**own)


def _check_name(document: Document, name: str, request: Request) -> None:
    tables = document.table.get("playlist")
    if not tables:
        return
    output = atomic_file.resolved(request.output or b"")
    same = [one.name for one in understand(document).playlists if atomic_file.resolved(one.output) == output]
    if same and same != [name]:
        raise PlayshuffleError(
            f"{shown(output)} is '{shown(same[0])}' in the configuration already. Use that name."
        )
    if not same and name in tables and not request.options.force:
        raise PlayshuffleError(
            f"The configuration has another list '{shown(name)}'. Choose another name, or replace it: --force"
        )


def _values(options: Options, for_all: Mapping[str, Any]) -> dict[str, Any]:
    if options.source is not None:
        raise OptionError("{} works only on the command line. Remove {}, or --save.", "from", "from")
    if not options.folders:
        raise PlayshuffleError("--save needs a music folder, and a pipe named the tracks.")
    values: dict[str, Any] = {"folders": list(options.folders), "output": options.output}
    if values["folders"] == for_all.get("folders"):
        del values["folders"]
    for row in ROWS:
        value = getattr(options, row.name)
        if row.has_key and value != row.default:
            values[row.key] = list(value) if isinstance(value, tuple) else value
    return values
