"""Run `playshuffle listen` with a real MPD, mpv, Quod Libet and VLC."""

import contextlib
import csv
import os
import re
import subprocess
import sys
import wave
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from playshuffle.listening import desktop
from tests.players.drivers.mpd import Mpd
from tests.players.drivers.process import environment, listens, short_home, started
from tests.support.needs import need, unmet
from tests.support.processes import children, cpu_s, finished
from tests.support.program import mpd_conf
from tests.support.service import wait_for

pytestmark = pytest.mark.process

_RATE = 44_100  # MPD counts the position in steps of 4 KiB
_LONG = 100  # seconds of a track that is skipped: even a slow machine presses "next" before its half


class Listening:
    """A running `playshuffle listen`, with its own home."""

    def __init__(self, home: Path, process: subprocess.Popen[bytes]) -> None:
        self.home = home
        self.process = process

    def messages(self) -> str:
        return (self.home / "messages").read_text()

    def lines(self) -> list[dict[str, str]]:
        """Return the lines of the file of plays."""
        (file,) = (self.home / "xdg_data_home/playshuffle/plays").glob("*.csv")
        return list(csv.DictReader(file.read_text().splitlines()))

    def heard(self) -> list[str]:
        """Return the printed plays and skips, such as "played 1.mp3"."""
        text = (self.home / "out").read_text()
        return [" ".join(each) for each in re.findall(r"(played|skipped) +(?:\S*/)?(\S+) \(", text)]


@contextlib.contextmanager
def listening(home: Path, *words: str, bus: str = "") -> Iterator[Listening]:
    env = environment(home, **({"DBUS_SESSION_BUS_ADDRESS": bus} if bus else {}))
    with (
        (home / "out").open("wb") as out,
        (home / "messages").open("wb") as err,
        subprocess.Popen(
            [sys.executable, "-m", "playshuffle", "listen", *words], env=env, stdout=out, stderr=err
        ) as process,
    ):
        try:
            yield Listening(home, process)
        except BaseException:  # the reason of a failure
            print((home / "out").read_text(), (home / "messages").read_text())
            raise
        finally:
            process.terminate()


@contextlib.contextmanager
def session_bus(home: Path) -> Iterator[str]:
    need("dbus-daemon")
    address = f"unix:path={home}/bus"
    words = ["dbus-daemon", "--session", "--nofork", f"--address={address}"]
    with started(words, environment(home)):
        wait_for(lambda: listens(home / "bus"))
        yield address


def write_silence(paths: Iterable[Path], seconds: int) -> None:
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 1, _RATE, 0, "NONE", ""))
            file.writeframes(bytes([128]) * seconds * _RATE)


@pytest.fixture
def home() -> Iterator[Path]:
    with short_home() as home:
        write_silence([home / f"Music/{number}.wav" for number in range(3)], 5)
        yield home


@contextlib.contextmanager
def mpd(home: Path) -> Iterator[Mpd]:
    """Run an MPD that saves its queue, database and stickers in the home, for its next run."""
    need("mpd")
    mpd_conf(
        home, home / "Music", home, db_file=home / "mpd.db", state_file=home / "mpd.state",
        sticker_file=home / "sticker.sql", bind_to_address=home / "mpd.sock",
    )  # fmt: skip
    with (home / "mpd/mpd.conf").open("a") as conf:
        conf.write('audio_output {\n type "null"\n name "none"\n}\n')
    with started(["mpd", "--no-daemon", home / "mpd/mpd.conf"], environment(home)) as process:
        wait_for(lambda: listens(home / "mpd.sock"))
        with contextlib.closing(Mpd(home / "mpd.sock", home / "Music", home)) as connection:
            wait_for(lambda: not any(line.startswith(b"updating") for line in connection.say("status")))
            yield connection
        process.terminate()
        process.wait(300)


def test_plays_in_mpd_are_counted_in_its_stickers_and_recorded_though_mpd_is_restarted(home: Path) -> None:
    write_silence([home / "Music/1.wav"], _LONG)
    with listening(home, "--socket", f"{home}/mpd.sock", "--count-in-mpd") as listener:
        wait_for(lambda: "Not listening to MPD" in listener.messages())
        with mpd(home) as player:
            wait_for(lambda: "Listening to MPD" in listener.messages())
            for number in range(3):
                player.say(f'add "{number}.wav"')
            player.say("play 0")
            wait_for(lambda: listener.heard() == ["played 0.wav"])
            wait_for(lambda: float(dict(line.split(b": ") for line in player.say("status"))[b"elapsed"]) > 4)
            player.say("next")
            wait_for(lambda: listener.heard() == ["played 0.wav", "skipped 1.wav"])
            assert b"sticker: playCount=1" in player.say("sticker list song 0.wav")
            wait_for(lambda: b"sticker: skipCount=1" in player.say("sticker list song 1.wav"))
        with mpd(home) as player:
            wait_for(lambda: listener.messages().count("Listening to MPD") == 2)
            player.say("play 2")
            wait_for(lambda: listener.heard()[-1] == "played 2.wav")
        wait_for(lambda: listener.messages().count("Not listening to MPD") == 3)


def test_an_idle_listener_uses_no_cpu_time_and_its_child_process_ends_with_it(home: Path) -> None:
    need("busctl")
    with session_bus(home) as bus, mpd(home), listening(home, "--socket", f"{home}/mpd.sock", bus=bus) as it:
        wait_for(lambda: it.messages().count("Listening to") == 2)
        pids = [it.process.pid, *children(it.process.pid)]
        assert len(pids) == 2

        def uses_none_for(seconds: float) -> bool:
            before = list(map(cpu_s, pids))
            with contextlib.suppress(subprocess.TimeoutExpired):
                it.process.wait(seconds)
            return list(map(cpu_s, pids)) == before

        wait_for(lambda: uses_none_for(1))  # until it has started
        assert uses_none_for(5)
        it.process.terminate()
        assert it.process.wait(300) == 0
        wait_for(lambda: not Path(f"/proc/{pids[1]}").exists())


