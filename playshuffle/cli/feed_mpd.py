"""Play a list in MPD without end: `playshuffle tell mpd LIST --endless`."""

import os
from functools import partial

from playshuffle.cli.deal_lists import request_to_deal
from playshuffle.cli.run_lists import run_lists
from playshuffle.cli.streams import say_wrapped
from playshuffle.dealing.fed import Fed, Passed
from playshuffle.listening.feed import Feeder
from playshuffle.options.given import NOTHING_GIVEN
from playshuffle.pipeline.deal import feed as deal_to_player
from playshuffle.pipeline.request import Request
from playshuffle.store.state import State
from playshuffle.system import atomic_file, mpd_server


def playlist_of(word: str | None, config: str | None = None) -> bytes:
    """Return the file of the list, or of the deck of a music folder, that feeds MPD."""
    with State(must_remember=True) as state:
        request = _request(word, config, state)
    assert request.output is not None
    return atomic_file.resolved(request.output)


def feed_mpd(word: str | None, config: str | None, socket: str | None, *, quiet: bool) -> None:
    """Feed MPD from the deck of a list or music folder until a signal ends the process."""
    deal, playlist = partial(deal_next, word, config), playlist_of(word, config)
    feeder = Feeder(playlist, deal, lambda text: say_wrapped([] if quiet else [text]))
    feeder.run(mpd_server.addresses(os.environ, socket))


def deal_next(word: str | None, config: str | None, passed: Passed) -> Fed:
    """Deal the next tracks; in each deal the configuration is read again."""
    with State(must_remember=True) as state:
        requests = {"": _request(word, config, state)}
        feed = partial(deal_to_player, passed=passed)
        done, _ = run_lists(requests, feed, quiet=True, state=state)
    return done[""]


def _request(word: str | None, config: str | None, state: State) -> Request:
    words = [] if word is None else [word]
    return request_to_deal(words, NOTHING_GIVEN, "", config, None, state)
