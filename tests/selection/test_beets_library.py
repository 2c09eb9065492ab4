"""Compare playlists with what real beets lists of one imported library of every format."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from playshuffle.library.audio_formats import AUDIO_SUFFIXES
from tests.support.needs import need_beets
from tests.support.program import DATA, run

pytestmark = pytest.mark.process

QUERIES = (
    "genre:electronic",
    "artist:björk",
    "-artist:björk",
    "year:1990..1999",
    "^year:1997",
    "album::^Ä",
    "title:v , title:tone",
    "composer:komponist track:3 disc:1",
    "grouping:group -title:flac",
    "length:..1:00",
    "format:mp3 , format:flac",
    "format:alac",
    "albumartist:=~various",
)

# Of these beets reads fewer tags: no APEv2 in MP3, and in WMA no year and grouping.
LESS_TAGS = {"ape2.mp3", "tone.wma"}


def beet(home: Path, *words: str | Path) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "beets", *words],
        env={**os.environ, "BEETSDIR": str(home), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        check=True,
        timeout=300,
    )
    return done.stdout


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with a file of every format, and the home of the beets that imported it."""
    need_beets()
    top = tmp_path_factory.mktemp("beets")
    music = top / "Music"
    music.mkdir()
    for source in DATA.iterdir():
        if source.suffix.encode() in AUDIO_SUFFIXES:
            shutil.copyfile(source, music / source.name)
    home = top / "home"
    home.mkdir()
    (home / "config.yaml").write_text(
        f"directory: {music}\nlibrary: {home}/library.db\nplugins: []\n"
        "import:\n  copy: no\n  write: no\n  autotag: no\n  duplicate_action: keep\n"
    )
    beet(home, "import", "-s", "-A", "-C", "-q", music)
    return music, home


@pytest.mark.parametrize("query", QUERIES)
def test_a_playlist_has_the_files_that_beets_lists(imported: tuple[Path, Path], query: str) -> None:
    music, home = imported
    known = set(beet(home, "ls", "-p").splitlines())
    theirs = set(beet(home, "ls", "-p", "--", *query.split()).splitlines())
    done = run("make", music, "--spoken", "--print0", "-q", "--where", query)

    less = {bytes(music / name) for name in LESS_TAGS}
    assert done.code in (0, 3), done.err
    assert len(known) > 10
    assert {path for path in done.out.split(b"\0") if path in known - less} == theirs - less
