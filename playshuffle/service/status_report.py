"""Report the status of folders and playlists, whether or not a service runs."""

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from playshuffle.dealing.describe import deck_line
from playshuffle.errors import MissingError, PlayshuffleError
from playshuffle.library.missing import Root, check_output, check_roots
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.service import status_file
from playshuffle.service.status_json import BY_MAKE, EMPTY, MISSING, PlaylistStatus, RootStatus, Status
from playshuffle.store import records
from playshuffle.store.records import Summary
from playshuffle.store.state import State
from playshuffle.store.state_file import write_problem
from playshuffle.system import mounts
from playshuffle.system.regular_file import names_in

if TYPE_CHECKING:
    from playshuffle.config.model import Config


_PENDING = "the last deal was not written to the file; the next deal or update writes it"


def current_status(config: "Config | None", *, lists_all: bool) -> Status:
    """Return the status of all decks, and of all playlists that services or the configuration name.

    A playlist that no service manages is described by the configuration and the state file. `lists_all` adds
    playlists of `make`.
    """
    published = status_file.services()
    roots = {root.root: root for status in published for root in status.roots}
    playlists = {
        playlist.output or playlist.name or "": playlist
        for status in published
        for playlist in status.playlists
    }
    with State(writes=False) as state:
        summaries = records.summaries(state)
        if config is not None:
            _add_configured(config, summaries, state, roots, playlists)
        outputs = {
            status_file.resolved(playlist.output) for playlist in playlists.values() if playlist.output
        }
        saved = {
            path: summary
            for path, summary in summaries.items()
            if summary.deck is not None or not (path in outputs or _seems_deleted(path))
        }
        decks = {path: summary.deck for path, summary in saved.items() if summary.deck is not None}
        by_hand = [path for path in saved if path not in outputs and path not in decks]
        _add_missing(saved.values(), state, roots)
        for path in sorted([*(decks.keys() - outputs), *(by_hand if lists_all else ())]):
            playlists[os.fsdecode(path)] = _playlist(None, path, saved[path], state)
        problem = state.problem or write_problem()
        for key, playlist in playlists.items():
            playlists[key] = _completed(playlist, decks.get(status_file.resolved(playlist.output)), problem)
        notes = tuple(map(str, state.notes))
    return Status(
        tuple(service for status in published for service in status.services),
        tuple(roots.values()),
        tuple(playlists.values()),
        notes,
        0 if lists_all else len(by_hand),
    )


def _seems_deleted(playlist: bytes) -> bool:
    """Return whether a playlist is missing from an existing folder that is not empty.

    An empty folder may be a mount point whose drive is missing.
    """
    return not os.path.lexists(playlist) and names_in(os.path.dirname(playlist)) != []


def _completed(
    playlist: PlaylistStatus, deck: Mapping[str, Any] | None, problem: str | None
) -> PlaylistStatus:
    if deck is not None and playlist.summary is None:
        state = "dealt" if deck["round"] else "nothing dealt"
        state = state if playlist.last_error is None else playlist.state
        playlist = playlist._replace(deck=deck, summary=deck_line(deck), state=state)
        if deck["is_pending"] and playlist.last_error is None:
            playlist = playlist._replace(state="not written", last_error=_PENDING)
    if problem is not None and playlist.last_error is None:
        playlist = playlist._replace(state="error", last_error=problem)
    return playlist


def _add_configured(
    config: "Config",
    summaries: Mapping[bytes, Summary],
    state: State,
    roots: dict[str, RootStatus],
    playlists: dict[str, PlaylistStatus],
) -> None:
    for configured in config.playlists:
        output = os.path.realpath(configured.output)
        for root in configured.request.roots:
            if os.fsdecode(root) not in roots:
                roots[os.fsdecode(root)] = _root(root, state.root(root))
        if not _is_listed(playlists.values(), configured.name, os.fsdecode(output)):
            lists = configured.request.without
            missing = tuple(os.fsdecode(path) for path in lists if not os.path.isfile(path))
            status = _playlist(configured.name, output, summaries.get(output), state)
            playlists[os.fsdecode(output)] = status._replace(missing_lists=missing)
    for broken in config.broken:
        if not _is_listed(playlists.values(), broken.name, ""):
            playlists[broken.name] = PlaylistStatus(broken.name, "", "broken", last_error=broken.text)


def _add_missing(saved: Iterable[Summary], state: State, roots: dict[str, RootStatus]) -> None:
    options = [summary.options for summary in saved if summary.options is not None]
    for folder in sorted({folder for one in options for folder in one.folders}):
        root = _root(os.fsencode(folder), state.root(os.fsencode(folder)))
        if root.state == MISSING:
            roots.setdefault(folder, root)


def _is_listed(playlists: Iterable[PlaylistStatus], name: str, output: str) -> bool:
    return any(
        playlist.name == name and (not output or status_file.resolved(playlist.output) == os.fsencode(output))
        for playlist in playlists
    )


def _root(path: bytes, last_state: Root | None) -> RootStatus:
    state = MISSING if check_roots({path: last_state}) else "ok" if names_in(path) else EMPTY
    return RootStatus(
        os.fsdecode(path), state, tracks=len(last_state.numbers) if last_state is not None else None
    )


def _playlist(name: str | None, output: bytes, summary: Summary | None, state: State) -> PlaylistStatus:
    result = PlaylistStatus(name, os.fsdecode(output))
    state_name = BY_MAKE if name is None else "not updated"
    if summary is not None and summary.deck is None:
        result = result._replace(state=state_name, tracks=summary.length)
    folder = os.path.dirname(output)
    try:
        check_output(folder, state.output_mounts(output), mounts.at(folder, mounts.table()))
    except MissingError as error:
        return result._replace(state=MISSING, last_error=error.summary)
    with contextlib.suppress(PlayshuffleError, OSError):
        file = PlaylistFile.find(output)
        if file.exists:
            result = result._replace(
                state=state_name if file.has_mark() else result.state,
                last_write=round(os.stat(file.path).st_mtime),
                order=file.comments().get("ORDER"),
            )
    return result
