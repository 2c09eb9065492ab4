"""Run the units under a real systemd: their sandbox, and how the service starts and restarts."""

import functools
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.needs import need
from tests.support.processes import finished
from tests.support.service import wait_for
from tests.support.systemd import HOME, PROGRAM, ROOT, USER, VENV, Lab, lab

pytestmark = [pytest.mark.process, pytest.mark.root, pytest.mark.systemd]

UNITS = sorted(path.name for path in (ROOT / "systemd").iterdir())
SERVICES = [name for name in UNITS if name.endswith(".service")]
OF_USER = [name for name in UNITS if "@" not in name and not name.endswith(".conf")]

UNIT = "playshuffle.service"
CONFIG = f"{HOME}/.config/playshuffle/config.toml"

# Attempts of sandbox_probe.py that must succeed in the service. All others must fail.
WORK = {
    "write to the state",
    "write to the cache",
    "replace a playlist",
    "read the music",
    "start its reader",
}
# Attempts that must fail even without namespaces.
KERNEL = {
    "speak IPv4", "speak IPv6", "speak to the kernel", "map memory to write and run",
    "make a user namespace", "mount", "take a higher priority", "make a program that runs as its owner",
}  # fmt: skip


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("lab")) as booted:
        booted.root("touch /tmp/of-another; mkdir -p /srv/music /srv/playlists; chmod 755 /srv/*")
        booted.root(f"install -d -o {USER} /srv/playlists/{USER}; chmod 755 /var/log; touch /srv/music/a.mp3")
        booted.user("mkdir -p .ssh .config/systemd/user .local/state/playshuffle Music Elsewhere")
        booted.user("touch .ssh/id_ed25519 .bashrc .netrc .bash_history Elsewhere/b.mp3")
        for suffix in ("flac", "ogg", "m4a"):
            shutil.copy(ROOT / f"tests/data/tone.{suffix}", booted.shared)
        booted.user(f"cp {booted.shared}/tone.flac Music")
        booted.write(f"{HOME}/prober.py", (ROOT / "tests/support/sandbox_probe.py").read_text())
        for unit in OF_USER:
            booted.write(f"{HOME}/.config/systemd/user/{unit}", (ROOT / "systemd" / unit).read_text())
        booted.write(
            "/etc/systemd/system/playshuffle@.service", (ROOT / "systemd/playshuffle@.service").read_text()
        )
        booted.root(f"ln -s {PROGRAM} /usr/local/bin/playshuffle")
        booted.user("systemctl --user daemon-reload")
        booted.root("systemctl daemon-reload")
        yield booted


@pytest.fixture
def place(booted: Lab) -> Iterator[Lab]:
    """A booted systemd with the shipped units and a valid configuration."""
    booted.write(CONFIG, 'folders = ["~/Music"]\n[playlist.all]\n')
    yield booted
    booted.user(
        "systemctl --user stop 'playshuffle*'; rm -rf .config/systemd/user/*.d;"
        "systemctl --user daemon-reload; systemctl --user reset-failed"
    )


def drop_in(place: Lab, unit: str, text: str) -> None:
    """Change settings of a unit by a drop-in file."""
    place.write(f"{HOME}/.config/systemd/user/{unit}.d/test.conf", f"[Service]\n{text}\n")
    place.user("systemctl --user daemon-reload")


def watch(place: Lab, settings: str = "") -> None:
    """Start the service, with these settings of its unit."""
    drop_in(place, UNIT, settings)
    place.start(UNIT)


def is_back(place: Lab, restarts: int) -> bool:
    now = place.user("systemctl --user show --property=ActiveState,NRestarts playshuffle").stdout.split()
    return set(now) == {"ActiveState=active", f"NRestarts={restarts}"}


def test_the_command_systemd_analyze_verify_finds_no_fault_with_the_shipped_units(place: Lab) -> None:
    words = "verify --man=no --recursive-errors=no"
    of_user = place.user(f"cd .config/systemd/user; systemd-analyze --user {words} {' '.join(OF_USER)} 2>&1")
    of_system = place.root(f"systemd-analyze {words} playshuffle@{USER}.service 2>&1")

    assert of_user.stdout + of_system.stdout == ""


