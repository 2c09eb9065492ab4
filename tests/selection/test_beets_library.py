"""Compare playlists with what real beets lists of one imported library of every format."""

import json
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


# `beet import`, and then `beet list` for each query, in one process: its start takes longer than the rest.
BEET = r"""
import contextlib, io, json, sys
from beets.ui import main
found = []
for words in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape")) as out:
        main(words)
    out.flush()
    found.append(out.buffer.getvalue().decode("utf-8", "surrogateescape").splitlines())
json.dump(found, sys.stdout)
"""


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, set[bytes]]]:
    """A folder with a file of every format, and what beets lists of it for each query."""
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
    commands = [
        ["import", "-s", "-A", "-C", "-q", str(music)],
        *(["ls", "-p", "--", *query.split()] for query in ("", *QUERIES)),
    ]
    done = subprocess.run(
        [sys.executable, "-c", BEET],
        input=json.dumps(commands),
        env={**os.environ, "BEETSDIR": str(home), "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        timeout=300,
    )
    _, *found = ({os.fsencode(line) for line in lines} for lines in json.loads(done.stdout))
    return music, dict(zip(("", *QUERIES), found, strict=True))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("query", QUERIES)
def test_a_playlist_has_the_files_that_beets_lists(
    listed: tuple[Path, dict[str, set[bytes]]], query: str
) -> None:
    music, of_beets = listed
    known, theirs = of_beets[""], of_beets[query]
    done = run("make", music, "--spoken", "--print0", "-q", "--where", query)

    less = {bytes(music / name) for name in LESS_TAGS}
    assert done.code in (0, 3), done.err
    assert len(known) > 10
    assert {path for path in done.out.split(b"\0") if path in known - less} == theirs - less
