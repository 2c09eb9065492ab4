"""Report an audited order as lines of at most 80 columns, or as JSON."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from playshuffle import __version__
from playshuffle.audit.audited_orders import Audited
from playshuffle.audit.bias import FALSE_ALARM, Counts, Verdict
from playshuffle.audit.guarantees import Guarantee

_WIDTH = 80
_LABEL = 15
_SCHEMA = 1


def title(order: Audited, counts: Counts, verdict: Verdict) -> str:
    """Return the result in one line, for a picture."""
    verdict_word = "bad" if verdict.reasons else "good"
    return f"{order.name}: {order.tracks} tracks, {counts.rounds:,} rounds: {verdict_word}"


def lines(order: Audited, counts: Counts, verdict: Verdict, seed_bits: int | None) -> Iterator[str]:
    """Return the lines of a report.

    seed_bits: of the seed, None for the operating system's generator.
    """
    source = "the operating system" if seed_bits is None else "a seed"
    yield from textwrap.wrap(
        f"{order.name}: {_verdict(verdict)}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False
    )
    yield ""
    yield from _entry(
        "simulated", f"{counts.rounds:,} shuffles of {order.tracks} tracks, draws from {source}"
    )
    if order.flaw:
        yield from _entry("known flaw", order.flaw)
    yield from _entry("judged by", _guarantee(order.guarantee))
    yield from _entry(
        "chi-square",
        f"{verdict.chi_square:,.1f} with {verdict.freedom:,.0f} degrees of freedom, p {_p(verdict.p)}",
    )
    yield from _entry(
        "fixed points",
        f"{counts.fixed:,}, expected {verdict.fixed_expected:,.0f}, p {_p(verdict.fixed_p)}",
    )
    yield from _entry("randomness", _bits(order, seed_bits))
    yield from _entry("time", f"{counts.ns_per_track:,.0f} ns per track")
    if not verdict.reasons:
        yield from _entry("error rate", f"1 good shuffle in {1 / FALSE_ALARM:,.0f} is called bad")


def as_json(order: Audited, counts: Counts, verdict: Verdict, seed_bits: int | None) -> str:
    """Return the result as one JSON object, with the matrix: cells[track][position]."""
    own, had = ("order", order.entropy_bits) if order.entropy_bits else ("seed", seed_bits)
    facts: dict[str, Any] = {
        "schema": _SCHEMA,
        "playshuffle": __version__,
        "order": order.name,
        "guarantee": _guarantee(order.guarantee),
        "tracks": order.tracks,
        "rounds": counts.rounds,
        "chi_square": verdict.chi_square,
        "degrees_of_freedom": verdict.freedom,
        "p": verdict.p,
        "fixed_points": {"seen": counts.fixed, "expected": verdict.fixed_expected, "p": verdict.fixed_p},
        "impossible": verdict.impossible,
        "broken": counts.broken,
        "bits": {"needed": order.guarantee.bits, "had": had, "of": own if had is not None else "system"},
        "ns_per_track": counts.ns_per_track,
        "good": not verdict.reasons,
        "reasons": verdict.reasons,
        "cells": counts.cells,
    }
    return json.dumps(facts)


def _entry(label: str, text: str) -> list[str]:
    first, indent = label.ljust(_LABEL), " " * _LABEL
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)


def _guarantee(guarantee: Guarantee) -> str:
    return f"{guarantee.words}; {guarantee.rule}" if guarantee.rule else guarantee.words


def _p(p: float) -> str:
    return f"= {p:.2g}" if p > 1e-300 else "below 1e-300"


def _bits(order: Audited, seed_bits: int | None) -> str:
    if order.guarantee.bits is None:
        return "the number of possible orders is unknown"
    needed = f"reaching every possible order needs {order.guarantee.bits:,.1f} bits"
    if order.entropy_bits is not None:
        return f"{needed}; its own generator has {order.entropy_bits}"
    if seed_bits is None:
        return f"{needed}; the operating system's generator supplies fresh ones for each draw"
    return f"{needed}; a seed of this length has at most {seed_bits}"


def _verdict(verdict: Verdict) -> str:
    if verdict.reasons:
        return f"bad: {'; '.join(verdict.reasons)}"
    return "good: all deviations can be chance"
