"""`playshuffle check` finds the faults of playlists from any program."""

import contextlib
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.players.check import check_playlist
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist.playlist_reader import read
from tests.support.hostile import PATHS
from tests.support.in_process import Program
from tests.support.program import library, make, mpd_conf, refused, report, run

ALL = set(PLAYERS) - {GENERIC}


MUSIC = ["a.mp3", "b b.mp3", "sub/c.mp3", "é.mp3"]


def losers(folder: Path, content: bytes, name: str = "x.m3u") -> dict[str, set[str]]:
    """Return for each oddity of a playlist the players that misread it; `{music}` stands for the folder."""
    (folder / name).write_bytes(content.replace(b"{music}", bytes(folder)))
    odd: dict[str, set[str]] = {}
    for player, troubles in check_playlist(bytes(folder / name), []).troubles.items():
        for trouble in troubles:
            odd.setdefault(trouble.what, set()).add(player)
    return odd


E = "é.mp3".encode()


@pytest.mark.parametrize(
    ("content", "paths"),
    [
        (b"\xef\xbb\xbfa.mp3", [b"a.mp3"]),
        (b"#EXTM3U\ra.mp3\rb b.mp3\r", [b"a.mp3", b"b b.mp3"]),
        ("a.mp3\né.mp3".encode("utf-16-be").join([b"\xfe\xff", b""]), [b"a.mp3", E]),
        # VLC escapes each entry. In a playlist of another program a file name may look like an escape.
        (b"b%20b.mp3\n%C3%A9.mp3\n", [b"b b.mp3", E]),
        (b"#EXTM3U\na%20b.mp3\na%2520b.mp3\na.mp3\n", [b"a b.mp3", b"a%20b.mp3", b"a.mp3"]),
        (b"#EXTM3U\na b.mp3\na%20b.mp3\n", [b"a b.mp3", b"a%20b.mp3"]),
        (b"#EXTM3U\nd%20.mp3\n", [b"d%20.mp3"]),
        (b"#EXTM3U\n#PLAYSHUFFLE-ORDER:x\na%20b.mp3\n", [b"a%20b.mp3"]),
        (b"#EXTM3U\n./a%20b.mp3\n", [b"a%20b.mp3"]),
        (b"sub\\c.mp3\n.\\sub\\c.mp3\n", [b"sub/c.mp3"] * 2),
        (b"  a.mp3 \n\n\t\n", [b"a.mp3"]),
        (b"#EXTVLCOPT:network-caching=1\n#EXTINF:-1,x\na.mp3\n", [b"a.mp3"]),
        (b"http://h/x.mp3\nrtsp://h/\nfile://host/x\na.mp3", [b"", b"", b"", b"a.mp3"]),
        (b"#PLAYSHUFFLE-BASE:=%s\n", []),
    ],
)
def test_entries_of_playlists_from_other_programs_are_read(
    music: Path, content: bytes, paths: list[bytes]
) -> None:
    library(music, ["a b.mp3", "a%20b.mp3", "d%20.mp3"])
    (music / "x.m3u").write_bytes(content)

    found = [entry.path.removeprefix(bytes(music) + b"/") for entry in read(bytes(music / "x.m3u")).entries]
    assert found == paths


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a.mp3\n./a.mp3\nhard.mp3\n", [(2, "twice"), (3, "twice")]),
        (b"none.mp3\n", [(1, "missing")]),
        (b"sub\n", [(1, "a folder")]),
        (b"x.m3u\n", [(1, "a playlist itself")]),
        (b"note.txt\n", [(1, "not named like audio")]),
        (b"pipe.mp3\n", [(1, "not a regular file")]),
        (b"http://h/x\n", []),
        (b"nul%00.mp3\n" + b"x" * 5000 + b".mp3\n", [(1, "missing"), (2, "missing")]),
    ],
)
def test_check_reports_each_broken_entry_with_the_reason(
    music: Path, content: bytes, said: list[tuple[int, str]]
) -> None:
    os.link(music / "a.mp3", music / "hard.mp3")
    os.mkfifo(music / "pipe.mp3")
    (music / "note.txt").touch()
    (music / "x.m3u").write_bytes(content)

    faults = check_playlist(bytes(music / "x.m3u"), []).faults
    assert [(fault.entry.line, fault.what) for fault in faults] == said


