"""Report which tracks a playlist takes, and how many each stage leaves out."""

import os
from collections.abc import Iterator
from typing import Any

from playshuffle.errors import shown
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


def lines(choice: Choice, *, names: bool) -> Iterator[str]:
    """Yield a line for each stage that leaves out tracks. names: also which, and why."""
    for stage in choice.stages:
        if stage.code != NAME and (stage.indices or stage.code not in (SPOKEN, MOST)):
            yield _summary(stage)
            if names:
                reasons = (f"{shown(path)}: {reason}" for path, reason in choice.skipped(stage.code, NAMED))
                unnamed = [""] * (len(stage.indices) - NAMED)
                yield from (f"  {line}" for line in shortened([*reasons, *unnamed], NAMED))
    for term in choice.lacking:
        verb_have, pronoun = ("has", "it") if term.track_count == 1 else ("have", "them")
        name = f"{term.field} tag" if FIELDS[term.field].kind == FLAG else term.field
        verb = "keeps" if term.is_kept else "skips"
        tracks = counted(term.track_count, "track")
        yield f"{tracks} {verb_have} no {name}; {short(term.text)} {verb} {pronoun}"
    yield from map(idle_text, choice.idle)


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
        return f"skipped {counted(count, 'file')} of spoken word; --spoken includes them"
    if stage.code == WITHOUT:
        return f"skipped {counted(count, 'track')} of the skip lists"
    if stage.code == DUPLICATE:
        return f"skipped {counted(count, 'duplicate')}: a better or equal copy is kept"
    if stage.code == MOST:
        return f"skipped {counted(count, 'track')} {stage.reason(stage.indices[0])}"
    matching = stage.of - count
    return f"{matching:,} of {counted(stage.of, 'track')} match the query"
