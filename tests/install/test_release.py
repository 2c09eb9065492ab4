"""Claims about packaging/release, which the workflow of a release calls."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.processes import finished

pytestmark = pytest.mark.process
_TOP = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the files for the check, ready for release 1.2.3 except for its publisher."""
    for name in ("packaging", "playshuffle"):
        (tmp_path / name).mkdir()
    shutil.copy(_TOP / "packaging/release", tmp_path / "packaging")
    shutil.copy(_TOP / "pyproject.toml", tmp_path)
    (tmp_path / "playshuffle/__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("## 1.2.3 (2027-01-01)\n")
    return tmp_path


def _publish(checkout: Path) -> None:
    project = checkout / "pyproject.toml"
    line = 'publisher = { name = "Ann", email = "ann@example.org", url = "https://example.org/ann" }'
    project.write_text(re.sub("^publisher = .*", line, project.read_text(), flags=re.MULTILINE))


def test_a_release_without_a_publisher_stops_with_one_line_of_advice(checkout: Path) -> None:
    done = finished([checkout / "packaging/release", "check", "v1.2.3"])
    assert done.returncode == 1
    assert done.stderr == "the line 'publisher' in pyproject.toml is empty: see CONTRIBUTING.md, Release\n"


@pytest.mark.parametrize(("tag", "code"), [("v1.2.3", 0), ("v1.2.4", 1), ("1.2.3", 1)])
def test_a_release_needs_the_tag_of_its_version(tag: str, code: int, checkout: Path) -> None:
    _publish(checkout)
    assert finished([checkout / "packaging/release", "check", tag]).returncode == code


def test_a_release_needs_a_dated_section_in_the_changelog(checkout: Path) -> None:
    _publish(checkout)
    (checkout / "CHANGELOG.md").write_text("## 1.2.3 (not yet released)\n")
    assert finished([checkout / "packaging/release", "check", "v1.2.3"]).returncode == 1
