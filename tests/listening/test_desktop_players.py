"""Listen to real players of the desktop. Strawberry 1.0 hangs at times when it begins without a device."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.listening.listener import listening, session_bus, write_silence
from tests.players.drivers.process import environment, short_home, started
from tests.support.needs import need
from tests.support.processes import finished
from tests.support.service import wait_for

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

_NAMES = ("1 ä.wav", "2 100%41 [b] & c.wav", "3 +#?.wav")  # players escape them differently in URLs
_SECONDS = 9


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
        write_silence(files, _SECONDS)

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
                wait_for(lambda: 2.2 < position_s() < _SECONDS / 2)
                say("call", "Next")
                wait_for(lambda: len(listener.lines()) == 2)
        lines = listener.lines()
        assert [(line["plays"], line["skips"], line["player"]) for line in lines] == [
            ("1", "0", player),
            ("0", "1", player),
        ]
        assert len({line["path"] for line in lines} & {*map(str, files)}) == 2
