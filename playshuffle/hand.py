"""A deal, or a deck as it stands, in; what is said of it out, to a person or a program."""

import json
import os
from collections.abc import Iterator
from datetime import date

from playshuffle import __version__, duration
from playshuffle.dealing import Dealt
from playshuffle.deck import Deck
from playshuffle.errors import shown
from playshuffle.summary import left_out

_SCHEMA = 1


def lines(dealt: Dealt, *, seconds: float, names: bool) -> Iterator[str]:
    """Say what was dealt, a line each; with `names`, also which files were left out."""
    report, last = dealt.report, dealt.deck.deal
    if last is None:
        yield from report.notes
        return
    said = f"deal {last.number:,} of {last.of:,}, round {last.round:,}: {_count(report.count, 'track')}"
    if report.figures().duration_ms:
        said += f", {duration.words(report.figures().duration_ms)}"
    done = "->" if report.is_changed else "already in"
    assert report.output is not None
    yield f"{said} {done} {shown(report.output)} ({seconds:.1f} s)"
    if dealt.deck.round > last.round and dealt.is_new:
        yield f"Round {last.round:,} is over, and round {dealt.deck.round:,} fills up the deal."
    yield from left_out("left out", report.skipped + report.unwritable, names)
    yield from left_out("could not be read, kept as it was known", report.unreadable, names)
    yield from report.notes


def glance(dealt: Dealt) -> Iterator[str]:
    """Name the tracks of the deal that comes next."""
    report, last = dealt.report, dealt.deck.deal
    assert last is not None
    for path in report.paths()[: dealt.certain]:
        yield shown(path)
    drawn = report.count - dealt.certain
    if drawn:
        yield f"… and {drawn:,} more that are drawn when they are dealt"


def as_json(dealt: Dealt, *, seconds: float) -> str:
    """The same as one JSON object; bytes of names that are not UTF-8 come as U+DC80 to U+DCFF."""
    report, deck, last = dealt.report, dealt.deck, dealt.deck.deal
    return json.dumps(
        {
            "schema": _SCHEMA,
            "playshuffle": __version__,
            "output": report.output and os.fsdecode(report.output),
            "changed": report.is_changed,
            "dealt": dealt.is_new,
            "deal": last and last.number,
            "of": last and last.of,
            "round": last and last.round,
            "period": last and last.period.isoformat(),
            "order": report.order,
            "tracks": report.count,
            "duration_s": round(report.figures().duration_ms / 1000, 3),
            "entries": [os.fsdecode(path) for path in report.paths()[: dealt.certain]],
            "deck": facts(deck),
            "notes": report.notes,
            "elapsed_s": round(seconds, 3),
        },
        indent=2,
    )


def facts(deck: Deck) -> dict[str, object]:
    """Where a deck stands, for a program."""
    return {
        "round": deck.round,
        "since": deck.since.isoformat() if deck.round else None,
        "library": deck.library,
        "heard": deck.library - deck.still,
        "away": len(deck.away),
        "to_go": deck.to_go,
        "carried_s": deck.carried_ms // 1000,
        "law": deck.law,
    }


def stand(deck: Deck) -> str:
    """Where a deck stands: 'heard 1,240 of 2,003 (62 %), 19 deals to go, round 3, since 2 September 2026'."""
    if not deck.round:
        return "nothing was dealt yet"
    if not deck.library:
        return f"round {deck.round:,} was broken off, and the next one begins with the next deal"
    library, heard = deck.library, deck.library - deck.still
    percent = 100 * heard // library
    said = [
        f"heard {heard:,} of {library:,} ({percent} %)",
        f"{_count(deck.to_go, 'deal')} to go",
        f"round {deck.round:,}",
        f"since {day(deck.since)}",
    ]
    if deck.away:
        said.insert(1, f"{len(deck.away):,} away")
    return ", ".join(said)


def day(when: date) -> str:
    """A day, as people say it: '2 September 2026'."""
    return f"{when.day} {when:%B %Y}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
