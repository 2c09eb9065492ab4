"""The units that update and listen to a player, under a real systemd with a real MPD."""

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.needs import need
from tests.support.service import wait_for
from tests.support.systemd import HOME, VENV, Lab, lab
from tests.telling.conftest import songs

pytestmark = [pytest.mark.process, pytest.mark.root, pytest.mark.systemd]

PATH, SERVICE = "playshuffle-tell.path", "playshuffle-tell.service"
STATE = f"{HOME}/.local/state/playshuffle"
CONFIG = """
folders = ["~/Music"]
[playlist.all]
output = "~/Playlists/all.m3u"
for = "mpd"
tell = ["mpd"]
force = true  # replace what the bursts wrote
"""
MPD_CONF = """
music_directory "~/Music"
playlist_directory "~/Playlists"
db_file "~/mpd.db"
bind_to_address "$XDG_RUNTIME_DIR/mpd/socket"
audio_output {
    type "null"
    name "none"
}
"""
# Replaces the playlist 20 times, and notes it each time for `tell --written`, as the service does.
BURST = f"""
import os, random, sys
sys.path.insert(0, "{HOME}/packages")
from playshuffle.store import to_tell
path = "{HOME}/Playlists/all.m3u"
entries = [line for line in open(path).read().splitlines() if line[0] != "#"]
for _ in range(20):
    random.shuffle(entries)
    with open(path + ".new", "w") as file:
        file.write("#EXTM3U\\n" + "".join(entry + "\\n" for entry in entries))
    os.replace(path + ".new", path)
    to_tell.add(path.encode())
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    for tool in ("mpd", "mpc"):
        need(tool)
    shared = tmp_path_factory.mktemp("lab")
    songs(shared / "Music", [f"{number}.wav" for number in range(8)])
    spec = find_spec("mpd")
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, shared / "mpd")
    with lab(shared) as booted:
        booted.user(
            f"cp -r {shared}/Music . && mkdir Playlists; cp -r {shared}/mpd {VENV}/lib/python3*/site-packages"
        )
        booted.write(f"{HOME}/.config/playshuffle/config.toml", CONFIG)
        booted.write(f"{HOME}/burst.py", BURST)
        runtime = booted.user("echo $XDG_RUNTIME_DIR").stdout.strip()
        booted.write(f"{HOME}/.config/mpd/mpd.conf", MPD_CONF.replace("$XDG_RUNTIME_DIR", runtime))
        booted.user(
            "mkdir -p $XDG_RUNTIME_DIR/mpd;"
            " systemd-run --user --unit=own-mpd mpd --no-daemon ~/.config/mpd/mpd.conf"
        )
        wait_for(lambda: booted.user(f"{MPC} status", check=False).returncode == 0)
        yield booted


MPC = 'mpc --host="$XDG_RUNTIME_DIR/mpd/socket"'


def queue(place: Lab) -> list[str]:
    return place.user(f"{MPC} playlist -f %file%").stdout.split()


def playlist(place: Lab) -> list[str]:
    text = place.user("cat Playlists/all.m3u").stdout
    return [line for line in text.splitlines() if not line.startswith("#")]


def is_told(place: Lab) -> bool:
    waiting = place.user(f"find {STATE}/written {STATE}/written.taken -type f").stdout
    return waiting == "" and queue(place) == playlist(place)


@pytest.fixture
def installed(place: Lab) -> Iterator[Lab]:
    place.user(f"{MPC} clear; playshuffle service install")
    wait_for(lambda: place.show(PATH, "ActiveState") == "active")
    # What the service tells at its start is told first.
    wait_for(lambda: place.show("playshuffle.service", "ActiveState") == "active")
    wait_for(lambda: len(queue(place)) == 8 and is_told(place))
    yield place
    place.user("playshuffle service uninstall")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("count", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_after_a_burst_of_changes_the_queue_of_the_player_has_the_last_playlist(
    installed: Lab, count: int
) -> None:
    installed.user("systemctl --user stop playshuffle.service")  # it would restore its own order
    installed.user(f"{MPC} play 3")
    song = installed.user(f"{MPC} current -f %file%").stdout
    for _ in range(count):
        installed.user(f"{VENV}/bin/python burst.py")
        wait_for(lambda: is_told(installed))

    assert installed.show(PATH, "ActiveState") == "active"
    assert installed.user(f"{MPC} current -f %file%").stdout == song


def test_the_service_updates_the_queue_of_the_player_after_a_new_file(installed: Lab) -> None:
    installed.user("cp Music/0.wav Music/new.wav")
    wait_for(lambda: len(queue(installed)) == 9 and is_told(installed))

    assert "the queue now has 9 tracks" in installed.journal(SERVICE)
    installed.user("rm Music/new.wav")
    wait_for(lambda: len(playlist(installed)) == 8)


def test_a_playlist_reaches_the_player_even_if_the_process_of_tell_for_it_was_killed(installed: Lab) -> None:
    """The path unit also watches the folder of notes that were taken."""
    installed.user(f"systemctl --user stop {PATH} playshuffle.service")
    installed.user(f"{VENV}/bin/python burst.py; mv {STATE}/written/* {STATE}/written.taken/")
    installed.user(f"systemctl --user start {PATH}")
    wait_for(lambda: is_told(installed))


def test_a_command_that_the_user_adds_to_the_unit_of_tell_runs_after_a_change_of_a_playlist(
    installed: Lab,
) -> None:
    drop_in = f"{HOME}/.config/systemd/user/{SERVICE}.d/override.conf"
    installed.write(drop_in, f"[Service]\nExecStartPost=touch {STATE}/ran\n")
    installed.user("systemctl --user daemon-reload; systemctl --user stop playshuffle.service")
    installed.user(f"{VENV}/bin/python burst.py")
    wait_for(lambda: installed.user(f"test -e {STATE}/ran", check=False).returncode == 0)
    installed.user(f"rm {STATE}/ran {drop_in}")


def test_an_install_without_the_key_tell_stops_the_unit_that_updates_players(
    place: Lab,
) -> None:
    place.user("playshuffle service install")
    place.write(f"{HOME}/.config/playshuffle/config.toml", CONFIG.replace("tell", "# tell"))
    text = place.user("playshuffle service install").stdout

    assert f"stopped and disabled {PATH}" in text
    assert place.show(PATH, "ActiveState") == "inactive"
    place.write(f"{HOME}/.config/playshuffle/config.toml", CONFIG)
    place.user("playshuffle service uninstall")


def test_the_unit_of_the_command_listen_reaches_mpd_and_the_session_bus(place: Lab) -> None:
    place.user("playshuffle service install --listen")
    listen = "playshuffle-listen.service"
    wait_for(lambda: "Listening to MPD" in place.journal(listen))
    wait_for(lambda: "Listening to players of the desktop" in place.journal(listen))

    assert place.show(listen, "ActiveState") == "active"
    assert f"removed ~/.config/systemd/user/{listen}" in place.user("playshuffle service uninstall").stdout
