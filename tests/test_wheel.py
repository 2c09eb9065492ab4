"""Run the built wheel in a fresh environment, with the newest and with the lowest dependencies."""

import os
import pwd
import subprocess
import sys
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.needs import unmet
from tests.support.program import CHECKOUT, entries, numbered

pytestmark = [pytest.mark.process, pytest.mark.timeout(600)]

_DEPENDENCIES: list[str] = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["dependencies"]
# "typer>=0.28,<0.29" becomes "typer==0.28".
_LOWEST = [dependency.partition(",")[0].replace(">=", "==") for dependency in _DEPENDENCIES]


def pip(python: Path | str, *words: str | Path) -> None:
    """Run pip with the user's own configuration and cache; skip the test where it reaches no registry."""
    done = subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", *words],
        env={**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Failed to establish a new connection" in done.stderr:
        unmet("pip reaches no package registry")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "-q", "--no-deps", "-w", folder, CHECKOUT)
    (wheel,) = folder.glob("playshuffle-*.whl")
    return wheel


@pytest.mark.parametrize("versions", [[], _LOWEST], ids=["newest", "lowest"])
def test_the_wheel_makes_a_playlist_in_a_fresh_environment(
    wheel: Path, tmp_path: Path, versions: Sequence[str]
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    pip(tmp_path / "venv/bin/python", "install", "-q", wheel, *versions)
    music = numbered(tmp_path / "Music", 5)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [tmp_path / "venv/bin/playshuffle", *words],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )

    made, wrong, units = run("make", music), run("make", "--nonsense"), run("service", "install", "--dry-run")

    assert made.returncode == 0, made.stderr
    assert sorted(entries((music / "playshuffle.m3u").read_bytes())) == [f"{n:03}.mp3" for n in range(5)]
    assert b"#EXTINF:" in (music / "playshuffle.m3u").read_bytes(), "the reader of tags did not run"
    assert (wrong.returncode, "Traceback" in wrong.stderr) == (2, False)
    assert "Traceback" not in units.stderr
    assert list(tmp_path.glob("venv/lib/*/site-packages/playshuffle/systemd/*.service"))
    assert (tmp_path / "venv/share/man/man1/playshuffle-make.1").exists()
    assert (tmp_path / "venv/share/man/man5/playshuffle.toml.5").exists()
