"""`playshuffle service` under a real systemd."""

import json
import shlex
import shutil
from collections.abc import Iterator

import pytest

from playshuffle.install.units import quoted
from tests.listening.test_feed_mpd import write_silence
from tests.support.needs import need
from tests.support.service import wait_for
from tests.support.systemd import HOME, ROOT, VENV, Lab, lab

pytestmark = [pytest.mark.process, pytest.mark.root, pytest.mark.systemd]

ODD = 'a "b" %h \\x $HOME; \'#\u00e9 [c]'
CONFIG = f"""
folders = ["~/Music"]
[playlist.all]
[playlist.odd]
output = {json.dumps(f"~/{ODD}/odd.m3u")}
"""
UNIT = "playshuffle.service"
UNITS = f"{HOME}/.config/systemd/user"


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("lab")) as booted:
        booted.write(f"{HOME}/prober.py", (ROOT / "tests/support/sandbox_probe.py").read_text())
        booted.write(f"{HOME}/odd", ODD)
        booted.user('mkdir -p Music "$(cat odd)" .config/systemd/user; touch .bashrc')
        yield booted


@pytest.fixture
def place(booted: Lab) -> Iterator[Lab]:
    """A booted systemd with a configuration of playshuffle, but without its units."""
    booted.write(f"{HOME}/.config/playshuffle/config.toml", CONFIG)
    yield booted
    booted.user(f"playshuffle service uninstall; rm -rf {UNITS}; systemctl --user daemon-reload")


def run_instead(place: Lab, command: str) -> None:
    """Make the unit run another command, by a drop-in file."""
    place.write(f"{UNITS}/{UNIT}.d/override.conf", f"[Service]\nExecStart=\nExecStart={command}\n")


def test_one_command_installs_and_starts_the_service(place: Lab) -> None:
    said = place.user("playshuffle service install").stdout

    assert "playshuffle.service is enabled and was started" in said
    assert "linger: on" in said
    assert place.show(UNIT, "ActiveState") == "active"
    assert place.show(UNIT, "UnitFileState") == "enabled"

    def is_told() -> bool:
        told = place.user("playshuffle service status").stdout.splitlines()
        return told == [
            f"ok: The service runs: {place.show(UNIT, 'StatusText').replace(HOME, '~')}",
            "Sandbox: on",
            "Logout: it goes on after you log out",
        ]

    wait_for(is_told)  # the first update may end between the two commands


def test_the_service_can_write_to_the_folder_of_any_playlist_but_not_to_the_home(place: Lab) -> None:
    """The name of one folder has all characters that are special in unit files."""
    place.user("playshuffle service install")
    words = [quoted(f"{HOME}/{ODD}"), f"{HOME}/Music", HOME]
    run_instead(place, f":{VENV}/bin/python {HOME}/prober.py {' '.join(words)}")
    place.user(f"systemctl --user daemon-reload; systemctl --user restart {UNIT}")
    told = json.loads(place.user('cat "$(cat odd)/probed.json"').stdout)

    assert told["replace a playlist"] == told["write to the state"] == told["write to the cache"] == "done"
    assert told["write to the home"].startswith("refused")
    assert told["sandbox"] == "on"


def test_install_and_status_say_that_a_list_right_in_the_home_opens_it_and_its_programs_stay_closed(
    place: Lab,
) -> None:
    config = 'folders = ["~/Music"]\n[playlist.all]\noutput = "~/all.m3u"\n'
    place.write(f"{HOME}/.config/playshuffle/config.toml", config)
    shutil.copy(ROOT / "tests/data/tone.ogg", place.shared)
    place.user(f"cp {place.shared}/tone.ogg Music")
    warning = "~/all.m3u is in a folder with programs or settings"
    assert warning in " ".join(place.user("playshuffle service install").stderr.split())
    wait_for(lambda: place.user("test -e all.m3u", check=False).returncode == 0)
    assert f"Open: {warning}" in place.user("playshuffle service status").stdout

    run_instead(place, f":{VENV}/bin/python {HOME}/prober.py {HOME} {HOME}/Music {HOME}")
    place.user(f"systemctl --user daemon-reload; systemctl --user restart {UNIT}")
    told = json.loads(place.user("cat probed.json; rm all.m3u probed.json").stdout)

    assert told["replace a playlist"] == "done"
    for closed in "write to the home", "write a unit", "write a program":
        assert told[closed].startswith("refused")


def test_a_second_install_restarts_the_service_only_if_the_folders_of_playlists_have_changed(
    place: Lab,
) -> None:
    place.user("playshuffle service install; mkdir -p Lists")
    process = place.show(UNIT, "MainPID")
    said = place.user("playshuffle service install").stdout

    assert place.show(UNIT, "MainPID") == process
    assert "all units" in said
    assert "is enabled and runs" in said

    place.write(
        f"{HOME}/.config/playshuffle/config.toml", CONFIG + '[playlist.x]\noutput = "~/Lists/x.m3u"\n'
    )
    assert "was restarted" in place.user("playshuffle service install").stdout
    assert place.show(UNIT, "MainPID") != process


def test_install_and_status_report_that_the_service_does_not_start(place: Lab) -> None:
    run_instead(place, "false")
    place.write(f"{UNITS}/{UNIT}.d/restart.conf", "[Service]\nRestart=no\n")
    done = place.user("playshuffle service install", check=False)
    status = place.user("playshuffle service status", check=False)

    assert done.returncode == 1
    assert "does not start. To see why: journalctl --user -u playshuffle" in done.stderr
    assert status.returncode == 1
    assert status.stdout.startswith("error: The service does not run (failed: exit-code)\n")
    assert "Log: journalctl --user -u playshuffle\n" in status.stdout


