"""Show the options, the order or the deck of one list."""

import json
import os
from collections.abc import Iterator
from datetime import datetime

from playshuffle.cli.lists import KnownList
from playshuffle.cli.screen import Mark, Screen, home_path
from playshuffle.cli.track_list import track_list
from playshuffle.config.options import as_flags, to_json
from playshuffle.config.saved_playlists import saved_options
from playshuffle.dealing.deck import Deck
from playshuffle.dealing.describe import day, deck_facts, deck_line, next_deal
from playshuffle.dealing.period import Every
from playshuffle.pipeline.record import was_dealt
from playshuffle.store import decks
from playshuffle.store.state import SavedOrder, State
from playshuffle.text import counted


def lines(one: KnownList, screen: Screen, *, as_json: bool) -> Iterator[str]:
    """Return the options of a list, and its deck with the last deal or its order; as lines or JSON."""
    with State(writes=False) as state:
        stored = decks.load(state, one.path) if was_dealt(state, one.path) else None
        order = next(iter(state.orders(one.path)), None)
        last = stored.deck.deal if stored is not None else None
        paths = state.load_tracks().paths_of(last.entries) if last is not None else {}
        notes = state.notes
    entries = [paths[number] for number in last.entries if number in paths] if last is not None else []
    options = saved_options([stored, order])
    if as_json:
        facts: dict[str, object] = {
            "output": os.fsdecode(one.path),
            "options": options and json.loads(to_json(options)),
        }
        if stored is not None:
            facts |= {**deck_facts(stored.deck), "entries": [*map(os.fsdecode, entries)]}
        elif order is not None:
            facts |= {"tracks": order.played, "made": order.drawn_s}
        yield json.dumps(facts, indent=2)
        return
    if stored is not None:
        yield from _of_deck(one, stored.deck, screen)
    elif order is not None:
        yield from _of_order(one, order, screen)
    else:
        yield screen.verdict(Mark.WARNING, f"{home_path(one.path)} was not made yet")
    if options is not None:
        folders = ", ".join(map(home_path, options.folders))
        yield from screen.detail("Options", " ".join(filter(None, (folders, as_flags(options)))))
    yield from track_list(entries, screen)
    yield from notes


def _of_order(one: KnownList, order: SavedOrder, screen: Screen) -> Iterator[str]:
    yield screen.verdict(Mark.GOOD, f"{home_path(one.path)}: {counted(order.played, 'track')}")
    if order.drawn_s:
        yield from screen.detail("Made", day(datetime.fromtimestamp(order.drawn_s).astimezone().date()))


def _of_deck(one: KnownList, deck: Deck, screen: Screen) -> Iterator[str]:
    """Return the verdict, the progress of the round and when the next deal is due."""
    last = deck.deal
    if last is None:
        yield screen.verdict(Mark.GOOD, f"{home_path(one.path)}: {deck_line(deck)}")
        return
    tracks = counted(len(last.entries), "track")
    yield screen.verdict(
        Mark.GOOD,
        f"{home_path(one.path)}: {tracks}, deal {last.number:,} of {last.of:,} in round {last.round:,}",
    )
    yield from screen.detail("Round", deck_line(deck))
    week = "in the week of " if last.every is Every.WEEK else ""
    yield from screen.detail("Dealt", f"{week}{day(last.period)}")
    yield from screen.detail("Next", next_deal(deck_facts(deck), datetime.now().astimezone().date()))
