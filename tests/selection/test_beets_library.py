"""Compare playlists with what real beets lists of one imported library of every format."""

import os
import shutil
from pathlib import Path

import pytest

from playshuffle.tags.audio_formats import AUDIO_SUFFIXES
from tests.support.beets_commands import run_beets
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
    commands = [["ls", "-p", "--", *query.split()] for query in ("", *QUERIES)]
    found = [{*map(os.fsencode, lines)} for lines in run_beets(top / "home", music, commands)]
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
