"""Test that the explanation of a file agrees with the playlist that is written."""

import os
import random
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.options.table import Options
from playshuffle.ordering.limit_per_tag import LimitPerTag
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.explain import IN
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.tags.cause import NOT_AUDIO, Cause
from playshuffle.tags.reading import Reading, Tags
from tests.pipeline.conftest import LookAt
from tests.support import library
from tests.support.library import deal, keep, make_playlist, put, reader
from tests.support.program import listed


@reader
def read_all(path: str) -> Tags | Reading:
    """Make tags of names: `jazz-3.mp3` is of the genre Jazz; a file `bad…` is not audio."""
    name = os.path.basename(path)
    if name.startswith("bad"):
        return Reading(None, Cause(NOT_AUDIO, "text"), is_audio=False)
    title = os.path.splitext(name)[0]  # so that x.mp3 and y/x.ogg are copies
    genre = name.split("-")[0].title()
    return Tags(60_000, title, "Somebody", bitrate=9999 - len(path), genre=genre)


def tools() -> Tools:
    return library.tools(read_all)


def write_library(music: Path, choose: random.Random) -> list[Path]:
    """Write a library of odd files; return all of them."""
    for folder in ("", "live", "live/2024", ".hidden", "@eaDir", "closed", "patterns"):
        (music / folder).mkdir(parents=True, exist_ok=True)
        for number in range(choose.randrange(1, 4)):
            kind = choose.choice(("jazz", "rock", "podcast", "bad", "rock", "jazz"))
            suffix = choose.choice((".mp3", ".ogg", ".m4b", ".txt", ".flac"))
            hidden = choose.choice(("", "", "", "."))
            (music / folder / f"{hidden}{kind}-{number}{suffix}").write_bytes(os.urandom(8))
    (music / "a-jazz: colon?.mp3").write_bytes(b"y")
    patterns = {
        "closed/.nomedia": "",
        "patterns/.ndignore": "# comment\nrock*\n",
        "live/.mpdignore": "*.ogg\n",
    }
    for name, text in patterns.items():
        if choose.random() < 0.5:
            (music / name).write_text(text)
    (music / "link.mp3").symlink_to("nowhere.mp3")
    (music / "never.m3u").write_text("jazz-0.mp3\nlive/2024/jazz-1.mp3\nlive/rock-0.flac\n")
    found = [path for path in music.rglob("*") if path.suffix != ".m3u"]
    return [path for path in found if path.is_symlink() or not path.is_dir()]


def random_request(music: Path, choose: random.Random) -> Request:
    where = choose.choice(
        ((), (), ("genre:jazz",), ("-path:live",), ("genre:rock OR genre:jazz", "path:live"))
    )
    return Request(
        (bytes(music),),
        bytes(music / "all.m3u"),
        Recipe(limit=choose.choice((None, None, 3))),
        Options(
            where=where,
            no_duplicates=choose.choice((False, True)),
            spoken=choose.random() < 0.3,
            ignore_files=choose.random() < 0.7,
        ),
        without=(bytes(music / "never.m3u"),) if choose.random() < 0.5 else (),
        most=choose.choice((None, None, LimitPerTag(2, "genre"), LimitPerTag(1, "folder"))),
    )


def test_explaining_the_files_of_a_list_with_a_query_does_not_change_the_tag_cache(
    tmp_path: Path, home: Path, look_at: LookAt
) -> None:
    names = ("jazz-1.mp3", "jazz-2.ogg", "rock-1.mp3")
    music = put(tmp_path / "Music", *names)
    request = Request((bytes(music),), bytes(music / "all.m3u"), Recipe(), Options(where=("genre:jazz",)))
    make_playlist(request, tools())
    cache = home / ".cache/playshuffle/cache.db"
    before = cache.stat().st_ino

    stages = look_at(request, tools())
    codes = {stages.explain(bytes(music / name)).code for name in names}

    assert codes == {"in", "where"}
    assert cache.stat().st_ino == before


@pytest.mark.parametrize("seed", range(60))
def test_a_file_is_explained_as_in_the_playlist_exactly_if_the_playlist_has_it(
    tmp_path: Path, seed: int, look_at: LookAt
) -> None:
    choose = random.Random(seed)
    music = tmp_path / "Music"
    files = write_library(music, choose)
    request = random_request(music, choose)
    write = choose.choice((make_playlist, keep, partial(deal, count=2)))
    if isinstance(write, partial):
        request = request._replace(recipe=Recipe())
    with suppress(PlayshuffleError):  # nothing is left: then nothing may be in
        write(request, tools())
    playlist = music / "all.m3u"
    entries = set(listed(playlist)) if playlist.exists() else set()
    stages = look_at(request, tools())

    for path in [*files, music / "missing.mp3", tmp_path / "outside.mp3"]:
        reason = stages.explain(bytes(path))
        assert (reason.code == IN) == (os.path.relpath(path, music) in entries), (path, reason)
        assert reason.text
        if path in files and path.suffix != ".txt" and not path.is_symlink():
            assert reason.code not in ("no_such_file", "skipped", "outside"), (path, reason)