@pytest.mark.parametrize("unit", SERVICES)
def test_the_exposure_that_systemd_analyze_rates_for_each_unit_is_at_most_the_limit_of_the_unit(
    unit: str, tmp_path: Path
) -> None:
    """By `systemd-analyze security`: from 0 to 10, by the settings of the unit."""
    need("systemd-analyze")
    path = tmp_path / unit.replace("@", "@x")
    path.write_text((ROOT / "systemd" / unit).read_text())
    scope, most = ("--system", 0.3) if "@" in unit else ("--user", 0.8)
    if unit in ("playshuffle-tell.service", "playshuffle-listen.service"):
        most = 1.5  # they reach players of this machine
    said = finished(
        ["systemd-analyze", scope, "security", "--offline=true", "--no-pager", path],
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
    )
    exposure = re.search(r"exposure level for \S+: (\d+\.\d)", said.stdout)

    assert exposure is not None, said.stderr
    assert float(exposure[1]) <= most


def probed(place: Lab, unit: str) -> dict[str, str]:
    """Run sandbox_probe.py in a unit of the user; return the result of each of its attempts."""
    words = f"{VENV}/bin/python {HOME}/prober.py {HOME}/Music {HOME}/Elsewhere {HOME}"
    drop_in(place, unit, f"ExecStart=\nExecStart={words}\nRestart=no")
    place.user("rm -rf Music/probed.json")
    place.start(unit)
    told: dict[str, str] = json.loads(place.user("cat Music/probed.json").stdout)
    return told


def test_the_user_unit_allows_only_what_the_service_needs(place: Lab) -> None:
    """Each attempt of sandbox_probe.py to do more fails."""
    told = probed(place, UNIT)

    assert told.pop("sandbox") == "on"
    assert {what for what, came in told.items() if came == "done"} == WORK


def test_the_system_unit_allows_only_what_the_service_needs(place: Lab) -> None:
    unit = f"playshuffle@{USER}.service"
    place.root("cp -r /home/lab/.local/share/pipx/venvs/playshuffle /opt/; cp /home/lab/prober.py /opt")
    place.write(
        f"/etc/systemd/system/{unit}.d/test.conf",
        "[Service]\nExecStart=\nRestart=no\n"
        f"ExecStart=/opt/playshuffle/bin/python /opt/prober.py /srv/playlists/{USER} /srv/music {HOME}\n",
    )
    place.root(f"systemctl daemon-reload; systemctl start {unit}")
    told = json.loads(place.root(f"cat /srv/playlists/{USER}/probed.json").stdout)
    place.root(f"rm -r /etc/systemd/system/{unit}.d")

    assert told.pop("sandbox") == "on"
    assert {what for what, came in told.items() if came == "done"} == WORK


def test_without_namespaces_the_shipped_unit_fails_with_a_reason_but_runs_with_the_shipped_drop_in(
    place: Lab,
) -> None:
    """Ubuntu 24.04 gives users no namespaces. Then files are open, but not sockets and the kernel."""
    with place.manager_with("RestrictNamespaces=yes"):
        drop_in(place, UNIT, "Restart=no")
        failed = place.user("systemctl --user start playshuffle", check=False)
        why = place.show(UNIT, "ExecMainStatus"), place.journal(UNIT)
        name = "playshuffle-sandbox-off.conf"
        place.write(
            f"{HOME}/.config/systemd/user/playshuffle.service.d/{name}", (ROOT / "systemd" / name).read_text()
        )
        told = probed(place, UNIT)

    assert failed.returncode != 0
    assert why[0] in {"217", "226"}
    assert "namespac" in why[1]
    assert told.pop("sandbox") == "system calls only"
    assert {what for what, came in told.items() if came != "done"} >= KERNEL
    assert {"write to the home", "read a key", "speak on the session bus"} <= {
        what for what, came in told.items() if came == "done"
    }


