"""Test the file of plays, which has a line for each, and its reader `--history listen`."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.history.histories import LISTENED
from playshuffle.history.history_reader import read_source, stamp_of
from playshuffle.history.rows import Played, TagNames
from playshuffle.history.sources import find_source
from playshuffle.listening import plays_file
from playshuffle.listening.passes import Heard, Track
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.tags.reading import Reading, Tags
from tests.history.databases import history_rows
from tests.support.library import make_playlist, put, reader, tools

NOW = 1_796_000_000


@pytest.fixture
def plays(home: Path) -> Path:
    return home / ".local/share/playshuffle/plays"


def write(file: Path, *heard: tuple[str, bool], at_s: int = NOW - 100) -> None:
    with plays_file.opened(bytes(file)) as add:
        for number, (uri, is_play) in enumerate(heard):
            add(Heard(Track(uri, "Ann", "A, \"b\"\n'c'", "Alb"), is_play, "p"), at_s + number)


def test_a_play_is_never_dated_before_an_earlier_one(plays: Path) -> None:
    """A small computer without a clock of its own starts at an old date."""
    write(plays / "one.csv", ("1.mp3", True))
    write(plays / "one.csv", ("2.mp3", True), at_s=1_000_000_000)
    write(plays / "one.csv", ("3.mp3", True), at_s=NOW - 40)
    rows = history_rows(read_source(find_source("listen", b""), NOW).rows)
    assert [row.played.last_played for row in rows] == [NOW - 100, NOW - 100, NOW - 40]


def test_the_plays_of_a_track_in_the_files_of_several_machines_are_added_up(plays: Path) -> None:
    write(plays / "one.csv", ("Ann/1.mp3", True), ("Ann/1.mp3", False), ("", True))
    write(plays / "two.csv", ("Ann/1.mp3", True), at_s=NOW - 101)
    content = read_source(find_source("listen", b""), NOW)

    assert content.history is LISTENED
    assert {row.path or row.names: row.played for row in history_rows(content.rows)} == {
        b"Ann/1.mp3": Played(NOW - 100, NOW - 99, 2, 1),
        TagNames("Ann", "A, \"b\" 'c'", "Alb"): Played(NOW - 98, None, 1, 0),
    }


def test_a_play_that_a_conflict_copy_repeats_counts_once(plays: Path) -> None:
    """Syncthing makes a conflict copy if two machines with the same name write the file."""
    conflict = plays / "one.sync-conflict-20261126-163226-IA3SPMF.csv"
    write(plays / "one.csv", ("1.mp3", True), ("", False))
    shutil.copyfile(plays / "one.csv", conflict)
    write(plays / "one.csv", ("2.mp3", True), at_s=NOW - 50)
    write(conflict, ("1.mp3", True), at_s=NOW - 40)

    rows = history_rows(read_source(find_source("listen", b""), NOW).rows)
    assert [(row.path, row.played.plays, row.played.skips) for row in rows] == [
        (b"1.mp3", 2, 0),
        (b"", 0, 1),
        (b"2.mp3", 1, 0),
    ]


def test_a_bad_file_of_one_machine_costs_only_its_own_plays_and_is_named(plays: Path, tmp_path: Path) -> None:
    music = put(tmp_path / "Music", "1.mp3", "2.mp3")
    write(plays / "one.csv", ("1.mp3", True), ("1.mp3", True))
    (plays / "empty.csv").touch()
    (plays / "folder.csv").mkdir()
    (plays / "zeros.csv").write_bytes(b"\0" * 4096)
    os.mkfifo(plays / "fifo.csv")
    asked = Request(
        (bytes(music),),
        bytes(music / "all.m3u"),
        options=Options(where=("plays:2",)),
        history=(find_source("listen", b""),),
    )
    report = make_playlist(asked, tools(reader(lambda _: Tags(60_000)), now_s=NOW))

    assert report.paths() == [bytes(music / "1.mp3")]
    [note] = [str(note) for note in report.notes if note.code == "history"]
    assert note.endswith(f". Cannot be read: {plays}/empty.csv and 3 more")


def test_a_play_that_finds_no_room_is_written_with_the_next_one(
    plays: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk has room for a part of the line."""
    write_as_usual, room = os.write, [10]

    def write_if_room(descriptor: int, data: bytes) -> int:
        if room and not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = write_as_usual(descriptor, data[: room[0]] if room else data)
        room[:] = [0] if room else []
        return count

    with plays_file.opened(bytes(plays / "one.csv")) as add:
        before = (plays / "one.csv").read_bytes()
        monkeypatch.setattr(os, "write", write_if_room)
        with pytest.raises(
            PlayshuffleError, match=r"Cannot write .*one.csv: No space left on device. Make room"
        ):
            add(Heard(Track("1.mp3"), True, "p"), NOW - 2)
        assert (plays / "one.csv").read_bytes() == before
        room.clear()
        add(Heard(Track("2.mp3"), True, "p"), NOW - 1)

    rows = history_rows(read_source(find_source("listen", b""), NOW).rows)
    assert [row.path for row in rows] == [b"1.mp3", b"2.mp3"]


