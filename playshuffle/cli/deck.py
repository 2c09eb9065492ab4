"""Show, reset or forget decks.

A deck is the state of `deal` for one playlist: the tracks dealt in this round, and those left.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated

import typer

from playshuffle.cli import common_options
from playshuffle.cli.find_deck import NO_DECK, find_deck
from playshuffle.cli.screen import Mark, Screen, home_path, screen_of, shell_path
from playshuffle.cli.streams import say, write_out
from playshuffle.cli.track_list import track_list
from playshuffle.dealing.deck import Deck
from playshuffle.dealing.describe import day, deck_facts, deck_line, next_deal
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.store import decks
from playshuffle.store.state import State
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle deck list              # all decks and their progress
  playshuffle deck show today        # one deck and its last deal
  playshuffle deck reset today       # start a new round with the next deal
  playshuffle deck forget today      # forget which tracks were dealt
"""


def _names() -> Sequence[str]:
    """Return the names of the decks: their files without folder and suffix."""
    with State(writes=False) as state:
        files = [os.path.basename(path) for path in decks.deck_paths(state)]
    return [shown(os.path.splitext(file)[0]) for file in files]


_Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[DECK]",
        help="Deck name or playlist file",
        autocompletion=_names,
    ),
]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask")]


def list(as_json: common_options.Json = False) -> None:  # noqa: A001 - the word on the command line
    """List all decks and their progress."""
    with State(writes=False) as state:
        all_decks = decks.load_all(state)
        if as_json:
            facts = [
                {"output": os.fsdecode(path), **deck_facts(listed_deck)} for path, listed_deck in all_decks
            ]
            _print(json.dumps(facts, indent=2))
        else:
            screen = screen_of(sys.stdout)
            if screen.is_terminal and all_decks:
                header = ("deck", "this round", "", "next deal", "round")
                rows = [_row(path, deck, screen) for path, deck in all_decks]
                for line in screen.table(header, rows, right={4}):
                    _print(line)
            else:
                for path, deck in all_decks:
                    _print(f"{shown(path)}: {deck_line(deck)}")
            if not all_decks:
                say([NO_DECK])
        say(state.notes)


def _row(path: bytes, deck: Deck, screen: Screen) -> Sequence[str]:
    """Return a row of the table of decks."""
    count, dealt = deck.track_count, deck.track_count - deck.undealt_count
    if not deck.round or not count:
        return [home_path(path), deck_line(deck), "", "now", ""]
    if deck.is_ended:
        return [home_path(path), "a new round begins", "", "now", f"{deck.round + 1:,}"]
    progress = f"{screen.bar(dealt, count)} {dealt:,}/{count:,}"
    return [home_path(path), progress, f"{100 * dealt // count}%", _next(deck), f"{deck.round:,}"]


def show(name: _Name = None, as_json: common_options.Json = False) -> None:
    """Show a deck and its last deal."""
    with State(writes=False) as state:
        path, deck = find_deck(decks.load_all(state), name)
        last = deck.deal
        paths = state.load_tracks().paths_of(last.entries) if last is not None else {}
        entries = [paths[number] for number in last.entries if number in paths] if last is not None else []
        if as_json:
            facts = {"output": os.fsdecode(path), **deck_facts(deck), "entries": [*map(os.fsdecode, entries)]}
            return _print(json.dumps(facts, indent=2))
        screen = screen_of(sys.stdout)
        for line in _details(path, deck, screen):
            _print(line)
        for line in track_list(entries, screen):
            _print(line)
        return say(state.notes)


def _details(path: bytes, deck: Deck, screen: Screen) -> Iterator[str]:
    """Return the verdict, the progress of the round and when the next deal is due."""
    last = deck.deal
    if last is None:
        yield screen.verdict(Mark.GOOD, f"{home_path(path)}: {deck_line(deck)}")
        return
    tracks = counted(len(last.entries), "track")
    yield screen.verdict(
        Mark.GOOD,
        f"{home_path(path)}: {tracks}, deal {last.number:,} of {last.of:,} in round {last.round:,}",
    )
    yield from screen.detail("Round", deck_line(deck))
    week = "in the week of " if last.every is Every.WEEK else ""
    yield from screen.detail("Dealt", f"{week}{day(last.period)}")
    yield from screen.detail("Next", _next(deck))


def _next(deck: Deck) -> str:
    return next_deal(deck_facts(deck), datetime.now().astimezone().date())


def reset(name: _Name = None, yes: _Yes = False) -> Exit:
    """Start a new round with the next deal."""
    with State(must_remember=True) as state:
        path, deck = find_deck(decks.load_all(state), name)
        if not yes and not _is_confirmed(path, deck, "Start a new round with the next deal?"):
            return Exit.LOSSES
        with state.locked():
            decks.end_round_of(state, path)
        screen = screen_of(sys.stderr)
        say([screen.verdict(Mark.GOOD, f"{home_path(path)}: the next deal starts a new round")])
        say(screen.detail("Undo", f"playshuffle deal --undo -o {shell_path(path)}"))
        say(state.notes)
    return Exit.DONE


def forget(name: _Name = None, yes: _Yes = False) -> Exit:
    """Forget a deck, but keep its playlist."""
    with State(must_remember=True) as state:
        path, deck = find_deck(decks.load_all(state), name)
        if not yes and not _is_confirmed(path, deck, "Forget what was dealt?"):
            return Exit.LOSSES
        with state.locked():
            decks.delete(state, path)
        screen = screen_of(sys.stderr)
        say([screen.verdict(Mark.GOOD, f"{home_path(path)}: forgotten. The file was not removed")])
        say(state.notes)
    return Exit.DONE


SUBCOMMANDS = (list, show, reset, forget)


def _is_confirmed(path: bytes, deck: Deck, question: str) -> bool:
    """Ask on the terminal.

    Raises:
        PlayshuffleError: there is no terminal.
        KeyboardInterrupt: the user gave up, by Ctrl-D too.
    """
    facts = f"{home_path(path)}: {deck_line(deck)}."
    if sys.stdin is None or not sys.stdin.isatty():
        raise PlayshuffleError(
            f"{facts} {question} This is not a terminal, so nobody can answer. Add --yes to confirm.",
            Exit.USAGE,
        )
    say(screen_of(sys.stderr).wrapped(facts))
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        raise KeyboardInterrupt from None


def _print(line: str) -> None:
    write_out([f"{line}\n".encode(errors="surrogateescape")])
