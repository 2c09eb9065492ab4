"""Find a deck by name or file, and the request that it is dealt with."""

import os
from collections.abc import Sequence

from playshuffle.cli.screen import shell_path
from playshuffle.config.build_request import absolute
from playshuffle.config.options import Options
from playshuffle.config.saved_playlists import saved_request
from playshuffle.dealing.deck import Deck
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.request import Request
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


def undo_request(name: str | None, given: Options) -> Request:
    """Return the request that the file of a deck had before its last deal.

    given: options that replace the saved ones.

    Raises:
        PlayshuffleError: the deck is not found, or its options are not known.
    """
    with State(writes=False) as state:
        path, _ = find_deck(decks.load_all(state), name)
        request = saved_request(path, [decks.load(state, path, age) for age in (1, 0)], given)
    if request is None:
        raise PlayshuffleError(
            f"The options that {shown(path)} was dealt with are not known. Name them again: playshuffle deal"
            f" FOLDER --undo -o {shell_path(path)}",
            Exit.USAGE,
        )
    return request


def short_names(playlist: bytes) -> tuple[bytes, bytes]:
    """Return the names by which a user may call a playlist: that of its file, with and without suffix."""
    file_name = os.path.basename(playlist)
    return file_name, os.path.splitext(file_name)[0]
