"""Play histories in files that are not databases."""

import datetime
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playshuffle.history.history_reader import SourceError, read_source
from playshuffle.history.rows import HistoryRow, Played, TagNames
from playshuffle.history.sources import Source
from tests.history.databases import history_rows

JUNE = 1_750_000_000
NOW = 1_795_000_000


def read(path: Path) -> list[HistoryRow]:
    """Return the rows of a play history."""
    return history_rows(read_source(Source(path.name, bytes(path)), NOW).rows)


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "call",
    [
        b"cos\nsystem\n(S'mkdir owned'\ntR.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cquodlibet.util\nspawn\n)R.",
        b"c_codecs\ndecode\n(S'a'\nS'hex'\ntR.",
        b"\x82\x01.",
        b"Pmine\n.",
        b"cposix\nmkdir\n\x8c\x05owned\x85R.",
        b"\x8c\x05posix\x8c\x05mkdir\x93\x8c\x05owned\x85R.",  # as from protocol 4 on
    ],
)
def test_no_code_in_a_pickle_of_quod_libet_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "songs", b"\x80\x02" + call)

    with pytest.raises(SourceError, match="damaged"):
        read(path)
    assert os.listdir(tmp_path) == ["songs"]


_SONG_WITHOUT_FIELDS = b"(cquodlibet.formats.mp3\nMP3File\n)\x81e."


@pytest.mark.parametrize("content", [b"", b"]K\x01a.", b"N.", b"]" + _SONG_WITHOUT_FIELDS])
def test_a_damaged_pickle_of_quod_libet_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceError, match="damaged"):
        read(written(tmp_path / "songs", b"\x80\x02" + content))


def test_xml_with_entities_that_would_fill_the_memory_is_an_error(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{at + 1} "{f"&e{at};" * 20}">' for at in range(9))
    path = written(tmp_path / "rhythmdb.xml", "<rhythmdb/>")
    assert read(path) == []

    bomb = (
        f'<rhythmdb><!DOCTYPE x [<!ENTITY e0 "a">{entities}]><entry type="song"><title>&e9;</title></entry>'
    )
    with pytest.raises(SourceError, match="damaged"):
        read(written(path, bomb + "</rhythmdb>"))
    with pytest.raises(SourceError, match="no known play history"):
        read(written(path, f'<!DOCTYPE x [<!ENTITY e0 "a">{entities}]><rhythmdb>&e9;</rhythmdb>'))


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Kolkata"])
def _zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A time zone of this computer."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def local(seconds: int) -> int:
    """Return a time as the number that a device without a time zone writes."""
    return seconds + int(datetime.datetime.fromtimestamp(seconds).astimezone().utcoffset().total_seconds())  # type: ignore[union-attr]


@pytest.mark.usefixtures("_zone")
@pytest.mark.parametrize("header", ["UTC", "UNKNOWN"])
def test_plays_and_skips_are_read_from_a_scrobbler_log_of_rockbox_in_utc_or_local_time(
    tmp_path: Path, header: str
) -> None:
    when = local if header == "UNKNOWN" else int
    path = written(
        tmp_path / ".scrobbler.log",
        f"#AUDIOSCROBBLER/1.1\n#TZ/{header}\n#CLIENT/Rockbox ipod\n"
        f"Ann\tLight\tOne\t1\t200\tL\t{when(JUNE)}\tid-1\n"
        f"Ann\tLight\tOne\t1\t200\tL\t{when(JUNE + 300)}\tid-1\r\n"
        f"Ann\tLight\tOne\t1\t200\tS\t{when(JUNE + 400)}\tid-1\n"
        "# FAILED\nBob\t\tTwo\t\t100\tL\t0\n\nbroken\n",
    )

    assert read(path) == [
        HistoryRow(b"", Played(JUNE + 300, JUNE + 400, 2, 1), TagNames("Ann", "One", "Light", "id-1")),
        HistoryRow(b"", Played(None, None, 1, 0), TagNames("Bob", "Two")),
    ]


# As programs save the plays of Last.fm: a line for each.
LAST_FM = (
    "uts,utc_time,artist,artist_mbid,album,album_mbid,track,track_mbid\n"
    f'"{JUNE}","15 Jun 2025, 15:06","Ann","","Light","","One","id-1"\n'
    f'"{JUNE + 60}","15 Jun 2025, 15:07","Ann","","Light","","One","id-1"\n'
)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (
            f'path,plays,last_played,rating\n/m/a.mp3,3,{JUNE},4\n"/m/b, c.mp3",0,,\n',
            [HistoryRow(b"/m/a.mp3", Played(JUNE, None, 3, None, 0.8), TagNames("", ""))],
        ),
        (LAST_FM, [HistoryRow(b"", Played(JUNE + 60, None, 2), TagNames("Ann", "One", "Light", "id-1"))]),
        (
            # As lastfmstats.com saves it: milliseconds, semicolons.
            f'Artist;Album;AlbumId;Track;Date#ann\n"Ann";"Light";"";"One";"{JUNE}000"\n',
            [HistoryRow(b"", Played(JUNE, None, 1), TagNames("Ann", "One", "Light"))],
        ),
        (
            "\ufeffFile\tPlay Count\tLast Played\r\nfile:///m/%C3%A4.mp3\t2\t2025-06-15T15:06:40Z\r\n",
            [HistoryRow("/m/ä.mp3".encode(), Played(JUNE, None, 2), TagNames("", ""))],
        ),
        ("path,skips\na.mp3,2\nb.mp3\n,\n", [HistoryRow(b"a.mp3", Played(skips=2), TagNames("", ""))]),
        ("path,date\na.mp3,never\n", [HistoryRow(b"a.mp3", Played(None, None, 1), TagNames("", ""))]),
        (
            f"path,last_played,plays,skips\na.mp3,{JUNE},1,0\na.mp3,{JUNE + 1},1,0\na.mp3,{JUNE + 2},0,1\n",
            [HistoryRow(b"a.mp3", Played(JUNE + 1, JUNE + 2, 2, 1), TagNames("", ""))],
        ),
    ],
)
def test_the_columns_of_a_csv_file_are_found_by_their_names(
    tmp_path: Path, content: str, rows: list[HistoryRow]
) -> None:
    assert read(written(tmp_path / "plays.csv", content)) == rows


