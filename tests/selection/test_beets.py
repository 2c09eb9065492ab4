"""Compare queries with real beets: both select the same tracks."""

import json
import os
import random
import subprocess
import sys
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.selection.query import parse
from playshuffle.tags.reading import Tags
from tests.support.needs import need_beets
from tests.support.tagged import tagged

FOLDER = "/music"

FIRST_WORDS = (
    "Jazz", "jazz fusion", "Ann", "Annie", "Anna", "a", "The", "100%", "under_score", "AC/DC", "naïve",
)  # fmt: skip
MORE_WORDS = (
    "back\\slash", "椎名林檎", "x:y", "(Live)", "don't", "[remix]", "two  spaces", "1999", "-minus", "a,b",
)  # fmt: skip
WORDS = (*FIRST_WORDS, *MORE_WORDS)
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
    """Items with odd texts, where each number is known."""
    choose = random.Random(5)
    folders = ("Albums", "Albums/Jazz", "Albums/Jazz 2", "Albumsx", "Other")
    made = []
    for number in range(count):
        item: dict[str, Any] = {
            name: choose.choice(("", *WORDS, f"{choose.choice(WORDS)} {choose.choice(WORDS)}"))
            for name in TEXTS
            if name != "genre"
        }
        made.append(
            item
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
        )
    return made


@cache
def library() -> tuple[Tracks, TagsOf, list[int]]:
    """The same items as tracks; and the number of the item of each track."""
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
    """A query that beets and we should understand alike."""
    terms = [term(choose) for _ in range(choose.choice((1, 1, 2, 2, 3, 4)))]
    words = [terms[0]]
    for each in terms[1:]:
        joined = choose.choice(("", "", "", ",", " ,"))
        words[-1] += joined
        words.append(each)
    return " ".join(words)


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


def beets_answers(python: str, path: str, queries: list[str]) -> tuple[str, list[list[int] | str]]:
    job = json.dumps({"folder": FOLDER, "items": items(), "queries": queries})
    script = os.path.join(os.path.abspath(os.path.dirname(__file__)), "../support/beets_matches.py")
    environment = {**os.environ, "PYTHONPATH": path, "BEETSDIR": "/nonexistent", "PYTHONWARNINGS": "ignore"}
    with TemporaryDirectory() as scratch:  # beets backs its library up beside it
        done = subprocess.run(
            [python, script],
            input=job,
            env=environment,
            cwd=scratch,
            capture_output=True,
            text=True,
            check=True,
            timeout=3000,
        )
    answer = json.loads(done.stdout)
    return answer["version"], answer["answers"]


def our_answer(text: str) -> list[int] | str:
    tracks, tags_of, numbers = library()
    try:
        kept = parse(text, [FOLDER.encode()]).select(tracks, range(len(tracks)), tags_of).kept
    except PlayshuffleError as error:
        return type(error).__name__
    return sorted(numbers[index] for index in kept)


@pytest.mark.process
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_every_query_selects_the_tracks_that_beets_lists(count: int) -> None:
    need_beets()
    choose = random.Random(count)
    queries = [query(choose) for _ in range(count)]
    version, theirs = beets_answers(sys.executable, "", queries)

    assert version >= "2."
    assert sum(isinstance(answer, list) and 0 < len(answer) < len(items()) for answer in theirs) > count / 4
    assert dict(zip(queries, map(our_answer, queries), strict=True)) == dict(
        zip(queries, theirs, strict=True)
    )
