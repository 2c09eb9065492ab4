"""Test what `playshuffle status` shows."""

import json
import os
import re
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from playshuffle.cli.feed_mpd import deal_next
from playshuffle.cli.screen import Screen
from playshuffle.cli.status import _lines
from playshuffle.dealing.fed import NOTHING_PASSED, Fed, Passed
from playshuffle.errors import PlayshuffleError
from playshuffle.listening.saved_windows import save_window, window_file
from playshuffle.listening.window import Window
from playshuffle.service.status_json import PlaylistStatus, RootStatus, Service, Status
from playshuffle.system import lock
from tests.support.in_process import Program
from tests.support.program import configured, make, numbered, run
from tests.support.terminal import on_terminal

NOW_S = 1_700_000_000
TOMORROW = datetime.now().astimezone().date() + timedelta(days=1)
DECK = {"tracks": 668, "dealt": 80, "every": "day", "next_deal": TOMORROW.isoformat()}
REPORT = Status(
    services=(Service(4711, NOW_S - 120, None),),
    roots=(
        RootStatus("/music", "ok", "ext4", "events", tracks=668, last_full_scan=NOW_S - 30),
        RootStatus("/mnt/nas", "missing", advice="mount it"),
    ),
    playlists=(
        PlaylistStatus(
            "calm", "/music/calm.m3u", "managed", 35, order="spread", last_write=NOW_S - 180,
            waiting={"/mnt/nas": 21, "/mnt/b": 0},
        ),
        PlaylistStatus("far", "/mnt/nas/far.m3u", "missing", last_error="The drive is missing."),
        PlaylistStatus("all", "/music/all.m3u", "waiting", scanning="7 of 9 files read"),
        PlaylistStatus("today", "/music/today.m3u", "dealt", 40, deck=DECK),
    ),
    notes=(),
    not_listed=2,
)  # fmt: skip


TITLES = {os.fsencode(each.output): each.name or "" for each in REPORT.playlists}


def test_the_table_of_decks_fits_into_80_columns() -> None:
    facts = {**DECK, "tracks": 12_000, "dealt": 10_000, "heard": 9_000}
    deck = PlaylistStatus("today", "/home/ann/Music/lists/today.m3u", "dealt", 40, deck=facts)
    lines = list(
        _lines(REPORT._replace(playlists=(deck,)), TITLES, Screen(80, has_unicode=True, now_s=NOW_S))
    )

    assert "DEALT LIST" in lines[-4]
    assert max(map(len, lines)) <= 80
    assert "10,000/12,000, 9,000 heard" in lines[-3]


def test_status_on_a_terminal_is_a_verdict_and_tables() -> None:
    screen = Screen(width=80, has_unicode=True, now_s=NOW_S)

    assert list(_lines(REPORT, TITLES, screen)) == [
        "! The service runs, started 2 min ago; 1 of 4 playlists cannot be updated",
        "",
        "FOLDER    STATE    TRACKS  WATCH   LAST SCAN",
        "/music    ok          668  events  just now",
        "/mnt/nas  missing",
        "  Try       mount it",
        "",
        "LIST  STATE                        TRACKS  ORDER   WRITTEN",
        "calm  managed                          35  spread  3 min ago",
        "far   missing",
        "all   scanning: 7 of 9 files read",
        "  calm: 21 of 35 tracks wait for /mnt/nas",
        "  far: The drive is missing.",
        "",
        "DEALT LIST  STATE  TRACKS  THIS ROUND             NEXT DEAL",
        "today       dealt      40  █░░░░░░░░░░░░░ 80/668  tomorrow 00:00",
        "",
        "2 other playlists written by make: playshuffle status --all",
    ]


def test_status_counts_no_other_playlist_if_it_shows_none() -> None:
    report = REPORT._replace(playlists=(), services=(), not_listed=1)

    assert [*_lines(report, TITLES, Screen())][-1] == "1 playlist written by make: playshuffle status --all"