_SLOW = """#!/bin/sh
case "$*" in *monitor*) sleep 2;; esac
PATH={path} exec busctl "$@"
"""


def test_nothing_that_players_announce_after_the_listener_is_opened_is_lost(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The monitor of busctl begins late, as on a busy computer."""
    need("busctl")
    (home / "busctl").write_text(_SLOW.format(path=os.environ["PATH"]))
    (home / "busctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(home), prepend=":")
    player = "org.mpris.MediaPlayer2.Player"
    signal = ["/org/mpris/MediaPlayer2", "org.freedesktop.DBus.Properties", "PropertiesChanged"]
    with session_bus(home) as bus:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)
        with desktop.opened() as (_, news):
            for state in ("Playing", "Paused"):
                change = ["sa{sv}as", player, "1", "PlaybackStatus", "s", state, "0"]
                finished(["busctl", "--user", "emit", *signal, *change])

            assert [next(news).status, next(news).status] == ["Playing", "Paused"]


_MPRIS = "/usr/lib/mpv-mpris/mpris.so"
MPV = ["mpv", "--no-terminal", "--no-config", "--load-scripts=no", "--ao=null", f"--script={_MPRIS}"]


def test_plays_of_mpv_are_counted_before_and_after_a_restart_of_the_session_bus(home: Path) -> None:
    for tool in ("busctl", "mpv"):
        need(tool)
    if not os.path.exists(_MPRIS):
        unmet("the plugin is missing: apt install mpv-mpris")
    files = [home / f"Music/{number}.wav" for number in (0, 1)]
    with listening(home, "--socket", f"{home}/none", bus=f"unix:path={home}/bus") as listener:
        wait_for(lambda: "Not listening to players" in listener.messages())
        for count in (1, 2):
            with session_bus(home) as bus:
                wait_for(lambda: listener.messages().count("Listening to players") == count)  # noqa: B023
                with started([*MPV, *files], environment(home, DBUS_SESSION_BUS_ADDRESS=bus)):
                    wait_for(lambda: listener.heard() == ["played 0.wav", "played 1.wav"] * count)  # noqa: B023
        wait_for(lambda: listener.messages().count("Not listening to players") == 3)


# Desktop players. Strawberry 1.0 is not tested: it hangs at times when it starts without an audio device.
_NAMES = ("1 ä.wav", "2 100%41 [b] & c.wav", "3 +#?.wav")  # players escape them differently in URLs


def _quodlibet(home: Path) -> list[str]:
    config = home / "xdg_config_home/quodlibet/config"
    config.parent.mkdir(parents=True)
    config.write_text(
        f"""
        [settings]
        scan = {home}/Music
        [plugins]
        active_plugins = mpris
        [player]
        gst_pipeline = fakesink sync=true
    """.replace("    ", "")
    )
    return ["xvfb-run", "-a", "quodlibet", "--run"]


def _vlc(home: Path) -> list[str]:
    """Return the command of a copy of VLC that does not refuse root: it calls getppid instead of geteuid."""
    program = home / "vlc"
    program.write_bytes(Path("/usr/bin/vlc").read_bytes().replace(b"geteuid", b"getppid"))
    program.chmod(0o700)
    return [str(program), "-I", "dummy", "--aout=dummy", *(f"{home}/Music/{name}" for name in _NAMES)]


@pytest.mark.parametrize(("player", "command"), [("quodlibet", _quodlibet), ("vlc", _vlc)])
def test_a_play_and_a_skip_in_a_desktop_player_are_recorded(
    player: str, command: Callable[[Path], list[str]]
) -> None:
    for tool in ("busctl", *(("xvfb-run",) if player == "quodlibet" else ()), player):
        need(tool)
    with short_home() as home, session_bus(home) as bus:
        files = [home / "Music" / name for name in _NAMES]
        write_silence(files[:1], 9)
        write_silence(files[1:], _LONG)

        def say(verb: str, member: str) -> str:
            name, interface = f"org.mpris.MediaPlayer2.{player}", "org.mpris.MediaPlayer2.Player"
            call = [verb, name, "/org/mpris/MediaPlayer2", interface, member]
            env = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": bus}
            return finished(["busctl", "--user", *call], env=env).stdout

        def is_playing() -> bool:
            say("call", "Play")
            return "Playing" in say("get-property", "PlaybackStatus")

        def position_s() -> float:
            return int(say("get-property", "Position").partition(" ")[2]) / 1e6

        with listening(home, "--socket", f"{home}/none", bus=bus) as listener:
            wait_for(lambda: "Listening to players" in listener.messages())
            env = environment(home, DBUS_SESSION_BUS_ADDRESS=bus, TMPDIR=str(home))
            with started(command(home), env):
                wait_for(is_playing)
                wait_for(listener.lines)
                wait_for(lambda: position_s() > 10)  # not that of the first track
                say("call", "Next")
                wait_for(lambda: len(listener.lines()) == 2)
        lines = listener.lines()
        assert [(line["plays"], line["skips"], line["player"]) for line in lines] == [
            ("1", "0", player),
            ("0", "1", player),
        ]
        assert len({line["path"] for line in lines} & {*map(str, files)}) == 2
