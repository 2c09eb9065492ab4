"""Fixtures that all tests of a module share: a library of odd file names, and the players that run here."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.players import names, versions
from tests.players.drivers import DRIVERS, Opened
from tests.players.readers import READERS, Place


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of odd file names, and the decoys that a player would open if it misread such a name."""
    music = tmp_path_factory.mktemp("players") / "Music"
    made = names.fill(music, [*names.ALL, *names.DECOYS, *names.UNSUFFIXED])
    assert len(made) > len(names.ALL) + len(names.DECOYS) - 10
    return music


@pytest.fixture(scope="module", params=DRIVERS)
def player(request: pytest.FixtureRequest) -> str:
    """The name, as `--for` takes it, of a player that the tests can run."""
    return str(request.param)


@pytest.fixture(scope="module")
def difference(player: str) -> str | None:
    """How the installed version may differ from the player's model; None if the model is for this version."""
    return versions.difference(player, versions.installed(player))


@pytest.fixture(scope="module")
def opened(player: str, music: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """The running player: a function that returns the files that it opens from a playlist."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch, DRIVERS[player].run(music) as opened:
        patch.setenv("HOME", str(home))
        yield opened


def read(player: str, playlist: Path, top: Path, tracks: Iterable[bytes] = ()) -> list[bytes]:
    """Return the files that the model of a player opens from a playlist; `top` as in `Place.music`."""
    place = Place(bytes(playlist), os.path.exists, bytes(top), tracks)
    return READERS[player](playlist.read_bytes(), place)
