"""Test the workflows: their actions, and the step `check` of packaging/release."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.processes import finished

pytestmark = pytest.mark.process
_TOP = Path(__file__).parents[2]


PUBLISHER = 'publisher = { name = "Ann", email = "ann@example.org", url = "https://example.org/ann" }'
NOBODY = 'publisher = { name = "", email = "", url = "" }'
DATED, UNDATED = "## 1.2.3 (2027-01-01)\n", "## 1.2.3 (not yet released)\n"


@pytest.mark.parametrize(
    ("publisher", "tag", "changelog", "error"),
    [
        (PUBLISHER, "v1.2.3", DATED, ""),
        (NOBODY, "v1.2.3", DATED, "the line 'publisher' in pyproject.toml is empty: see CONTRIBUTING.md"),
        (PUBLISHER, "v1.2.4", DATED, "the tag is 'v1.2.4'"),
        (PUBLISHER, "1.2.3", DATED, "the tag is '1.2.3'"),
        (PUBLISHER, "v1.2.3", UNDATED, "CHANGELOG.md has no section '## 1.2.3 (YYYY-MM-DD)'"),
    ],
)
def test_a_release_of_1_2_3_needs_the_name_of_its_publisher_the_tag_v1_2_3_and_a_dated_changelog(
    tmp_path: Path, publisher: str, tag: str, changelog: str, error: str
) -> None:
    """Otherwise it stops with one line that says what is missing."""
    for name in ("packaging", "playshuffle"):
        (tmp_path / name).mkdir()
    shutil.copy(_TOP / "packaging/release", tmp_path / "packaging")
    project = (_TOP / "pyproject.toml").read_text()
    (tmp_path / "pyproject.toml").write_text(re.sub("(?m)^publisher = .*", publisher, project))
    (tmp_path / "playshuffle/__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text(changelog)

    done = finished([tmp_path / "packaging/release", "check", tag])
    assert done.returncode == bool(error)
    assert done.stderr.startswith(error)
    assert done.stderr.count("\n") == bool(error)


def test_each_action_of_a_workflow_is_pinned_to_a_commit_beside_which_its_version_stands() -> None:
    """A branch or a tag may be moved to other code, which would get the rights of the workflow."""
    texts = [path.read_text() for path in (_TOP / ".github/workflows").glob("*.yml")]
    actions = [line for text in texts for line in re.findall(r"uses: ([^.].*)", text)]

    assert len(actions) > 10
    pinned = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [action for action in actions if not pinned.fullmatch(action)] == []
