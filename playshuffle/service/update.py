"""A configuration and a batch of changes in; every playlist that they concern settled, and told of."""

import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from playshuffle.config.keys import in_keys
from playshuffle.config.load import Config, Reshuffle, Wanted
from playshuffle.dealing.amount import Amount
from playshuffle.dealing.describe import facts, stand
from playshuffle.dealing.period import Every, is_new
from playshuffle.errors import AwayError, Exit, PlayshuffleError, shown
from playshuffle.library.reader_pool import read_all
from playshuffle.library.scan import Progress
from playshuffle.library.walk import Changes, Dirty
from playshuffle.pipeline import run as pipeline
from playshuffle.pipeline.deal import Wish, deal
from playshuffle.pipeline.request import Report
from playshuffle.service.pass_process import Told, check_stop
from playshuffle.shuffle import System, chance
from playshuffle.system import sandbox
from playshuffle.watch.batch import Batch

_TELL_EVERY_S = 1.0
_NAMES = 100  # of each kind that are told


def settle(config: Config, began_s: int, batch: Batch, tell: Callable[[Told], None]) -> None:
    """Keep every playlist that the batch concerns; what comes of one does not touch the others.

    began_s: when the service was started, in seconds.
    """
    looked_at: list[tuple[bytes, bool]] = []
    for wanted in config.playlists:
        check_stop()
        if not _concerns(wanted, batch):
            continue
        request = wanted.request
        dirty = _dirty(batch)
        if all(_is_covered(root, request.ignore_files, looked_at) for root in request.roots):
            dirty = Dirty(frozenset())  # another playlist of this pass had it read
        changes = Changes(dirty, batch.gone, batch.moved, int(config.quiet_s * 0.9e9))
        telling = _Telling(wanted.name, tell)
        try:
            said = (
                _dealt(wanted, changes, telling) if wanted.deal else _kept(wanted, changes, began_s, telling)
            )
        except (PlayshuffleError, OSError) as error:  # a folder may go at any moment
            tell(_failed(wanted, error))
        else:
            tell(said)
            if request.tags and not telling.has_forgotten:  # else nothing is known to the next one
                looked_at += [(root, request.ignore_files) for root in request.roots]


def _kept(wanted: Wanted, changes: Changes, began_s: int, telling: "_Telling") -> Told:
    report = pipeline.keep(
        wanted.request,
        chance(wanted.request.seed),
        read_all,
        telling,
        changes,
        is_due=lambda drawn_s: _is_due(wanted.reshuffle, drawn_s, began_s),
    )
    return _done(wanted.name, report)


def _dealt(wanted: Wanted, changes: Changes, telling: "_Telling") -> Told:
    assert wanted.deal is not None
    amount = Amount(count=wanted.deal.size, time_ms=wanted.deal.time_ms)
    wish = Wish(wanted.request, amount, Every(wanted.deal.every))
    now = datetime.now().astimezone()
    dealt = deal(wish, now, System(), read_all, telling, changes)
    return _done(wanted.name, dealt.report) | {"deck": facts(dealt.deck), "stand": stand(dealt.deck)}


def _dirty(batch: Batch) -> Dirty | None:
    return None if batch.is_whole else Dirty(batch.folders, batch.trees)


def _concerns(wanted: Wanted, batch: Batch) -> bool:
    """Whether anything in a batch lies below one of the roots."""
    if wanted.deal is not None and wanted.deal.every == Every.RUN:
        return False  # that is dealt by whoever runs `deal`, and the service runs always
    if batch.is_whole:
        return True
    tops = tuple(root.rstrip(b"/") + b"/" for root in wanted.request.roots)
    return any(path.startswith(tops) for path in (*batch.folders, *batch.trees)) or any(
        top.startswith(tree) for top in tops for tree in batch.trees
    )


def _is_covered(root: bytes, ignore_files: bool, looked_at: Sequence[tuple[bytes, bool]]) -> bool:
    inside = root.rstrip(b"/") + b"/"
    return any(
        inside.startswith(other.rstrip(b"/") + b"/") and same == ignore_files for other, same in looked_at
    )


def _is_due(reshuffle: Reshuffle, drawn_s: int, began_s: int) -> bool:
    """Whether it is time for a new order; a clock that was set back makes none."""
    every = {Reshuffle.DAILY: Every.DAY, Reshuffle.WEEKLY: Every.WEEK}.get(reshuffle)
    if every is None:
        return reshuffle is Reshuffle.ON_START and drawn_s < began_s
    drawn, now = (datetime.fromtimestamp(at).astimezone() for at in (drawn_s, time.time()))
    return is_new(every, now, drawn.date())


class _Telling(Progress):
    """Tells the service that the pass moves on, and ends it where that is wanted."""

    def __init__(self, name: str, tell: Callable[[Told], None]) -> None:
        self._name = name
        self._tell = tell
        self._next_s = 0.0
        self.has_forgotten = False

    def finding(self, files: int) -> None:
        self._say(f"{files:,} files found")

    def forgotten(self) -> None:
        self.has_forgotten = True
        self._tell({"forgotten": True})

    def growing(self, paths: Sequence[bytes]) -> None:
        self._tell({"growing": sorted({os.fsdecode(path[: path.rfind(b"/") + 1]) for path in paths})})

    def reading(self, done: int, of: int) -> None:
        self._say(f"{done:,} of {of:,} files read")

    def _say(self, text: str) -> None:
        check_stop()
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _TELL_EVERY_S
            self._tell({"progress": f"{self._name}: {text}"})


def _failed(wanted: Wanted, error: PlayshuffleError | OSError) -> Told:
    away = None
    if isinstance(error, AwayError):
        away = os.fsdecode(error.path)
        text = (
            f"{error.said}. The playlist stays as it is until that is back; if it is gone for good, say"
            f" `playshuffle forget --away {wanted.name}`."
        )
    elif isinstance(error, OSError):
        text = f"{shown(error.filename or b'')}: {error.strerror}; it is tried again."
    else:
        text = in_keys(str(error))
    return {
        "playlist": wanted.name,
        "error": text,
        "code": int(error.code if isinstance(error, PlayshuffleError) else Exit.CANNOT_CREATE),
        "away": away,
        "is_shut": sandbox.came_late(os.path.dirname(wanted.request.output or b"")),
    }


def _written_s(path: bytes | None) -> float | None:
    try:
        return os.stat(path or b"").st_mtime
    except OSError:  # a list in parts
        return None


def _done(name: str, report: Report) -> Told:
    return {
        "playlist": name,
        "error": None,
        "tracks": report.count,
        "library": report.found,
        "order": report.order,
        "changed": report.is_changed,
        "written": _written_s(report.output),
        "came": report.came,
        "went": report.went,
        "renamed": report.renamed,
        "skipped": len(report.skipped) + len(report.unwritable),
        "unreadable": [[os.fsdecode(path), reason] for path, reason in sorted(report.unreadable)[:_NAMES]],
        "roots": [[os.fsdecode(root), tracks] for root, tracks in report.by_root],
        "notes": report.notes,
    }
