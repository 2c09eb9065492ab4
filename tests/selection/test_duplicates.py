import json
import random
import shutil
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.folder import NO_DEVICE
from playshuffle.library.tracks import Tracks
from playshuffle.selection.duplicates import CopyFacts, copies_among, find_copies, short_alike
from playshuffle.tags.reading import Tags
from tests.support.beets_commands import run_beets
from tests.support.needs import need, need_beets
from tests.support.program import ran
from tests.support.tagged import tagged
from tests.support.tagging import tag, tone

SONG = CopyFacts(b"/m/b.mp3", 200_000, "Artist", "Song", "id-1", "release-1", bitrate=128_000)
UNNAMED = SONG._replace(recording_id="")
OTHER = SONG._replace(path=b"/m/a.mp3", release_id="release-2")


@pytest.mark.parametrize(
    ("one", "other", "copies"),
    [
        (SONG, OTHER, True),
        (SONG, OTHER._replace(title="Another title"), True),
        (SONG, OTHER._replace(length_ms=203_000), True),
        (SONG, OTHER._replace(length_ms=203_001), False),
        (SONG, OTHER._replace(recording_id="id-2"), False),
        (SONG, OTHER._replace(recording_id="ID-1"), True),
        (SONG, OTHER._replace(recording_id=""), True),
        (UNNAMED, OTHER._replace(length_ms=202_000), True),
        (UNNAMED, OTHER._replace(length_ms=202_001), False),
        (UNNAMED, OTHER._replace(artist=" ARTIST ", title="song"), True),
        (UNNAMED._replace(title="Café"), OTHER._replace(title=unicodedata.normalize("NFD", "CAFÉ")), True),
        (UNNAMED._replace(title="A  b"), OTHER._replace(title="a b"), True),
        (UNNAMED, OTHER._replace(artist="Someone"), False),
        (UNNAMED, OTHER._replace(title="Song (Live)"), False),
        (UNNAMED, OTHER._replace(title="Song [Acoustic]"), False),
        (UNNAMED._replace(title="Song (live)"), OTHER._replace(title="Song [LIVE]"), True),
        (UNNAMED._replace(title="Song (Remix)"), OTHER._replace(title="Song (Demo)"), False),
        # Never copies:
        (SONG, OTHER._replace(release_id="release-1"), False),
        (SONG._replace(release_id=""), OTHER._replace(release_id=""), True),
        (SONG._replace(length_ms=29_999), OTHER._replace(length_ms=29_999), False),
        (SONG._replace(length_ms=30_000), OTHER._replace(length_ms=30_000), True),
        (SONG._replace(title="[silence]"), OTHER._replace(title="[silence]"), False),
        (SONG._replace(title=""), OTHER._replace(title=""), False),
        (SONG._replace(artist=""), OTHER._replace(artist=""), False),
        (SONG._replace(length_ms=0), OTHER._replace(length_ms=0), False),
        (UNNAMED._replace(title="(Live)"), OTHER._replace(title="(Live)", recording_id=""), False),
    ],
)
def test_tracks_are_copies_by_the_documented_rules(one: CopyFacts, other: CopyFacts, copies: bool) -> None:
    assert [bool(find_copies(facts)) for facts in ([one, other], [other, one])] == [copies] * 2


@pytest.mark.parametrize(
    ("best", "other"),
    [
        (SONG._replace(lossless=True, bitrate=100), OTHER._replace(bitrate=320_000)),
        (SONG._replace(bitrate=320_000), OTHER),
        (SONG._replace(bitrate=320_000), OTHER._replace(position=0)),
        (SONG._replace(position=5), OTHER),
        (SONG._replace(position=5), OTHER._replace(position=6)),
        (SONG._replace(lossless=True, bitrate=1, position=5), OTHER._replace(lossless=True, bitrate=9)),
        (OTHER, SONG),
    ],
)
def test_the_best_copy_is_a_lossless_one_else_one_of_higher_bit_rate_else_the_first_in_saved_order(
    best: CopyFacts, other: CopyFacts
) -> None:
    assert find_copies([best, other]) == [[0, 1]]
    assert find_copies([other, best]) == [[1, 0]]


def test_a_track_with_the_artist_and_title_of_copies_is_a_copy_unless_its_recording_id_differs() -> None:
    third = UNNAMED._replace(path=b"/m/c.mp3", release_id="release-3", bitrate=0)
    fourth = third._replace(path=b"/m/d.mp3", release_id="release-4", recording_id="id-2")

    assert find_copies([SONG, third]) == [[0, 1]]
    assert find_copies([SONG, third, fourth]) == [[0, 1]]


def test_four_tracks_whose_lengths_grow_by_1500_ms_are_two_groups_of_copies_not_one() -> None:
    facts = [
        UNNAMED._replace(path=b"%d" % number, length_ms=200_000 + 1500 * number, release_id="")
        for number in range(4)
    ]

    assert [sorted(group) for group in find_copies(facts)] == [[0, 1], [2, 3]]


