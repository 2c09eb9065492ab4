"""The service as a user runs it, with real folders and events: its playlists are right, and stay right."""

import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import mutagen
import pytest

from tests.support.clock import faked
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


# New, renamed and changed tracks


class Clock:
    """The clock of the programs that run with `env`."""

    def __init__(self, top: Path, now: str) -> None:
        self._file = top / "clock"
        self.set(now)
        self.env = faked(FAKETIME_TIMESTAMP_FILE=str(self._file), FAKETIME_NO_CACHE="1")

    def set(self, now: str) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(f"@{now}")
        new.replace(self._file)  # each process reads it at any time


def test_a_playlist_whose_query_depends_on_the_date_changes_at_midnight(tmp_path: Path) -> None:
    clock = Clock(tmp_path, "2026-11-30 23:58:00")
    music = aged(tagged_library(tmp_path / "Music", {"a.mp3": {"genre": "Rock"}, "b.ogg": {"genre": "Xmas"}}))
    rule = 'where = "-genre:xmas OR today:12-01..12-26"\n'

    with Service(tmp_path, rule + config(music), env=clock.env) as service:
        wait_for(holds(music / "all.m3u", "a.mp3"))
        wait_for(lambda: service.playlist("all")["state"] == "managed")
        clock.set("2026-12-01 00:00:01")
        wait_for(holds(music / "all.m3u", "a.mp3", "b.ogg"))  # no hourly scan is due yet
        assert "woke from sleep" not in service.log


def test_a_track_keeps_its_position_if_its_file_is_renamed_retagged_or_removed_for_a_while(
    music: Path, service: Service
) -> None:
    """Another title changes only the #EXTINF line of the track."""
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
def test_a_file_that_is_written_slowly_is_not_added_before_it_is_complete(
    music: Path, service: Service
) -> None:
    """Also if it is written for longer than the settle time, with short pauses."""
    whole = (DATA / "tone.flac").read_bytes()
    step = len(whole) // 11
    with (music / "slow.flac").open("wb", buffering=0) as file:
        for start in range(0, len(whole), step):
            file.write(whole[start : start + step])
            time.sleep(0.25)
            assert "slow.flac" not in listed(music / "all.m3u")

    entry = "#EXTINF:1,Björk; 椎名林檎 - Title tone.flac\n".encode()
    wait_for(lambda: entry in (music / "all.m3u").read_bytes())


# Restarts


def test_a_playlist_is_the_same_to_the_byte_after_a_restart_and_after_a_track_came_and_went(
    music: Path, service: Service
) -> None:
    before = (music / "all.m3u").read_bytes()

    for end in (service.stop, service.kill):
        end()
        service.start()
        add(music / "sign.ogg", music / "all.m3u")
        (music / "sign.ogg").unlink()
        wait_for(holds(music / "all.m3u", *MUSIC))

        assert (music / "all.m3u").read_bytes() == before


def test_a_playlist_that_a_player_saved_without_the_comments_of_playshuffle_is_not_overwritten(
    music: Path, service: Service
) -> None:
    """If it is deleted, the playlist is written in its saved order."""
    playlist = music / "all.m3u"
    order = listed(playlist)
    saved = "#EXTM3U\n" + "".join(f"{name}\n" for name in order[:2])
    playlist.write_text(saved)

    (music / "f.wav").unlink()
    wait_for(lambda: service.playlist("all")["state"] == "error")

    assert playlist.read_text() == saved
    assert "was not written by playshuffle" in str(service.playlist("all"))
    playlist.unlink()
    library(music, ["9.mp3"])
    wait_for(playlist.exists)
    assert [name for name in listed(playlist) if name != "9.mp3"] == [n for n in order if n != "f.wav"]


# Commands, configurations and signals


def test_an_order_drawn_by_the_command_make_is_kept_by_the_running_service(
    music: Path, service: Service
) -> None:
    """In the new order, the tracks at the end of the old one come late."""
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


def test_a_changed_configuration_file_is_loaded_and_a_mistake_in_it_is_in_the_status_until_corrected(
    music: Path, service: Service
) -> None:
    def note() -> str:
        return service.status()["services"][0]["note"] or ""

    service.file.write_text("folders = 3\n")
    wait_for(lambda: "the old one stays in force" in note())
    assert "config.toml, line 1" in note()
    add(music / "new.ogg", music / "all.m3u")
    before = (music / "all.m3u").read_bytes()

    service.configure(config(music) + "[playlist.few]\nlimit = 2\n")
    wait_for((music / "few.m3u").exists)
    wait_for(lambda: note() == "")
    assert (music / "all.m3u").read_bytes() == before


def test_a_mistake_in_one_playlist_of_the_configuration_does_not_stop_the_others(
    music: Path, tmp_path: Path
) -> None:
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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_service_and_all_its_processes(
    music: Path, service: Service, number: signal.Signals
) -> None:
    assert service.process is not None
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text().split()
    service.signal(number)

    assert service.process.wait(PATIENCE_S) == 0
    assert service.log.endswith(" stopped\n") == (number == signal.SIGINT)
    assert "Interrupted" not in service.log
    assert "Traceback" not in service.log
    assert children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


