"""Play histories in files that are not databases."""

import datetime
import os
import pickle
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playshuffle.history import history_reader
from playshuffle.history.history_reader import SourceError, read_source
from playshuffle.history.rows import HistoryRow, Played, TagNames
from playshuffle.history.sources import Source
from playshuffle.system import foreign_database
from tests.history.databases import MPD, database, history_rows
from tests.support.forked import forked

JUNE = 1_750_000_000
NOW = 1_795_000_000
NO_TAGS = TagNames("", "")


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


_MPV = '{"time": 1750000000, "path": "/m/%s.mp3"}'
_LISTEN = '{"listened_at": 1750000000, "track_metadata": {"artist_name": "Ann", "track_name": "%s"}}'


@pytest.mark.parametrize(
    ("name", "line", "odd"),
    [
        ("h.jsonl", _MPV, '{"time": 1, "path": "/m/\\ud800.mp3"}'),
        ("h.jsonl", _MPV, '{"time": 1, "path": ' + "[" * 100_000),
        ("h.jsonl", _MPV, '{"time": 1, "path": ["/m/c.mp3"]}'),
        ("h.jsonl", _MPV, '"a text"'),
        ("l.jsonl", _LISTEN, '{"listened_at": 1, "track_metadata": "a text"}'),
        ("l.jsonl", _LISTEN, '{"listened_at": 1, "track_metadata": {"additional_info": [1]}}'),
        ("l.jsonl", _LISTEN, '{"listened_at": ' + "9" * 5000 + "}"),
        ("l.jsonl", _LISTEN, '{"listened_at": 1750'),
        ("plays.csv", "/m/%s.mp3,x", '"/m/c.mp3,an open quote'),
        ("plays.csv", '"/m/%s.mp3","x ""y"""', '/m/c.mp3,"an open quote'),
        ("plays.csv", '/m/%s.mp3,12" single', '/m/c.mp3,"' + '""' * 100_000),
        ("plays.csv", "/m/%s.mp3,x", f'"/m/c.mp3",{"x" * 200_000}'),
    ],
)
def test_an_odd_line_of_a_history_costs_this_line_only_and_is_named(
    tmp_path: Path, name: str, line: str, odd: str
) -> None:
    head = "path,title\n" if name.endswith("csv") else ""
    path = written(tmp_path / name, f"{head}{line % 'a'}\n{odd}\n{line % 'b'}\n")
    rows = read_source(Source(name, bytes(path)), NOW).rows

    assert len(history_rows(rows)) == 2
    assert list(rows.unread) == [(bytes(path), 2 + len(head.splitlines()))]


def test_an_odd_song_of_quod_libet_costs_this_song_only_and_is_named(tmp_path: Path) -> None:
    songs = [{b"~filename": b"/a", b"~#playcount": 2}, 5, {b"~filename": b"/b", b"~#playcount": 1}]
    path = written(tmp_path / "songs", pickle.dumps(songs, 2))
    rows = read_source(Source("songs", bytes(path)), NOW).rows
    assert [row.path for row in history_rows(rows)] == [b"/a", b"/b"]
    assert list(rows.unread) == [(bytes(path), 2)]


def test_without_columns_of_times_and_counts_each_line_of_a_csv_file_is_one_play(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "path\n/a\n/b\n/a\n")
    assert read(path) == [
        HistoryRow(b"/a", Played(plays=2), NO_TAGS),
        HistoryRow(b"/b", Played(plays=1), NO_TAGS),
    ]

    path = written(tmp_path / "p.csv", "artist,title\nAnn,One\n")
    assert read(path) == [HistoryRow(b"", Played(plays=1), TagNames("Ann", "One"))]
    path = written(tmp_path / "p.csv", "path,stars\n/a,5\n")  # a list of ratings
    assert read(path) == [HistoryRow(b"/a", Played(rating=1), NO_TAGS)]


ENDLESS = (
    MPD.partition("CREATE UNIQUE")[0].replace("sticker", "empty")
    + """
CREATE VIEW sticker AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT 'song' AS type, 'a' || i AS uri, 'playCount' AS name, {value} AS value FROM n {where};
"""
)


def test_a_database_that_is_read_without_end_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(tmp_path / "s.db", ENDLESS.format(value="'1'", where="WHERE i < 0"))
    monkeypatch.setattr(foreign_database, "READ_S", 0)

    with pytest.raises(SourceError, match="takes more than"):
        read(path)


@pytest.mark.process
@pytest.mark.parametrize("name", ["s.db", "p.csv"])
def test_a_history_that_would_fill_the_memory_is_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "s.db":
        database(path, ENDLESS.format(value="'1'", where=""))
    else:
        with path.open("w") as file:
            file.write("path\n" + "x" * (64 << 20))

    def problem() -> str:
        history_reader._MEMORY_BYTES = 32 << 20
        with pytest.raises(SourceError) as refused:
            read(path)
        return str(refused.value)

    assert "takes more than 32 MB of memory" in forked(problem)


def test_a_history_file_of_more_than_a_gigabyte_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "path\n/a\n")
    os.truncate(path, (1 << 30) + 1)

    with pytest.raises(SourceError, match="it has more than 1,024 MB"):
        read(path)


def test_xml_with_entities_that_would_fill_the_memory_is_an_error(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{at + 1} "{f"&e{at};" * 20}">' for at in range(9))
    path = written(tmp_path / "rhythmdb.xml", "<rhythmdb/>")
    assert read(path) == []

    bomb = (
        f'<rhythmdb><!DOCTYPE x [<!ENTITY e0 "a">{entities}]><entry type="song"><title>&e9;</title></entry>'
    )
    with pytest.raises(SourceError, match="damaged"):
        read(written(path, bomb + "</rhythmdb>"))
    with pytest.raises(SourceError, match="not a known play history"):
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
    with pytest.raises(SourceError, match="not a known play history"):
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
