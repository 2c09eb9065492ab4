"""Test several users who write playlists into one folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.shuffle import System
from playshuffle.tags.reading import Tags
from tests.support.forked import forked
from tests.support.library import deal, make_playlist, reader, tools
from tests.support.program import listed, make, numbered
from tests.support.tree import public_folder

pytestmark = [pytest.mark.process, pytest.mark.root]

ANN, BOB = 54_001, 54_002


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of music that everyone may write in; the home of each user is beside it."""
    with public_folder() as top:
        folder = Path(os.fsdecode(top))
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            monkeypatch.delenv(name)
        for user in (ANN, BOB):
            (folder / str(user)).mkdir()
            os.chown(folder / str(user), user, user)
        music = folder / "music"
        music.mkdir()
        music.chmod(0o777)
        for number in range(20):
            (music / f"{number}.mp3").write_bytes(b"x")
        yield music


def run(user: int, output: Path, *, count: int | None = None, **options: Any) -> str:
    """Make or, with a count, deal a playlist as a user; return the error."""
    request = Request((os.fsencode(output.parent),), os.fsencode(output), options=Options(**options))
    # Other users may not run the Python of this one, so no file is read.
    no_files = tools(reader(lambda _: Tags()))._replace(randbelow=System())

    def act() -> str:
        os.environ["HOME"] = str(output.parents[1] / str(user))
        try:
            if count is None:
                make_playlist(request, no_files)
            else:
                deal(request, no_files, count)
        except PlayshuffleError as error:
            return f"{error.code.name}: {error}"
        return ""

    return forked(act, as_user=user)


def owner(path: Path) -> int:
    return path.stat().st_uid


@pytest.mark.parametrize("count", [None, 3])
def test_the_list_of_another_user_is_not_replaced(shared: Path, count: int | None) -> None:
    file, own = shared / "today.m3u", shared / f"today-{BOB}.m3u"
    assert run(ANN, file, count=count) == ""
    content = file.read_bytes()

    assert run(BOB, file, count=count) == (
        f"CANNOT_CREATE: {file} is a playlist of user {ANN}, so it was not changed. Write your own with -o,"
        f" such as {own}, or add --force to replace it."
    )

    assert (file.read_bytes(), owner(file)) == (content, ANN)
    assert run(BOB, own, count=count) == run(ANN, file, count=count) == ""
    assert (owner(own), owner(file)) == (BOB, ANN)


def test_the_tracks_of_a_refused_deal_do_not_count_as_dealt(shared: Path) -> None:
    run(ANN, shared / "today.m3u", count=4)
    assert run(BOB, shared / "today.m3u", count=4)
    (shared / "today.m3u").unlink()

    assert run(BOB, shared / "today.m3u", count=20) == ""
    assert len(listed(shared / "today.m3u")) == 20


def test_the_option_force_replaces_the_list_of_another_user(shared: Path) -> None:
    run(ANN, shared / "all.m3u")

    assert run(BOB, shared / "all.m3u", force=True) == ""
    assert owner(shared / "all.m3u") == BOB


def test_a_list_that_root_replaces_still_belongs_to_its_user_and_a_note_names_this_user(
    tmp_path: Path,
) -> None:
    make(numbered(tmp_path, 30), "-o", tmp_path / "all.m3u")
    before = listed(tmp_path / "all.m3u")
    os.chown(tmp_path / "all.m3u", ANN, ANN)

    said = make("all")

    assert f"Note: {tmp_path}/all.m3u is a playlist of user {ANN}, who stays its owner.\n" in said
    assert listed(tmp_path / "all.m3u") != before
    assert owner(tmp_path / "all.m3u") == ANN