def test_uninstall_stops_the_service_and_removes_every_unit(place: Lab) -> None:
    place.user("playshuffle service install")
    place.user("playshuffle service uninstall")
    status = place.user("playshuffle service status", check=False)

    assert place.show(UNIT, "ActiveState") == "inactive"
    assert place.show(UNIT, "LoadState") == "not-found"
    assert status.stdout.startswith("warning: The service is not installed\n")
    assert place.user(f"find {UNITS} -type f -o -type l").stdout == ""


MPD_CONF = f"""
music_directory "{HOME}/Music"
db_file "{HOME}/mpd.db"
state_file "{HOME}/mpd.state"
bind_to_address "localhost"
zeroconf_enabled "no"
audio_output {{
  type "null"
  name "none"
}}
"""


def ask_mpd(place: Lab, *commands: str) -> dict[str, str]:
    script = "exec 3<>/dev/tcp/localhost/6600; printf '%s\\n' " + shlex.join([*commands, "close"])
    lines = place.user(script + " >&3; cat <&3", check=False).stdout.splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def test_the_endless_unit_feeds_mpd_and_goes_on_after_a_restart_of_mpd_and_of_itself(place: Lab) -> None:
    need("mpd")
    write_silence(place.shared / "song.wav", 60)
    place.write(f"{HOME}/mpd.conf", MPD_CONF)
    place.user(f"for n in 1 2 3 4 5 6 7 8 9; do cp {place.shared}/song.wav Music/$n.wav; done")
    place.user("systemd-run --user --unit=player mpd --no-daemon mpd.conf")
    wait_for(lambda: "state" in ask_mpd(place, "update", "status"))
    place.user("playshuffle deal Music --new-round; playshuffle service install --endless today")
    unit = "playshuffle-endless.service"

    def is_filled() -> bool:
        now = ask_mpd(place, "status")
        return int(now.get("playlistlength", 0)) - int(now.get("song", -1)) >= 3

    wait_for(is_filled)
    ask_mpd(place, "play")
    for restart in ("player", unit, "player"):
        place.user(f"systemctl --user restart {restart}")
        for _ in range(3):
            wait_for(is_filled)
            ask_mpd(place, "next")
    wait_for(is_filled)
    assert (place.show(unit, "ActiveState"), place.show(unit, "NRestarts")) == ("active", "0")
    assert "track 1" in place.user("playshuffle status").stdout
    place.user("systemctl --user stop player")


def test_if_users_cannot_have_namespaces_the_service_is_installed_with_fewer_restrictions(
    place: Lab,
) -> None:
    """`status` says so. The next install with namespaces adds the sandbox."""
    with place.manager_with("RestrictNamespaces=yes"):
        said = place.user("playshuffle service install").stdout
        status = place.user("playshuffle service status").stdout
    place.user("playshuffle service install")

    assert "does not allow a sandbox" in said
    assert "Sandbox: system calls only\n" in status
    assert status.startswith("ok: The service runs")
    assert "Sandbox: on\n" in place.user("playshuffle service status").stdout


def test_install_starts_nothing_in_a_session_unknown_to_systemd(place: Lab) -> None:
    """Such as a session of `su`."""
    done = place.user("env -u XDG_RUNTIME_DIR -u DBUS_SESSION_BUS_ADDRESS playshuffle service install")

    assert "no service starts" in done.stdout
    assert place.show(UNIT, "ActiveState") == "inactive"


def test_install_says_that_without_linger_the_service_ends_at_logout(place: Lab) -> None:
    place.root("systemd-run -q --unit=login -p User=lab -p PAMName=login sleep 600")
    # Without a session, the user's systemd would end.
    wait_for(lambda: place.root("loginctl show-user lab -p Sessions").stdout.strip() != "Sessions=")
    place.root("loginctl disable-linger lab")
    try:
        said = place.user("playshuffle service install").stdout
    finally:
        place.root("loginctl enable-linger lab; systemctl stop login")

    assert (
        "linger: off; the service runs only while you are logged in\n"
        "to run it always: sudo loginctl enable-linger $USER" in said
    )


def test_systemd_does_not_restart_the_service_while_its_program_is_removed(place: Lab) -> None:
    place.user("playshuffle service install")
    try:
        place.user("mv .local/bin/playshuffle .local/bin/removed; systemctl --user kill -s KILL playshuffle")
        wait_for(lambda: place.show(UNIT, "ActiveState") == "inactive")
        assert place.show(UNIT, "ConditionResult") == "no"
        assert place.show(UNIT, "Result") != "exit-code"
    finally:
        place.user("mv .local/bin/removed .local/bin/playshuffle")
    place.user(f"systemctl --user start {UNIT}")
    assert place.show(UNIT, "ActiveState") == "active"


def test_the_service_starts_under_a_systemd_of_the_user_with_a_nice_value(place: Lab) -> None:
    place.user("playshuffle service install")
    with place.manager_with("Nice=5"):
        wait_for(lambda: place.show(UNIT, "ActiveState") == "active")
        process = place.show(UNIT, "MainPID")
        assert place.user(f"ps -o ni= -p {process}").stdout.strip() == "19"
