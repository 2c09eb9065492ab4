"""Play a list in MPD without end: `playshuffle tell mpd LIST --endless`."""

import os
from functools import partial

from playshuffle.cli.deal_lists import request_to_deal
from playshuffle.cli.run_lists import run_lists
from playshuffle.cli.streams import say
from playshuffle.dealing.amount import Count
from playshuffle.dealing.fed import Passed
from playshuffle.listening.feed import Feeder
from playshuffle.options.given import NOTHING_GIVEN
from playshuffle.pipeline.deal import Fed
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
    with State(must_remember=True) as state:
        request = _request(word, config, state)
    assert request.output is not None
    assert request.deal is not None
    feeder = Feeder(
        atomic_file.resolved(request.output),
        partial(_deal, word, config),
        lambda text: say([] if quiet else [text]),
        counts_plays=request.deal.done_when is Count.PLAYED,
    )
    feeder.run(mpd_server.addresses(os.environ, socket))


def _deal(word: str | None, config: str | None, passed: Passed) -> Fed:
    """Deal the next tracks; in each deal the configuration is read again."""
    with State(must_remember=True) as state:
        requests = {"": _request(word, config, state)}
        [fed] = run_lists(requests, partial(deal_to_player, passed=passed), quiet=True, state=state)[
            0
        ].values()
    return fed


def _request(word: str | None, config: str | None, state: State) -> Request:
    return request_to_deal([] if word is None else [word], NOTHING_GIVEN, "", config, None, state)
