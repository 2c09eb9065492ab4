"""Report which tracks a playlist takes, and how many each stage leaves out."""

import os
from collections.abc import Iterator
from typing import Any

from playshuffle.cli.screen import Screen, home_path
from playshuffle.pipeline.choice import (
    DUPLICATE,
    MOST,
    NAME,
    NAMED,
    SPOKEN,
    WHERE,
    WITHOUT,
    Choice,
    Stage,
    idle_text,
)
from playshuffle.selection.fields import FIELDS, FLAG
from playshuffle.text import counted, short, shortened


def lines(choice: Choice, screen: Screen, *, names: bool) -> Iterator[str]:
    """Yield what each stage leaves out, as lines of a screen. names: also which tracks, and why."""
    for stage in choice.stages:
        if stage.code != NAME and (stage.indices or stage.code not in (SPOKEN, MOST)):
            yield from screen.detail("Chosen" if stage.code == WHERE else "Left out", _summary(stage))
            if names:
                reasons = (
                    f"{home_path(path)}: {reason}" for path, reason in choice.skipped(stage.code, NAMED)
                )
                unnamed = [""] * (len(stage.indices) - NAMED)
                for line in shortened([*reasons, *unnamed], NAMED):
                    yield from screen.hanging(line, "    ")
    for term in choice.lacking:
        verb_have, pronoun = ("has", "it") if term.track_count == 1 else ("have", "them")
        name = f"{term.field} tag" if FIELDS[term.field].kind == FLAG else term.field
        verb = "keeps" if term.is_kept else "skips"
        tracks = counted(term.track_count, "track")
        text = f"{tracks} {verb_have} no {name}; {short(term.text)} {verb} {pronoun}"
        yield from screen.detail("Chosen", text)
    for idle in choice.idle:
        yield from screen.detail("Chosen", idle_text(idle))


def as_json(choice: Choice) -> dict[str, Any]:
    """Return what the stages leave out; of the query only numbers, since that may be nearly everything."""
    where = choice.stage(WHERE)
    return {
        "matching": None if where is None else where.of - len(where.indices),
        "of": None if where is None else where.of,
        "lacking": [
            {"term": term.text, "field": term.field, "tracks": term.track_count, "kept": term.is_kept}
            for term in choice.lacking
        ],
        "idle": [{"term": term.text, "negated": term.is_negated, "near": term.near} for term in choice.idle],
        "left_out": {
            stage.code: [
                {"path": os.fsdecode(path), "reason": reason} for path, reason in choice.skipped(stage.code)
            ]
            for stage in choice.stages
            if stage.code not in (WHERE, NAME)
        },
    }


def _summary(stage: Stage) -> str:
    count = len(stage.indices)
    if stage.code == SPOKEN:
        return f"{counted(count, 'file')} of spoken word; --spoken includes them"
    if stage.code == WITHOUT:
        return f"{counted(count, 'track')} of the skip lists"
    if stage.code == DUPLICATE:
        return f"{counted(count, 'duplicate')}: a better or equal copy is kept"
    if stage.code == MOST:
        return f"{counted(count, 'track')} {stage.reason(stage.indices[0])}"
    matching = stage.of - count
    return f"{matching:,} of {counted(stage.of, 'track')} match the query"
