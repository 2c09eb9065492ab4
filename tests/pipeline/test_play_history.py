"""Test what a run knows of the plays of its tracks, and for how long."""

import os
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from playshuffle.config.build_request import build_request
from playshuffle.errors import PlayshuffleError
from playshuffle.history.history_reader import Content, SourceError, read_source
from playshuffle.history.sources import Source
from playshuffle.options.table import Options
from playshuffle.pipeline import play_history
from playshuffle.pipeline.choice import NothingMatchesError
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tag_values import coverage
from playshuffle.tags.reading import Reading, Tags
from tests.history.databases import STRAWBERRY, database, stickers
from tests.support.databases import execute
from tests.support.library import deal, keep, make_playlist, put, reader, tools
from tests.support.program import listed

NOW = 1_780_000_000
DAY = 86_400


@reader
def read_all(path: str) -> Tags | Reading:
    """Make tags of names: `4-a.mp3` has four plays in its tags and four stars; `x` has no tags."""
    stem = os.path.basename(path).partition(".")[0]
    count = int(stem[0]) if stem[0].isdigit() else None
    tags = Tags(60_000, stem, "Ann", play_count=count, rating=count and count / 5)
    return Reading(None) if stem == "x" else tags


TOOLS = tools(read_all, now_s=NOW)


@pytest.fixture
def music(tmp_path: Path) -> Path:
    return put(tmp_path / "Music", "a.mp3", "b.mp3", "c.mp3", "x.mp3", "4-d.mp3")


def source(path: Path, text: str = "") -> Source:
    return Source(text or path.name, bytes(path))


def request(music: Path, *sources: Path, where: str = "", dry_run: bool = False) -> Request:
    return Request(
        (bytes(music),),
        bytes(music / "all.m3u"),
        options=Options(where=(where,) if where else ()),
        history=tuple(map(source, sources)),
        dry_run=dry_run,
    )


def names(report: Report) -> str:
    return " ".join(sorted(os.path.basename(path).decode().partition(".")[0] for path in report.paths()))