def test_the_verdict_of_status_counts_other_playlists_only_if_none_is_configured() -> None:
    others = tuple(PlaylistStatus(None, f"/music/{name}.m3u", last_error="It is full.") for name in "abcde")
    verdict = next(_lines(REPORT._replace(playlists=REPORT.playlists + others), TITLES, Screen()))
    assert verdict.endswith("; 1 of 4 playlists cannot be updated")

    verdict = next(_lines(REPORT._replace(playlists=others, services=()), TITLES, Screen()))
    assert verdict.endswith("5 of 5 playlists cannot be updated")


def _outputs(*words: str) -> list[str]:
    said = json.loads(run("status", "--json", *words).out)
    return [Path(playlist["output"]).name for playlist in said["playlists"]]


@pytest.mark.process
def test_the_option_all_of_status_shows_the_existing_playlists_that_make_wrote(tmp_path: Path) -> None:
    music = numbered(tmp_path / "Music", 3)
    lists = tmp_path / "lists"
    lists.mkdir()
    make(music, "-o", lists / "a.m3u")
    make(music, "-o", lists / "b.m3u")
    configured("").unlink()

    assert _outputs() == []
    assert json.loads(run("status", "--json").out)["not_listed"] == 2
    assert _outputs("--all") == ["a.m3u", "b.m3u"]

    (lists / "a.m3u").unlink()

    assert _outputs("--all") == ["b.m3u"]
    (lists / "a.m3u").touch()
    assert _outputs("--all") == ["a.m3u", "b.m3u"]  # its order stays saved


@pytest.mark.process
@pytest.mark.parametrize("text", ["", "folders = 1", "[playlist.other]\nfolders = [5]"])
def test_status_with_another_configuration_does_not_forget_a_list_whose_file_is_missing(
    tmp_path: Path, text: str
) -> None:
    music = numbered(tmp_path / "Music", 30)
    managed = tmp_path / "managed.toml"
    managed.write_text(f'[playlist.all]\nfolders = ["{music}"]\noutput = "{music}/all.m3u"\n')
    assert run("make", "all", "--config", managed).code == 0
    other = tmp_path / "other.toml"
    other.write_text(text)
    before = (music / "all.m3u").read_bytes()
    (music / "all.m3u").rename(tmp_path / "away.m3u")

    for words in ((), ("--config", other)):
        run("status", "--all", *words)
    (tmp_path / "away.m3u").rename(music / "all.m3u")

    assert _outputs("--all") == ["all.m3u"]
    assert (music / "all.m3u").read_bytes() == before


@pytest.mark.process
def test_the_command_status_shows_playlists_that_may_be_on_a_missing_drive(tmp_path: Path) -> None:
    """The folder of the playlist is gone, or empty as a mount point without its drive is."""
    music = numbered(tmp_path / "Music", 3)
    drive = tmp_path / "drive"
    drive.mkdir()
    make(music, "-o", drive / "a.m3u")
    assert run("deal", music, "-n", "1").code == 0
    (music / "today.m3u").unlink()

    (drive / "a.m3u").rename(tmp_path / "a.m3u")
    assert _outputs("--all") == ["today.m3u", "a.m3u"]
    (drive / "NOT_MOUNTED").touch()
    assert _outputs("--all") == ["today.m3u"]
    shutil.rmtree(drive)
    assert _outputs("--all") == ["today.m3u", "a.m3u"]
    drive.mkdir()
    (tmp_path / "a.m3u").rename(drive / "a.m3u")

    assert _outputs() == ["today.m3u"]
    assert _outputs("--all") == ["today.m3u", "a.m3u"]


@pytest.mark.process
def test_status_without_a_configuration_names_a_missing_folder(tmp_path: Path, program: Program) -> None:
    music = numbered(tmp_path / "Music", 3)
    assert program("make", str(music), "-o", str(tmp_path / "a.m3u")).code == 0
    assert "missing" not in program("status").out

    music.rename(tmp_path / "away")

    assert f"folder {music}: state missing; tracks 3" in program("status").out
    (tmp_path / "a.m3u").unlink()
    assert "missing" not in program("status").out


