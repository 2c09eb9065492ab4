"""Show the result of a deal, as lines for a person or JSON for a program."""

import os
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from playshuffle import duration
from playshuffle.cli import make_report
from playshuffle.cli.screen import Fact, Mark, Screen, home_path, shell_path
from playshuffle.cli.track_list import track_list
from playshuffle.dealing.describe import deck_facts, next_deal
from playshuffle.dealing.period import Every
from playshuffle.options.table import Options, as_flags
from playshuffle.ordering.orders import ORDERS
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.report import LACKING_GROUPS
from playshuffle.text import counted

_PERIODS = {"day": "today", "week": "this week", "month": "this month"}


def lines(dealt: Dealt, *, names: bool) -> Iterator[Fact]:
    """Yield the result of a deal, the verdict first; for `--peek` only notes.

    With `names`, list skipped files.
    """
    report, last, today = dealt.report, dealt.deck.deal, datetime.now().astimezone().date()
    if not report.request.dry_run:
        assert last is not None
        assert report.output is not None
        problems = list(make_report.idle_terms(report.choice)) if dealt.is_new or names else []
        problems += make_report.warnings(report.notes)
        yield Mark.WARNING if problems else Mark.GOOD, _verdict(dealt, today)
        yield from problems
        if dealt.deck.has_deal:
            contents = [counted(report.playlist_length, "track")]
            if length_ms := report.figures().duration_ms:
                contents.append(duration.words(length_ms))
            contents.append(f"deal {last.number:,} of {last.of:,} in round {last.round:,}")
            yield "File", f"{home_path(report.output)}: {', '.join(contents)}"
        yield "Next", _next(dealt, today)
        if dealt.left:
            back = f"To get them back: playshuffle undo {shell_path(report.output)}"
            yield "Removed", f"{counted(dealt.left, 'track')} of this deal, by other options. {back}"
        if dealt.former is not None:
            yield f"From {_next_day(dealt, today)}", _changes(report.request.options, dealt.former)
        if dealt.deck.round > last.round and dealt.is_new:
            yield "Round", f"round {last.round:,} ends in this deal; round {dealt.deck.round:,} fills it up"
        if names or (dealt.is_new and ORDERS[report.request.recipe.order_name].has_fewest_repeats):
            yield from make_report.mixed(report.request.recipe.order_name, report.figures())
        if dealt.is_new or names:
            yield from make_report.left_out(report, names=names)
    dry = report.request.dry_run
    yield from (("Note", str(note)) for note in report.notes if dry or note.code != LACKING_GROUPS)


def _verdict(dealt: Dealt, today: date) -> str:
    tracks, deck = counted(dealt.report.playlist_length, "track"), dealt.deck
    if not deck.has_deal:
        return "The deal was taken back, so the playlist keeps its tracks until the next one"
    if dealt.is_new:
        return f"Dealt {tracks}"
    if deck.deal is not None and deck.heard_from_s:
        tracks += f", {len(frozenset(deck.deal.entries).difference(deck.unheard)):,} heard"
    if dealt.is_heard:
        return f"The last deal counts as heard ({tracks})"
    if dealt.report.is_changed:
        verb = "Wrote the last deal again" if dealt.is_again else "Restored the last deal"
        return f"{verb} ({tracks})"
    last, facts = deck.deal, deck_facts(deck)
    if last is None or last.every == Every.RUN or str(facts["next_deal"]) <= today.isoformat():
        return f"Unchanged: the last deal ({tracks})"
    return f"Already dealt {_PERIODS.get(last.every, f'for {last.every.days} days')} ({tracks})"


def _next_day(dealt: Dealt, today: date) -> str:
    if deck_facts(dealt.deck)["next_deal"] is None:
        return "the next deal"
    return next_deal(deck_facts(dealt.deck), today).removesuffix(" 00:00")


def _changes(options: Options, former: Options) -> str:
    words = [counted(options.limit, "track")] if options.limit not in (None, former.limit) else []
    words += map(home_path, options.folders if options.folders != former.folders else ())
    words.append(as_flags(options._replace(limit=None), former))
    return " ".join(filter(None, words)) or "other options"


def _next(dealt: Dealt, today: date) -> str:
    when = next_deal(deck_facts(dealt.deck), today)
    if dealt.is_new or dealt.report.is_changed:
        is_first = dealt.deck.deal is not None and dealt.deck.deal.number == dealt.deck.round == 1
        return f"{when}. Each track comes once in a round" if is_first else when
    again = "--again rewrites this deal, " if dealt.deck.has_deal and not dealt.is_again else ""
    return f"{when}; {again}--now deals the next"


def glance(dealt: Dealt, screen: Screen) -> Iterator[str]:
    """Yield the tracks of the next deal, and how many are not chosen yet."""
    report = dealt.report
    yield from track_list(report.paths()[: dealt.certain], screen)
    random_count = report.playlist_length - dealt.certain
    if random_count:
        yield f"… and {random_count:,} more, chosen when they are dealt"


def as_json(dealt: Dealt) -> dict[str, Any]:
    """Return for JSON the report that `make` has, and facts about the deal."""
    deck, last = dealt.deck, dealt.deck.deal
    return {
        **make_report.as_json(dealt.report),
        "dealt": dealt.is_new,
        "deal": None if last is None else last.number,
        "of": None if last is None else last.of,
        "round": None if last is None else last.round,
        "period": None if last is None else last.period.isoformat(),
        "entries": [*map(os.fsdecode, dealt.report.paths()[: dealt.certain])],
        "deck": deck_facts(deck),
    }
