"""Compare duplicates with what real beets lists as duplicates of one imported library."""

import json
import random
import shutil
from collections import defaultdict
from collections.abc import Iterable
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


def of_beets(lines: Iterable[str]) -> Groups:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        key, _, path = line.partition("\t")
        groups[key].add(path)
    return set(map(frozenset, groups.values()))


@pytest.mark.timeout(300)
def test_copies_of_near_lengths_are_those_of_beets_by_id_and_by_name(tmp_path: Path) -> None:
    need_beets()
    need("ffmpeg")
    choose, music = random.Random(7), tmp_path / "Music"
    music.mkdir()
    tones = [
        tmp_path / f"{length_s}{suffix}" for length_s in (40, 41) for suffix in (".ogg", ".flac", ".mp3")
    ]
    for path in tones:
        tone(path, int(path.stem))
    for number in range(60):
        source, key = choose.choice(tones), choose.randrange(12)
        tags = {"artist": f"Artist {key}", "title": f"Song {key}"}
        if key % 2:
            tags |= {"musicbrainz_trackid": f"recording-{key}", "title": f"Title {number}"}
        if choose.random() < 0.5:
            tags["musicbrainz_albumid"] = f"release-{number}"
        tag(shutil.copyfile(source, music / f"{number}{source.suffix}"), tags)

    found = run_beets(tmp_path / "home", music, [BY_ID, BY_NAME], ["duplicates"])
    peeked = ran("make", music, "--no-duplicates", "--dry-run", "--json")
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for copy in json.loads(peeked.out)["choice"]["left_out"]["duplicate"]:
        kept = copy["reason"].removeprefix("duplicate of ")
        groups[kept] |= {kept, copy["path"]}

    by_id, by_name = map(of_beets, found)
    assert min(len(by_id), len(by_name)) > 3
    assert set(map(frozenset, groups.values())) == by_id | by_name
