"""After random changes a playlist has the files of its folder, and the remaining tracks keep their order."""

import os
import shutil
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import pytest

from playshuffle.service import update
from playshuffle.service.backlog import Backlog
from playshuffle.service.update_protocol import PlaylistUpdated
from playshuffle.shuffle import chance
from playshuffle.watch.debounce import Batch
from tests.support.library import read_here
from tests.support.managed import Managed
from tests.support.vandal import Vandal

pytestmark = pytest.mark.process


@pytest.fixture
def new_state(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Give each seed a state folder of its own, or the folder of an earlier seed would seem missing."""
    return lambda seed: monkeypatch.setenv("XDG_STATE_HOME", str(home / str(seed)))


def check_sequence(top: Path, seed: int) -> None:
    """Update a playlist after each of twelve groups of changes, and check it."""
    top.mkdir()
    model = Vandal(top, seed)
    managed = Managed(top)
    managed.manage("all", model.music)
    before: list[int] = []
    for look in range(12):
        batch = model.batch(is_lost=model.chance.random() < 0.15 or not look)
        model.done.append(f"-- {batch.why}")
        message = managed.messages(batch)["all"]
        if model.files():
            entries = [top / entry for entry in managed.entries("all")]
            assert isinstance(message, PlaylistUpdated), (seed, message, model.done)
            inodes = [path.stat().st_ino for path in entries]
            assert len({*inodes}) == len(inodes), (seed, "twice", model.done)
            assert {*inodes} == {path.stat().st_ino for path in model.files()}, (seed, model.done)
            after = [model.track_of[path] for path in entries]
            order = {track: place for place, track in enumerate(after)}
            stayed = [track for track in before if track in order]
            assert all(order[one] < order[other] for one, other in combinations(stayed, 2)), (
                seed, before, after, model.done[-12:]
            )  # fmt: skip
            before = after
        for _ in range(model.chance.randrange(1, 5)):
            model.act()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(15, 515), marks=pytest.mark.slow)], ids=len)
def test_after_any_changes_the_playlist_has_exactly_the_tracks_in_its_folders(
    tmp_path: Path, seeds: Sequence[int], new_state: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are created, written, renamed, linked, moved and removed. Some events are lost."""
    monkeypatch.setattr(update, "read_all", read_here)
    for seed in seeds:
        new_state(seed)
        randbelow = chance(str(seed))
        monkeypatch.setattr(update, "System", lambda same=randbelow: same)
        check_sequence(tmp_path / str(seed), seed)
        shutil.rmtree(tmp_path / str(seed))


def check_two_playlists(top: Path, seed: int) -> None:
    """Update two playlists, one of them less often; a second update without events must change nothing."""
    top.mkdir()
    model = Vandal(top, seed)
    managed, backlogs = Managed(top), {}
    for name in ("often", "rarely"):
        managed.manage(name, model.music)
        folders = {name: [os.fsencode(model.music)]}
        backlogs[name] = Backlog(folders, files={}, settle_s=0, news=Batch(), now_s=0)
    for look in range(20):
        batch = model.batch(is_lost=not look)
        for name, backlog in backlogs.items():
            backlog.add(batch, 0)
            if name == "rarely" and model.chance.random() < 0.5:
                continue
            request = backlog.begin(0)
            result = managed.results(request)[name]
            backlog.note_scanned(managed.missing)
            if isinstance(result, PlaylistUpdated):
                backlog.finish(name)
                again = managed.update(request.batch._replace(gone=frozenset(), moved=()), name)[name]
                changes = (again.is_changed, again.added, again.removed, again.renamed)
                assert changes == (False, 0, 0, 0), (seed, name, model.done)
                inodes = sorted((top / entry).stat().st_ino for entry in managed.entries(name))
                assert inodes == sorted({path.stat().st_ino for path in model.files()}), (seed, model.done)
            backlog.end(0)
        if model.chance.random() < 0.5:
            model.close()
        else:
            for _ in range(model.chance.randrange(1, 3)):
                model.act()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 300), marks=pytest.mark.slow)], ids=len)
def test_playlists_updated_at_different_times_all_have_the_right_tracks(
    tmp_path: Path, seeds: Sequence[int], new_state: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "read_all", read_here)
    for seed in seeds:
        new_state(seed)
        check_two_playlists(tmp_path / str(seed), seed)
