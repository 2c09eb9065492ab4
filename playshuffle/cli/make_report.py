"""What was done, as lines for a person or JSON for a program."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from playshuffle import __version__, duration
from playshuffle.errors import shown
from playshuffle.library.folder import Skipped
from playshuffle.pipeline.request import Figures, Report
from playshuffle.players.losses import Loss
from playshuffle.players.profiles import GENERIC

_SCHEMA = 1
_NAMES = 20  # of one kind that -v shows


def lines(report: Report, *, seconds: float, names: bool, dry_run: bool) -> Iterator[str]:
    """Say what was done, a line each; with `names`, also which files were left out or are odd."""
    figures = report.figures()
    yield _first(report, figures, seconds, dry_run)
    if figures.neighbours:
        yield _neighbours(report.order, figures)
    yield from left_out("left out", report.skipped, names)
    yield from left_out("left out", report.unwritable, names)
    yield from left_out("without tags", report.untagged, names)
    yield from left_out("could not be read, kept as it was known", report.unreadable, names)
    for loss in report.losses:
        lost = f"{_count(len(loss.indices), 'track')} that {_listed(loss.players)} may lose"
        yield f"{loss.what}: {lost}; {loss.cure}"
        if names and not isinstance(loss.indices, range):  # a range: it is for their number, not their names
            yield from _named([report.suspects[index] for index in loss.indices])
    yield from report.notes
    if report.is_new and report.is_changed and report.output is not None:
        if report.player in (GENERIC, "mpv"):
            yield f"Play it: mpv --playlist={shlex.quote(shown(report.files()[0]))}"
        yield "Other players, and what each of them needs: docs/players.md"


def as_json(report: Report, *, seconds: float, dry_run: bool) -> str:
    """The same as one JSON object; bytes of names that are not UTF-8 come as U+DC80 to U+DCFF."""
    figures = report.figures()
    return json.dumps(
        {
            "schema": _SCHEMA,
            "playshuffle": __version__,
            "output": report.output and os.fsdecode(report.output),
            "files": [os.fsdecode(file) for file in report.files()],
            "dry_run": dry_run,
            "changed": report.is_changed,
            "order": report.order,
            "player": report.player,
            "paths": report.style.value,
            "tracks": report.count,
            "library": report.found,
            "duration_s": round(figures.duration_ms / 1000, 3),
            "artists": figures.artists,
            "same_artist_neighbours": figures.neighbours,
            "fewest_possible": figures.fewest,
            "skipped": _pairs(report.skipped + report.unwritable),
            "untagged": _pairs(report.untagged),
            "unreadable": _pairs(report.unreadable),
            "losses": [
                {
                    "what": loss.what,
                    "players": list(loss.players),
                    "cure": loss.cure,
                    "tracks": [os.fsdecode(path) for path in _lost(report, loss)],
                }
                for loss in report.losses
            ],
            "notes": report.notes,
            "elapsed_s": round(seconds, 3),
        },
        indent=2,
    )


def _first(report: Report, figures: Figures, seconds: float, dry_run: bool) -> str:
    said = [_count(report.count, "track")]
    if report.count < report.found:
        said[0] += f" of {report.found:,}"
    if figures.duration_ms:
        said.append(duration.words(figures.duration_ms))
    if figures.artists:
        said.append(_count(figures.artists, "artist"))
    said.append(f"order {report.order}")
    took = f"{seconds:.1f} s"
    if report.output is None:
        return f"{', '.join(said)} ({took})"
    files = report.files()
    where = (
        shown(files[0]) if len(files) == 1 else f"{shown(files[0])} to {os.path.basename(shown(files[-1]))}"
    )
    if dry_run:
        return f"{', '.join(said)}; would be written to {where} ({took})"
    done = "->" if report.is_changed else "already in"
    return f"{', '.join(said)} {done} {where} ({took})"


def _neighbours(order: str, figures: Figures) -> str:
    follow = "follows" if figures.neighbours == 1 else "follow"
    said = f"{_count(figures.neighbours, 'track')} {follow} one of the same artist"
    if figures.neighbours == figures.fewest:
        return f"{said}; it cannot be fewer"
    return said if order == "spread" else f"{said}; --order spread would leave {figures.fewest:,}"


def left_out(what: str, skipped: Sequence[Skipped], names: bool) -> Iterator[str]:
    """Say how many were left out and why; with `names`, also which."""
    if not skipped:
        return
    if names:
        yield f"{what}: {len(skipped):,}"
        for path, reason in skipped:
            yield f"  {shown(path)}: {reason}"
    else:
        reasons = Counter(reason.partition(":")[0] for _, reason in skipped).most_common()
        yield f"{what}: {', '.join(f'{count:,} {reason}' for reason, count in reasons)} (-v names them)"


def _named(paths: Sequence[bytes]) -> Iterator[str]:
    for path in paths[:_NAMES]:
        yield f"  {shown(path)}"
    if len(paths) > _NAMES:
        yield f"  … and {len(paths) - _NAMES:,} more"


def _lost(report: Report, loss: Loss) -> list[bytes]:
    """The tracks of a loss; where it is for their places, those that stand there."""
    if isinstance(loss.indices, range):
        return report.paths()[loss.indices.start : loss.indices.stop]
    return [report.suspects[index] for index in loss.indices]


def _pairs(skipped: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"path": os.fsdecode(path), "reason": reason} for path, reason in skipped]


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _listed(players: Sequence[str]) -> str:
    return players[0] if len(players) == 1 else f"{', '.join(players[:-1])} or {players[-1]}"
