"""Compare duplicates with what real beets lists as duplicates of one imported library."""

import json
import random
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from tests.support.beets_commands import run_beets
from tests.support.needs import need, need_beets
from tests.support.program import ran
from tests.support.tagging import tag, tone

pytestmark = pytest.mark.process

Groups = set[frozenset[str]]
BY_ID = ["duplicates", "-F", "-s", "-k", "mb_trackid", "-f", "$mb_trackid\t$path"]
BY_NAME = ["duplicates", "-F", "-s", "-k", "artist", "-k", "title", "-f", "$artist, $title\t$path"]


def write_tones(folder: Path, lengths_s: Sequence[int]) -> list[Path]:
    folder.mkdir()
    tones = [folder / f"{length_s}{suffix}" for length_s in lengths_s for suffix in (".ogg", ".flac", ".mp3")]
    for path in tones:
        tone(path, int(path.stem))
    return tones


def of_beets(lines: Iterable[str]) -> Groups:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        key, _, path = line.partition("\t")
        groups[key].add(path)
    return set(map(frozenset, groups.values()))


def ours(music: Path) -> Groups:
    done = ran("duplicates", music, "--json")
    return set(map(frozenset, json.loads(done.out)["groups"]))


def both(
    folder: Path,
    lengths_s: Sequence[int],
    count: int,
    choose: random.Random,
    tags_of: Callable[[int], dict[str, str]],
) -> tuple[Groups, list[Groups]]:
    """Return our groups of a library of tones with these tags, and those of beets by id and by name."""
    need_beets()
    need("ffmpeg")
    music = folder / "Music"
    music.mkdir()
    tones = write_tones(folder / "tones", lengths_s)
    for number in range(count):
        source = choose.choice(tones)
        tag(shutil.copyfile(source, music / f"{number}{source.suffix}"), tags_of(number))
    found = run_beets(folder / "home", music, [BY_ID, BY_NAME], ["duplicates"])
    return ours(music), [of_beets(lines) for lines in found]


@pytest.mark.timeout(300)
def test_copies_of_near_lengths_are_those_of_beets(tmp_path: Path) -> None:
    choose = random.Random(7)

    def tags_of(number: int) -> dict[str, str]:
        key = choose.randrange(12)
        tags = {"artist": f"Artist {key}", "title": f"Song {key}"}
        if key % 2:
            tags |= {"musicbrainz_trackid": f"recording-{key}", "title": f"Title {number}"}
        return tags | ({"musicbrainz_albumid": f"release-{number}"} if choose.random() < 0.5 else {})

    groups, (by_id, by_name) = both(tmp_path, (40, 41), 60, choose, tags_of)

    assert min(len(by_id), len(by_name)) > 3
    assert groups == by_id | by_name


@pytest.mark.timeout(300)
def test_no_copies_are_found_that_beets_does_not_find_by_id_or_name(tmp_path: Path) -> None:
    choose = random.Random(8)

    def tags_of(number: int) -> dict[str, str]:
        tags = {
            "artist": choose.choice(("Ann", "Bob")),
            "title": choose.choice(("Song", "Song (live)", "[silence]", "Other")),
            "musicbrainz_albumid": choose.choice(("release-1", "release-2", f"release {number}")),
        }
        has_id = choose.random() < 0.3
        return tags | ({"musicbrainz_trackid": f"recording-{choose.randrange(5)}"} if has_id else {})

    groups, found = both(tmp_path, (20, 40, 44), 80, choose, tags_of)

    assert groups
    same = set().union(*found)
    for group in groups:
        for path in group:  # each track is a copy of another one of its group, by id or by name
            assert any(path in theirs and len(theirs & group) > 1 for theirs in same), (path, group)
