"""`playshuffle audit FILE`: how the artists and albums of a playlist are mixed."""

import itertools
import json
import os
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from playshuffle.audit.mix import neighbours_by_chance, predictable, successors
from playshuffle.errors import shown
from playshuffle.library.cache import Cache
from playshuffle.shuffle import nearest, repeats
from tests.support.hostile import NAMES
from tests.support.in_process import Program
from tests.support.tagging import tagged_library


def song(artist: str, album: str) -> dict[str, str]:
    return {"artist": artist, "album": album}


@pytest.fixture
def music(tmp_path: Path) -> Path:
    """Six tracks: three by A on two albums, two by B, one without an artist."""
    by_a = {"a/1.mp3": song("A", "One"), "a/2.mp3": song("A feat. B", "One"), "a/3.mp3": song("a", "Two")}
    others = dict.fromkeys(("b/4.mp3", "b/5.mp3"), song("B", "Three")) | {"6.mp3": {}}
    return tagged_library(tmp_path, by_a | others)


def playlist(folder: Path, entries: Sequence[str]) -> str:
    (folder / "x.m3u").write_text("#EXTM3U\n" + "".join(f"{entry}\n" for entry in entries))
    return str(folder / "x.m3u")


def known_tags(folder: Path) -> dict[bytes, bytes]:
    """Return the EXTINF line of each file in the cache."""
    with Cache() as cache:
        folders = cache.folders([os.fsencode(folder)]).values()
        return {
            path: line
            for each in folders
            for path, line in zip(each.file_paths(), each.extinf_lines(), strict=True)
        }


@pytest.mark.parametrize("keys", [[0, 0, 0, 1, 1, 2], [0, 0, 0, 0, 1], [0, 1, 2], [0], [0, 0]])
def test_the_number_of_repeats_expected_by_chance_is_the_mean_over_all_orders(keys: list[int]) -> None:
    counts = [repeats(order) for order in itertools.permutations(keys)]

    assert neighbours_by_chance(keys) == Fraction(sum(counts), len(counts))


@pytest.mark.parametrize(
    ("keys", "share"),
    [
        ([], 0),
        ([0, 1] * 9, 1),  # the other one is due
        ([0, 1, 2] * 6, 1),
        ([0, 1, 2, 0, 1, 2, 1, 0, 2], 5 / 6),
        (range(9), (1 / 6 + 1 / 5 + 1 / 4 + 1 / 3 + 1 / 2 + 1) / 6),  # nothing but chance
        ([0] * 9, 1),
    ],
)
def test_a_list_is_predictable_as_often_as_the_group_that_is_most_due_comes(
    keys: Sequence[int], share: float
) -> None:
    assert predictable(keys) == pytest.approx(share)


def test_the_shortest_gap_is_the_smallest_distance_between_two_tracks_of_one_artist() -> None:
    assert nearest([0, 1, 2, 0, 3, 1]) == 3
    assert nearest([0, 1, 1, 0]) == 1
    assert nearest([0, 1, 2]) is None
    assert nearest([]) is None


def test_an_audit_counts_the_tracks_that_come_right_after_their_predecessor_in_path_order() -> None:
    assert successors([b"a", b"b", b"c"]) == 2
    assert successors([b"c", b"b", b"a"]) == 0
    assert successors([b"b", b"c", b"a", b"b"]) == 2
    assert successors([]) == 0


@pytest.mark.process
def test_the_audit_report_on_a_playlist_counts_artists_and_repeats_of_artists_and_albums(
    program: Program, music: Path
) -> None:
    """A guest does not change the artist, and tracks without an artist are not counted as one."""
    file = playlist(music, ["a/1.mp3", "b/4.mp3", "a/2.mp3", "6.mp3", "b/5.mp3", "a/3.mp3"])
    done = program("audit", file)

    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == f"""\
ok: {file}: 6 tracks by 2 artists
Untagged: 1 track without an artist
repeats by the same artist: here 0; at best 0; by chance 1.3; in path order 3
repeats from the same album: here 0; at best 0; by chance 0.7; in path order 2
shortest gap of an artist: here 2; in path order 1
shortest gap of an album: here 2; in path order 1
predictable next artist: here 75%; at best 87%; by chance 69%
next track as in path order: here 0; at best 0; by chance 0.8; in path order 5
"""
    )


@pytest.mark.process
def test_an_audit_counts_a_repeated_entry_twice_and_omits_folders_streams_and_missing_files(
    program: Program, music: Path
) -> None:
    file = playlist(music, ["a/1.mp3", "./a/../a/1.mp3", "b", "gone.mp3", "gone.mp3", "http://x/y.mp3"])
    done = program("audit", file)

    assert done.code == 0
    assert done.out.startswith(
        f"ok: {file}: 2 tracks by 1 artist\n"
        "Left out: 4 entries without audio files of their own. See: playshuffle check FILE\n"
    )
    one = program("audit", playlist(music, ["a/1.mp3", "gone.mp3"]))
    assert "Left out: 1 entry without an audio file of its own. " in one.out
    assert "shortest gap" not in one.out


