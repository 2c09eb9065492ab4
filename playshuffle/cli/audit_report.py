"""Write the report on an audited order or playlist."""

import json
from collections.abc import Iterator

from playshuffle import __version__
from playshuffle.audit.audited_orders import Audited
from playshuffle.audit.bias import FALSE_ALARM, Counts, Verdict
from playshuffle.audit.guarantees import Guarantee
from playshuffle.audit.mix import Mix
from playshuffle.audit.playlist_audit import PlaylistAudit
from playshuffle.cli.screen import Fact, Mark, Screen, home_path
from playshuffle.text import counted

_SCHEMA = 1
_HEADER = ("", "here", "at best", "by chance", "in path order")


def order_facts(order: Audited, counts: Counts, verdict: Verdict, seed_bits: int | None) -> Iterator[Fact]:
    """Yield the report on an order."""
    mark = Mark.BAD if verdict.reasons else Mark.GOOD
    yield mark, f"{order.name}: {'; '.join(verdict.reasons) or 'all deviations can be chance'}"
    source = "the operating system" if seed_bits is None else "a seed"
    yield "Simulated", f"{counts.rounds:,} shuffles of {order.tracks} tracks, draws from {source}"
    if order.flaw:
        yield "Flaw", order.flaw
    yield "Judged by", _guarantee(order.guarantee)
    freedom = f"{verdict.freedom:,.0f} degrees of freedom"
    yield "Positions", f"chi-square {verdict.chi_square:,.1f} with {freedom}, p {_p(verdict.p)}"
    expected = f"expected {verdict.fixed_expected:,.0f}, p {_p(verdict.fixed_p)}"
    yield "Fixed", f"{counts.fixed:,} tracks that kept their position, {expected}"
    yield "Bits", _bits(order, seed_bits)
    yield "Time", f"{counts.ns_per_track:,.0f} ns per track"
    if not verdict.reasons:
        yield "Errors", f"1 good shuffle in {1 / FALSE_ALARM:,.0f} is called bad"


def order_json(order: Audited, counts: Counts, verdict: Verdict, seed_bits: int | None) -> str:
    """Return the report on an order as JSON."""
    own, had = ("order", order.entropy_bits) if order.entropy_bits else ("seed", seed_bits)
    facts = {
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


def playlist_lines(result: PlaylistAudit, screen: Screen) -> Iterator[str]:
    """Yield the report on a playlist."""
    tracks = f"{counted(result.tracks, 'track')} by {counted(result.artists, 'artist')}"
    yield screen.verdict(Mark.GOOD, f"{home_path(result.playlist)}: {tracks}")
    if result.untagged:
        yield from screen.detail("Untagged", f"{counted(result.untagged, 'track')} without an artist")
    if result.foreign:
        entries = counted(
            result.foreign,
            "entry without an audio file of its own",
            "entries without audio files of their own",
        )
        yield from screen.detail("Left out", f"{entries}. See: playshuffle check FILE")
    if screen.is_terminal:
        yield ""
    pairs = result.tracks - 1
    chance = f"{pairs / result.tracks:.1f}"
    rows = [
        ("repeats by the same artist", *_repeats(result.by_artist)),
        ("repeats from the same album", *_repeats(result.by_album)),
        ("shortest gap of an artist", *_gaps(result.by_artist)),
        ("shortest gap of an album", *_gaps(result.by_album)),
        ("predictable next artist", *(f"{share:.0%}" for share in result.predictable), ""),
        ("next track as in path order", f"{result.successors_in_path_order:,}", "0", chance, f"{pairs:,}"),
    ]
    yield from screen.table(_HEADER, [row for row in rows if any(row[1:])], right={1, 2, 3, 4})


def _repeats(mix: Mix) -> tuple[str, ...]:
    here, at_best, by_chance, in_path_order = mix[:4]
    return f"{here:,}", f"{at_best:,}", f"{by_chance:,.1f}", f"{in_path_order:,}"


def _gaps(mix: Mix) -> tuple[str, ...]:
    plays = (mix.nearest, None, None, mix.nearest_in_path_order)
    return tuple("" if number is None else f"{number:,}" for number in plays)


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