# Status and log


def test_the_command_status_has_the_same_fields_whether_or_not_the_service_runs(
    music: Path, service: Service
) -> None:
    wait_for(lambda: service.playlist("all")["state"] == "managed")
    running = service.status()
    text = run("status", env=service.env)
    service.stop()
    stopped = service.status()

    assert (running["services"][0]["process"], stopped["services"]) == (service.process.pid, [])  # type: ignore[union-attr]
    assert running["roots"][0]["watched"] == "events"
    assert running["roots"][0]["last_full_scan"] is not None
    assert running["roots"][0].keys() == stopped["roots"][0].keys()
    assert [one["tracks"] for one in (*running["playlists"], *stopped["playlists"])] == [6, 6]
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


# Missing tracks


def test_while_the_only_folder_is_missing_its_playlist_and_its_deal_stay_as_they_are(
    music: Path, tmp_path: Path
) -> None:
    """Twice: each time it is back, its status is ok again."""
    kept, dealt = tmp_path / "all.m3u", tmp_path / "today.m3u"
    text = config(music, output=str(kept))
    text += f'[playlist.today]\nlimit = 2\nevery = "day"\noutput = "{dealt}"\n'
    with Service(tmp_path, text) as service:

        def states() -> list[object]:
            (root,), playlists = service.status()["roots"], service.status()["playlists"]
            return [root["state"], *((playlist["state"], playlist["waiting"]) for playlist in playlists)]

        present: list[object] = ["ok", ("managed", {}), ("dealt", {})]
        wait_for(lambda: states() == present)
        before = kept.read_bytes(), dealt.read_bytes()
        for _ in range(2):
            music.rename(tmp_path / "gone")
            missing = ["missing", ("managed", {str(music): 6}), ("dealt", {str(music): 2})]
            wait_for(lambda: states() == missing)  # noqa: B023
            assert f"6 of 6 tracks wait for {music}" in run("status", env=service.env).out.decode()
            (tmp_path / "gone").rename(music)
            wait_for(lambda: states() == present)
            assert (kept.read_bytes(), dealt.read_bytes()) == before
        add(music / "new.ogg", kept)


def test_if_most_tracks_are_deleted_while_no_service_runs_they_stay_until_the_loss_is_accepted(
    tmp_path: Path,
) -> None:
    """Their drive may be missing."""
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


def test_after_an_undo_the_service_deals_or_reshuffles_again_only_on_the_next_day(
    tmp_path: Path,
) -> None:
    """Even if files are added and the service is restarted. It never deals a list with every = "run"."""
    clock = Clock(tmp_path, "2026-03-27 12:00:00")
    music = aged(numbered(tmp_path / "Music", 30))
    kept, dealt, by_hand = (tmp_path / f"{name}.m3u" for name in ("kept", "dealt", "by_hand"))
    text = f'folders = ["{music}"]\n[playlist.kept]\noutput = "{kept}"\nreshuffle = "daily"\n'
    text += f'[playlist.dealt]\nlimit = 4\nevery = "day"\noutput = "{dealt}"\n'
    text += f'[playlist.by_hand]\nlimit = 4\nevery = "run"\noutput = "{by_hand}"\n'

    def lists() -> tuple[list[str], list[str]]:
        if not dealt.exists():
            return [], []
        return [name for name in listed(kept) if "new" not in name], listed(dealt)

    def both_changed(first: tuple[list[str], list[str]]) -> bool:
        return all(now != before for now, before in zip(lists(), first, strict=True))

    with Service(tmp_path, text, env=clock.env) as service:
        wait_for(lambda: len(lists()[1]) == 4)
        first = lists()
        wait_for(lambda: "dealt 4 of 30 (13%)" in (service.playlist("dealt")["summary"] or ""))
        clock.set("2026-03-28 00:00:01")
        wait_for(lambda: both_changed(first))
        wait_for(lambda: "dealt 8 of 30" in (service.playlist("dealt")["summary"] or ""))
        for name in ("kept", "dealt"):
            assert run("undo", name, env=service.env).code == 0
        assert lists() == first

        add(music / "new.ogg", kept)
        assert lists() == first
        service.kill()
        service.start()
        wait_for(lambda: service.playlist("dealt")["state"] == "dealt")
        assert lists() == first

        clock.set("2026-03-29 00:00:01")
        wait_for(lambda: both_changed(first))
        assert not {*listed(dealt)} & {*first[1]}
        assert not by_hand.exists()


def test_the_command_make_warns_if_the_service_will_replace_its_order_by_the_configured_one(
    music: Path, service: Service
) -> None:
    wait_for(lambda: service.playlist("all")["order"] == "random")

    other = run("make", music, "-o", music / "all.m3u", "--order", "sorted", env=service.env)
    wait_for(lambda: service.playlist("all")["state"] == "managed")
    same = run("make", music, "-o", music / "all.m3u", env=service.env)

    assert "The service updates this playlist and will write it in random order again" in other.err
    assert "The service manages" not in same.err
