"""Test that playlists take the tracks that match a query, and no spoken word."""

import shutil
from pathlib import Path

import pytest

from tests.support.program import listed, make, ran, report, update_configured
from tests.support.service import Service, aged, config, holds, left, wait_for
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

MUSIC = {
    "jazz/1.mp3": {"title": "So What", "artist": "Miles Davis", "genre": "Jazz", "date": "1959"},
    "jazz/2.flac": {"title": "Naima", "artist": "John Coltrane", "genre": "Jazz", "date": "1960"},
    "rock/3.ogg": {"title": "Help", "artist": "The Beatles", "genre": "Rock", "date": "1965"},
    "rock/4.m4a": {"title": "Live", "artist": "Wings", "genre": "Rock; Live"},
    "5.opus": {"title": "Untagged"},
}


def test_summary_and_json_count_tracks_that_lack_the_tag_of_a_query(music: Path) -> None:
    assert "1 track has no genre; -genre:rock keeps it" in make(music, "--where", "-genre:rock")

    choice = report(music, "--where", "year:1960..")["choice"]
    assert (choice["matching"], choice["of"]) == (2, 5)
    assert choice["lacking"] == [{"term": "year:1960..", "field": "year", "tracks": 2, "kept": False}]


def test_the_option_v_lists_each_omitted_track_with_the_terms_that_fail(music: Path) -> None:
    said = make(music, "--where", "genre:jazz year:1960..", "-v")

    assert f"{music}/jazz/1.mp3: year:1960.. fails (year is 1959)" in said
    assert f"{music}/5.opus: genre:jazz fails (no genre); year:1960.. fails (no year)" in said


def test_spoken_word_is_skipped_and_counted(music: Path) -> None:
    tagged_library(music, {"book.m4b": {"title": "1"}, "cast.mp3": {"title": "2", "genre": "Podcast"}})
    said = make(music, "-v")

    assert "Left out: 2 files of spoken word; --spoken includes them" in said
    assert f"{music}/cast.mp3: spoken word: its genre is Podcast" in said
    assert sorted(listed(music / "playshuffle.m3u")) == sorted(MUSIC)
    assert len(report(music)["choice"]["left_out"]["spoken"]) == 2

    make(music, "--spoken")
    assert sorted(listed(music / "playshuffle.m3u")) == sorted([*MUSIC, "book.m4b", "cast.mp3"])


def test_a_copy_does_not_take_the_position_of_a_track_that_the_query_omits(tmp_path: Path) -> None:
    names = [f"{folder}/{number}.mp3" for folder in "ab" for number in range(6)]
    music = tagged_library(tmp_path / "Music", {name: {"title": name} for name in names})
    aged(music)

    def settle(**keys: object) -> list[str]:
        update_configured(config(music, **keys))
        return listed(music / "all.m3u")

    before = settle()
    settle(where="path:a")
    shutil.copyfile(music / "b/0.mp3", music / "a/copy.mp3")
    settle(where="path:a")

    assert left(before, settle()) == before


def test_the_service_does_not_change_the_playlist_if_no_track_matches_the_query(tmp_path: Path) -> None:
    music = aged(tagged_library(tmp_path / "Music", MUSIC))
    with Service(tmp_path, config(music, where="genre:jazz")) as service:
        wait_for(holds(music / "all.m3u", "jazz/1.mp3", "jazz/2.flac"))
        before = listed(music / "all.m3u")
        tagged_library(music, {name: {"genre": "Polka"} for name in ("jazz/1.mp3", "jazz/2.flac")})
        wait_for(lambda: service.playlist("all")["state"] == "nothing matches")

        assert listed(music / "all.m3u") == before


def test_a_note_names_each_negated_term_that_excludes_no_track(music: Path) -> None:
    (music / "Xmas").mkdir()
    (music / "Xmas/bell.mp3").write_bytes((music / "jazz/1.mp3").read_bytes())

    assert "-path:Xmass excludes no track. Did you mean -path:Xmas?" in make(music, "--where=-path:Xmass")
    assert "-title:nothing excludes no track." in make(music, "--where=-title:nothing")
    assert "excludes no track" not in make(music, "--where=-path:Xmas")
    idle = report(music, "--where=-path:Xmass")["choice"]["idle"]
    assert idle == [{"term": "-path:Xmass", "negated": True, "near": "Xmas"}]


ADVICE = {
    "-genre:rock,jazz": "To exclude each, write: -genre:rock -genre:jazz",
    "-genre:metal,-genre:classical": "To exclude each, write: -genre:metal -genre:classical",
    "-genre:metal,-artist:abba": "To exclude each, write: -genre:metal -artist:abba",
    "-artist:a|b": "To exclude each, write: -artist:a -artist:b",
    "-explicit": "To exclude by the tag, write: -explicit:yes",
    "-genre": "To exclude by the tag, write: -genre:VALUE",
    "-genre:rocc": "Did you mean: -genre:Rock",
    "-artist:wngs": "Did you mean: -artist:Wings",
    '-artist:"Mils Davis"': 'Did you mean: -artist:"Miles Davis"',
    "-explicit:yes": "No track has this tag.",
    "-mood:sad": "No track has this tag.",
    "-genre:polka": "",
    "-genre::^polka$": "",
    "-year:1800": "",
}


@pytest.mark.parametrize("query", ADVICE)
def test_an_exclusion_that_changes_nothing_is_a_warning_with_advice_before_all_other_facts(
    query: str, music: Path
) -> None:
    problem = f"Problem: {query} excludes no track. {ADVICE[query]}".strip()

    made = make(music, "--where", query).splitlines()
    assert (made[0].partition(":")[0], made[1]) == ("warning", problem)
    dealt = ran("deal", music, "--where", query).err.splitlines()
    assert dealt[:2] == ["warning: Dealt 5 tracks", problem]


def test_a_long_term_of_a_query_is_shortened_in_a_message(music: Path) -> None:
    assert f"-title:{'x' * 293}… excludes no track." in make(music, "--where", f"-title:{'x' * 9000}")


def test_tracks_without_a_tag_are_counted_once_for_each_tag_whatever_the_number_of_terms(music: Path) -> None:
    one_tag = make(music, "--where", "rating:4.. , rating:3 , title:Help").splitlines()
    assert "Chosen: 4 tracks have no rating; rating:4.., rating:3 skip them" in one_tag

    lines = make(music, "--where", "rating:4.. , rating:3 , bpm:120.. , title:Help").splitlines()
    at = lines.index("Chosen: tracks without a tag:")
    assert [line.split(maxsplit=1)[1] for line in lines[at + 1 : at + 3]] == [
        "rating          skipped by rating:4.., rating:3",
        "bpm             skipped by bpm:120..",
    ]
