"""Test `playshuffle service` where no systemd runs, and its sandbox."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playshuffle.install import systemctl
from playshuffle.system import sandbox
from playshuffle.system.sandbox import Sandbox
from tests.support import program
from tests.support.forked import forked
from tests.support.processes import finished
from tests.support.program import configured, library
from tests.support.systemd import ROOT

pytestmark = pytest.mark.process

CONFIG = 'folders = ["~/Music"]\n\n[playlist.all]\noutput = "~/Music/all.m3u"\n'


def run(action: str, home: Path, words: tuple[str, ...] = (), **env: str) -> subprocess.CompletedProcess[str]:
    """Run `playshuffle service ACTION` as on a machine without systemd."""
    script = home / ".local/bin/playshuffle"
    if not script.exists():
        script.parent.mkdir(parents=True)
        script.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
            "from playshuffle.install import units\nunits.HIDDEN = ()\n"
            "from playshuffle.__main__ import main\nmain()\n"
        )
        script.chmod(0o755)
        (home / "bin").mkdir()
        (home / "bin/env").symlink_to("/usr/bin/env")
    settings = {"HOME": str(home), "PATH": str(home / "bin")} | env
    return finished([script, "service", action, *words], env=settings)


def configure(home: Path, text: str = CONFIG) -> None:
    configured(text)
    (home / "Music").mkdir(exist_ok=True)


def files(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_ino, path.lstat().st_mtime_ns) for path in folder.rglob("*")}


def test_without_systemd_the_units_are_written_and_the_next_step_is_shown(home: Path) -> None:
    configure(home)
    done = run("install", home)
    folder = home / ".config/systemd/user"

    assert done.returncode == 0
    others = {"playshuffle@.service", "playshuffle-listen.service", "playshuffle-sandbox-off.conf"}
    assert {path.name for path in folder.iterdir()} == {*os.listdir(ROOT / "systemd")} - others
    assert "wrote ~/.config/systemd/user/playshuffle.service\n" in done.stdout
    none = "No systemd runs for this user, so no service starts. make and deal work without it. "
    assert f"{none}To keep lists up to date: playshuffle watch" in done.stdout
    assert f"{none}To write down plays: playshuffle listen" in run("install", home, ("--listen",)).stdout
    (folder / "playshuffle-listen.service").unlink()
    assert f'ReadWritePaths="-{home}/Music"' in (folder / "playshuffle.service").read_text()
    assert (home / ".local/state/playshuffle").stat().st_mode & 0o777 == 0o700
    before = files(home / ".config")
    again = run("install", home).stdout
    assert ("all units" in again, "wrote" in again, files(home / ".config")) == (True, False, before)


@pytest.mark.parametrize("create", [Path.touch, Path.mkdir, lambda path: path.symlink_to("/dev/null")])
def test_a_unit_from_another_program_is_left_as_it_is(home: Path, create: Callable[[Path], None]) -> None:
    """By `install`, which then changes nothing at all, and by `uninstall`."""
    configure(home)
    theirs = home / ".config/systemd/user/playshuffle-tell.path"
    theirs.parent.mkdir(parents=True)
    create(theirs)
    before = files(home / ".config")
    installed = run("install", home)
    removed = run("uninstall", home)

    assert files(home / ".config") == before
    assert installed.returncode == 73
    shown = "~/.config/systemd/user/playshuffle-tell.path"
    assert f"{shown} was not written by playshuffle service install. Nothing was changed" in installed.stderr
    assert removed.returncode == 0
    assert f"kept {shown}" in removed.stdout


def test_uninstall_removes_all_files_that_install_wrote_and_no_others(home: Path) -> None:
    configure(home)
    folder = home / ".config/systemd/user"
    own = folder / "playshuffle.service.d/override.conf"
    own.parent.mkdir(parents=True)
    own.write_text("[Service]\nNice=5\n")
    (folder / "other.service").touch()
    before = set(files(home / ".config"))
    run("install", home)
    enabled = folder / "default.target.wants/playshuffle.service"
    enabled.parent.mkdir()
    enabled.symlink_to(folder / "playshuffle.service")
    done = run("uninstall", home)

    assert done.returncode == 0
    assert set(files(home / ".config")) == before | {str(enabled.parent)}
    assert (home / ".local/state/playshuffle").is_dir()
    assert run("uninstall", home).stdout.startswith("the service is not installed\n")


def test_status_and_save_name_the_service_only_where_a_systemd_may_run(home: Path, tmp_path: Path) -> None:
    configure(home)
    library(home / "Music", ["1.ogg"])
    assert "Start: No systemd runs for this user" in program.ran("status").out.decode()
    saved = program.make(home / "Music", "--spoken", "-o", home / "b.m3u", "--save", "b")
    assert "Keep it: No systemd runs for this user" in saved

    (tmp_path / "systemd").mkdir()
    (tmp_path / "systemd/private").touch()
    env = {"XDG_RUNTIME_DIR": str(tmp_path)}
    assert "Start: playshuffle service install\n" in program.ran("status", env=env).out.decode()


def test_service_status_without_systemd_advises_the_command_watch(home: Path) -> None:
    done = run("status", home)

    assert done.returncode == 1
    none = "No systemd runs for this user, so no service starts. make and deal work without it."
    assert done.stdout.startswith(f"warning: The service is not installed\nInstead: {none}")
    assert "To keep lists up to date: playshuffle watch" in done.stdout
    facts = json.loads(run("status", home, words=("--json",)).stdout)
    assert (facts["schema"], facts["sandbox"]) == (1, None)
    assert (facts["is_installed"], facts["has_systemd"], facts["runs"]) == (False, False, False)


def test_without_systemd_the_line_for_cron_names_the_program_with_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "crontab").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["/my home/bin/playshuffle", "service"])

    assert systemctl.instead().endswith(" in crontab -e: @reboot '/my home/bin/playshuffle' watch")


def test_without_a_configuration_the_service_is_not_installed(home: Path) -> None:
    done = run("install", home)

    assert done.returncode == 78
    assert "playshuffle config init" in done.stderr
    assert not (home / ".config/systemd").exists()


def test_playlists_that_the_service_cannot_write_are_named_and_the_others_work(home: Path) -> None:
    (home / "a\tb").mkdir()
    configure(home, CONFIG + '[playlist.bad]\norder = "no"\n[playlist.odd]\noutput = "~/a\\tb/odd.m3u"\n')
    done = run("install", home)

    assert done.returncode == 0
    assert "Unknown order 'no'" in done.stderr
    assert "/a\\x09b cannot be named in a unit" in done.stderr


@pytest.mark.root
def test_install_as_root_by_sudo_is_refused(home: Path) -> None:
    configure(home)
    done = run("install", home, SUDO_USER="ann")

    assert done.returncode == 2
    assert "without sudo" in done.stderr
    assert not (home / ".config/systemd").exists()


def test_a_process_without_a_sandbox_is_recognised() -> None:
    """Or as one with a part of it: tests may run in a container that filters system calls."""
    assert sandbox.of(os.getpid()) in {Sandbox.OFF, Sandbox.PARTLY}
    assert sandbox.of(2**22 + 1) is None


@pytest.mark.root
def test_a_folder_created_after_the_sandbox_began_is_distinguished_from_a_read_only_folder(
    tmp_path: Path,
) -> None:
    """A restarted service can write to the first folder, but never to the second."""
    folders = [bytes(tmp_path / name) for name in ("open", "late", "drive", "read only")]
    for folder in folders:
        os.mkdir(folder)

    def locked_up() -> list[bool]:
        opened, _, drive, read_only = folders
        subprocess.run(["mount", "--bind", opened, opened], check=True)
        subprocess.run(["mount", "--bind", read_only, read_only], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", read_only], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", "/"], check=True)
        point = os.path.dirname(folders[0])
        while not os.path.ismount(point):
            point = os.path.dirname(point)
        subprocess.run(["mount", "-o", "remount,bind,ro", point], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", drive], check=True)
        return [sandbox.came_late(folder) for folder in folders]

    assert [sandbox.came_late(folder) for folder in folders] == [False] * 4
    assert forked(locked_up, own_mounts=True) == [False, True, False, False]
