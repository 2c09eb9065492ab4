"""Remove tracks from all playlists, for good: `playshuffle never`."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated

import typer

from playshuffle.cli import common_options
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import Mark, home_path, screen_of
from playshuffle.cli.streams import print_lines, say, say_error
from playshuffle.config.build_request import absolute
from playshuffle.config.never import add_tracks, never_tracks, remove_last_track
from playshuffle.config.places import never_list
from playshuffle.config.saved_playlists import saved_playlists, saved_request
from playshuffle.dealing.deck import Deal
from playshuffle.errors import Exit, PlayshuffleError, of_all, shown
from playshuffle.ordering.pins import near, track_index
from playshuffle.pipeline.deal import deal_again
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.open_playlist import open_playlist
from playshuffle.pipeline.record import was_dealt
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.service import running
from playshuffle.shuffle import System
from playshuffle.store.decks import StoredDeck
from playshuffle.store.decks import load as load_deck
from playshuffle.store.state import SavedOrder, State
from playshuffle.tags.reader_pool import read_all
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle never frantic.ogg    # in no playlist any more
  playshuffle never                # show these tracks
  playshuffle never --undo         # take the last one back
"""


def never(
    tracks: Annotated[
        list[str] | None, typer.Argument(metavar="[TRACK...]", help="Paths or file names of tracks")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last track back")] = False,
    quiet: common_options.Quiet = False,
) -> Exit:
    """Remove tracks from all playlists for good.

    They are in never.m3u beside the configuration. Any player may edit that list.
    """
    if undo and tracks:
        raise PlayshuffleError("--undo takes the last track back. Omit TRACK.", Exit.USAGE)
    if undo:
        return _undo(quiet=quiet)
    if not tracks:
        paths = never_tracks()
        print_lines(map(home_path, paths))
        if not paths and not quiet:
            say(["No track is in the list. To add one: playshuffle never TRACK"])
        return Exit.DONE
    with State(writes=False) as state:
        paths = _found(tracks, state)
        playlists = [path for path in saved_playlists(state) if not _entries(path).isdisjoint(paths)]
    new = add_tracks(paths)
    failures = _update([path for path in playlists if not running.processes([path])], quiet=quiet)
    if not quiet:
        screen = screen_of(sys.stderr)
        what = f"{home_path(paths[0])} is" if len(paths) == 1 else f"{len(paths):,} tracks are"
        count = counted(len(playlists) - len(failures), "playlist")
        say([screen.verdict(Mark.GOOD, f"{what} in no playlist any more. Removed from {count}")])
        say(screen.detail("List", home_path(never_list())))
        say(screen.detail("Undo", "playshuffle never --undo") if new else ())
    return of_all(failures)


def _undo(*, quiet: bool) -> Exit:
    path = remove_last_track()
    if path is None:
        raise PlayshuffleError(f"No track is in {home_path(never_list())}.", Exit.USAGE)
    if not quiet:
        screen = screen_of(sys.stderr)
        say(
            [
                screen.verdict(
                    Mark.GOOD, f"{home_path(path)} may be in playlists again, from their next update"
                )
            ]
        )
    return Exit.DONE


def _found(names: Sequence[str], state: State) -> list[bytes]:
    """Return the paths of the tracks that are named, known ones or files.

    Raises:
        PlayshuffleError: one is not found.
    """
    folders = state.load_tracks().folders
    known = [folder + name for folder, row in folders.items() for name in row.names.split(b"/")]
    roots = state.roots()
    paths = []
    for name in names:
        path = absolute(name, Exit.NO_INPUT)
        if os.path.isdir(path):
            raise PlayshuffleError(f"'{shown(name)}' is a folder. Name its tracks.", Exit.NO_INPUT)
        index = track_index(name, known, roots)
        if index is None and not os.path.lexists(path):
            raise PlayshuffleError(f"No track is called '{shown(name)}'.{near(name, known)}", Exit.NO_INPUT)
        paths.append(path if index is None else known[index])
    return paths


def _entries(playlist: bytes) -> set[bytes]:
    """Return the paths in a playlist; none if it cannot be read."""
    with contextlib.suppress(PlayshuffleError):
        return {*PlaylistFile.find(playlist).entries()}
    return set()


def _update(playlists: Sequence[bytes], *, quiet: bool) -> list[Exit]:
    """Update the playlists that no service manages; return the exit codes of those that fail."""
    deals: dict[bytes, Deal | None] = {}
    requests: dict[bytes, Request] = {}
    failures: list[Exit] = []
    with State(writes=False) as state:
        for playlist in playlists:
            with _failures(playlist, failures):
                deck = load_deck(state, playlist) if was_dealt(state, playlist) else None
                deals[playlist] = deck.deck.deal if deck is not None else None
                if deck is not None and deck.deck.deal is None:
                    raise PlayshuffleError(
                        "Its deal was taken back, so it keeps its tracks until the next deal.", Exit.LOSSES
                    )
                requests[playlist] = _request(playlist, [deck] if deck else state.orders(playlist))
    if not requests:
        return failures
    with progress_bar(quiet) as bar:
        tools = Tools(read_all, System(), bar)
        with open_library([*requests.values()], tools, must_remember=True) as library:
            for playlist, request in requests.items():
                deal = deals[playlist]
                with (
                    _failures(playlist, failures),
                    open_playlist(library, request, tools, deals=deal is not None) as run,
                ):
                    if deal is None:
                        keep(run)
                    else:
                        deal_again(run, deal.every, datetime.now().astimezone())
    return failures


def _request(playlist: bytes, records: Sequence[SavedOrder | StoredDeck | None]) -> Request:
    request = saved_request(playlist, records)
    if request is None:
        raise PlayshuffleError("Its options are not known. Make it again.", Exit.USAGE)
    return request


@contextlib.contextmanager
def _failures(playlist: bytes, codes: list[Exit]) -> Iterator[None]:
    """Print an error about a playlist, and add its exit code."""
    try:
        yield
    except PlayshuffleError as error:
        text = str(error)
        say_error(text if shown(playlist) in text else f"{home_path(playlist)}: {text}")
        codes.append(error.code)
