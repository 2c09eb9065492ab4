"""What a service does, in; one line in the log for each thing that happened, and its status, out."""

import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playshuffle import __version__
from playshuffle.config.load import Config
from playshuffle.errors import Exit, shown
from playshuffle.service import notify
from playshuffle.service.pass_process import Told
from playshuffle.service.running import Board
from playshuffle.watch.batch import Batch
from playshuffle.watch.coverage import Mode

_LOG = logging.getLogger(__name__)
_SCHEMA = 1

# What is found by these looks, no event had told.
_DRIFT = frozenset(("hourly", "lost", "resume"))


@dataclass(slots=True)
class _List:
    """What is known of a playlist."""

    output: str
    state: str = "waiting"
    error: str | None = None
    tracks: int | None = None
    library: int | None = None
    order: str | None = None
    last_write: float | None = None
    unreadable: dict[str, str] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    deck: Told | None = None
    stand: str | None = None


@dataclass(slots=True)
class _Root:
    """What is known of a root."""

    mode: Mode | None = None
    tracks: int | None = None
    last_reconcile: float | None = None
    drift: int = 0
    is_away: bool = False


class Ledger:
    """What happened, and how it stands.

    Args:
        config: what is kept. broken: of playlists that are not, why.
        board: where the status is told.
    """

    def __init__(self, config: Config, broken: Mapping[str, str], board: Board) -> None:
        self._board = board
        self._config = config
        self._began = time.time()
        self._batch = Batch()
        self._progress = ""
        self._lists = {one.name: _List(os.fsdecode(one.request.output or b"")) for one in config.playlists}
        self._roots = {root: _Root() for one in config.playlists for root in one.request.roots}
        for name, error in broken.items():
            self._lists[name] = _List("", "broken", error)
            _LOG.error("%s: %s", name, error)

    def began(self, batch: Batch) -> None:
        """A pass begins."""
        self._batch = batch
        if batch.why == "lost":
            _LOG.warning(
                "events were lost (a queue overflowed, or a file system went); looking at everything"
            )
        elif batch.why in ("resume", "mounts", "root"):
            why = {"resume": "the machine was asleep", "mounts": "the mount table changed"}
            _LOG.info("%s; looking at everything", why.get(batch.why, "a folder went or came"))

    def heard(self, told: Told) -> None:
        """A pass tells how far it is, or what came of a playlist."""
        if "progress" in told:
            self._progress = told["progress"]
            return
        known = self._lists[told["playlist"]]
        if told["error"] is None:
            self._kept(told["playlist"], known, told)
        else:
            self._failed(told["playlist"], known, told)

    def _kept(self, name: str, known: _List, told: Told) -> None:
        if known.error is not None:
            _LOG.info("%s: is kept again", name)
        known.state, known.error = "kept", None
        known.tracks, known.library, known.order = told["tracks"], told["library"], told["order"]
        known.last_write = told["written"]
        known.deck, known.stand = told.get("deck"), told.get("stand")
        if told["changed"]:
            _LOG.info(
                "%s: %s%s tracks -> %s", name, _changes(told), f"{told['tracks']:,}", shown(known.output)
            )
        # Where nothing was looked at, it is as it was.
        unreadable = {
            path: reason for path, reason in known.unreadable.items() if not _is_looked_at(path, self._batch)
        } | dict(told["unreadable"])
        for path, reason in unreadable.items():
            if known.unreadable.get(path) != reason:
                _LOG.warning("%s: %s: %s; what was there is kept as it was known", name, shown(path), reason)
        known.unreadable = unreadable
        for note in dict.fromkeys(told["notes"]):
            if note not in known.notes:
                _LOG.warning("%s: %s", name, note)
        known.notes = set(told["notes"])
        for path, tracks in told["roots"]:
            root = self._roots[os.fsencode(path)]
            root.tracks, root.is_away = tracks, False
            if self._batch.is_whole:
                root.last_reconcile = time.time()
            if self._batch.why in _DRIFT:
                root.drift += told["came"] + told["went"] + told["renamed"]

    def _failed(self, name: str, known: _List, told: Told) -> None:
        if told["error"] != known.error:
            _LOG.log(
                logging.WARNING if told["code"] == Exit.AWAY else logging.ERROR, "%s: %s", name, told["error"]
            )
        known.error = told["error"]
        known.state = {Exit.AWAY: "away", Exit.NOTHING_TO_PLAY: "nothing to play"}.get(told["code"], "error")
        for path, root in self._roots.items():
            if told["away"] is not None and (os.fsencode(told["away"]).rstrip(b"/") + b"/").startswith(
                path + b"/"
            ):
                root.is_away = True

    def ended(self, code: int) -> bool:
        """A pass has ended; whether all went well."""
        self._progress = ""
        if code:
            how = f"by signal {-code}" if code < 0 else f"with code {code}"
            _LOG.error("a pass ended %s before it was done; it is tried again", how)
        return code == 0 and all(one.error is None for one in self._lists.values() if one.state != "broken")

    @property
    def has_unreadable(self) -> bool:
        """Whether there is anything that could not be read when it was last looked at."""
        return any(one.unreadable for one in self._lists.values())

    def watched(self, modes: Sequence[Mode]) -> None:
        """How the roots are watched."""
        for mode in modes:
            known = self._roots[mode.root]
            before, known.mode = known.mode, mode
            if before is None or _kind(before) != _kind(mode):
                level = logging.INFO if mode.how == "events" else logging.WARNING
                advice = f"; {mode.advice}" if mode.advice else ""
                kind = f", {mode.kind}" if mode.kind else ""
                _LOG.log(level, "watching %s: %s%s%s", shown(mode.root), mode, kind, advice)

    def tell(self, *, is_busy: bool) -> None:
        """Have the status where everybody may see it."""
        self._board.tell(self._status())
        notify.status(self._words(is_busy=is_busy))

    def _words(self, *, is_busy: bool) -> str:
        if is_busy and self._progress:
            return f"scanning: {self._progress}"
        away = [shown(path) for path, root in self._roots.items() if root.is_away or _is_gone(root)]
        if away:
            return f"away: {', '.join(away)}"
        errors = [f"{name}: {one.error}" for name, one in self._lists.items() if one.error]
        if errors:
            return shown(errors[0])
        polled = [
            f"{shown(path)}: {root.mode}"
            for path, root in self._roots.items()
            if root.mode is not None and root.mode.how != "events"
        ]
        tracks = ", ".join(
            f"{name} {one.tracks:,}" for name, one in self._lists.items() if one.tracks is not None
        )
        return "; ".join([f"kept: {tracks}" if tracks else "starting", *polled])

    def _status(self) -> dict[str, Any]:
        return {
            "schema": _SCHEMA,
            "playshuffle": __version__,
            "process": os.getpid(),
            "config": os.fsdecode(self._config.path) if self._config.path is not None else None,
            "since": round(self._began),
            "roots": [_root_status(path, root) for path, root in self._roots.items()],
            "playlists": [
                {
                    "name": name,
                    "output": one.output,
                    "state": one.state,
                    "tracks": one.tracks,
                    "library": one.library,
                    "order": one.order,
                    "last_write": one.last_write and round(one.last_write),
                    "last_error": one.error,
                    "unreadable": [
                        f"{shown(path)}: {reason}" for path, reason in sorted(one.unreadable.items())
                    ],
                    "deck": one.deck,
                    "stand": one.stand,
                }
                for name, one in self._lists.items()
            ],
        }


