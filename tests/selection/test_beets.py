"""Compare queries with real beets: both select the same tracks."""

import json
import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.selection.query import parse
from playshuffle.tags.reading import Tags
from tests.support.needs import need_beets
from tests.support.program import CHECKOUT
from tests.support.tagged import tagged

FOLDER = "/music"

WORDS = (
    "Jazz", "jazz fusion", "Ann", "Annie", "Anna", "a", "The", "100%", "under_score", "AC/DC", "naïve",
    "back\\slash", "椎名林檎", "x:y", "(Live)", "don't", "[remix]", "two  spaces", "1999", "-minus", "a,b",
)  # fmt: skip
TEXTS = ("title", "artist", "album", "albumartist", "genre", "comments", "grouping", "language")
NUMBERS = ("year", "track", "disc", "bpm", "bitrate")
PATTERNS = [
    "^A", "e$", "^$", "Ann(a|ie)", "[a-c]n?", "(?i)JAZZ", r"\\d+", "x.y", "^.{3}$", "n{2}", "(Live)?",
]  # fmt: skip
VALUES = (
    "", "a", "an", "jazz", "JAZZ", "Jazz", "ann", "Annie", "100%", "%", "_", "x\\:y", "the", "naïve", "椎名",
    "99",
)  # fmt: skip
RANGES = [
    "1999", "1990..1999", "..1999", "1999..", "..", "3", "2..5", "..5", "0", "-1..3", "1.5..9",
    "320000", "120..",
]  # fmt: skip
LENGTHS = ("4:30", "..4:30", "1:00..5:00", "270", "2:05..", "..", "59.5..61", "0..1:00")
PATHS = ("Albums", "Albums/Jazz", "/music/Albums", "Alb", "Nowhere", "Albums/Jazz/02.mp3", "albums")


@cache
def items(count: int = 44) -> list[dict[str, Any]]:
    """Return items for beets with odd texts in their tags; all numbers are set."""
    choose = random.Random(5)
    folders = ("Albums", "Albums/Jazz", "Albums/Jazz 2", "Albumsx", "Other")
    return [
        {
            name: choose.choice(("", *WORDS, f"{choose.choice(WORDS)} {choose.choice(WORDS)}"))
            for name in TEXTS
            if name != "genre"
        }
        | {
            "genres": choose.sample(WORDS, choose.choice((0, 1, 1, 1, 2, 3))),
            "year": choose.choice((1959, 1990, 1995, 1999, 2000, 2024)),
            "track": choose.randrange(1, 12),
            "disc": choose.randrange(1, 4),
            "bpm": choose.choice((60, 120, 121)),
            "bitrate": choose.choice((128_000, 320_000)),
            "length": choose.choice((60, 59.5, 125, 270, 271.25)),
            "path": f"{FOLDER}/{choose.choice(folders)}/{number:02}.mp3",
        }
        for number in range(count)
    ]


@cache
def library() -> tuple[Tracks, TagsOf, list[int]]:
    """Return the items as tracks, and the number of the item of each track."""
    same = ("title", "artist", "album", "grouping", "language", "disc", "bpm", "bitrate")
    files = {
        item["path"]: Tags(
            duration_ms=round(item["length"] * 1000),
            album_artist=item["albumartist"],
            genre="; ".join(item["genres"]),
            comment=item["comments"],
            date=str(item["year"]),
            number=item["track"],
            **{name: item[name] for name in same},
        )
        for item in items()
    }
    tracks, tags_of = tagged(files)
    number_of = {os.fsencode(item["path"]): number for number, item in enumerate(items())}
    return tracks, tags_of, [number_of[path] for path in tracks.paths]


def query(choose: random.Random) -> str:
    """Return a random query in the syntax that beets and playshuffle share."""
    text = term(choose)
    for _ in range(choose.choice((0, 0, 1, 1, 2, 3))):
        text += choose.choice((" ", " ", " ", ", ", " , ")) + term(choose)
    return text


def term(choose: random.Random) -> str:
    sign = choose.choice(("", "", "", "-", "^"))
    kind = choose.randrange(8)
    if kind == 0:
        return sign + quoted(choose, choose.choice([value for value in VALUES if value]))
    if kind == 1:
        return sign + quoted(choose, ":" + choose.choice(PATTERNS))
    if kind == 2:
        return f"{sign}{choose.choice(NUMBERS)}:{choose.choice(RANGES)}"
    if kind == 3:
        return f"{sign}length:{choose.choice(LENGTHS)}"
    if kind == 4:
        return f"{sign}path:{choose.choice(PATHS)}"
    operator = choose.choice(("", "", ":", "=", "=~"))
    value = choose.choice(PATTERNS if operator == ":" else (*VALUES, *WORDS))
    return quoted(choose, f"{sign}{choose.choice(TEXTS)}:{operator}{value}")


def quoted(choose: random.Random, word: str) -> str:
    if any(sign in word for sign in " ()'\\,") or choose.random() < 0.2:
        return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return word


def beets_answers(queries: list[str], scratch: Path) -> tuple[str, list[list[int] | str]]:
    """Return the version of beets and the result of each query; beets makes a backup in `scratch`."""
    job = json.dumps({"folder": FOLDER, "items": items(), "queries": queries})
    script = CHECKOUT / "tests/support/beets_matches.py"
    env = {**os.environ, "PYTHONPATH": "", "BEETSDIR": "/nonexistent", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, script], input=job.encode(), env=env, cwd=scratch, capture_output=True, check=True
    )
    answer = json.loads(done.stdout)
    return answer["version"], answer["answers"]


def our_answer(text: str) -> list[int]:
    tracks, tags_of, numbers = library()
    kept = parse(text, [FOLDER.encode()]).select(tracks, range(len(tracks)), tags_of).kept
    return sorted(numbers[index] for index in kept)


@pytest.mark.process
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_every_query_selects_the_tracks_that_beets_lists_for_it(count: int, tmp_path: Path) -> None:
    need_beets()
    choose = random.Random(count)
    queries = [query(choose) for _ in range(count)]
    version, theirs = beets_answers(queries, tmp_path)

    assert version >= "2."
    assert sum(isinstance(answer, list) and 0 < len(answer) < len(items()) for answer in theirs) > count / 4
    assert {query: our_answer(query) for query in queries} == dict(zip(queries, theirs, strict=True))
