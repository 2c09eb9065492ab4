"""Find out that no deal is due, without a look at the folders or the cache."""

import os
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from playshuffle import __version__
from playshuffle.dealing.period import Every, is_new_period
from playshuffle.pipeline.request import Request
from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist import parts
from playshuffle.playlist.m3u import fingerprint
from playshuffle.store.deck_summaries import DeckSummary, summary
from playshuffle.store.state import State
from playshuffle.store.state_file import write_problem
from playshuffle.system import atomic_file

_IRRELEVANT = ("allow_shrink", "force", "dry_run")  # fields of a request


class WrittenDeal(NamedTuple):
    """A playlist that has the deal of its period already.

    output: its resolved path.
    """

    output: bytes
    deck: DeckSummary


def written_deal(request: Request, every: Every, now: datetime) -> WrittenDeal | None:
    """Return the last deal if nothing is due and its playlist is as it was written for this request.

    Files and their tags are not looked at, except that the dealt files must exist. None means that
    `deal_playlist` must decide.
    """
    if request.output is None or request.allow_shrink or write_problem() is not None:
        return None
    with State(writes=False) as state:
        path = atomic_file.resolved(request.output)
        deck = summary(state, path)
        if deck is None or deck.deal is None or state.problem is not None or state.notes:
            return None
    last = deck.deal
    if (
        not last.is_pending
        and not is_new_period(every, now, last.period)
        and last.period <= now.date()
        and deck.request == request_digest(request)
        and deck.content == _content(path)
        and last.entries
        and all(map(os.path.exists, last.entries))
    ):
        return WrittenDeal(path, deck._replace(deal=replace(last, every=every)))
    return None


def request_digest(request: Request) -> str:
    """Return a digest. Requests that may be written differently have different digests."""
    facts = (
        __version__,
        [getattr(request, name) for name in request._fields if name not in _IRRELEVANT],
        PLAYERS[request.player],
        [_stamp(path) for path in request.without],
    )
    return fingerprint(repr(facts).encode(errors="surrogateescape"))


def _stamp(path: bytes) -> tuple[int, int] | None:
    """Return what changes when a skip list is edited."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _content(path: bytes) -> str | None:
    """Return the fingerprint of a playlist in one file or in parts; None if it cannot be read."""
    chunks = []
    try:
        for file in [path] if os.path.isfile(path) else parts.existing(path):
            with open(file, "rb") as opened:
                chunks.append(opened.read())
    except OSError:
        return None
    return fingerprint(b"".join(chunks))