FILES = {
    "jazz-1.mp3": "in", "rock-1.mp3": "where", "podcast-1.mp3": "spoken", "jazz-7.mp3": "without",
    "more/jazz-1.mp3": "duplicate", ".jazz-2.mp3": "hidden", ".dir/jazz-3.mp3": "hidden",
    "closed/jazz-4.mp3": "ignored", "patterns/jazz-5.mp3": "ignored", "cover.jpg": "not_audio",
    "bad-1.mp3": "not_audio", "jazz-6.mp3\n.mp3": "name", "missing.mp3": "no_such_file",
}  # fmt: skip


@pytest.fixture
def example(tmp_path: Path) -> Request:
    """The request for a playlist of a library in the folder Music, which has the files of FILES."""
    music = put(tmp_path / "Music", *(name for name in FILES if name != "missing.mp3"), "closed/.nomedia")
    (music / "patterns/.ndignore").write_text("# live\nx*\n*-5.mp3\n")
    (music / "never.m3u").write_text("jazz-7.mp3\n")
    options = Options(where=("-genre:rock",), no_duplicates=True)
    never = bytes(music / "never.m3u")
    return Request((bytes(music),), bytes(music / "all.m3u"), options=options, without=(never,))


def test_each_omitted_file_is_explained_by_the_reason_why_it_was_omitted(
    tmp_path: Path, example: Request, look_at: LookAt
) -> None:
    music = tmp_path / "Music"
    assert look_at(example, tools()).explain(bytes(music / "jazz-1.mp3")).code == "not_written"
    make_playlist(example, tools())
    stages = look_at(example, tools())
    reasons = {name: stages.explain(bytes(music / name)) for name in FILES}

    assert {name: reason.code for name, reason in reasons.items()} == FILES
    ignored = reasons["patterns/jazz-5.mp3"].text
    assert ignored == f"ignored: {music}/patterns/.ndignore, line 3: *-5.mp3"
    assert reasons["rock-1.mp3"].text == "-genre:rock fails (genre is Rock)"


def test_files_outside_the_folders_not_in_the_source_list_or_over_a_limit_have_reasons_of_their_own(
    tmp_path: Path, example: Request, look_at: LookAt
) -> None:
    music = put(tmp_path / "Music", *(f"jazz-1{number}.mp3" for number in range(5)))
    (tmp_path / "x.mp3").touch()
    for code, limited in (
        ("limit", example._replace(recipe=Recipe(limit=2))),
        ("most", example._replace(most=LimitPerTag(2, "genre"))),
    ):
        make_playlist(limited, tools())
        stages = look_at(limited, tools())
        codes = [stages.explain(bytes(file)).code for file in music.glob("jazz-*.mp3")]
        assert (codes.count("in"), codes.count(code)) == (2, 4)

    listed_files = example._replace(files=(bytes(music / "jazz-1.mp3"),))
    assert look_at(listed_files, tools()).explain(bytes(music / "rock-1.mp3")).code == "not_listed"
    assert stages.explain(bytes(tmp_path / "x.mp3")).code == "outside"


def test_a_file_in_a_deck_is_explained_as_listed_now_as_dealt_before_or_as_upcoming(
    tmp_path: Path, look_at: LookAt
) -> None:
    music = put(tmp_path / "Music", *(f"{number}.mp3" for number in range(6)))
    request = Request((bytes(music),), bytes(music / "today.m3u"))
    for _ in range(2):
        deal(request, tools(), 2)
    stages = look_at(request, tools())
    codes = sorted(stages.explain(bytes(music / f"{number}.mp3")).code for number in range(6))

    assert codes == ["dealt", "dealt", "in", "in", "upcoming", "upcoming"]


def test_the_reason_for_an_unlisted_track_of_a_missing_folder_is_a_missing_drive(
    tmp_path: Path, look_at: LookAt
) -> None:
    music = put(tmp_path / "Music", "1.mp3")
    request = Request((bytes(music),), bytes(tmp_path / "all.m3u"))
    make_playlist(request, tools())
    (tmp_path / "all.m3u").write_bytes(b"#EXTM3U\n")
    music.rename(tmp_path / "away")

    assert look_at(request, tools()).explain(bytes(music / "1.mp3")).code == "missing_drive"