@pytest.mark.parametrize(
    "content", ["", "a,b\n1,2\n", "#EXTM3U\na.mp3\n", b"\xff\xfe\x00", b"\x80\x01", "<html>"]
)
def test_a_file_that_is_no_known_play_history_is_an_error(tmp_path: Path, content: str | bytes) -> None:
    with pytest.raises(SourceError, match="no known play history"):
        read(written(tmp_path / "x", content))


def test_a_fifo_in_place_of_a_play_history_is_an_error_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")

    with pytest.raises(SourceError, match="not a regular file"):
        read(tmp_path / "x")


def test_the_entries_of_a_playlist_that_is_given_as_a_play_history_have_all_stars(tmp_path: Path) -> None:
    beside = written(tmp_path / "ä.mp3", "")
    entries = f"#EXTM3U\n#EXTINF:1,Ä\nä.mp3\nelsewhere/b.mp3\n\nfile://{tmp_path}/%C3%A4.mp3\n"

    assert read(written(tmp_path / "likes.m3u", entries)) == [
        HistoryRow(path, Played(rating=1)) for path in (bytes(beside), b"elsewhere/b.mp3", bytes(beside))
    ]


@pytest.mark.usefixtures("_zone")
def test_the_current_log_of_rockbox_4_and_its_earlier_logs_are_read_together(tmp_path: Path) -> None:
    one, two = local(JUNE), local(JUNE + 300)
    written(tmp_path / "playback_0001.log", f"# boot\n{one}:120000:200000:/Music/a: b.mp3\n")
    written(tmp_path / "playback_0002.log", f"{one}:240000:900000:/<microSD0>/Music/c.mp3\n")
    path = written(
        tmp_path / "playback.log",
        f"# boot\n{two}:99000:200000:/Music/a: b.mp3\n0:1:1:/d.mp3\nbroken\n{two}:1:",
    )

    assert sorted(read(path)) == [
        HistoryRow(b"Music/a: b.mp3", Played(JUNE, JUNE + 300, 1, 1)),
        HistoryRow(b"Music/c.mp3", Played(JUNE, None, 1, 0)),
        HistoryRow(b"d.mp3", Played(None, None, 1, 0)),
    ]


def test_each_line_of_an_export_of_listenbrainz_is_read_as_a_play(tmp_path: Path) -> None:
    path = written(
        tmp_path / "1.jsonl",
        f'{{"inserted_at": 1, "listened_at": {JUNE}, "track_metadata": {{"artist_name": "Ann",'
        ' "track_name": "One",'
        ' "release_name": "Light", "additional_info": {"recording_mbid": null}, "mbid_mapping":'
        ' {"recording_mbid": "id-1"}}}\n'
        f'{{"listened_at": {JUNE + 1}, "track_metadata": {{"artist_name": "Bob", "track_name": "Two",'
        ' "release_name": null, "mbid_mapping": null}}\n{"listened_at": 17500',
    )

    assert read(path) == [
        HistoryRow(b"", Played(JUNE, None, 1), TagNames("Ann", "One", "Light", "id-1")),
        HistoryRow(b"", Played(JUNE + 1, None, 1), TagNames("Bob", "Two")),
    ]


def test_a_play_that_a_log_dates_in_the_future_counts_but_is_not_the_last_play(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv", f"path,date\na.mp3,{NOW + 99 * 86_400}\na.mp3,{JUNE}\nb.mp3,{NOW + 80_000}\n"
    )

    assert [row.played for row in read(path)] == [Played(JUNE, None, 2), Played(NOW + 80_000, None, 1)]
