"""A service notices that its program was upgraded or removed, and does not go on with a mix of both."""

import os
import shutil
from pathlib import Path

import pytest

from playshuffle.service.installation import Installation
from tests.support.program import CHECKOUT, numbered
from tests.support.service import PATIENCE_S, Service, aged, config, wait_for


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "__init__.py"
    path.write_text("")
    return path


def replace(path: Path) -> None:
    new = path.with_name("new")
    new.write_text(path.read_text())
    os.utime(new, ns=(1, 1))
    new.replace(path)


def test_an_upgrade_is_reported_only_by_the_second_check_that_sees_it(program: Path) -> None:
    installed = Installation(str(program))
    assert installed.check() is None

    replace(program)

    assert installed.check() is None
    assert "upgraded" in (installed.check() or "")


def test_a_program_that_is_missing_for_a_moment_does_not_count_as_removed(program: Path) -> None:
    installed = Installation(str(program))
    moved = program.rename(program.with_name("moved"))
    assert installed.check() is None

    moved.rename(program)

    assert installed.check() is None
    assert installed.check() is None


def test_the_service_notices_the_removal_of_its_program(program: Path) -> None:
    installed = Installation(str(program))
    program.unlink()
    installed.check()

    assert "removed" in (installed.check() or "")


def copied_program(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Copy the program; return its folder, and the environment variables that start it from there."""
    code = tmp_path / "code"
    shutil.copytree(
        CHECKOUT / "playshuffle", code / "playshuffle", ignore=shutil.ignore_patterns("__pycache__")
    )
    return code, {"PYTHONPATH": str(code), "PYTHONSAFEPATH": "1", "PYTHONPYCACHEPREFIX": ""}


@pytest.mark.process
def test_updates_by_a_running_service_load_no_code_of_an_upgraded_program(tmp_path: Path) -> None:
    code, env = copied_program(tmp_path)
    music = aged(numbered(tmp_path / "Music", 3))
    with Service(tmp_path, config(music), env=env) as service:
        wait_for((music / "all.m3u").exists)
        (code / "playshuffle/library/folder_readings.py").write_text("raise ImportError")

        aged(numbered(music / "new", 1))

        wait_for(lambda: "new/000.mp3" in (music / "all.m3u").read_text())
        assert service.log.count("unexpected error") == 0


@pytest.mark.process
@pytest.mark.parametrize("is_under_systemd", [False, True])
def test_after_an_upgrade_the_service_asks_for_a_restart_or_ends_so_that_systemd_restarts_it(
    tmp_path: Path, is_under_systemd: bool
) -> None:
    code, env = copied_program(tmp_path)
    music = aged(numbered(tmp_path / "Music", 3))
    if is_under_systemd:
        env["INVOCATION_ID"] = "1"
    with Service(tmp_path, config(music), env=env) as service:
        wait_for((music / "all.m3u").exists)

        replace(code / "playshuffle/__init__.py")

        if is_under_systemd:
            assert service.process is not None
            assert service.process.wait(PATIENCE_S) == 75
        else:
            wait_for(lambda: "upgraded" in (service.status()["services"][0]["note"] or ""))
        assert service.log.count("The program was upgraded") == 1