def _is_looked_at(path: str, batch: Batch) -> bool:
    """Whether a folder, which has a slash at its end, or that which something is in, was read again."""
    folder = os.fsencode(path[: path.rfind("/") + 1])
    return batch.is_whole or folder in batch.folders or folder.startswith(tuple(batch.trees))


def _kind(mode: Mode) -> str:
    """How a root is watched, whatever the numbers: they may change each time."""
    return re.sub(r"\d+", "", str(mode))


def _is_gone(root: _Root) -> bool:
    return root.mode is not None and root.mode.how == "away"


def _root_status(path: bytes, root: _Root) -> dict[str, Any]:
    mode = root.mode or Mode(path, "away", "not looked at yet")
    return {
        "root": os.fsdecode(path),
        "state": "away" if root.is_away or _is_gone(root) else "here",
        "file_system": mode.kind,
        "watched": str(mode),
        "advice": mode.advice,
        "folders": mode.folders,
        "watches": mode.watches,
        "tracks": root.tracks,
        "last_event": mode.last_event and round(mode.last_event),
        "last_reconcile": root.last_reconcile and round(root.last_reconcile),
        "drift": root.drift,
    }


def _changes(told: Told) -> str:
    said = [
        f"{told[what]:,} {word}"
        for what, word in (("came", "came"), ("went", "went"), ("renamed", "renamed"))
        if told[what]
    ]
    return f"{', '.join(said)}; " if said else ""
