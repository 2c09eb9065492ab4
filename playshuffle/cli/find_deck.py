"""Find a deck by name or file, and the request that it is dealt with."""

import os
import shlex
import sys
from collections.abc import Sequence

from playshuffle.cli.screen import Mark, screen_of
from playshuffle.cli.streams import say
from playshuffle.config.build_request import absolute, build_request
from playshuffle.config.load import load
from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.config.options import Options
from playshuffle.config.places import find, places
from playshuffle.config.toml_file import ConfigError
from playshuffle.dealing.deck import Deck
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.ordering.orders import ORDERS
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.saved_playlists import roots_with
from playshuffle.store import decks
from playshuffle.store.state import State
from playshuffle.system import atomic_file

NO_DECK = "No deck exists yet. To start one: playshuffle deal FOLDER"


def find_deck(all_decks: Sequence[tuple[bytes, Deck]], name: str | None) -> tuple[bytes, Deck]:
    """Find the deck of this file or with this name; without a name, the only deck.

    Raises:
        PlayshuffleError: there is none, or there are several.
    """
    if name is None:
        fitting = [*all_decks]
    else:
        path = atomic_file.resolved(absolute(name, Exit.USAGE))
        fitting = [candidate for candidate in all_decks if candidate[0] == path] or [
            candidate for candidate in all_decks if os.fsencode(name) in short_names(candidate[0])
        ]
    if len(fitting) == 1:
        return fitting[0]
    if not all_decks:
        raise PlayshuffleError(NO_DECK, Exit.USAGE)
    outputs = ", ".join(shown(path) for path, _ in fitting or all_decks)
    problem = "There are several decks" if fitting else f"Unknown deck '{shown(name or '')}'"
    raise PlayshuffleError(f"{problem}. Name one of these: {outputs}", Exit.USAGE)


def deck_request(name: str | None, config: str | None, options: Options, order: str | None) -> Request:
    """Return the request of a deck: as it is configured, else over the folders that its tracks are in.

    options: for a deck that is not configured. order: of these, None for the order of the deck.

    Raises:
        PlayshuffleError: the deck is not found, its folders are not known, or the configuration is wrong.
    """
    with State(writes=False) as state:
        path, _ = find_deck(decks.load_all(state), name)
        stored = [decks.load(state, path, age) for age in (0, 1)]  # either may be without tracks
        numbers = frozenset[int]().union(*(deck.deck.tracks for deck in stored if deck is not None))
        roots = roots_with(state, state.load_tracks().paths_of(numbers).values())
    if config is not None or any(map(os.path.lexists, places())):
        for playlist in _configured(config):
            if atomic_file.resolved(playlist.request.output or b"") == path:
                return playlist.request._replace(dry_run=False)
    if not numbers:
        raise PlayshuffleError(f"There is no deal of {shown(path)} to undo. Deal first.", Exit.USAGE)
    if not roots:
        raise PlayshuffleError(
            f"The list or folder that {shown(path)} was dealt from is not saved. Name it: playshuffle deal"
            f" --from LIST --undo -o {shlex.quote(shown(path))} …, or FOLDER instead of --from LIST.",
            Exit.USAGE,
        )
    if order is None:  # the file names it
        used = [deck.deck.order for deck in reversed(stored) if deck is not None and deck.deck.order]
        options = options._replace(order=used[0] if used and used[0] in ORDERS else options.order)
    # Whatever was dealt counts, with any options.
    folders = tuple(map(os.fsdecode, roots))
    options = options._replace(folders=folders, output=os.fsdecode(path), spoken=True, ignore_files=False)
    return build_request(options)


def _configured(config: str | None) -> Sequence[ConfiguredPlaylist]:
    """Return the playlists of the configuration; none, and a warning, if it is wrong and was not named."""
    try:
        return load(find(config)).playlists
    except ConfigError as error:
        if config is not None:
            raise
        text = f"The configuration cannot be used, so the deck counts as not configured. {error}"
        say([screen_of(sys.stderr).verdict(Mark.WARNING, text)])
        return ()


def short_names(playlist: bytes) -> tuple[bytes, bytes]:
    """Return the names by which a user may call a playlist: that of its file, with and without suffix."""
    file_name = os.path.basename(playlist)
    return file_name, os.path.splitext(file_name)[0]