HEAD = b"#EXTM3U\n"
RELATIVE = "a relative entry, which counts from its music folder"
DEVICES = {"rockbox", "car"}
MARK = {"mpd", "cmus", "quodlibet", "mopidy", "rhythmbox"}
DEAF = {"music-assistant", "cmus", "jellyfin", "kodi", "plex", "rockbox", "car"}


@pytest.mark.parametrize(
    ("content", "odd"),
    [
        (HEAD + b"a.mp3\n", {}),
        (HEAD + b" a.mp3\n", {"a space at the start, which is removed": {"cmus", "rockbox", "liquidsoap"}}),
        (HEAD + b"sub//c.mp3\n", {"'//' within the path": {"mpd"}}),
        (b"\xef\xbb\xbf" + HEAD + b"a.mp3\n", {}),
        (b"\xef\xbb\xbfa.mp3\nsub/c.mp3\n", {"a byte order mark and no #EXTM3U: the first entry": MARK}),
        (b"a.mp3\rsub/c.mp3\r", {"lines that end in CR alone": {"mpd", "mpv", "cmus", "quodlibet"}}),
        ("#EXTM3U\na.mp3".encode("utf-16"), {"a file in UTF-16": {"mpd", "cmus", "quodlibet", "mopidy"}}),
        (HEAD + b"\na.mp3\n", {"an empty line": {"quodlibet"}}),
        (HEAD + b"#EXT-X-VERSION:3\na.mp3\n", {"tags of a stream (#EXT-X-\u2026)": {"vlc"}}),
        (HEAD + b"none.mp3\n", {"one missing file makes it reject the whole playlist": {"quodlibet"}}),
        (HEAD + b"sub\n", {"an entry that is a folder": {"mpd", "mpv", "vlc", "cmus", "quodlibet"}}),
        (HEAD + b"sub\\c.mp3\n", {"backslashes for slashes": ALL - {"strawberry", "lms", "rockbox"}}),
        (HEAD + b"b%20b.mp3\n", {"a relative path with URI escapes": ALL - {"vlc", "jellyfin"}}),
        (HEAD + b"file://{music}/a.mp3\n", {"a file:// URI": DEAF}),
        (HEAD + b"file://{music}/b%20b.mp3\n", {"a file:// URI": DEAF | {"mpd", "liquidsoap"}}),
        (HEAD + b"{music}/a.mp3\n", {"an absolute path, which is another one on a device": DEVICES}),
    ],
)  # fmt: skip
def test_each_oddity_of_a_playlist_is_reported_for_the_players_that_misread_it(
    music: Path, content: bytes, odd: dict[str, set[str]]
) -> None:
    said = losers(music, content)
    assert b"{music}" not in content or RELATIVE not in said
    said.pop(RELATIVE, None)

    assert said == odd


def test_check_reports_the_suffix_of_a_playlist_for_players_that_do_not_load_it_or_not_as_utf_8(
    music: Path,
) -> None:
    for suffix, what, players in (
        ("m3u8", "a suffix that it does not load", {"mpd", "cmus", "kodi"}),
        ("m3u", "a suffix for which names are not taken for UTF-8", {"mopidy", "rockbox"}),
    ):
        odd = losers(music, HEAD + E + b"\n", f"x.{suffix}")
        assert odd == {RELATIVE: {"mopidy", "plex"}, what: players}


