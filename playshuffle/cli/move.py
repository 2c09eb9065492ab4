"""Follow music that was moved to another folder or drive: `playshuffle move`."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Annotated

from playshuffle.cli.common_options import ConfigFile, Quiet, argument, option
from playshuffle.cli.never import update_lists
from playshuffle.cli.screen import Mark, home_path, shell_path
from playshuffle.cli.streams import show
from playshuffle.config.build_request import absolute
from playshuffle.config.configuration import load_if_any
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.never import with_new_paths as never_list_after
from playshuffle.config.places import find, never_list
from playshuffle.config.save_list import with_new_paths as configuration_after
from playshuffle.errors import Exit, PlayshuffleError, of_all
from playshuffle.library.cache import Cache
from playshuffle.library.missing import is_gone
from playshuffle.playlist import playlist_reader
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.service import status_file
from playshuffle.store.path_moves import MovedRow, NewPlace, moved_rows, playlists_in_the_way, save_move
from playshuffle.store.state import State
from playshuffle.system.regular_file import names_in
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle move ~/Music /mnt/disk/Music
  playshuffle move /media/ann/OLD /media/ann/NEW --dry-run
"""
_SHOWN = 3  # named missing tracks


def move(
    old: Annotated[str, argument("OLD", "Folder where the music was")],
    new: Annotated[str, argument("NEW", "Folder where it is now")],
    dry_run: Annotated[bool, option("--dry-run", "Only show what would change")] = False,
    config: ConfigFile = None,
    quiet: Quiet = False,
) -> Exit:
    """Follow music that was moved elsewhere.

    Orders, decks, the configuration and never.m3u get the new paths, all or none. No music is moved.
    """
    before, after = (absolute(name) for name in (old, new))
    _check_folders(before, after)
    place = NewPlace(before, after)
    with State(must_remember=True) as state, state.locked():
        files = _files(config, place)
        rows = moved_rows(state, before, after)
        moved = {state.real.absolute(row.after["path"]) for row in rows if row.table == "record"}
        is_saved = not any(row.table in ("root", "record") for row in rows)
        if is_saved:  # unless OLD is unknown, a move was cut short before it had written all lists
            moved = set(_with_old_paths(known_lists(load_if_any(config), state), place))
        _check_known(state, rows, before, after, is_known=bool(moved) or not is_saved)
        present, lost = _tracks(state, rows)
        if 2 * present < present + len(lost):
            raise PlayshuffleError(
                f"{home_path(after)} has {present:,} of {counted(present + len(lost), 'track')} that were in"
                f" {home_path(before)}. Missing is {home_path(lost[0])}. Nothing was changed.",
                Exit.MISSING,
            )
        if not (dry_run or is_saved):
            save_move(state, rows, files)
        lists = known_lists(load_if_any(config), state)
    failures: list[Exit] = []
    if not dry_run:
        with Cache() as cache:
            cache.move(place)
        failures = update_lists([one for one in lists if one.path in moved and one.exists], quiet=quiet)
    if failures and not quiet:
        again = f"To write them: playshuffle move {shell_path(before)} {shell_path(after)}"
        text = f"The new paths are saved, but {counted(len(failures), 'list')} could not be written. {again}"
        show([(Mark.WARNING, text)])
    elif not quiet:
        what = "would be" if dry_run else "is now"
        counts = counted(len(moved), "list")
        counts = counts if is_saved else f"{counted(present, 'track')}, {counts}"
        show([(Mark.GOOD, f"{home_path(before)} {what} {home_path(after)}: {counts}")])
        show([("Missing", home_path(path)) for path in lost[:_SHOWN]])
        show([("Changed", home_path(path)) for path in files])
    return of_all(failures)


def _check_folders(before: bytes, after: bytes) -> None:
    if not os.path.isdir(after):
        raise PlayshuffleError(
            f"{home_path(after)} is not a folder. This command moves no music. Move it first:"
            f" mv {shell_path(before)} {shell_path(after)}",
            Exit.NO_INPUT,
        )
    for service in status_file.services():
        raise PlayshuffleError(
            f"The service is running (process {service.services[0].process}), and has the old folder. Stop it"
            " first: systemctl --user stop playshuffle",
            Exit.CANNOT_CREATE,
        )


def _files(config: str | None, place: NewPlace) -> dict[bytes, bytes]:
    files = {find(config): configuration_after} if load_if_any(config) is not None else {}
    files |= {never_list(): never_list_after} if os.path.lexists(never_list()) else {}
    after = {path: content(path, place) for path, content in files.items()}
    return {path: content for path, content in after.items() if content != playlist_reader.content_of(path)}


def _with_old_paths(lists: Sequence[KnownList], place: NewPlace) -> Iterator[bytes]:
    """Yield the lists with an entry whose file is not at its path, but at the new place of this path."""
    for one in lists:
        written: Sequence[bytes] = ()
        with contextlib.suppress(PlayshuffleError):
            written = PlaylistFile.find(one.path).written()
        if any(place(path) != path and os.path.lexists(place(path)) and is_gone(path) for path in written):
            yield one.path


def _check_known(
    state: State, rows: Sequence[MovedRow], before: bytes, after: bytes, *, is_known: bool
) -> None:
    if not is_known:
        roots = ", ".join(map(home_path, state.roots())) or "none"
        raise PlayshuffleError(
            f"No music folder or list is in {home_path(before)}. Known music folders: {roots}."
        )
    if in_the_way := playlists_in_the_way(state, rows):
        names = " ".join(map(shell_path, in_the_way))
        raise PlayshuffleError(
            f"{home_path(after)} has tracks or files of other lists. To give their place to"
            f" {home_path(before)}, forget these first: playshuffle forget {names}"
        )


def _tracks(state: State, rows: Sequence[MovedRow]) -> tuple[int, list[bytes]]:
    present, lost = 0, list[bytes]()
    for row in rows:
        if row.table == "folder":
            folder = state.named.absolute(row.after["path"])
            names = row.after["names"].split(b"/")
            there = frozenset(names_in(folder))
            lost += [folder + name for name in names if name not in there]
            present += sum(name in there for name in names)
    return present, lost