def test_the_system_service_keeps_a_playlist_up_to_date(place: Lab) -> None:
    """Set up as docs/service.md says."""
    unit = f"playshuffle@{USER}.service"
    place.root(f"mkdir -p /opt/pipx/venvs; cp -r {VENV} /opt/pipx/venvs/playshuffle")
    place.root(
        "cd /opt/pipx/venvs/playshuffle; sed -i 1s,.*,#!$PWD/bin/python, bin/playshuffle;"
        "ln -sf $PWD/bin/playshuffle /usr/local/bin/playshuffle"
    )
    output = f"/srv/playlists/{USER}/everything.m3u"
    place.write(
        f"/etc/playshuffle/{USER}.toml",
        f'folders = ["/srv/music"]\n[playlist.everything]\noutput = "{output}"\n',
    )
    place.root(f"cp {place.shared}/tone.ogg /srv/music/b.ogg")
    place.root(f"systemctl daemon-reload; systemctl start {unit}")
    try:
        wait_for(lambda: "b.ogg" in place.root(f"cat {output}", check=False).stdout)
        owner = place.root(f"stat -c '%U %a' {output}").stdout
        place.root(f"systemctl reload {unit}")
        said = place.root(f"systemctl show -P NRestarts -P ActiveState {unit}").stdout.split()
    finally:
        place.root(f"systemctl stop {unit}")

    assert owner == f"{USER} 644\n"
    assert set(said) <= {"0", "active", "reloading"}
    assert place.root(f"systemctl show -P Result {unit}").stdout == "success\n"


def test_the_service_keeps_running_if_systemd_reloads_it_with_a_broken_configuration(place: Lab) -> None:
    watch(place)
    process = place.show(UNIT, "MainPID")
    place.write(CONFIG, "nonsense = 1\n")
    place.user("systemctl --user reload playshuffle")
    wait_for(lambda: place.show(UNIT, "ActiveState") == "active")

    assert place.show(UNIT, "MainPID") == process
    assert place.show(UNIT, "NRestarts") == "0"


def test_a_service_that_is_started_with_a_broken_configuration_exits_with_78_and_is_not_restarted(
    place: Lab,
) -> None:
    place.write(CONFIG, "nonsense = 1\n")
    drop_in(place, UNIT, "RestartSec=100ms")
    place.user("systemctl --user start playshuffle", check=False)
    wait_for(lambda: place.show(UNIT, "ActiveState") == "failed")

    assert place.show(UNIT, "ExecMainStatus") == "78"
    assert place.show(UNIT, "NRestarts") == "0"


def test_after_any_failure_but_a_broken_configuration_systemd_restarts_the_service_again_and_again(
    place: Lab,
) -> None:
    """By default, systemd would stop restarting it after five times."""
    drop_in(place, UNIT, "ExecStart=\nExecStart=false\nRestartSec=50ms")
    place.user("systemctl --user start --no-block playshuffle")

    wait_for(lambda: int(place.show(UNIT, "NRestarts")) > 8)


@pytest.mark.timing
def test_a_service_whose_main_loop_hangs_logs_its_stack_and_is_restarted(place: Lab) -> None:
    watch(place, "WatchdogSec=6\nRestartSec=100ms")
    process = place.show(UNIT, "MainPID")
    time.sleep(6.5)
    healthy = place.show(UNIT, "NRestarts")
    place.user(f"kill -STOP {process}")
    wait_for(lambda: is_back(place, 1))

    assert healthy == "0"
    assert place.show(UNIT, "MainPID") not in {process, "0"}
    assert "Watchdog timeout" in place.journal(UNIT)
    assert "most recent call first" in place.journal(UNIT)


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.timing
def test_a_killed_service_is_restarted_each_time_within_two_seconds_after_the_delay_restartsec(
    place: Lab, times: int
) -> None:
    watch(place, "RestartSec=1")
    waited_s = []
    for count in range(1, times + 1):
        killed = place.show(UNIT, "MainPID")
        place.user("systemctl --user kill --signal=KILL playshuffle")
        wait_for(functools.partial(is_back, place, count))
        ended_us, started_us = (
            int(place.show(UNIT, f"{what}TimestampMonotonic")) for what in ("ActiveExit", "ExecMainStart")
        )
        waited_s.append((started_us - ended_us) / 1e6)

        assert place.show(UNIT, "MainPID") != killed

    assert all(0 < s < 1 + 2 for s in waited_s)


def test_the_service_restarts_itself_to_write_to_a_playlist_folder_that_was_created_again(place: Lab) -> None:
    """The sandbox allows writes to the folder that exists at the start, not to its path."""
    watch(place, "RestartSec=100ms")
    wait_for(lambda: "tone" in place.user("cat Music/all.m3u", check=False).stdout)
    place.user("mv Music Moved")
    try:
        place.user(f"mkdir Music; cp {place.shared}/tone.m4a Music")
        wait_for(lambda: "tone.m4a" in place.user("cat Music/all.m3u", check=False).stdout)
    finally:
        place.user("rm -rf Music; mv Moved Music")

    assert place.show(UNIT, "NRestarts") == "1"
    assert "restarting to open the sandbox to it" in place.journal(UNIT)


