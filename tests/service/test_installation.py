"""A service notices that its program was upgraded or removed, and never runs code of two versions."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
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
    """Replace a file by a new one with the same content, as an upgrade does."""
    new = path.with_name("new")
    new.write_text(path.read_text())
    os.utime(new, ns=(1, 1))
    new.replace(path)


@pytest.mark.parametrize(("change", "word"), [(replace, "upgraded"), (Path.unlink, "removed")])
def test_an_upgrade_or_removal_of_the_program_is_reported_by_the_second_check_after_it(
    program: Path, change: Callable[[Path], None], word: str
) -> None:
    installed = Installation(str(program))
    assert installed.check() is None

    change(program)

    assert installed.check() is None
    assert word in (installed.check() or "")


def test_a_program_that_is_missing_for_a_moment_does_not_count_as_removed(program: Path) -> None:
    installed = Installation(str(program))
    moved = program.rename(program.with_name("moved"))
    assert installed.check() is None

    moved.rename(program)

    assert installed.check() is None
    assert installed.check() is None


@contextlib.contextmanager
def running_copy(tmp_path: Path, **env: str) -> Iterator[tuple[Service, Path]]:
    """Run the service from a copy of the program; yield it and the folder of its code."""
    code = tmp_path / "code/playshuffle"
    shutil.copytree(CHECKOUT / "playshuffle", code, ignore=shutil.ignore_patterns("__pycache__"))
    env |= {"PYTHONPATH": str(code.parent), "PYTHONSAFEPATH": "1", "PYTHONPYCACHEPREFIX": ""}
    music = aged(numbered(tmp_path / "Music", 3))
    with Service(tmp_path, config(music), env=env) as service:
        wait_for((music / "all.m3u").exists)
        yield service, code


@pytest.mark.process
def test_updates_by_a_running_service_load_no_code_of_an_upgraded_program(tmp_path: Path) -> None:
    with running_copy(tmp_path) as (service, code):
        (code / "library/folder_readings.py").write_text("raise ImportError")

        aged(numbered(tmp_path / "Music/new", 1))

        wait_for(lambda: "new/000.mp3" in (tmp_path / "Music/all.m3u").read_text())
        assert service.log.count("unexpected error") == 0


@pytest.mark.process
@pytest.mark.parametrize("is_under_systemd", [False, True])
def test_after_an_upgrade_the_service_asks_for_a_restart_or_ends_so_that_systemd_restarts_it(
    tmp_path: Path, is_under_systemd: bool
) -> None:
    with running_copy(tmp_path, **({"INVOCATION_ID": "1"} if is_under_systemd else {})) as (service, code):
        replace(code / "__init__.py")

        if is_under_systemd:
            assert service.process is not None
            assert service.process.wait(PATIENCE_S) == 75
        else:
            wait_for(lambda: "upgraded" in (service.status()["services"][0]["note"] or ""))
        assert service.log.count("The program was upgraded") == 1
