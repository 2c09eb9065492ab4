"""What services tell, what the configuration wants and what is remembered, in; how all of it stands, out."""

import contextlib
import os
from collections.abc import Iterable
from typing import Any

from playshuffle.config.load import Config
from playshuffle.dealing.describe import facts, stand
from playshuffle.errors import PlayshuffleError
from playshuffle.library import away as guard
from playshuffle.library.away import Root
from playshuffle.pipeline.target import Target
from playshuffle.service import running as services
from playshuffle.store.decks import all_decks
from playshuffle.store.state import State
from playshuffle.system import mounts

SCHEMA = 1

Status = dict[str, Any]


def status(config: Config | None) -> Status:
    """How everything stands, in the words that a service tells it in; the service need not run.

    A playlist that no service keeps is as the configuration and the state have it: `kept` is then
    not among its states, but `not kept`, `broken` and `not made`.
    """
    running = services.told()
    roots = {root["root"]: root for one in running for root in one["roots"]}
    playlists = {one["output"] or one["name"]: one for told in running for one in told["playlists"]}
    with State(writes=False) as state:
        for wanted in config.playlists if config is not None else ():
            output = os.fsdecode(os.path.realpath(wanted.request.output or b""))
            for root in wanted.request.roots:
                if os.fsdecode(root) not in roots:
                    roots[os.fsdecode(root)] = _root(root, state.root(root))
            if not _is_told(playlists.values(), wanted.name, output):
                playlists[output] = _playlist(wanted.name, os.fsencode(output), state)
        for broken in config.broken if config is not None else ():
            if not _is_told(playlists.values(), broken.name, ""):
                playlists[broken.name] = _nothing(broken.name, "") | {
                    "state": "broken",
                    "last_error": broken.text,
                }
        known = {os.path.realpath(os.fsencode(one["output"])) for one in playlists.values() if one["output"]}
        decks = dict(all_decks(state))
        for path in sorted({*state.playlists(), *decks} - known):
            playlists[os.fsdecode(path)] = _playlist(None, path, state)
        for one in playlists.values():
            deck = decks.get(os.path.realpath(os.fsencode(one["output"])))
            if deck is not None and one["stand"] is None:
                one |= {"deck": facts(deck), "stand": stand(deck), "state": "dealt"}
        notes = list(state.notes)
    return {
        "schema": SCHEMA,
        "services": [{key: one[key] for key in ("process", "since", "config")} for one in running],
        "roots": list(roots.values()),
        "playlists": list(playlists.values()),
        "notes": notes,
    }


def _is_told(playlists: Iterable[Status], name: str, output: str) -> bool:
    return any(
        one["name"] == name and (not output or os.path.realpath(one["output"]) == output) for one in playlists
    )


def _root(path: bytes, known: Root | None) -> Status:
    """A root that no service watches."""
    here = "here"
    try:
        guard.check_root(path, known)
    except PlayshuffleError:
        here = "away"
    kinds = [mount.kind for mount in mounts.under(os.path.realpath(path), mounts.table())[:1]]
    return {
        "root": os.fsdecode(path),
        "state": here,
        "file_system": kinds[0] if kinds else "",
        "watched": "not watched",
        "advice": "",
        "folders": None,
        "watches": None,
        "tracks": known.tracks if known is not None else None,
        "last_event": None,
        "last_reconcile": None,
        "drift": None,
    }


def _nothing(name: str | None, output: str) -> Status:
    return {
        "name": name,
        "output": output,
        "state": "not made",
        "tracks": None,
        "library": None,
        "order": None,
        "last_write": None,
        "last_error": None,
        "unreadable": [],
        "deck": None,
        "stand": None,
    }


def _playlist(name: str | None, output: bytes, state: State) -> Status:
    """A playlist that no service keeps."""
    said = _nothing(name, os.fsdecode(output))
    seen = state.seen(output)
    if seen:
        said |= {"state": "not kept", "tracks": seen[0].played}
    with contextlib.suppress(PlayshuffleError, OSError):
        said["last_write"] = round(os.stat(output).st_mtime)
        said["order"] = Target(output, state, force=True).order
    return said