def test_the_service_restarts_itself_if_a_playlist_folder_is_replaced_during_its_first_update(
    place: Lab,
) -> None:
    """The first update waits for the lock of the state, which is held until the folder is replaced."""
    drop_in(place, UNIT, "RestartSec=100ms")
    place.write(
        f"{HOME}/replace.sh",
        "rm -f Music/all.m3u\nsystemctl --user start playshuffle\n"
        f"mv Music Moved\nmkdir Music\ncp {place.shared}/tone.m4a Music\n",
    )
    try:
        place.user("flock .local/state/playshuffle/state.lock sh -e replace.sh")
        wait_for(lambda: "tone.m4a" in place.user("cat Music/all.m3u", check=False).stdout)
    finally:
        place.user("rm -rf Music; mv Moved Music")

    assert place.show(UNIT, "NRestarts") == "1"


def test_a_playlist_in_a_folder_that_the_unit_does_not_name_is_reported_without_a_restart(place: Lab) -> None:
    """As after a change of the configuration without a new installation."""
    place.write(CONFIG, 'folders = ["~/Music"]\n[playlist.all]\n[playlist.x]\noutput = "~/x.m3u"\n')
    watch(place, "RestartSec=100ms")
    wait_for(lambda: "tone" in place.user("cat Music/all.m3u", check=False).stdout)
    wait_for(lambda: "x: " in place.journal(UNIT))
    time.sleep(1)

    assert place.show(UNIT, "NRestarts") == "0"


def test_the_service_goes_on_while_the_drive_of_a_playlist_is_unmounted_and_when_it_is_back(
    place: Lab,
) -> None:
    drive = f"{HOME}/Drive"
    place.root(
        f"mkdir -p /srv/drive {drive}; mount -t tmpfs tmpfs /srv/drive; chown {USER} /srv/drive {drive}"
    )
    mount = f"mount --bind /srv/drive {drive}"
    place.root(mount)
    place.write(CONFIG, f'folders = ["~/Music"]\n[playlist.all]\noutput = "{drive}/all.m3u"\n')
    watch(place, f"RestartSec=100ms\nReadWritePaths=-{drive}")
    wait_for(lambda: place.user("cat Drive/all.m3u", check=False).returncode == 0)
    place.root(f"umount {drive}")
    place.user(f"cp {place.shared}/tone.ogg Music/new.ogg")
    try:
        wait_for(lambda: "all: " in place.journal(UNIT))
        assert not place.user("ls Drive").stdout
        place.root(mount)
        place.user(f"cp {place.shared}/tone.m4a Music/newer.m4a")
        wait_for(lambda: "newer.m4a" in place.user("cat Drive/all.m3u", check=False).stdout)
    finally:
        place.root(f"umount {drive}; umount /srv/drive", check=False)
        place.user("rm Music/new*")

    assert place.show(UNIT, "NRestarts") == "0", place.journal(UNIT)


def test_a_playlist_can_be_made_inside_and_outside_the_sandbox_in_turn(place: Lab) -> None:
    """In the sandbox the folder is a mount point. Outside it must not look like a missing drive."""
    place.user(f"mkdir -p Songs; rm -rf .local/state/playshuffle/*; cp {place.shared}/tone.* Songs")
    words = f"{PROGRAM} make {HOME}/Songs -o {HOME}/Songs/all.m3u"
    once = "Type=oneshot\nRestart=no\nWatchdogSec=0"
    drop_in(place, UNIT, f"{once}\nReadWritePaths={HOME}/Songs\nExecStart=\nExecStart={words}")
    place.start(UNIT)
    inside = place.journal(UNIT)
    place.user("rm Songs/tone.flac")
    outside = place.user(f"playshuffle make {HOME}/Songs -o {HOME}/Songs/other.m3u")
    place.user("rm Songs/tone.ogg")
    place.start(UNIT)

    assert "3 tracks" in inside
    assert "2 tracks" in outside.stderr
    assert "EXTINF" in place.user("cat Songs/all.m3u").stdout
    assert place.user("grep -c ^tone Songs/all.m3u").stdout == "1\n"
    assert place.user("stat -c %a Songs/all.m3u").stdout == "644\n"
