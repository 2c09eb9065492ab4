"""The service as a user runs it: real folders, real events; playlists are right, and stay so."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import mutagen
import pytest

from tests.support.needs import need
from tests.support.program import DATA, library, listed, numbered, run
from tests.support.service import PATIENCE_S, Service, add, aged, config, holds, left, wait_for
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

MUSIC = ("1/a.mp3", "1/b.ogg", "2/c.flac", "2/d.opus", "e.m4a", "f.wav")


@pytest.fixture
def service(music: Path, tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path, config(music)) as service:
        wait_for(holds(music / "all.m3u", *MUSIC))
        yield service


# What comes, goes and moves


def test_a_playlist_for_a_season_changes_at_midnight(tmp_path: Path) -> None:
    need("faketime")
    music = aged(tagged_library(tmp_path / "Music", {"a.mp3": {"genre": "Rock"}, "b.ogg": {"genre": "Xmas"}}))
    clock = tmp_path / "clock"
    clock.write_text("@2026-11-30 23:58:00")
    (library,) = Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
    env = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1"}
    rule = 'where = "-genre:xmas OR today:12-01..12-26"\n'

    with Service(tmp_path, rule + config(music), env=env) as service:
        wait_for(holds(music / "all.m3u", "a.mp3"))
        wait_for(lambda: service.playlist("all")["state"] == "managed")
        clock.write_text("@2026-12-01 00:00:01")
        wait_for(holds(music / "all.m3u", "a.mp3", "b.ogg"))  # no hourly scan is due yet
        assert "woke from sleep" not in service.log


@pytest.mark.timing
def test_a_new_file_is_inserted_and_nothing_else_moves(music: Path, service: Service) -> None:
    before = listed(music / "all.m3u")

    took = add(music / "new.ogg", music / "all.m3u")

    assert left(before, listed(music / "all.m3u")) == before
    assert took < 10
    wait_for(lambda: "1 added" in service.log)


def test_a_track_keeps_its_position_if_its_file_is_renamed_retagged_or_removed_for_a_while(
    music: Path, service: Service
) -> None:
    """It is moved out and back, renamed, and tagged, which changes one line."""
    playlist = music / "all.m3u"
    before = listed(playlist)
    (music / "1/a.mp3").rename(music.parent / "kept.mp3")
    wait_for(holds(playlist, *MUSIC[1:]))
    assert listed(playlist) == [entry for entry in before if entry != "1/a.mp3"]
    (music.parent / "kept.mp3").rename(music / "1/a.mp3")
    wait_for(holds(playlist, *MUSIC))
    assert listed(playlist) == before

    (music / "e.m4a").rename(music / "2/Z#1.m4a")
    wait_for(lambda: "2/Z#1.m4a" in listed(playlist))
    assert listed(playlist) == ["2/Z#1.m4a" if entry == "e.m4a" else entry for entry in before]

    lines = playlist.read_bytes().split(b"\n")
    file = mutagen.File(music / "2/c.flac")
    file["title"] = "Neu"
    file.save()
    wait_for(lambda: re.search(rb"( - |,)Neu\n", playlist.read_bytes()))
    pairs = zip(lines, playlist.read_bytes().split(b"\n"), strict=True)
    (changed,) = [new for old, new in pairs if old != new]
    assert changed.startswith(b"#EXTINF:")


@pytest.mark.timing
def test_a_file_is_added_when_it_is_written_completely(music: Path, service: Service) -> None:
    """One that grows for some seconds is in the playlist once, whole, and not before."""
    whole = (DATA / "tone.flac").read_bytes()
    with (music / "slow.flac").open("wb", buffering=0) as file:
        for start in range(0, len(whole), -(-len(whole) // 12)):
            file.write(whole[start : start + -(-len(whole) // 12)])
            time.sleep(0.25)
            assert "slow.flac" not in listed(music / "all.m3u")

    wait_for(lambda: "slow.flac" in listed(music / "all.m3u"))

    entry = "#EXTINF:1,Björk; 椎名林檎 - Title tone.flac\n".encode()
    wait_for(lambda: entry in (music / "all.m3u").read_bytes())


# Restarts


def test_a_restarted_service_keeps_the_very_same_order(music: Path, service: Service) -> None:
    before = (music / "all.m3u").read_bytes()
    written_ns = os.stat(music / "all.m3u").st_mtime_ns

    for end in (service.stop, service.kill, service.stop):
        end()
        service.start()
        add(music / "sign.ogg", music / "all.m3u")
        (music / "sign.ogg").unlink()
        wait_for(holds(music / "all.m3u", *MUSIC))

        assert (music / "all.m3u").read_bytes() == before
    assert os.stat(music / "all.m3u").st_mtime_ns != written_ns


# Told from outside


def test_an_order_drawn_by_the_command_make_is_kept_by_the_running_service(
    music: Path, service: Service
) -> None:
    """The new order is the one that is kept from then on, and what was played last comes late."""
    numbered(music, 200)
    aged(music)
    service.signal(signal.SIGHUP)
    wait_for(lambda: len(listed(music / "all.m3u")) == 200 + len(MUSIC))
    before = listed(music / "all.m3u")

    assert run("make", "all", env=service.env).code == 0
    after = listed(music / "all.m3u")
    add(music / "new.ogg", music / "all.m3u")

    assert sorted(after) == sorted(before)
    assert after != before
    gap = len(before) // 4
    assert all(len(before) - before.index(entry) + place >= gap for place, entry in enumerate(after))
    assert left(before, listed(music / "all.m3u")) == after


def test_a_changed_configuration_file_is_loaded_without_a_signal(music: Path, service: Service) -> None:
    before = (music / "all.m3u").read_bytes()

    service.configure(config(music) + "[playlist.few]\nlimit = 2\n")
    wait_for((music / "few.m3u").exists)

    assert (music / "all.m3u").read_bytes() == before


def test_a_mistake_in_the_configuration_is_in_the_status_until_corrected(
    music: Path, service: Service
) -> None:
    def note() -> str | None:
        found: str | None = service.status()["services"][0]["note"]
        return found

    service.file.write_text("folders = 3\n")
    wait_for(lambda: "the old one stays in force" in (note() or ""))
    assert "config.toml, line 1" in (note() or "")
    add(music / "new.ogg", music / "all.m3u")

    service.configure(config(music))
    wait_for(lambda: note() is None)


def test_a_broken_configuration_at_the_start_has_its_own_exit_code(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[playlist.x]\nlimt = 3\n[playlist.x]\n")

    done = run("watch", "--config", tmp_path / "config.toml")

    assert done.code == 78
    assert "config.toml" in done.err


def test_one_broken_playlist_does_not_stop_the_others(music: Path, tmp_path: Path) -> None:
    text = config(music) + '[playlist.bad]\nordre = "spread"\n'

    with Service(tmp_path, text) as service:
        wait_for(holds(music / "all.m3u", *MUSIC))

        assert "Did you mean 'order'?" in service.log
        assert service.playlist("bad")["state"] == "broken"
        assert run("status", env=service.env).code == 1


def test_a_second_service_for_the_same_playlist_fails_and_names_the_process_of_the_first(
    music: Path, service: Service
) -> None:
    done = run("watch", music, "-o", music / "all.m3u")

    assert service.process is not None
    assert done.code == 73
    assert f"process {service.process.pid}" in done.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_stops_the_service_and_all_its_processes(
    music: Path, service: Service, number: signal.Signals, code: int
) -> None:
    assert service.process is not None
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text().split()
    service.signal(number)

    assert service.process.wait(PATIENCE_S) == code
    assert ("error: Interrupted.\n" in service.log) == (code == 130)
    assert "Traceback" not in service.log
    assert children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


# Looks


def test_the_command_status_has_the_same_fields_whether_or_not_the_service_runs(
    music: Path, service: Service
) -> None:
    running = service.status()
    text = run("status", env=service.env)
    service.stop()
    stopped = service.status()

    assert (running["services"][0]["process"], stopped["services"]) == (service.process.pid, [])  # type: ignore[union-attr]
    assert running["roots"][0]["watched"] == "events"
    assert running["roots"][0].keys() == stopped["roots"][0].keys()
    assert (
        [one["tracks"] for one in running["playlists"]]
        == [6]
        == [one["tracks"] for one in stopped["playlists"]]
    )
    assert running["playlists"][0].keys() == stopped["playlists"][0].keys()
    assert all(len(line) <= 80 or "/" in line for line in text.out.decode().splitlines())


@pytest.mark.parametrize("journal", ["", "8:1"])
def test_log_lines_have_no_control_characters_and_begin_with_a_level_only_for_the_journal(
    tmp_path: Path, journal: str
) -> None:
    music = aged(library(tmp_path / "Mu\x1b]0;x\x07sic", ("a.mp3",)))
    with Service(tmp_path, config(music), env={"JOURNAL_STREAM": journal}) as service:
        wait_for(holds(music / "all.m3u", "a.mp3"))
        service.stop()

    lines = service.log.splitlines()
    assert all(bool(re.match("<[3-7]>", line)) == bool(journal) for line in lines)
    assert re.search("Mu.*sic", service.log)
    assert not {"\x1b", "\x07"} & {*service.log}


# Away


def test_a_folder_that_disappears_empties_no_playlist_and_is_found_again(music: Path, tmp_path: Path) -> None:
    """Neither a list that is kept nor one that is dealt, and the folder is not missing for ever."""
    kept, dealt = tmp_path / "all.m3u", tmp_path / "today.m3u"
    text = config(music, output=str(kept))
    text += f'[playlist.today]\nlimit = 2\nevery = "day"\noutput = "{dealt}"\n'
    with Service(tmp_path, text) as service:

        def is_well() -> bool:
            (root,), playlists = service.status()["roots"], service.status()["playlists"]
            states = [(playlist["state"], playlist["waiting"]) for playlist in playlists]
            return (root["state"], root["tracks"], states) == ("ok", 6, [("managed", {}), ("dealt", {})])

        wait_for(is_well)
        assert service.status()["roots"][0]["last_full_scan"] is not None
        before = kept.read_bytes(), dealt.read_bytes()
        for _ in range(2):
            music.rename(tmp_path / "gone")
            wait_for(lambda: service.playlist("all")["waiting"] == {str(music): 6})
            wait_for(lambda: service.playlist("today")["waiting"] == {str(music): 2})
            assert service.playlist("all")["state"] == "managed"
            assert service.status()["roots"][0]["state"] == "missing"
            assert f"6 of 6 tracks wait for {music}" in run("status", env=service.env).out.decode()
            assert (kept.read_bytes(), dealt.read_bytes()) == before

            (tmp_path / "gone").rename(music)
            wait_for(is_well)
            assert (kept.read_bytes(), dealt.read_bytes()) == before

        add(music / "new.ogg", kept)
        service.stop()
        assert service.playlist("today")["state"] == "dealt"


def test_many_tracks_that_disappear_stay_in_the_playlist_until_the_user_accepts_their_loss(
    tmp_path: Path,
) -> None:
    """Most tracks go while nobody watches: they may be away, until the user says that they are not."""
    music = aged(numbered(tmp_path / "Music", 60))
    with Service(tmp_path, config(music)) as service:
        wait_for(lambda: (music / "all.m3u").exists() and len(listed(music / "all.m3u")) == 60)
        service.stop()
        for number in range(50):
            (music / f"{number:03}.mp3").unlink()
        service.start()
        wait_for(lambda: service.playlist("all")["waiting"] == {str(music): 50})
        assert service.status()["roots"][0]["state"] == "missing"
        assert len(listed(music / "all.m3u")) == 60
        assert service.log.count("playshuffle make all --accept-missing") == 1

        assert run("make", "--accept-missing", env=service.env).code == 0

        assert len(listed(music / "all.m3u")) == 10
        wait_for(lambda: service.playlist("all")["waiting"] == {})
        wait_for(lambda: service.status()["roots"][0]["state"] == "ok")


# Deals


def test_after_undo_of_a_deal_or_reshuffle_the_service_repeats_it_only_on_the_next_day(
    tmp_path: Path,
) -> None:
    """Over new files and a restart; midnight brings the next deal and the next order."""
    need("faketime")
    music = aged(numbered(tmp_path / "Music", 30))
    kept, dealt, clock = tmp_path / "kept.m3u", tmp_path / "dealt.m3u", tmp_path / "clock"
    (library,) = Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
    env = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1"}
    text = f'folders = ["{music}"]\n[playlist.kept]\noutput = "{kept}"\nreshuffle = "daily"\n'
    text += f'[playlist.dealt]\nlimit = 4\nevery = "day"\noutput = "{dealt}"\n'

    def lists() -> tuple[list[str], list[str]]:
        return (
            ([name for name in listed(kept) if "new" not in name], listed(dealt))
            if dealt.exists()
            else ([], [])
        )

    clock.write_text("@2026-03-27 12:00:00")
    with Service(tmp_path, text, env=env) as service:
        wait_for(lambda: len(lists()[1]) == 4)
        first = lists()
        clock.write_text("@2026-03-28 00:00:01")
        wait_for(lambda: all(now != before for now, before in zip(lists(), first, strict=True)))
        for name in ("kept", "dealt"):
            assert run("undo", name, env=service.env).code == 0
        assert lists() == first

        add(music / "new.ogg", kept)
        assert lists() == first
        service.kill()
        service.start()
        wait_for(lambda: service.playlist("dealt")["state"] == "dealt")
        assert lists() == first

        clock.write_text("@2026-03-29 00:00:01")
        wait_for(lambda: all(now != before for now, before in zip(lists(), first, strict=True)))
        assert not {*listed(dealt)} & {*first[1]}


def test_the_service_deals_from_a_daily_deck_once_a_day(tmp_path: Path) -> None:
    """And stays as it is, whatever comes and goes, until the next day."""
    music = aged(numbered(tmp_path / "Music", 30))
    text = (
        config(music)
        + "[playlist.today]\nlimit = 4\nevery = 'day'\n[playlist.now]\nlimit = 3\nevery = 'run'\n"
    )
    with Service(tmp_path, text) as service:
        wait_for((music / "today.m3u").exists)
        before = (music / "today.m3u").read_bytes()
        assert len(listed(music / "today.m3u")) == 4

        add(music / "new.ogg", music / "all.m3u")
        service.stop()
        service.start()
        wait_for(lambda: service.playlist("today")["summary"] is not None)

        assert (music / "today.m3u").read_bytes() == before
        assert "dealt 4 of 30 (13%)" in service.playlist("today")["summary"]
        assert not (music / "now.m3u").exists()
        assert run("deal", "--due", env=service.env).code == 0
        assert (music / "today.m3u").read_bytes() == before
        assert not (music / "now.m3u").exists()
        assert run("deal", "now", env=service.env).code == 0
        assert len(listed(music / "now.m3u")) == 3


def test_the_command_make_warns_if_the_service_will_replace_its_order_by_the_configured_one(
    music: Path, service: Service
) -> None:
    wait_for(lambda: service.playlist("all")["order"] == "random")

    other = run("make", music, "-o", music / "all.m3u", "--order", "sorted", env=service.env)
    wait_for(lambda: service.playlist("all")["state"] == "managed")
    same = run("make", music, "-o", music / "all.m3u", env=service.env)

    assert "The service manages this playlist and will write it in random order again" in other.err
    assert "The service manages" not in same.err
