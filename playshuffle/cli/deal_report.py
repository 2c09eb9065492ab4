"""A deal, or a deck as it stands, in; what is said of it out, to a person or a program."""

import json
import os
from collections.abc import Iterator

from playshuffle import __version__, duration
from playshuffle.cli.make_report import left_out
from playshuffle.dealing.describe import counted, facts
from playshuffle.errors import shown
from playshuffle.pipeline.deal import Dealt

_SCHEMA = 1


def lines(dealt: Dealt, *, seconds: float, names: bool) -> Iterator[str]:
    """Say what was dealt, a line each; with `names`, also which files were left out."""
    report, last = dealt.report, dealt.deck.deal
    if last is None:
        yield from report.notes
        return
    said = f"deal {last.number:,} of {last.of:,}, round {last.round:,}: {counted(report.count, 'track')}"
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
