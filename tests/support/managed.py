"""Update playlists as the service does, in this process."""

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from playshuffle.config.build_request import build_request
from playshuffle.config.model import Config, ConfiguredPlaylist
from playshuffle.dealing.amount import DealSettings
from playshuffle.options.table import Options
from playshuffle.service import update
from playshuffle.service.update_protocol import (
    LibraryScanned,
    Message,
    PlaylistFailed,
    PlaylistUpdated,
    UpdateRequest,
    pack,
    unpack,
)
from playshuffle.system.clock import Began
from playshuffle.tags.reading import Reading
from playshuffle.watch.debounce import Batch
from tests.support.library import read_here
from tests.support.program import listed

START = Batch(is_full_scan=True, why="start")
WHOLE = Batch(is_full_scan=True, why="hourly")

Result = PlaylistUpdated | PlaylistFailed


class Managed:
    """Playlists in a folder, of a service that was started at `began_s`.

    Attributes:
        read: paths of all files whose tags were read.
        missing: roots that seemed to be missing at the last update.
    """

    def __init__(self, top: Path) -> None:
        self.top = top
        self.config = Config(None, (), settle_s=0)
        self.began_s = 0
        self.read: list[bytes] = []
        self.missing: Collection[bytes] = ()

    def read_all(self, paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        self.read += paths
        return read_here(paths)

    def manage(self, name: str, *folders: Path, deal: DealSettings | None = None, **options: Any) -> None:
        asked = Options(**{"folders": tuple(map(str, folders)), "output": str(self.file(name)), **options})
        playlist = ConfiguredPlaylist(name, build_request(asked)._replace(deal=deal))
        self.config = self.config._replace(playlists=(*self.config.playlists, playlist))

    def messages(self, batch: Batch, *names: str) -> dict[str, Result]:
        """Update some playlists, or all, for a batch; return each result."""
        names = names or tuple(playlist.name for playlist in self.config.playlists)
        return self.results(UpdateRequest(frozenset(names), batch))

    def results(self, request: UpdateRequest) -> dict[str, Result]:
        """Run an update; return the result for each playlist."""
        messages: list[Message] = []
        update.update(self.config, Began(self.began_s), unpack(pack(request)), messages.append)
        results = [
            unpack(pack(each)) for each in messages if isinstance(each, (PlaylistUpdated, PlaylistFailed))
        ]
        (scanned,) = [each for each in messages if isinstance(each, LibraryScanned)]
        self.missing = scanned.missing
        return {result.playlist: result for result in results}

    def update(self, batch: Batch, *names: str) -> dict[str, PlaylistUpdated]:
        """Update some playlists, or all, without an error."""
        updated = {}
        for name, message in self.messages(batch, *names).items():
            assert isinstance(message, PlaylistUpdated), message
            updated[name] = message
        return updated

    def file(self, name: str) -> Path:
        return self.top / f"{name}.m3u"

    def entries(self, name: str) -> list[str]:
        return listed(self.file(name))


def event_in(*folders: Path) -> Batch:
    return Batch(frozenset(os.fsencode(folder) + b"/" for folder in folders))
