"""Run the built wheel in a fresh environment, with the newest and with the lowest dependencies."""

import email
import os
import pwd
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

import pytest

from tests.support.needs import unmet
from tests.support.processes import finished
from tests.support.program import CHECKOUT, entries, numbered
from tests.test_clone import copied

pytestmark = pytest.mark.process

_DEPENDENCIES: list[str] = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["dependencies"]
# "typer>=0.26" becomes "typer==0.26".
_LOWEST = [dependency.replace(">=", "==") for dependency in _DEPENDENCIES]


def pip(python: Path | str, *words: str | Path) -> None:
    """Run pip with the configuration and cache of the user; skip the test if it reaches no registry."""
    done = finished(
        [python, "-m", "pip", "--disable-pip-version-check", *words],
        env={**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir},
    )
    if "Failed to establish a new connection" in done.stderr:
        unmet("pip reaches no package registry")
    assert done.returncode == 0, done.stderr


def built(source: Path, folder: Path) -> Path:
    """Build a wheel from a source into a folder, and return its path."""
    pip(sys.executable, "wheel", "-q", "--no-deps", "-w", folder, source)
    (wheel,) = folder.glob("playshuffle-*.whl")
    return wheel


def metadata(folder: Path, publisher: str) -> Message:
    """Build a wheel with this publisher in pyproject.toml, and return its metadata."""
    source = copied(folder / "source")
    project = (source / "pyproject.toml").read_text()
    project, count = re.subn("^publisher = .*", f"publisher = {publisher}", project, flags=re.MULTILINE)
    assert count == 1, "the publisher is one line"
    (source / "pyproject.toml").write_text(project)
    with zipfile.ZipFile(built(source, folder)) as file:
        (name,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(file.read(name))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(CHECKOUT, tmp_path_factory.mktemp("wheel"))


@pytest.mark.parametrize("versions", [[], _LOWEST], ids=["newest", "lowest"])
def test_the_installed_wheel_makes_a_playlist_with_newest_and_lowest_dependencies(
    wheel: Path, tmp_path: Path, versions: Sequence[str]
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    pip(tmp_path / "venv/bin/python", "install", "-q", wheel, *versions)
    music = numbered(tmp_path / "Music", 5)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return finished([tmp_path / "venv/bin/playshuffle", *words], cwd=tmp_path, env=env)

    made, wrong, units = run("make", music), run("make", "--nonsense"), run("service", "install", "--dry-run")

    assert made.returncode == 0, made.stderr
    assert sorted(entries((music / "playshuffle.m3u").read_bytes())) == [f"{n:03}.mp3" for n in range(5)]
    assert b"#EXTINF:" in (music / "playshuffle.m3u").read_bytes(), "the reader of tags did not run"
    assert (wrong.returncode, "Traceback" in wrong.stderr) == (2, False)
    assert "Traceback" not in units.stderr
    told = run("tell", "mpd", music / "playshuffle.m3u", "--socket", tmp_path / "none")
    assert (told.returncode, "cannot be reached" in told.stderr) == (75, True)
    assert list(tmp_path.glob("venv/lib/*/site-packages/playshuffle/systemd/*.service"))
    assert (tmp_path / "venv/share/man/man1/playshuffle-make.1").exists()
    assert (tmp_path / "venv/share/man/man5/playshuffle.toml.5").exists()


def test_the_metadata_of_the_wheel_has_the_fields_that_a_package_index_shows(tmp_path: Path) -> None:
    plain = metadata(tmp_path, '{ name = "", email = "", url = "" }')

    assert plain["License-Expression"] == "MIT"
    assert plain["Requires-Python"] == ">=3.11"
    assert plain["Description-Content-Type"] == "text/markdown"
    assert "Operating System :: POSIX :: Linux" in plain.get_all("Classifier", [])
    assert {"audit"} <= set(plain.get_all("Provides-Extra", []))
    assert plain.get_all("Project-URL") is None
    assert plain["Author-email"] is None
    description = str(plain.get_payload())
    assert "bin/playshuffle make" in description
    assert re.findall(r"\]\((?!https:)", description) == [], "links into a clone"


def test_if_the_repository_has_an_address_all_links_in_the_metadata_are_absolute(tmp_path: Path) -> None:
    address = "https://example.org/ann/playshuffle"
    named = metadata(tmp_path, f'{{ name = "Ann", email = "ann@example.org", url = "{address}/" }}')

    links = re.findall(r"\]\(([^)]*)\)", str(named.get_payload()))
    files = {link.partition("#")[0].removeprefix(f"{address}/").split("/", 2)[2] for link in links}
    assert all(link.startswith((f"{address}/blob/v", f"{address}/raw/v")) for link in links)
    assert [file for file in files if not (CHECKOUT / file).exists()] == []
    assert f"Source, {address}" in named.get_all("Project-URL", [])
    assert named["Author-email"] == "Ann <ann@example.org>"
