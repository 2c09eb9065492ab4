"""Listen to a real MPD and a real mpv."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.listening.listener import Listening, listening, session_bus, write_silence
from tests.players.drivers.mpd import Mpd
from tests.players.drivers.process import environment, listens, short_home, started
from tests.support.needs import need, unmet
from tests.support.processes import children
from tests.support.service import wait_for

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


@pytest.fixture
def home() -> Iterator[Path]:
    with short_home() as home:
        write_silence([home / f"Music/{number}.wav" for number in range(3)], 5)
        yield home


@contextlib.contextmanager
def mpd(home: Path) -> Iterator[Mpd]:
    need("mpd")
    conf = home / "mpd.conf"
    conf.write_text(f"""
        music_directory "{home}/Music"
        db_file "{home}/mpd.db"
        state_file "{home}/mpd.state"
        sticker_file "{home}/sticker.sql"
        bind_to_address "{home}/mpd.sock"
        audio_output {{
            type "null"
            name "none"
        }}
    """)
    with started(["mpd", "--no-daemon", conf], environment(home)) as process:
        wait_for(lambda: listens(home / "mpd.sock"))
        connection = Mpd(home / "mpd.sock", home / "Music", home)
        wait_for(lambda: not any(line.startswith(b"updating") for line in connection.say("status")))
        try:
            yield connection
        finally:
            connection.close()
            process.terminate()
            process.wait(30)


def cpu_ticks(pid: int) -> int:
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def test_plays_in_mpd_are_counted_in_its_stickers_and_recorded_across_its_restart(home: Path) -> None:
    with listening(home, "--socket", f"{home}/mpd.sock", "--count-in-mpd") as listener:
        wait_for(lambda: "Not listening to MPD" in listener.messages())
        with mpd(home) as player:
            wait_for(lambda: "Listening to MPD" in listener.messages())
            for number in range(3):
                player.say(f'add "{number}.wav"')
            player.say("play 0")
            wait_for(lambda: listener.heard() == ["played 0.wav"])
            wait_for(
                lambda: float(dict(line.split(b": ") for line in player.say("status"))[b"elapsed"]) > 1.5
            )
            player.say("next")
            wait_for(lambda: listener.heard() == ["played 0.wav", "skipped 1.wav"])
            assert b"sticker: playCount=1" in player.say("sticker list song 0.wav")
            wait_for(lambda: b"sticker: skipCount=1" in player.say("sticker list song 1.wav"))
        with mpd(home) as player:
            wait_for(lambda: listener.messages().count("Listening to MPD") == 2)
            player.say("play 1")
            wait_for(lambda: listener.heard()[-1] == "played 1.wav")
        wait_for(partial(has_said, listener, "Not listening to MPD", 3))


def test_an_idle_listener_uses_no_cpu_time_and_ends_its_child_process_when_it_ends(home: Path) -> None:
    need("busctl")
    with session_bus(home) as bus, mpd(home), listening(home, "--socket", f"{home}/mpd.sock", bus=bus) as it:
        wait_for(lambda: it.messages().count("Listening to") == 2)
        pids = [it.process.pid, *children(it.process.pid)]
        assert len(pids) == 2
        before = list(map(cpu_ticks, pids))
        with contextlib.suppress(subprocess.TimeoutExpired):
            it.process.wait(5)
        assert list(map(cpu_ticks, pids)) == before
        it.process.terminate()
        assert it.process.wait(30) == 0
        wait_for(lambda: not Path(f"/proc/{pids[1]}").exists())


_MPRIS = "/usr/lib/mpv-mpris/mpris.so"
MPV = ["mpv", "--no-terminal", "--no-config", "--load-scripts=no", "--ao=null", f"--script={_MPRIS}"]


def test_plays_of_mpv_are_counted_before_and_after_a_restart_of_the_bus(home: Path) -> None:
    for tool in ("busctl", "mpv"):
        need(tool)
    if not os.path.exists(_MPRIS):
        unmet("the plugin is missing: apt install mpv-mpris")
    files = [home / f"Music/{number}.wav" for number in (0, 1)]
    with listening(home, "--socket", f"{home}/none", bus=f"unix:path={home}/bus") as listener:
        wait_for(lambda: "Not listening to players" in listener.messages())
        heard = ["played 0.wav", "played 1.wav"]
        for messages, expected in ((1, heard), (2, heard * 2)):
            with session_bus(home) as bus:
                wait_for(partial(has_said, listener, "Listening to players", messages))
                with started([*MPV, *files], environment(home, DBUS_SESSION_BUS_ADDRESS=bus)):
                    wait_for(partial(has_heard, listener, expected))
        wait_for(partial(has_said, listener, "Not listening to players", 3))


def has_said(listener: Listening, text: str, count: int) -> bool:
    return listener.messages().count(text) == count


def has_heard(listener: Listening, expected: list[str]) -> bool:
    return listener.heard() == expected