FACTS = st.builds(
    CopyFacts,
    path=st.binary(min_size=1, max_size=3),
    length_ms=st.sampled_from((0, 29_000, 30_000, 31_000, 33_000, 36_000)),
    artist=st.sampled_from(("", "a", "A")),
    title=st.sampled_from(("", "t", "T (live)", "[t]")),
    recording_id=st.sampled_from(("", "1", "2")),
    release_id=st.sampled_from(("", "r", "s")),
    lossless=st.booleans(),
    bitrate=st.integers(0, 3),
)


@given(st.lists(FACTS, max_size=12, unique_by=lambda track: track.path))
def test_groups_of_copies_do_not_overlap_or_depend_on_the_order_of_tracks(facts: list[CopyFacts]) -> None:
    shuffled = sorted(facts, key=lambda track: (track.bitrate, track.path))

    def paths(tracks: list[CopyFacts]) -> set[frozenset[bytes]]:
        return {frozenset(tracks[index].path for index in group) for group in find_copies(tracks)}

    assert paths(facts) == paths(shuffled)
    grouped = [index for group in find_copies(facts) for index in group]
    assert len(grouped) == len(set(grouped))


def test_files_with_the_same_bytes_are_copies_at_any_length_and_without_tags(tmp_path: Path) -> None:
    for name, content in (("a", b"one"), ("b", b"one"), ("c", b"two"), ("d", b"one" * 2_000_000)):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "e").write_bytes(b"one" * 2_000_000)
    short = {name: Tags(artist="A", title="T", duration_ms=5_000) for name in "abc"}
    whole = Tags(artist="A", title="Long", duration_ms=90_000, release_id="1", recording_id="2")
    tags = {**short, "d": whole, "e": whole, "f": whole}
    tracks, tags_of = tagged({f"{tmp_path}/{name}": row for name, row in tags.items()})

    assert copies_among(tracks, range(6), tags_of, {}) == [[0, 1], [3, 4]]
    assert short_alike(tracks, [0, 2, 3], tags_of) == 2
    assert short_alike(tracks, [0, 3], tags_of) == 0


def test_large_files_that_differ_only_between_their_ends_are_no_copies(tmp_path: Path) -> None:
    silence = bytes(3_000_000)
    for name, middle in (("a", b"one"), ("b", b"two"), ("c", b"two")):
        (tmp_path / name).write_bytes(silence + middle * 500_000 + silence)
    tracks, tags_of = tagged({f"{tmp_path}/{name}": Tags() for name in "abc"})

    assert copies_among(tracks, range(3), tags_of, {}) == [[1, 2]]


def test_files_with_the_same_bytes_are_copies_beside_a_file_of_another_release(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_bytes(b"other" if name == "c" else b"bytes")
    album = Tags(artist="A", title="T", duration_ms=90_000, release_id="1")
    tags = {"a": album, "b": album, "c": album._replace(release_id="2")}
    tracks, tags_of = tagged({f"{tmp_path}/{name}": row for name, row in tags.items()})

    assert copies_among(tracks, range(3), tags_of, {}) == [[0, 1, 2]]


def test_files_on_a_missing_drive_are_not_read_to_find_copies(tmp_path: Path) -> None:
    """A share that does not answer would stop the program."""
    for name in "ab":
        (tmp_path / name).write_bytes(b"same")
    tracks, tags_of = tagged({f"{tmp_path}/{name}": Tags() for name in "ab"})
    away = Tracks([folder._replace(device=NO_DEVICE) for folder in tracks.folders], tracks.rows)

    assert copies_among(tracks, range(2), tags_of, {}) == [[0, 1]]
    assert copies_among(away, range(2), tags_of, {}) == []


def test_the_copies_among_tracks_of_a_library_are_returned_as_indices_with_the_best_copy_first() -> None:
    tags = Tags(200_000, "Song", "Artist", bitrate=128_000)
    tracks, tags_of = tagged({"/m/a.mp3": tags, "/m/b.flac": tags._replace(lossless=True), "/m/c.mp3": None})

    assert copies_among(tracks, range(2), tags_of, {}) == [[1, 0]]


BY_ID = ["duplicates", "-F", "-s", "-k", "mb_trackid", "-f", "$mb_trackid\t$path"]
BY_NAME = ["duplicates", "-F", "-s", "-k", "artist", "-k", "title", "-f", "$artist, $title\t$path"]


def groups_in(lines: Iterable[str]) -> set[frozenset[str]]:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        key, _, path = line.partition("\t")
        groups[key].add(path)
    return set(map(frozenset, groups.values()))


@pytest.mark.process
def test_the_omitted_copies_are_the_duplicates_that_beets_finds_by_id_and_by_name(tmp_path: Path) -> None:
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

    by_id, by_name = map(groups_in, found)
    assert min(len(by_id), len(by_name)) > 3
    assert set(map(frozenset, groups.values())) == by_id | by_name
