"""Test that updates which look at some folders only, or leave files for later, keep all positions.

Files are retagged and moved between folders, an update sees some of it, and the next one all.
"""

import os
import random
from pathlib import Path

import pytest

from playshuffle.dealing.period import Every
from playshuffle.library.walk import EVERYWHERE, Changes, Dirty
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.playlist.m3u import PathStyle
from tests.support.library import deal, entries, keep, tools
from tests.support.music import Music
from tests.support.promises import Round

_LONG_NS = 3_600_000_000_000


class _Model:
    def __init__(self, top: Path, seed: int) -> None:
        self._chance = random.Random(seed)
        self._music = Music(top, self._chance, 60)
        self._top = top
        self._deals = Round()
        keep(self._request("kept"), self._tools())
        self._deal(Every.WEEK)
        self._order = self._numbers("kept")

    def step(self) -> None:
        """Change the library, update for a part of it, then for all; only names of entries may change."""
        music = self._music
        acts = [music.swap, music.retag_and_swap, music.chain, music.renumber, music.import_files,
                music.rename_files, music.rename_folder, music.retag]  # fmt: skip
        chosen = self._chance.choices(acts, k=self._chance.randrange(1, 4))
        before = {path.parent for path in music.paths}
        for act in chosen:
            act()
        folders = sorted(before | {path.parent for path in music.paths})
        seen = self._chance.sample(folders, self._chance.randrange(len(folders) + 1))
        dirty = Dirty(frozenset(bytes(folder) + b"/" for folder in seen))
        still_ns = self._chance.choice([0, _LONG_NS])
        for changes in (Changes(dirty, still_ns=still_ns), EVERYWHERE):
            keep(self._request("kept"), self._tools(), changes)
            deal(self._request("dealt"), self._tools(), 7, Every.WEEK, changes=changes)
        where = [act.__name__ for act in chosen]
        assert self._numbers("kept") == self._order, where
        self._deal(Every.RUN)

    def _deal(self, every: Every) -> None:
        deal(self._request("dealt"), self._tools(), 7, every)
        assert self._deals.add(self._numbers("dealt"), [*self._music.tracks]) == []

    def _numbers(self, name: str) -> list[int]:
        number_of = {str(path): number for path, number in self._music.paths.items()}
        return [number_of[entry] for entry in entries(self._request(name))]

    def _request(self, name: str) -> Request:
        roots = tuple(os.fsencode(root) for root in self._music.roots)
        return Request(roots, os.fsencode(self._top / f"{name}.m3u"), Recipe(), style=PathStyle.ABSOLUTE)

    def _tools(self) -> Tools:
        return tools(seed=str(self._chance.random()))


@pytest.mark.parametrize("seed", range(4))
def test_updates_of_only_some_of_the_changed_folders_keep_all_positions(tmp_path: Path, seed: int) -> None:
    model = _Model(tmp_path, seed)
    for _ in range(12):
        model.step()