def chosen(music: Path, where: str, *sources: Path) -> str:
    try:
        return names(make_playlist(request(music, *sources, where=where), TOOLS))
    except NothingMatchesError:
        return ""


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A and x were heard three days ago, b 40 days ago, and c was only skipped; d is not listed."""
    return stickers(
        tmp_path / "sticker.sql",
        {
            "a.mp3": {"lastPlayed": str(NOW - 3 * DAY), "playCount": "3", "rating": "10"},
            "b.mp3": {"lastPlayed": str(NOW - 40 * DAY), "playCount": "1", "skipCount": "2"},
            "c.mp3": {"skipCount": "1", "lastSkipped": str(NOW - DAY)},
            "x.mp3": {"lastPlayed": str(NOW - 3 * DAY), "playCount": "1"},
        },
    )


def day(ago: int) -> str:
    return datetime.fromtimestamp(NOW - ago * DAY).strftime("%Y-%m-%d")  # noqa: DTZ006 - local


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (f"last_played:{day(30)}..", "a x"),
        (f"last_played:..{day(30)}", "b"),
        (f"-last_played:{day(30)}..", "4-d b c"),
        (f"played:{day(30)}..", "a x"),
        ("plays:0", "c"),
        ("play_count:1..3", "a b x"),
        ("plays:4", "4-d"),
        ("skips:1..", "b c"),
        ("skip_count:0", "4-d a x"),
        ("rating:5", "a"),
        ("rating:4", "4-d"),
        ("-rating:0..", "b c x"),
    ],
)
def test_queries_select_tracks_by_the_plays_that_a_player_has_counted(
    music: Path, played: Path, where: str, expected: str
) -> None:
    assert chosen(music, where, played) == expected


def test_of_several_history_sources_the_latest_play_and_the_greatest_counts_are_used(
    music: Path, played: Path, tmp_path: Path
) -> None:
    other = stickers(
        tmp_path / "other.sql",
        {
            "a.mp3": {"lastPlayed": str(NOW - 50 * DAY), "playCount": "7", "rating": "2"},
            "b.mp3": {"lastPlayed": str(NOW - 2 * DAY), "playCount": "1"},
        },
    )

    assert chosen(music, f"last_played:{day(30)}..", played, other) == "a b x"
    assert chosen(music, "plays:7", played, other) == "a"
    assert chosen(music, "plays:1", played, other) == "b x"
    assert chosen(music, "rating:5", played, other) == "a"
    assert chosen(music, "rating:1", other, played) == "a"


def test_a_renamed_track_keeps_the_plays_that_the_player_counted_at_its_old_path(
    music: Path, played: Path
) -> None:
    assert chosen(music, "plays:3", played) == "a"
    (music / "a.mp3").rename(music / "new.mp3")
    assert chosen(music, "plays:3", played) == "new"
    execute(
        played, "UPDATE sticker SET value = '9' WHERE uri = 'a.mp3' AND name = 'playCount'"
    )  # the player knows only the old path
    (music / "new.mp3").rename(music / "newer.mp3")
    assert chosen(music, "plays:9", played) == "newer"
    execute(played, "INSERT INTO sticker VALUES ('song', 'newer.mp3', 'playCount', '1')")
    assert chosen(music, "plays:9", played) == "newer"
    execute(played, "DELETE FROM sticker WHERE uri = 'a.mp3'")
    assert chosen(music, "plays:1", played) == "b newer x"


def test_a_track_renamed_before_its_plays_were_first_read_has_them_all(music: Path, tmp_path: Path) -> None:
    make_playlist(request(music), TOOLS)
    log = tmp_path / "plays.csv"
    log.write_text(f"path,last_played\n{music}/a.mp3,{NOW}\n{music}/b.mp3,{NOW}\n")
    (music / "a.mp3").rename(music / "new.mp3")
    (music / "Sub").mkdir()
    make_playlist(request(music), TOOLS)
    (music / "new.mp3").rename(music / "Sub" / "newest.mp3")

    assert names(make_playlist(request(music, log, where="plays:1", dry_run=True), TOOLS)) == "b newest"
    assert chosen(music, "plays:1", log) == "b newest"
    with log.open("a") as file:
        file.write(f"{music}/new.mp3,{NOW}\n{music}/Sub/newest.mp3,{NOW}\n")
    assert chosen(music, "plays:3", log) == "newest"


def test_a_renamed_track_keeps_its_plays_when_the_list_gets_another_folder(
    music: Path, played: Path, tmp_path: Path
) -> None:
    other = put(tmp_path / "Other", "z.mp3")
    assert chosen(music, "plays:3", played) == "a"
    (music / "a.mp3").rename(music / "new.mp3")
    assert chosen(music, "plays:3", played) == "new"
    both = request(music, played, where="plays:3")._replace(roots=(bytes(music), bytes(other)))

    assert names(make_playlist(both, TOOLS)) == "new"


def test_the_time_when_a_play_was_noticed_stays_when_the_list_gets_another_folder(
    music: Path, tmp_path: Path
) -> None:
    other = put(tmp_path / "Other", "z.mp3")
    path = stickers(tmp_path / "s.sql", {"a.mp3": {"playCount": "1"}})
    assert chosen(music, f"last_played:{day(0)}..", path) == ""
    execute(path, "UPDATE sticker SET value = '2'")
    assert chosen(music, f"last_played:{day(0)}..", path) == "a"
    both = request(music, path, where=f"last_played:{day(0)}..")._replace(roots=(bytes(music), bytes(other)))

    assert names(make_playlist(both, TOOLS)) == "a"


def test_the_first_play_without_a_time_counts_as_played_when_it_was_noticed(
    music: Path, tmp_path: Path
) -> None:
    """The player had a count for late.mp3 before this file was there."""
    path = stickers(tmp_path / "s.sql", {"b.mp3": {"playCount": "1"}, "late.mp3": {"playCount": "1"}})
    assert chosen(music, f"last_played:{day(0)}..", path) == ""
    (music / "late.mp3").write_bytes(os.urandom(16))
    assert chosen(music, f"last_played:{day(0)}..", path) == ""
    execute(path, "INSERT INTO sticker VALUES ('song', 'a.mp3', 'playCount', '1')")

    assert chosen(music, f"last_played:{day(0)}..", path) == "a"
    assert chosen(music, f"last_played:{day(0)}..", path) == "a"


def test_an_empty_history_without_times_counts_each_first_play(music: Path, tmp_path: Path) -> None:
    log = tmp_path / ".scrobbler.log"
    log.write_text("#AUDIOSCROBBLER/1.1\n#TZ/UNKNOWN\n#CLIENT/Rockbox\n")
    assert chosen(music, f"last_played:{day(0)}..", log) == ""
    with log.open("a") as file:
        file.write("Ann\t\ta\t\t60\tL\t0\t\n")

    assert chosen(music, f"last_played:{day(0)}..", log) == "a"


def test_a_kept_list_goes_on_without_a_history_and_a_skip_list_that_were_never_readable(
    music: Path, tmp_path: Path
) -> None:
    history, skipped = tmp_path / "plays.csv", tmp_path / "skip.m3u"
    asked = request(music, history)._replace(without=(bytes(skipped),), output=bytes(tmp_path / "all.m3u"))
    with pytest.raises(PlayshuffleError):
        make_playlist(asked, TOOLS)
    with pytest.raises(PlayshuffleError):  # it was not written yet
        keep(asked, TOOLS)
    make_playlist(asked._replace(history=(), without=()), TOOLS)
    for _ in range(2):
        report = keep(asked, TOOLS)
        notes = [note for note in report.notes if note.text.endswith("goes on without it.")]
        assert [(note.code, note.about) for note in notes] == [
            ("history", bytes(history)), ("missing_list", bytes(skipped)),
        ]  # fmt: skip
        assert len(listed(tmp_path / "all.m3u")) == 5
    skipped.write_bytes(bytes(music / "a.mp3"))
    history.write_text("path,plays\nb.mp3,1\n")
    keep(asked, TOOLS)
    skipped.unlink()
    assert len(listed(tmp_path / "all.m3u")) == 4
    report = keep(asked, TOOLS)
    assert any(note.text.endswith("Its last content counts.") for note in report.notes)


def test_a_history_that_cannot_be_read_counts_as_before_when_a_folder_is_added(
    music: Path, tmp_path: Path
) -> None:
    history, more = tmp_path / "plays.csv", put(tmp_path / "more", "x.mp3")
    history.write_text(f"path,plays\n{music}/b.mp3,7\n")
    assert chosen(music, "plays:7", history) == "b"
    history.unlink()
    asked = request(music, history, where="plays:7")
    assert names(make_playlist(asked._replace(roots=(*asked.roots, bytes(more))), TOOLS)) == "b"


def test_a_track_that_gets_a_path_of_an_unchanged_history_has_the_plays_of_this_path(
    music: Path, tmp_path: Path
) -> None:
    log = tmp_path / "paths.csv"
    log.write_text("path,plays\nb.mp3,1\nright.mp3,5\n")
    assert chosen(music, "plays:5", log) == ""
    (music / "a.mp3").rename(music / "aa.mp3")  # stays the first track
    assert chosen(music, "plays:5", log) == ""
    (music / "aa.mp3").rename(music / "right.mp3")
    assert chosen(music, "plays:5", log) == "right"


def test_a_track_that_gets_the_tags_of_a_row_in_an_unchanged_history_has_its_plays(
    music: Path, tmp_path: Path
) -> None:
    log = tmp_path / "tags.csv"
    log.write_text("artist,title,plays\nAnn,b,1\nAnn,right,7\n")
    titles = {"c.mp3": "wrong"}
    retagged = tools(reader(lambda path: Tags(1, titles.get(os.path.basename(path), "b"), "Ann")), now_s=NOW)
    asked = request(music, log, where="plays:7")
    with pytest.raises(NothingMatchesError):
        make_playlist(asked, retagged)
    titles["c.mp3"] = "right"
    (music / "c.mp3").write_bytes(os.urandom(17))

    assert names(make_playlist(asked, retagged)) == "c"


def test_a_renamed_track_has_the_rating_that_the_player_has_for_its_new_path(
    music: Path, played: Path
) -> None:
    assert chosen(music, "rating:5", played) == "a"
    (music / "a.mp3").rename(music / "new.mp3")
    execute(played, "INSERT INTO sticker VALUES ('song', 'new.mp3', 'rating', '2')")

    assert chosen(music, "rating:1", played) == "new"


def test_a_rating_in_a_log_for_the_new_path_of_a_renamed_track_beats_later_ones_for_its_old_path(
    music: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log.csv"
    log.write_text(f"path,rating\n{music}/a.mp3,5\n{music}/b.mp3,5\n")
    assert chosen(music, "rating:5", log) == "a b"
    (music / "a.mp3").rename(music / "new.mp3")
    log.write_text(f"path,rating\n{music}/new.mp3,1\n{music}/a.mp3,4\n{music}/b.mp3,5\n")

    assert chosen(music, "rating:1", log) == "new"


def test_a_history_source_is_read_again_only_if_it_has_changed(
    music: Path, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def read_and_count(source: Source, now_s: float) -> Content:
        read.append(source.text)
        return read_source(source, now_s)

    monkeypatch.setattr(play_history, "read_source", read_and_count)
    expected = chosen(music, "plays:1..", played)
    assert chosen(music, "plays:1..", played) == expected
    assert len(read) == 1

    execute(played, "UPDATE sticker SET value = '0' WHERE name = 'playCount'")
    assert chosen(music, "plays:1..", played) == "4-d"
    assert len(read) == 2

    with closing(sqlite3.connect(played, isolation_level=None)) as database:  # the write-ahead log alone
        database.execute("PRAGMA journal_mode = WAL")
        chosen(music, "plays:1..", played)
        status = played.stat()
        database.execute("UPDATE sticker SET value = '2' WHERE name = 'playCount' AND uri = 'c.mp3'")
        database.execute("INSERT INTO sticker VALUES ('song', 'c.mp3', 'playCount', '2')")
        assert played.stat() == status
        assert chosen(music, "plays:2", played) == "c"


def test_new_tracks_are_looked_for_in_a_history_source_that_has_not_changed(
    music: Path, tmp_path: Path
) -> None:
    path = stickers(tmp_path / "s.sql", {"a.mp3": {"playCount": "1"}, "late.mp3": {"playCount": "5"}})
    assert chosen(music, "plays:5", path) == ""
    (music / "late.mp3").write_bytes(os.urandom(16))

    assert chosen(music, "plays:5", path) == "late"


def test_if_a_history_source_cannot_be_read_the_content_last_read_from_it_is_used(
    music: Path, played: Path
) -> None:
    asked = request(music, played, where="plays:3")
    make_playlist(asked, TOOLS)
    played.rename(music / "away.sql")
    report = make_playlist(asked, TOOLS)

    assert names(report) == "a"
    read_at = f"{datetime.fromtimestamp(NOW).astimezone():%Y-%m-%d}"
    assert [note for note in map(str, report.notes) if f"Its content of {read_at}" in note]


def test_a_skip_that_a_player_counts_without_a_time_gets_the_time_when_the_skip_was_noticed(
    music: Path, tmp_path: Path
) -> None:
    path = tmp_path / "strawberry.db"

    def skips(count: int) -> frozenset[bytes]:
        path.unlink(missing_ok=True)
        database(path, STRAWBERRY)
        query = "INSERT INTO songs (title, url, skipcount, playcount) VALUES ('', ?, ?, 1)"
        execute(path, query, (f"file://{music}/a.mp3", count), (f"file://{music}/b.mp3", 1))
        with open_run(request(music, path), TOOLS) as run:
            assert run.history is not None
            heard = run.history.heard_since(NOW - 60)
            return frozenset(map(run.tracks.paths.__getitem__, heard))

    assert skips(1) == frozenset()
    assert skips(2) == {bytes(music / "a.mp3")}
    assert skips(2) == {bytes(music / "a.mp3")}


def test_a_history_source_that_never_could_be_read_is_an_error(music: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file") as caught:
        make_playlist(request(music, tmp_path / "none.db"), TOOLS)
    assert caught.value.code == 66
    assert not (music / "all.m3u").exists()


def test_a_history_source_without_a_track_in_the_music_folders_is_an_error(
    music: Path, tmp_path: Path
) -> None:
    path = stickers(
        tmp_path / "s.sql", {"other/1.mp3": {"playCount": "1"}, "other/2.mp3": {"playCount": "1"}}
    )

    with pytest.raises(
        SourceError, match=r"None of its tracks is in a music folder. The first of 2 is other/1.mp3"
    ):
        make_playlist(request(music, path), TOOLS)


def test_a_history_source_without_any_play_is_allowed(music: Path, tmp_path: Path) -> None:
    path = stickers(tmp_path / "s.sql", {})

    assert chosen(music, "plays:0", path) == "a b c x"
    assert "s.sql: no tracks in it yet" in map(str, make_playlist(request(music, path), TOOLS).notes)


def test_a_note_counts_the_played_tracks_that_were_found_and_names_one_that_was_not_found(
    music: Path, tmp_path: Path
) -> None:
    path = stickers(
        tmp_path / "s.sql",
        {
            "a.mp3": {"lastPlayed": str(NOW)},
            "gone/1.mp3": {"playCount": "1"},
            "gone/2.mp3": {"playCount": "1"},
        },
    )
    [note] = [
        str(note) for note in make_playlist(request(music, path), TOOLS).notes if note.code == "history"
    ]

    assert note.startswith("s.sql: 1 of 3 played tracks found, last play 2026-05-")
    assert note.endswith(". Not found: gone/1.mp3 and 1 more")


def test_a_dry_run_does_not_save_the_content_of_a_history_source(music: Path, played: Path) -> None:
    make_playlist(request(music, played, dry_run=True), TOOLS)
    played.unlink()

    with pytest.raises(SourceError):
        make_playlist(request(music, played), TOOLS)


def test_for_each_list_one_history_is_matched_to_the_tracks_in_the_folders_of_that_list(
    music: Path, tmp_path: Path
) -> None:
    other = put(tmp_path / "Other", "a.mp3", "z.mp3")
    path = stickers(
        tmp_path / "s.sql", {"Music/a.mp3": {"playCount": "1"}, "Other/z.mp3": {"playCount": "1"}}
    )

    assert chosen(music, "plays:1", path) == "a"
    assert chosen(other, "plays:1", path) == "z"
    assert chosen(music, "plays:1", path) == "a"


def test_an_update_applies_a_query_for_plays_to_the_current_plays(music: Path, played: Path) -> None:
    asked = request(music, played, where="plays:0")
    assert names(make_playlist(asked, TOOLS)) == "c"
    execute(played, "DELETE FROM sticker WHERE uri = 'b.mp3'")

    assert names(keep(asked, TOOLS)) == "b c"


def test_fields_such_as_last_played_are_listed_only_if_a_play_history_is_given(
    music: Path, played: Path
) -> None:
    count, fields, notes = coverage([bytes(music)], TOOLS)
    assert count == 5
    assert "last_played" not in fields
    assert not notes

    count, fields, notes = coverage([bytes(music)], TOOLS, history=[source(played)])
    assert fields["last_played"].track_count == 3
    assert fields["skips"].values == {"0": 3, "1": 1, "2": 1}
    assert str(notes[0]).startswith("sticker.sql: 3 of 3 played tracks found")
    with pytest.raises(PlayshuffleError, match="without a play history"):
        coverage([bytes(music)], TOOLS, ["skips"])


def heard(folder: Path, **ago: int) -> Path:
    """Return a history: how many days ago each track was heard."""
    path = folder / "heard.sql"
    path.unlink(missing_ok=True)
    return stickers(
        path, {f"{name}.mp3": {"lastPlayed": str(NOW - days * DAY)} for name, days in ago.items()}
    )


def resting(music: Path, history: Path, rest: str = "30d", **options: Any) -> Request:
    folders = (str(music),)
    return build_request(Options(folders=folders, history=(str(history),), rest=rest, **options))


def order_of(report: Report) -> list[str]:
    return [os.path.basename(path).decode().partition(".")[0] for path in report.paths()]


@pytest.mark.parametrize("order", ["random", "spread", "albums", "favourites"])
def test_with_the_option_rest_tracks_that_were_heard_lately_come_last(
    music: Path, tmp_path: Path, order: str
) -> None:
    for name in ("a.mp3", "b.mp3", "c.mp3", "4-d.mp3", "x.mp3"):
        (music / name[0]).mkdir()
        (music / name).rename(music / name[0] / name)
    path = heard(tmp_path, **{"a/a": 29, "b/b": 31, "c/c": 0})
    for seed in range(10):
        seeded = tools(read_all, str(seed), NOW)
        report = make_playlist(resting(music, path, order=order, output=str(tmp_path / "all.m3u")), seeded)
        assert {*order_of(report)[3:]} == {"a", "c"}
    assert "Played in the last 30 days, so at the end: 2 tracks" in map(str, report.notes)


def test_if_no_track_was_heard_lately_a_note_says_that_none_comes_last(music: Path, tmp_path: Path) -> None:
    report = make_playlist(resting(music, heard(tmp_path, a=100), "2 days"), TOOLS)

    assert "No track was played in the last 2 days, so none comes last." in map(str, report.notes)


def test_a_deal_prefers_tracks_not_heard_lately_and_the_round_has_all_tracks(
    music: Path, tmp_path: Path
) -> None:
    path = heard(tmp_path, a=1, b=2, c=3)
    request = resting(music, path, limit=2, every="run")
    dealt = [order_of(deal(request, TOOLS, 2).report) for _ in range(2)]

    assert sorted(dealt[0]) == ["4-d", "x"]
    assert len({*dealt[0], *dealt[1]}) == 4


def test_an_updated_list_keeps_its_order_whatever_was_heard_meanwhile(music: Path, tmp_path: Path) -> None:
    request = resting(music, heard(tmp_path, a=1))
    before = order_of(make_playlist(request, TOOLS))
    heard(tmp_path, b=0, c=0)

    assert order_of(keep(request, TOOLS)) == before


def test_the_plays_of_an_omitted_copy_count_for_the_kept_one(music: Path, tmp_path: Path) -> None:
    def copies(path: str) -> Tags:
        stem = os.path.basename(path)[0]
        title = "same" if stem in "ab" else stem
        return Tags(60_000, title, "Ann", bitrate=1000 if stem == "a" else 1)

    request = resting(music, heard(tmp_path, b=1), no_duplicates=True)
    report = make_playlist(request, TOOLS._replace(read_all=reader(copies)))

    assert order_of(report)[-1] == "a"


def test_with_a_rest_per_artist_all_tracks_of_an_artist_heard_lately_come_last(
    music: Path, tmp_path: Path
) -> None:
    """Ann's a was heard 3 hours ago, Bob's b yesterday, and c last month; nobody heard the others."""
    artists = {"a": "Ann", "c": "Ann feat. Bob", "b": "Bob", "x": "Bob"}
    read = reader(lambda path: Tags(60_000, artist=artists.get(os.path.basename(path)[0], "Cy")))
    path = heard(tmp_path, a=0, b=1, c=29)

    def at_the_end(rest: str) -> set[str]:
        report = make_playlist(resting(music, path, rest), TOOLS._replace(read_all=read))
        note = next(note for note in map(str, report.notes) if "so at the end: " in note)
        return {note, *order_of(report)[-int(note.split()[-2]) :]}

    assert at_the_end("artist:1h") == {
        "Played in the last 1 h (same artist), so at the end: 2 tracks",
        "a",
        "c",
    }
    assert at_the_end("artist:2d") >= {"a", "b", "c", "x"}
    both = "Played in the last 2 days or 1 h (same artist), so at the end: 3 tracks"
    assert at_the_end("2d, artist:1h") == {both, "a", "b", "c"}


RULED = ("sattolo", "light", "sorted")  # have a rule of their own


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"history": (), "rest": None, "where": ("-skip_count:1..",)}, "without a play history"),
        ({"history": (), "rest": None, "order": "spread", "group_by": "skips"}, "without a play history"),
        ({"history": (), "rest": None, "most": "1:last_played"}, "without a play history"),
        ({"tags": False}, "--history does not work with --no-tags"),
        ({"history": ()}, "--rest needs a play history: --history with a source"),
        ({"seed": "x"}, "--rest does not work with --seed"),
        *(({"order": order}, f"--rest does not work with --order {order}") for order in RULED),
        ({"rest": "often"}, "'often' is not a duration"),
        ({"rest": "30d,artist:"}, "'' is not a duration"),
        ({"rest": "artst:2h"}, "Did you mean 'artist'"),
    ],
)
def test_history_options_without_a_history_in_conflict_or_with_invalid_values_are_errors(
    music: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    asked = Options(folders=(str(music),), history=(str(heard(tmp_path, a=1)),), rest="30d")
    with pytest.raises(PlayshuffleError, match=message):
        build_request(asked._replace(**options))


def test_a_play_dated_in_the_future_counts_as_played_when_it_was_first_read(
    music: Path, tmp_path: Path
) -> None:
    future = str(NOW + 35 * DAY)
    path = stickers(
        tmp_path / "s.sql",
        {
            "a.mp3": {"lastPlayed": future, "playCount": "1"},
            "b.mp3": {"lastSkipped": future, "skipCount": "1"},
        },
    )

    def heard(ago: int, now_s: int) -> str:
        with open_run(request(music, path), tools(read_all, now_s=now_s)) as run:
            assert run.history is not None
            paths = map(run.tracks.paths.__getitem__, run.history.heard_since(now_s - ago * DAY))
            return " ".join(sorted(os.path.basename(path).decode()[0] for path in paths))

    assert heard(1, NOW) == "a b"
    execute(path, "INSERT INTO sticker VALUES ('song', 'c.mp3', 'playCount', '1')")
    assert heard(1, NOW + 2 * DAY) == "c"
    assert heard(3, NOW + 2 * DAY) == "a b c"
    execute(path, "UPDATE sticker SET value = '2' WHERE name = 'playCount'")
    assert heard(1, NOW + 4 * DAY) == "a c"


def test_tracks_have_no_skip_count_if_the_history_source_counts_no_skips(music: Path, tmp_path: Path) -> None:
    path = tmp_path / "plays.csv"
    path.write_text("path,date\na.mp3,1750000000\n")
    assert chosen(music, "skips:0", path) == ""
    assert chosen(music, "-skips:1..", path) == "4-d a b c x"
    path.write_text("path,plays,skips\na.mp3,1,2\n")
    assert chosen(music, "skips:0", path) == "4-d b c x"


def test_plays_of_one_path_under_two_titles_are_added_up(music: Path, tmp_path: Path) -> None:
    path = tmp_path / "plays.csv"
    path.write_text("path,title,date\na.mp3,One,1750000000\na.mp3,Two,1750000100\n")

    assert chosen(music, "plays:2", path) == "a"


def test_play_events_of_one_source_are_added_and_the_greatest_count_of_all_sources_is_used(
    music: Path, played: Path, tmp_path: Path
) -> None:
    path = tmp_path / "plays.csv"
    path.write_text("path,date\n" + "".join(f"a.mp3,{NOW - at * DAY}\n" for at in range(5)) + "c.mp3,1\n")

    assert chosen(music, "plays:5", played, path) == "a"
    assert chosen(music, "plays:1", played, path) == "b c x"
    assert chosen(music, "skips:1..", played, path) == "b c"