@pytest.mark.process
@pytest.mark.parametrize("name", ["car", "jellyfin", "navidrome", "rhythmbox", "vlc"])
def test_the_commands_check_and_make_report_the_same_lost_tracks_of_a_list_for_a_player(
    tmp_path: Path, name: str
) -> None:
    """The library has hostile names. Only some versions of the player lose the entries that are written."""
    music = library(tmp_path / "Music", map(os.fsdecode, PATHS))
    said = report(music, "--for", name)

    checked = check_playlist(os.fsencode(said["output"]), [name])

    assert checked.entries == said["tracks"] > 60
    assert (checked.faults, checked.streams) == ([], 0)
    lost = {
        os.fsdecode(trouble.entry.path) for trouble in checked.troubles[name] if trouble.entry is not None
    }
    assert lost == {track for loss in said["losses"] for track in loss["tracks"]}
    assert len(lost) == len(checked.troubles[name])
    assert all(trouble.versions for trouble in checked.troubles[name])


@pytest.mark.process
def test_entries_of_a_playlist_saved_by_mpd_start_at_the_music_folder_of_mpd(
    home: Path, tmp_path: Path
) -> None:
    library(tmp_path / "Music", ["a/b.mp3"])
    mpd_conf(home / ".config", tmp_path / "Music", tmp_path)
    (tmp_path / "saved.m3u").write_bytes(b"a/b.mp3\n")

    assert run("check", tmp_path / "saved.m3u", "--for", "mpd").code == 0


@pytest.mark.process
@pytest.mark.parametrize(
    ("content", "words", "code"),
    [
        (HEAD + b"a.mp3\nb#.mp3\n", [], 0),
        (HEAD + b"a.mp3\nb#.mp3\n", ["--for", "mpv"], 0),
        (HEAD + b"a.mp3\nb#.mp3\n", ["--for", "mpv", "--for", "vlc"], 1),
        (HEAD + b"a.mp3\nb#.mp3\n", ["--for", "all"], 1),
        (HEAD + b"none.mp3\n", ["--for", "mpv"], 1),
    ],
)
def test_the_command_check_fails_if_an_entry_is_broken_or_a_named_player_cannot_play_it(
    music: Path, content: bytes, words: list[str], code: int
) -> None:
    (music / "x.m3u").write_bytes(content)
    library(music, ["b#.mp3"])

    assert run("check", music / "x.m3u", *words).code == code


@pytest.mark.process
def test_the_report_of_the_command_check_has_the_same_facts_in_lines_and_in_json(music: Path) -> None:
    (music / "x.m3u").write_bytes(HEAD + b"a.mp3\na.mp3\nb#\x1b.mp3\nnone.mp3\nhttp://h/\n")
    library(music, ["b#\x1b.mp3"])

    text = run("check", music / "x.m3u", "--for", "vlc", "--for", "cmus")
    said: dict[str, Any] = json.loads(run("check", music / "x.m3u", "--for", "vlc", "--json").out)

    lines = text.out.decode().splitlines()
    assert lines[0] == f"error: {music}/x.m3u: 2 of 5 entries are broken, 1 other is not a local file"
    assert "  line 3: a.mp3: twice as in line 2" in lines
    assert "  line 5: none.mp3: missing" in lines
    assert "  line 4: b#\\x1b.mp3" in lines
    assert "works" not in text.out.decode().lower()
    assert (said["entries"], said["streams"]) == (5, 1)
    assert [(fault["line"], fault["what"], fault["first"]) for fault in said["faults"]] == [
        (3, "twice", 2),
        (5, "missing", None),
    ]
    (trouble,) = said["players"]["vlc"]
    assert (trouble["line"], trouble["entry"], trouble["plays_another"]) == (4, "b#\x1b.mp3", True)


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        *((name, [], Exit.NO_INPUT) for name in ("none.m3u", "folder", "pipe.m3u", "a.mp3", "bad.xspf")),
        ("x.xspf", ["--for", "vlc"], Exit.USAGE),
        ("x.m3u", ["--for", "winamp"], Exit.USAGE),
        ("", [], Exit.USAGE),
    ],
)
def test_the_command_check_refuses_files_that_are_not_playlists_and_unknown_players(
    music: Path, name: str, words: list[str], code: Exit
) -> None:
    (music / "folder").mkdir()
    os.mkfifo(music / "pipe.m3u")
    (music / "x.m3u").touch()
    (music / "x.xspf").write_text("<playlist/>")
    (music / "bad.xspf").write_text("<")

    refused(code, "check", music / name if name else "", *words)