@pytest.mark.process
def test_each_command_says_that_the_drive_of_a_playlist_is_missing(tmp_path: Path, program: Program) -> None:
    music = numbered(tmp_path / "Music", 3)
    drive = tmp_path / "drive"
    drive.mkdir()
    assert program("make", str(music), "-o", str(drive / "a.m3u")).code == 0
    drive.rename(tmp_path / "away")
    commands = {"status a": 1, "status --all": 1, "make a": 75, "why x.mp3": 75, "why --in a x.mp3": 75}

    for command, code in (commands | {f"check {drive}/a.m3u": 66, f"export a {tmp_path}": 66}).items():
        done = program(*command.split())

        assert done.code == code, command
        assert re.search(f"{drive} (seems to be missing|does not exist)", done.out + done.err), command


@pytest.mark.process
def test_status_works_without_a_configuration() -> None:
    done = run("status")

    assert (done.code, done.err) == (0, "")
    assert done.out.decode().splitlines() == [
        "ok: No service. make and deal work without it",
        "Set up: playshuffle config init",
    ]


@pytest.mark.process
def test_in_the_c_locale_a_terminal_gets_only_ascii_characters(tmp_path: Path) -> None:
    make(numbered(tmp_path / "Music", 3))
    seen = on_terminal("status", "--all", LANG="C")

    assert seen.code == 0
    assert seen.text.isascii()
    assert on_terminal("status", "--all").text.isascii() is False


@pytest.mark.process
def test_status_shows_that_make_wrote_a_playlist_and_that_a_folder_is_empty(tmp_path: Path) -> None:
    music = numbered(tmp_path / "Music", 2)
    make(music)
    (tmp_path / "Empty").mkdir()
    file = tmp_path / "config.toml"
    file.write_text(f'folders = ["{tmp_path}/Empty"]\n[playlist.all]\n')
    shown = run("status", "--all", "--config", file).out.decode()

    assert f"folder {tmp_path}/Empty: state empty\n" in shown
    assert "list Music: state by make; tracks 2; order random" in shown
    assert "not updated" not in shown


@pytest.mark.process
def test_after_the_command_forget_status_still_says_when_a_configured_list_was_written(
    tmp_path: Path,
) -> None:
    music = numbered(tmp_path / "Music", 2)
    run("make", music, "--save", "all")
    run("forget", "all")

    assert "list all: state not updated; order random; written" in run("status").out.decode()


@pytest.mark.process
@pytest.mark.parametrize("command", [("make", "Music", "-o", "d.m3u"), ("forget", "d.m3u")])
def test_status_shows_a_list_that_feeds_mpd_even_if_it_is_no_deck_any_more(
    command: tuple[str, ...], home: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    numbered(home / "Music", 9)
    assert program("deal", "Music", "-o", "d.m3u").code == 0
    file = window_file(bytes(home / "d.m3u"))
    save_window(file, Window(player="MPD", playlist=str(home / "d.m3u"), deal=Fed(2, 7, 3, 9)))
    with lock.held(file + b".lock", 0, "{process}"):
        assert program(*command).code == 0

        (fed,) = json.loads(program("status", "--json").out)["endless"]
        assert (fed["player"], fed["track"], fed["tracks"], fed["round"]) == ("MPD", 4, 9, 2)
        assert "MPD, track 4 of 9 in round 2" in program("status").out


@pytest.mark.process
def test_a_list_that_was_made_while_it_fed_mpd_is_not_overwritten(home: Path, program: Program) -> None:
    numbered(home / "Music", 60)
    fed = deal_next(str(home / "Music"), None, NOTHING_PASSED)
    file = home / "Music/today.m3u"
    again = deal_next(str(home / "Music"), None, Passed((fed.round, fed.number)))
    assert ([*again.paths], len(again.paths)) == ([*fed.paths], 40)
    assert program("make", str(home / "Music"), "-o", str(file)).code == 0
    made = file.read_bytes()

    with pytest.raises(PlayshuffleError, match="was made since it began to feed a player"):
        deal_next(str(home / "Music"), None, Passed((again.round, again.number)))
    assert file.read_bytes() == made
