"""Compare duplicates with what real beets lists as duplicates of one imported library."""

import json
import random
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import mutagen
import pytest

from tests.support.beets_commands import run_beets
from tests.support.needs import need, need_beets
from tests.support.program import run

pytestmark = pytest.mark.process

Groups = set[frozenset[str]]
BY_ID = ["duplicates", "-F", "-s", "-k", "mb_trackid", "-f", "$mb_trackid\t$path"]
BY_NAME = ["duplicates", "-F", "-s", "-k", "artist", "-k", "title", "-f", "$artist, $title\t$path"]


def write_tones(folder: Path, lengths_s: Sequence[int]) -> list[Path]:
    folder.mkdir()
    tones = [folder / f"{length_s}{suffix}" for length_s in lengths_s for suffix in (".ogg", ".flac", ".mp3")]
    for tone in tones:
        command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"sine=d={tone.stem}", "-ac", "1", str(tone)]
        subprocess.run(command, check=True, timeout=60)
    return tones


def put(path: Path, tone: Path, **tags: str) -> None:
    shutil.copyfile(tone, path)
    audio = mutagen.File(path, easy=True)
    if audio.tags is None:
        audio.add_tags()
    for tag, value in tags.items():
        audio[tag] = value
    audio.save()


def of_beets(lines: Iterable[str]) -> Groups:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        key, _, path = line.partition("\t")
        groups[key].add(path)
    return set(map(frozenset, groups.values()))


def ours(music: Path) -> Groups:
    done = run("duplicates", music, "--json")
    assert done.code == 0, done.err
    return set(map(frozenset, json.loads(done.out)["groups"]))


@pytest.mark.timeout(300)
def test_copies_of_near_lengths_are_those_of_beets(tmp_path: Path) -> None:
    need_beets()
    need("ffmpeg")
    choose = random.Random(7)
    music = tmp_path / "Music"
    music.mkdir()
    tones = write_tones(tmp_path / "tones", (40, 41))
    for number in range(60):
        tone = choose.choice(tones)
        key = choose.randrange(12)
        tags = {"artist": f"Artist {key}", "title": f"Song {key}"}
        if key % 2:
            tags |= {"musicbrainz_trackid": f"recording-{key}", "title": f"Title {number}"}
        if choose.random() < 0.5:
            tags["musicbrainz_albumid"] = f"release-{number}"
        put(music / f"{number}{tone.suffix}", tone, **tags)

    by_id, by_name = run_beets(tmp_path / "home", music, [BY_ID, BY_NAME], ["duplicates"])

    assert len(of_beets(by_id)) > 3
    assert len(of_beets(by_name)) > 3
    assert ours(music) == of_beets(by_id) | of_beets(by_name)


@pytest.mark.timeout(300)
def test_no_copies_are_found_that_beets_does_not_find_by_id_or_name(tmp_path: Path) -> None:
    need_beets()
    need("ffmpeg")
    choose = random.Random(8)
    music = tmp_path / "Music"
    music.mkdir()
    tones = write_tones(tmp_path / "tones", (20, 40, 44))
    for number in range(80):
        tone = choose.choice(tones)
        tags = {
            "artist": choose.choice(("Ann", "Bob")),
            "title": choose.choice(("Song", "Song (live)", "[silence]", "Other")),
            "musicbrainz_albumid": choose.choice(("release-1", "release-2", f"release {number}")),
        }
        if choose.random() < 0.3:
            tags["musicbrainz_trackid"] = f"recording-{choose.randrange(5)}"
        put(music / f"{number}{tone.suffix}", tone, **tags)

    found = run_beets(tmp_path / "home", music, [BY_ID, BY_NAME], ["duplicates"])
    same = [group for lines in found for group in of_beets(lines)]

    groups = ours(music)
    assert groups
    for group in groups:
        for path in group:  # each track is a copy of another one of its group, by id or by name
            assert any(path in theirs and len(theirs & group) > 1 for theirs in same), (path, group)
