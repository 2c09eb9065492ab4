"""The library of hostile names and the players, once for all tests of a module."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.players import names, versions
from tests.players.drivers import DRIVERS, Opened


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of hostile names, and what a misreading player would open instead."""
    music = tmp_path_factory.mktemp("players") / "Music"
    unsuffixed = [path for paths in names.UNSUFFIXED.values() for path in paths]
    made = names.fill(music, [*names.ALL, *names.DECOYS, *unsuffixed])
    assert len(made) > len(names.ALL) + len(names.DECOYS) - 10
    return music


@pytest.fixture(scope="module", params=DRIVERS)
def player(request: pytest.FixtureRequest) -> str:
    """A player that runs here, by the name that --for takes."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def difference(player: str) -> str | None:
    """Why the installed version may read otherwise than the rules say; None if they are its own."""
    return versions.difference(player, versions.installed(player))


@pytest.fixture(scope="module")
def opened(player: str, music: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """What that player opens of a playlist."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch, DRIVERS[player].run(music) as opened:
        patch.setenv("HOME", str(home))
        yield opened


def existing(path: bytes) -> bool:
    """Whether a reader finds it."""
    return os.path.exists(path)