def test_a_playlist_file_larger_than_256_mb_is_refused(tmp_path: Path) -> None:
    with open(tmp_path / "x.m3u", "wb") as file:
        file.truncate(1 << 30)

    with pytest.raises(PlayshuffleError, match="more than 256 MB"):
        read(bytes(tmp_path / "x.m3u"))


def test_checking_a_playlist_opens_neither_its_entries_nor_a_network_connection(
    music: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (music / "x.m3u").write_bytes(HEAD + b"a.mp3\nhttp://h/x\n\\\\host\\x\nfile://host/x\nsub/../x.m3u\n")
    opened: list[bytes] = []
    real = os.open

    def opening(path: bytes, flags: int, *rest: int) -> int:
        opened.append(os.fsencode(path))
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(socket, "socket", None)

    check_playlist(bytes(music / "x.m3u"), [])

    assert [path for path in opened if b"mpd" not in path] == [bytes(music / "x.m3u")]


BITS = [
    b"#", b"EXTM3U", b"\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"file://", b"http://", b"/", b"\\",
]  # fmt: skip
BITS += [b"a.mp3", b"%2", b"%00", b" ", b"..", b"C:\\", b"\xe9", b"#PLAYSHUFFLE-BASE:", b"=/", b"Z:\\=/x"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.lists(st.sampled_from(BITS) | st.binary(max_size=3), max_size=12).map(b"".join))
def test_a_check_of_any_content_ends_with_a_result_or_an_error_message(music: Path, content: bytes) -> None:
    (music / "fuzz.m3u").write_bytes(content)

    with contextlib.suppress(PlayshuffleError):  # not every content is a playlist
        checked = check_playlist(bytes(music / "fuzz.m3u"), [])
        assert checked.entries >= checked.streams + len(checked.faults)


@pytest.mark.process
def test_without_a_named_player_check_uses_the_player_that_the_playlist_was_written_for(music: Path) -> None:
    for words, works in (((), ""), (("--for", "vlc"), ". Its paths work with VLC")):
        make(music, "-o", music / "x.m3u", *words)
        said = run("check", music / "x.m3u").out.decode()
        assert said == f"ok: {music}/x.m3u: 4 entries, each file exists once{works}\n"


def test_the_command_check_names_the_missing_folder_that_contains_all_missing_entries(
    music: Path, program: Program
) -> None:
    (music / "x.m3u").write_text("a.mp3\ngone/1/a.mp3\ngone/2/b.mp3\n")

    said = program("check", f"{music}/x.m3u").out

    assert f"Problem: {music}/gone does not exist. Is its drive mounted?" in said


@pytest.mark.process
def test_the_command_check_suggests_a_similar_file_name_for_a_missing_entry(music: Path) -> None:
    (music / "x.m3u").write_text("A.MP\nSub/c.mp\nzzz.mp3\nC:\\Music\\q.mp3\n")

    assert run("check", music / "x.m3u").out.decode().splitlines() == [
        f"error: {music}/x.m3u: 4 of 4 entries are broken",
        "  line 1: A.MP: missing, did you mean a.mp3?",
        "  line 2: Sub/c.mp: missing, did you mean sub/c.mp3?",
        "  line 3: zzz.mp3: missing",
        "  line 4: C:\\Music\\q.mp3: missing (a Windows path)",
    ]


@pytest.mark.process
def test_the_command_check_accepts_several_playlists_or_standard_input(music: Path) -> None:
    (music / "x.m3u").write_text("a.mp3\n")
    (music / "y.m3u").write_text("none.mp3\n")

    done = run("check", music / "x.m3u", music / "y.m3u")
    assert done.code == 1
    assert [line.split(":")[0] for line in done.out.decode().splitlines()] == ["ok", "error", "  line 1"]

    piped = run("check", "-", cwd=music, stdin=music / "x.m3u")
    assert piped.out.decode() == f"ok: {music}/standard-input.m3u: 1 entry, its file exists\n"