def test_on_a_full_disk_no_empty_file_of_plays_is_left(plays: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(PlayshuffleError, match="No space left on device") as refused:
        write(plays / "one.csv")

    assert refused.value.code == Exit.CANNOT_CREATE
    assert list(plays.iterdir()) == []


def test_recorded_plays_are_matched_to_tracks_by_paths_or_by_tags(plays: Path, tmp_path: Path) -> None:
    @reader
    def read_all(path: str) -> Tags | Reading:
        return Tags(60_000, "A, \"b\" 'c'" if path.endswith("2.mp3") else "x", "Ann", album="Alb")

    music = put(tmp_path / "Music", "Ä #1.mp3", "2.mp3", "3.mp3")
    write(plays / "one.csv", (f"file://{music}/%C3%84%20%231.mp3", True), ("", True))
    request = Request(
        (bytes(music),),
        bytes(music / "all.m3u"),
        options=Options(where=("plays:1",)),
        history=(find_source("listen", b""),),
    )
    report = make_playlist(request, tools(read_all, now_s=NOW))

    assert {Path(path.decode()).name for path in report.paths()} == {"Ä #1.mp3", "2.mp3"}


@pytest.mark.parametrize("torn", ["1795999999,1,0,2.m", '1795999999,1,0,"A, b', "\0" * 99])
def test_a_line_that_a_power_cut_left_incomplete_spoils_no_other_line(plays: Path, torn: str) -> None:
    write(plays / "one.csv", ("1.mp3", True))
    with open(plays / "one.csv", "a") as file:
        file.write(torn)
    write(plays / "one.csv", ("3.mp3", True), ("4.mp3", True))

    rows = history_rows(read_source(find_source("listen", b""), NOW).rows)
    assert [row.path for row in rows] == [b"1.mp3", b"3.mp3", b"4.mp3"]


def test_a_second_process_that_would_write_the_same_file_of_plays_is_refused(plays: Path) -> None:
    write(plays / "one.csv")
    with plays_file.opened(bytes(plays / "one.csv")), pytest.raises(PlayshuffleError) as refused:
        write(plays / "one.csv")

    assert refused.value.code == Exit.CANNOT_CREATE


@pytest.mark.parametrize(
    ("uri", "path"),
    [("a/b.mp3", "a/b.mp3"), ("file:///a%20b.mp3", "/a b.mp3"), ("http://x/y", None), ("", "")],
)
def test_the_path_of_a_track_is_found_in_its_uri_except_for_streams(uri: str, path: str | None) -> None:
    assert plays_file.path_of(Heard(Track(uri), True, "p")) == path


def test_the_error_for_missing_plays_says_how_to_record_them(plays: Path) -> None:
    with pytest.raises(PlayshuffleError, match="To write plays down: playshuffle service install --listen"):
        stamp_of(find_source("listen", b""))