@pytest.mark.process
def test_the_json_of_an_audited_playlist_has_the_figures_of_the_report(program: Program, music: Path) -> None:
    file = playlist(music, ["a/1.mp3", "a/2.mp3", "b/4.mp3", "b/5.mp3", "gone.mp3"])
    done = program("audit", file, "--json")
    said = json.loads(done.out)

    assert done.code == 0
    assert said["schema"] == 1
    assert (said["entries"], said["foreign"], said["tracks"]) == (5, 1, 4)
    assert (said["artists"], said["untagged"]) == (2, 0)
    near = {"nearest": 1, "nearest_in_path_order": 1}
    counts = {"neighbours": 2, "fewest_possible": 0, "uniform_mean": 1, "in_path_order": 2}
    assert said["by_artist"] == counts | near
    assert said["successors_in_path_order"] == 3
    assert said["predictable"]["here"] == pytest.approx(2 / 3)
    assert set(said["predictable"]) == {"here", "spread", "by_chance"}


@pytest.mark.process
def test_an_audit_of_a_playlist_reads_no_tags_again_that_are_in_the_cache(
    program: Program, music: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit keeps the other files of the folder in the cache."""
    assert program("make", str(music), "-q").code == 0
    before = known_tags(music)

    def read_all(paths: Sequence[bytes]) -> None:
        raise AssertionError(paths)

    monkeypatch.setattr("playshuffle.tags.reader_pool.read_all", read_all)
    done = program("audit", playlist(music, ["a/1.mp3", "b/4.mp3", "6.mp3"]))

    assert ": 3 tracks by 2 artists\n" in done.out
    assert known_tags(music) == before


@pytest.mark.process
def test_an_audit_of_all_files_of_a_folder_leaves_the_folder_in_the_cache_as_it_was_scanned(
    program: Program, music: Path
) -> None:
    assert program("make", str(music), "-q").code == 0
    with Cache() as cache:
        before = cache.folders([os.fsencode(music)])

    assert program("audit", str(music / "playshuffle.m3u")).code == 0

    with Cache() as cache:
        assert cache.folders([os.fsencode(music)]) == before


@pytest.mark.process
def test_an_audit_has_the_same_result_with_and_without_tags_in_the_cache(
    program: Program, music: Path
) -> None:
    """The list has all files of one folder, some of another, and files that are new since the cache."""
    assert program("make", str(music / "a"), str(music / "b"), "-q").code == 0
    tagged_library(music, {"b/7.mp3": song("C", "Three"), "c/8.mp3": song("A", "Four")})
    names = ["b/4", "a/1", "c/8", "a/3", "6", "b/7", "a/2", "gone", "a/1"]
    path = playlist(music, [f"{name}.mp3" for name in names])

    with_cache = program("audit", path, "--json")
    with Cache() as cache:
        cache.keep((), list(cache.folders([os.fsencode(music)])))
    without = program("audit", path, "--json")

    assert with_cache == without
    said = json.loads(without.out)
    assert (said["tracks"], said["artists"]) == (8, 3)


@pytest.mark.process
def test_an_audit_prints_names_with_control_characters_escaped(program: Program, tmp_path: Path) -> None:
    """Half of the files exist. Each entry is there twice; folder and artist have hostile names, too."""
    folder = tmp_path / "\x1b[2J"
    names = [os.fsdecode(name) for name in NAMES if b"\n" not in name and b"\r" not in name]
    tagged_library(folder, {name: {"artist": "\x1b[31mA"} for name in names[::2]})
    content = "".join(f"./{name}\n" * 2 for name in names)
    (folder / "x.m3u").write_bytes(os.fsencode(content))
    for words in ([], ["--json"]):
        done = program("audit", str(folder / "x.m3u"), *words)

        assert done.code == 0
        assert [shown(line) for line in done.out.split("\n")] == done.out.split("\n")


@pytest.mark.parametrize(
    ("name", "why"),
    [("gone.m3u", "cannot be read"), ("pipe", "cannot be read"), ("folder", "No list was made of")],
)
def test_an_audit_refuses_a_folder_without_a_list_a_pipe_and_a_path_where_nothing_is(
    program: Program, tmp_path: Path, name: str, why: str
) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    assert why in program.refused(66, "audit", str(tmp_path / name))


def test_an_audit_of_a_playlist_without_audio_files_is_refused(program: Program, tmp_path: Path) -> None:
    said = program.refused(3, "audit", playlist(tmp_path, ["http://x/y", "gone.mp3"]))

    assert "has no entry with an audio file, so there is nothing to audit. See: playshuffle check" in said
