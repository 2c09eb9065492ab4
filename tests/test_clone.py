"""Run bin/playshuffle in a clone of the repository, as the README says."""

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.needs import unmet
from tests.support.program import CHECKOUT
from tests.support.service import wait_for

pytestmark = pytest.mark.process

_OFFLINE = {
    "PIP_CONFIG_FILE": "/dev/null",
    "PIP_INDEX_URL": "http://127.0.0.1:9/",
    "PIP_EXTRA_INDEX_URL": "",
    "PIP_NO_CACHE_DIR": "1",
}


def start(program: Path, env: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
    """Start a program with --version."""
    return subprocess.Popen(
        [program, "--version"],
        env={**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(program: Path, env: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Run a program with --version and return its output; it must succeed."""
    with start(program, env) as process:
        out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out, errors


def copied(folder: Path) -> Path:
    """Copy the parts of the repository that the program and its installation need."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "site", "tests", "docs")
    shutil.copytree(CHECKOUT, folder, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, in a folder with a space in its name, whose program was run once."""
    folder = copied(tmp_path_factory.mktemp("clone") / "play shuffle")
    with start(folder / "bin/playshuffle") as process:
        out, errors = process.communicate()
    log = folder / ".playshuffle/pip.log"
    if log.exists() and "Failed to establish a new connection" in log.read_text():
        unmet("pip reaches no package registry")
    assert (process.returncode, out) == (0, version(folder)), errors
    assert "once (half a minute)" in errors
    assert f"ln -s '{folder}/bin/playshuffle' ~/.local/bin" in errors
    return folder


def version(clone: Path) -> str:
    found = re.search('__version__ = "(.*)"', (clone / "playshuffle/__init__.py").read_text())
    assert found
    return f"playshuffle {found[1]}\n"


def set_version(clone: Path, number: str) -> None:
    path = clone / "playshuffle/__init__.py"
    now = version(clone).split()[1]
    path.write_text(path.read_text().replace(now, number))


def test_a_second_run_in_the_clone_installs_nothing(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    assert run(clone / "bin/playshuffle") == (version(clone), "")


def test_the_program_in_a_clone_can_be_run_through_a_symbolic_link(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "playshuffle").symlink_to(clone / "bin/playshuffle")

    assert run(tmp_path / "playshuffle") == (version(clone), "")


def test_an_edit_of_the_source_in_a_clone_is_installed_by_the_next_run(clone: Path) -> None:
    set_version(clone, "0.1.1")

    out, errors = run(clone / "bin/playshuffle")

    assert out == "playshuffle 0.1.1\n"
    assert "updating" in errors


def test_if_a_changed_clone_cannot_be_installed_the_last_installed_version_runs(clone: Path) -> None:
    run(clone / "bin/playshuffle")
    last = version(clone)
    set_version(clone, "0.1.2")

    out, errors = run(clone / "bin/playshuffle", _OFFLINE)

    assert out == last
    assert "could not update: running the last version" in errors
    assert "hatchling" in errors, "the reason"
    assert run(clone / "bin/playshuffle")[0] == "playshuffle 0.1.2\n"


def test_a_run_of_the_program_in_a_clone_waits_while_another_run_installs_it(clone: Path) -> None:
    set_version(clone, "0.1.3")

    with start(clone / "bin/playshuffle") as first:
        wait_for((clone / ".playshuffle/started").exists)
        second = run(clone / "bin/playshuffle")

        assert second[0] == "playshuffle 0.1.3\n"
        assert "waiting for another run" in second[1]
        assert "updating" not in second[1]
        assert first.communicate()[0] == "playshuffle 0.1.3\n"


def test_a_clone_whose_installation_was_interrupted_is_installed_again(clone: Path) -> None:
    (clone / ".playshuffle/installed").unlink()

    out, errors = run(clone / "bin/playshuffle")

    assert out == version(clone)
    assert "once (half a minute)" in errors


def test_nothing_in_the_current_folder_runs_while_a_clone_is_installed_updated_and_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty entry of PYTHONPATH is the current folder, too."""
    folder = copied(tmp_path / "clone")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PYTHONPATH", ":")
    names = ("venv", "ensurepip", "pip", "site", "sitecustomize", "usercustomize", "playshuffle", "hatchling")
    for name in names:
        Path(f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})")

    assert run(folder / "bin/playshuffle")[0] == version(folder)
    set_version(folder, "0.1.4")
    assert run(folder / "bin/playshuffle")[0] == "playshuffle 0.1.4\n"

    assert not (tmp_path / "ran").exists()


def test_without_the_venv_package_a_user_who_is_not_root_is_shown_the_command_for_root(
    tmp_path: Path,
) -> None:
    folder = copied(tmp_path / "clone")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("readlink", "dirname", "flock", "rm", "uname"):
        (programs / name).symlink_to(shutil.which(name) or unmet(f"{name} is missing"))
    fakes = {"python3": '[ "${3#*ensurepip}" = "$3" ]', "apt-get": "exit 9", "id": "echo 1000"}
    for name, text in fakes.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)

    with start(folder / "bin/playshuffle", {"PATH": str(programs)}) as process:
        out, errors = process.communicate()

    assert (process.returncode, out) == (73, "")
    assert "python3-venv is missing. Ask root to type: apt-get install python3-venv" in errors


def test_a_clone_that_was_moved_to_another_folder_is_installed_again(clone: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(clone, moved, symlinks=True)

    out, errors = run(moved / "bin/playshuffle")

    assert out == version(clone)
    assert "once (half a minute)" in errors


def test_on_systems_other_than_linux_the_program_in_a_clone_stops_with_an_error(tmp_path: Path) -> None:
    folder = copied(tmp_path / "clone")
    (tmp_path / "uname").write_text("#!/bin/sh\necho Darwin\n")
    (tmp_path / "uname").chmod(0o755)

    with start(folder / "bin/playshuffle", {"PATH": str(tmp_path)}) as process:
        out, errors = process.communicate()

    assert (process.returncode, out) == (1, "")
    assert errors == "playshuffle: runs on Linux only, and this is Darwin\n"
