"""`playshuffle config`: write a configuration, check it, show what is in force and why."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playshuffle.cli.near_file import near_file
from playshuffle.cli.screen import Mark, home_path, screen_of
from playshuffle.cli.streams import say, write_out
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.text import counted

if TYPE_CHECKING:
    from playshuffle.config.load import ConfiguredPlaylist

EXAMPLES = """\b
Examples:
  playshuffle config init      # writes an example, to be changed
  playshuffle config check     # names all faults
  playshuffle config show      # what is in force, and where it was said
"""

_SCHEMA = 1

_File = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The configuration. Default: $PLAYSHUFFLE_CONFIG, ~/.config/playshuffle/config.toml,"
        " /etc/playshuffle/config.toml.",
    ),
]


def init(config: _File = None) -> None:
    """Write a commented example, where there is no configuration yet."""
    from playshuffle.config.example import example
    from playshuffle.config.places import places
    from playshuffle.system import atomic_file

    path = places(config)[0]
    if os.path.lexists(path):
        raise PlayshuffleError(
            f"{shown(path)} is there already, so it is left as it is; change it, or name another with"
            " --config.",
            Exit.CANNOT_CREATE,
        )
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise PlayshuffleError(
            f"{shown(folder)} cannot be made: {error.strerror}; name another file with --config.",
            Exit.CANNOT_CREATE,
        ) from error
    atomic_file.write(path, [example().encode()])
    say([f"{shown(path)} was written; look through it, then run `playshuffle config check`."])


def check(config: _File = None) -> None:
    """Check the configuration and name every fault; exit code 78 says that there is one."""
    from playshuffle.config.load import load
    from playshuffle.config.places import find

    path = find(config)
    checked = load(path)
    say(broken.text for broken in checked.broken)
    roots = dict.fromkeys(root for playlist in checked.playlists for root in playlist.request.roots)
    missing = [root for root in roots if not os.path.isdir(root)]
    unseen = _unseen(missing)
    for root in missing:
        near = near_file(root, is_folder=True)
        hint = f" Did you mean {home_path(near)}?" if near else " Correct it, or mount its drive."
        if root in unseen:
            say([f"{home_path(root)} does not exist and was never scanned.{hint}"])
        else:
            say([f"{home_path(root)} is missing. Its playlists stay as they are until it is back."])
    lists = _unknown_lists(checked.playlists)
    say(f"The skip list {home_path(path)} does not exist. Correct it, or save it." for path in lists)
    playlists = counted(len(checked.playlists), "playlist")
    screen, place = screen_of(sys.stderr), home_path(path)
    if checked.broken:
        say([screen.verdict(Mark.BAD, f"{place}: {counted(len(checked.broken), 'problem')}")])
        raise typer.Exit(Exit.CONFIG)
    if unseen:
        say([screen.verdict(Mark.WARNING, f"{place}: {playlists}, {counted(len(unseen), 'unknown folder')}")])
        raise typer.Exit(Exit.LOSSES)
    if lists:
        say([screen.verdict(Mark.WARNING, f"{place}: {playlists}, {counted(len(lists), 'unknown list')}")])
        raise typer.Exit(Exit.LOSSES)
    say([screen.verdict(Mark.GOOD, f"{place}: {playlists}, no problems")])


def _unseen(roots: Sequence[bytes]) -> set[bytes]:
    """Return the folders that no run has scanned: probably misspelt."""
    from playshuffle.store.state import State

    if not roots:
        return set()
    with State(writes=False) as state:
        return {root for root in roots if state.root(root) is None}


def _unknown_lists(playlists: "Sequence[ConfiguredPlaylist]") -> list[bytes]:
    """Return the skip lists that do not exist, and of which no content is known."""
    from playshuffle.store import skip_lists
    from playshuffle.store.state import State
    from playshuffle.system import atomic_file

    unknown: list[bytes] = []
    for playlist in playlists:
        missing = [path for path in playlist.request.without if not os.path.isfile(path)]
        if missing:
            with State(writes=False) as state:
                known = skip_lists.load(state, atomic_file.resolved(playlist.request.output or b""))
            unknown += [path for path in missing if path not in known]
    return list(dict.fromkeys(unknown))


def show(
    config: _File = None,
    as_json: Annotated[bool, typer.Option("--json", help="Say it as JSON.")] = False,
) -> None:
    """Show what is in force, and where each value comes from: a line of the file, or the default."""
    from playshuffle.config.load import understand
    from playshuffle.config.places import find
    from playshuffle.config.settings import player_settings, settings
    from playshuffle.config.toml_file import read

    document = read(find(config))
    config_file = understand(document)
    values = settings(document, config_file)
    players = player_settings(document)
    if as_json:
        broken = [each.text for each in config_file.broken]
        write_out([_json(document.path, values, players, broken).encode(), b"\n"])
    else:
        write_out(f"{line}\n".encode() for line in _lines(document.path, values, players))
        say(broken.text for broken in config_file.broken)
    if config_file.broken:
        raise typer.Exit(Exit.CONFIG)


VERBS = (init, check, show)


def _lines(path: bytes, values: dict[str | None, list[Any]], players: dict[str, list[Any]]) -> Iterator[str]:
    yield f"# {shown(path)}"
    tables = {f"[playlist.{shown(name)}]": settings for name, settings in values.items() if name is not None}
    tables |= {f"[player.{name}]": settings for name, settings in players.items()}
    for head, settings in {"": values[None], **tables}.items():
        if head:
            yield ""
            yield head
        for key, value, line in settings:
            origin = "default" if line is None else f"line {line}"
            yield f"{f'{key} = {_words(value)}':50}  # {origin}"


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_words, value))}]"
    return f'"{shown(value)}"' if isinstance(value, str) else str(value)


def _json(
    path: bytes, values: dict[str | None, list[Any]], players: dict[str, list[Any]], broken: list[str]
) -> str:
    import json

    def table(settings: list[Any]) -> dict[str, Any]:
        return {key: {"value": value, "line": line} for key, value, line in settings}

    return json.dumps(
        {
            "schema": _SCHEMA,
            "file": os.fsdecode(path),
            **table(values[None]),
            "playlists": {name: table(settings) for name, settings in values.items() if name is not None},
            "players": {name: table(settings) for name, settings in players.items()},
            "broken": broken,
        },
        indent=2,
    )
