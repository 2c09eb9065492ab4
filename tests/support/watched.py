"""Take batches from a watch, with a deadline for each."""

import time
from collections.abc import Callable, Iterator, Sequence

from playshuffle.watch.debounce import Batch
from playshuffle.watch.watcher import Watch

PATIENCE_S = 300.0  # on a busy machine


class Watched:
    """Reads the batches of an active watch, each with a deadline."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self._batches = watch.batches()
        self.first = self.next()

    def within(self, seconds: float) -> Iterator[Batch]:
        """Yield the batches that come within a time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            batch = next(self._batches)
            if batch is not None:
                yield batch

    def next(self, is_wanted: Callable[[Batch], bool] = lambda _: True) -> Batch:
        """Return the next wanted batch."""
        return self.until(lambda batches: is_wanted(batches[-1]))[-1]

    def until(self, is_enough: Callable[[Sequence[Batch]], bool]) -> list[Batch]:
        """Return the next batches, until they are enough."""
        batches = []
        for batch in self.within(PATIENCE_S):
            batches.append(batch)
            if is_enough(batches):
                return batches
        raise AssertionError(batches)

    def whole(self, *whys: str) -> Batch:
        """Return the next full scan for one of these reasons."""
        return self.next(lambda batch: batch.is_full_scan and batch.why in whys)

    def reports(self, *paths: bytes) -> bool:
        """Return whether batches before the deadline cover all paths."""
        missing = set(paths)
        for batch in self.within(PATIENCE_S):
            missing = {path for path in missing if not covers(batch, path)}
            if not missing:
                return True
        return False


def covers(batch: Batch, path: bytes) -> bool:
    """Return whether a batch rescans the folder of a file."""
    folder = path.rpartition(b"/")[0] + b"/"
    return (
        batch.is_full_scan or folder in batch.folders or any(folder.startswith(tree) for tree in batch.trees)
    )
