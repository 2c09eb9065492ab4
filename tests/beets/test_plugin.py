"""Run the plugin of beets, `beet playshuffle`, in beets of Debian and of PyPI, with imported audio files."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.needs import DEBIAN_BEETS, need_beets, need_beets_of_debian
from tests.support.program import CHECKOUT, entries, environment, ran
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

GENRES = ("jazz", "rock", "folk")


class Beets(NamedTuple):
    """A beets program with a configuration and a library."""

    python: str
    env: dict[str, str]
    music: Path
    config: Path

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[bytes]:
        place: dict[str, Any] = {"env": self.env, "cwd": self.music.parent, "stdin": subprocess.DEVNULL}
        command = [self.python, "-W", "ignore", "-m", "beets", *words]
        return subprocess.run(command, capture_output=True, check=False, timeout=500, **place)

    def out(self, *words: str | Path) -> bytes:
        done = self.run(*words)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def configure(self, text: str) -> None:
        base = self.config.read_text().partition("playshuffle:")[0]
        self.config.write_text(f"{base}playshuffle: {text}\n")


@pytest.fixture(scope="module", params=["debian", "pypi"])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Beets:
    """A beets whose library has thirty files, imported once for all tests since that takes seconds."""
    if request.param == "debian":
        need_beets_of_debian()
        packages = [folder for folder in sys.path if folder.endswith("site-packages")]
        python, path = "/usr/bin/python3", [str(CHECKOUT), DEBIAN_BEETS, *packages]
    else:
        need_beets()
        python, path = sys.executable, [str(CHECKOUT)]
    top = tmp_path_factory.mktemp("beets")
    source, music, home = top / "source", top / "Music", top / "beets"
    for folder in (music, home):
        folder.mkdir()
    for at in range(30):
        tags = {"title": f"Title {at}", "artist": f"Artist {at % 4}", "genre": GENRES[at % 3]}
        tagged_library(source, {f"{at:02}.mp3": tags})
    config = home / "config.yaml"
    library = home / "library.db"
    config.write_text(f"directory: {music}\nlibrary: {library}\nplugins: playshuffle\nimport: {{copy: on}}\n")
    env = environment(BEETSDIR=str(home), PYTHONPATH=os.pathsep.join(path), HOME=str(top))
    beets = Beets(python, env, music, config)
    beets.out("import", "-A", "-q", source)
    assert len(beets.out("ls").splitlines()) == 30
    return beets


@pytest.fixture
def beets(imported: Beets, tmp_path: Path) -> Iterator[Beets]:
    """The imported library, with the empty home of the test; its changes are undone after the test."""
    home = imported.config.parent
    before = tmp_path / "before"
    shutil.copytree(home, before)
    env = environment(**{name: imported.env[name] for name in ("BEETSDIR", "PYTHONPATH")})
    yield imported._replace(env=env)
    shutil.rmtree(home)
    shutil.copytree(before, home)
    for written in (*imported.music.glob("*.m3u"), *imported.music.parent.glob("*.m3u")):
        written.unlink()


@pytest.mark.parametrize("query", [["genre:jazz"], ["artist:Artist 1", "^genre:rock"], ["title:2"]])
def test_the_beets_plugin_makes_the_same_playlist_as_make_does_from_the_paths_that_beets_lists(
    beets: Beets, tmp_path: Path, query: list[str]
) -> None:
    for order in ("random", "spread"):
        options = ["--order", order, "--seed", "7"]
        paths = tmp_path / "paths"
        paths.write_bytes(beets.out("ls", "-p", *query))
        assert 0 < len(paths.read_bytes().splitlines()) < 30

        beets.out("playshuffle", *options, "-o", beets.music / "ours.m3u", *query)
        ran("make", "--from", paths, *options, "-o", beets.music / "made.m3u")
        assert (beets.music / "ours.m3u").read_bytes() == (beets.music / "made.m3u").read_bytes()


def test_the_beets_plugin_accepts_the_options_of_the_command_make(beets: Beets) -> None:
    assert len(entries(beets.out("playshuffle", "-q", "-o", "-", "-n", "4", "--paths", "absolute"))) == 4
    beets.out("playshuffle", "--for", "vlc", "--pin", "00 Title 1.mp3@first", "--dry-run")
    assert list(beets.music.glob("*.m3u")) == []
    beets.configure("{extinf: no}")
    beets.out("playshuffle", "--for", "vlc")
    content = (beets.music / "playshuffle-vlc.m3u").read_bytes()
    assert b"#EXTINF" not in content
    assert all(entry.startswith("file://") for entry in entries(content))
    assert b"--order" in beets.out("help", "playshuffle")


def test_the_configuration_of_beets_sets_defaults_for_options_of_the_beets_plugin(beets: Beets) -> None:
    beets.configure("{order: sorted, for: vlc, extinf: no, output: one.m3u, limit: 5}")
    beets.out("playshuffle", "-n", "7")

    content = (beets.music.parent / "one.m3u").read_bytes()
    assert entries(content) == sorted(entries(content))
    assert len(entries(content)) == 7
    assert b"file://" in content


def test_two_deals_of_the_beets_plugin_repeat_no_track_and_a_daily_deal_is_not_replaced_at_once(
    beets: Beets,
) -> None:
    dealt = []
    for _ in range(2):
        beets.out("playshuffle", "--deal", "-n", "5", "--every", "run", "genre:jazz")
        dealt += entries((beets.music / "today.m3u").read_bytes())

    assert len(dealt) == len(set(dealt)) == 10
    beets.out("playshuffle", "--deal", "-n", "5", "--every", "day", "genre:jazz")
    assert entries((beets.music / "today.m3u").read_bytes()) == dealt[5:]


def test_the_beets_plugin_uses_the_ratings_in_the_library_of_beets(beets: Beets) -> None:
    beets.out("modify", "-y", "-M", "-W", "rating=0", "genre:rock")
    beets.out("modify", "-y", "-M", "-W", "rating=1", "genre:jazz")
    beets.out("playshuffle", "--order", "favourites", "--paths", "absolute")

    order = entries((beets.music / "playshuffle.m3u").read_bytes())
    rock = set(map(os.fsdecode, beets.out("ls", "-p", "genre:rock").splitlines()))
    assert len(order) == 30
    assert set(order[-10:]) == rock


@pytest.mark.parametrize(
    ("words", "table", "text"),
    [
        ("genre:polka", "", "No item matches"),
        ("--order spred", "", "Unknown order 'spred'"),
        ("-n 0", "", "--limit"),
        ("--for vlcc", "", "Unknown player 'vlcc'"),
        ("--deal --dry-run", "", "--dry-run"),
        ("--deal -o -", "", "-o"),
        ("-o /nowhere/at/all.m3u", "", "/nowhere"),
        ("", "{ordr: spread}", "ordr"),
        ("", "{limit: many}", "limit"),
        ("", "{order: spred}", "spred"),
    ],
)
def test_errors_of_the_beets_plugin_name_the_wrong_value(
    beets: Beets, words: str, table: str, text: str
) -> None:
    if table:
        beets.configure(table)
    done = beets.run("playshuffle", *words.split())

    assert done.returncode == 1
    assert text in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
