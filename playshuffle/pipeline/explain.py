"""Explain why a file is or is not in a playlist.

The entries of the playlist show whether it has the file; the stages of a run show why.
"""

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from playshuffle.dealing.amount import DealSettings
from playshuffle.dealing.deck import Deck
from playshuffle.dealing.heard import why_dealt
from playshuffle.errors import shown
from playshuffle.library import ignore_files
from playshuffle.library.listing import is_audio_name
from playshuffle.pipeline.deal import with_heard
from playshuffle.pipeline.open_library import OpenLibrary
from playshuffle.pipeline.open_playlist import open_playlist
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.run import Run
from playshuffle.pipeline.tools import Tools
from playshuffle.selection.findings import Finding
from playshuffle.store.records import SavedDeck, last
from playshuffle.system import atomic_file
from playshuffle.tags import cause
from playshuffle.tags.cause import FOLDER, IGNORED, NAME, NO_FILE, NOT_AUDIO_NAME, WHERE, Cause
from playshuffle.text import short

IN, GROWING, SKIPPED = "in", "growing", "skipped"
MISSING_DRIVE, OUTSIDE, NOT_LISTED = "missing_drive", "outside", "not_listed"
LIMIT, DEALT, UPCOMING, NOT_WRITTEN = "limit", "dealt", "upcoming", "not_written"

_NOT_IN_FILE = "not in this file. The options that it was written with are not known"

# Codes of causes that are the same for users.
_CODES = {
    cause.APPLE_DOUBLE: cause.HIDDEN,
    cause.SYSTEM_FOLDER: cause.HIDDEN,
    cause.TEMPORARY: cause.HIDDEN,
    cause.MARKED: cause.IGNORED,
    cause.NOT_AUDIO_NAME: cause.NOT_AUDIO,
    cause.EMPTY: cause.NOT_AUDIO,
    cause.FOLDER: cause.NOT_AUDIO,
    cause.DANGLING: cause.NO_FILE,
    cause.SYSTEM_ERROR: cause.UNREADABLE,
    cause.TWIN: NAME,
}


class Reason(NamedTuple):
    """Why a file is in a playlist, or not.

    Attributes:
        code: the reason in JSON; IN for a file in the playlist.
        file: path of the skip list or other file that is the cause.
    """

    code: str
    text: str
    terms: tuple[Finding, ...] = ()
    file: str = ""


class PlaylistStages(NamedTuple):
    """The result of the stages of a run for the files of one playlist.

    Attributes:
        entries: maps each path in the playlist file to its position, from 0.
        indices: maps the path of each found track to its index.
        positions: maps indices to positions in the last order; None for a deck.
        drawn_s: when the order was drawn (Unix seconds).
        dealt: maps the indices of tracks dealt in this round to texts.
        upcoming: maps the indices of upcoming tracks to positions.
    """

    run: Run
    entries: dict[bytes, int]
    indices: dict[bytes, int]
    skipped: dict[bytes, Cause]
    positions: dict[int, int] | None
    drawn_s: int
    dealt: dict[int, str]
    upcoming: dict[int, int]
    last_deal: str
    next_run: str

    @property
    def has_options(self) -> bool:
        """Return whether the folders and options of the playlist are known."""
        return bool(self.run.request.roots)

    def path_of(self, path: bytes) -> bytes:
        """Return the path that the playlist has for a file, whose folders may be links."""
        if path in self.entries or path in self.indices or path in self.skipped:
            return path
        real = os.path.realpath(path)
        for root in self.run.request.roots:
            top = os.path.join(os.path.realpath(root), b"")
            if real.startswith(top):
                return os.path.join(root, real[len(top) :])
        return path

    def explain(self, path: bytes) -> Reason:
        path = self.path_of(path)
        if path in self.entries:
            return Reason(IN, self._position(path), self._terms(path))
        return self._why_not(path)._replace(terms=self._terms(path))

    def _terms(self, path: bytes) -> tuple[Finding, ...]:
        index = self.indices.get(path)
        return () if index is None else tuple(self.run.choice.terms(index))

    def _position(self, path: bytes) -> str:
        index, root = self.indices.get(path), self._missing_root(path)
        text = f"position {self.entries[path] + 1:,} of {len(self.entries):,}"
        text += ", pinned" if any(pin.track_index == index for pin in self.run.choice.pins) else ""
        text += f", {self.last_deal}" if self.last_deal else ""
        text += f", waits for {shown(root)}" if root is not None else ""
        reason = self._stage(path) if self.has_options else None
        if reason is None:
            return text
        if not self.run.choice.remaining:
            return f"{text}; it stays, because no update is written: no track would be left"
        return f"{text}; {self.next_run} removes it: {reason.text}"

    def _missing_root(self, path: bytes) -> bytes | None:
        """Return the innermost missing root that has a track, if any."""
        index, waiting = self.indices.get(path), self.run.library.waiting
        return max((root for root, indices in waiting.items() if index in indices), key=len, default=None)

    def _why_not(self, path: bytes) -> Reason:
        if (reason := self._stage(path)) is not None:
            return reason
        index, root = self.indices.get(path, -1), self._missing_root(path)
        if root is not None:
            return Reason(MISSING_DRIVE, f"waits for {shown(root)}: {self.run.library.missing[root].why}")
        if index in self.dealt:
            return Reason(DEALT, self.dealt[index])
        if index in self.upcoming:
            ahead = f"{self.upcoming[index] + 1:,} of {len(self.upcoming):,}"
            return Reason(UPCOMING, f"still to be dealt in this round: track {ahead}")
        recipe = self.run.request.recipe
        is_limited = bool(recipe.limit or recipe.time_ms or recipe.size)
        if is_limited and self.positions is not None and index in self.positions:
            return Reason(LIMIT, f"position {self.positions[index] + 1:,}, after the end of the playlist")
        return Reason(NOT_WRITTEN, self._not_written())

    def _not_written(self) -> str:
        if self.run.file is None or not self.run.file.exists:
            return "the playlist does not exist yet"
        if not self.run.choice.remaining:
            return "new, but no update is written: no track would be left"
        # A deck may deal it later. Under the limit of `--most`, another track may be drawn in its place.
        is_certain = self.positions is not None and self.run.request.most is None
        verb = "adds" if is_certain else "may add"
        return f"not in the playlist as it is; {self.next_run} {verb} it"

    def _stage(self, path: bytes) -> Reason | None:
        index = self.indices.get(path)
        if index is None:
            return self._not_found(path)
        left_out = self.run.choice.why_not(index)
        if left_out is not None and index not in self.run.choice.drawn_out:
            reason = _reason(left_out)
            if reason.code == NAME:
                return reason._replace(text=f"the player would lose it: {reason.text}")
            if reason.code == WHERE:
                passing = [f"{short(term.text)} holds" for term in self._terms(path) if term.holds]
                return reason._replace(text="; ".join([reason.text, *passing]))
            return reason
        return None

    def _not_found(self, path: bytes) -> Reason:
        if (reason := self._not_reached(path)) is not None:
            return reason
        if path in self.run.library.growing:
            return Reason(GROWING, "still being written; it is added when it is complete")
        for above in _with_parents(path):
            if above in self.skipped:
                return self._skipped(path, above)
        return _of_file(path)

    def _not_reached(self, path: bytes) -> Reason | None:
        for error in self.run.library.missing.values():
            if path.startswith(error.path.rstrip(b"/") + b"/"):
                return Reason(MISSING_DRIVE, error.summary)
        files, roots = self.run.request.files, self.run.request.roots
        if files is not None:
            return None if path in files else Reason(NOT_LISTED, "not in the list")
        if not self.has_options:
            return Reason(NOT_LISTED, _NOT_IN_FILE) if os.path.lexists(path) else None
        is_below = any(path.startswith(os.path.join(root, b"")) for root in roots)
        if is_below or not os.path.lexists(path):
            return None if is_below else _reason(Cause(NO_FILE))
        return Reason(OUTSIDE, "outside of the folders")

    def _skipped(self, path: bytes, above: bytes) -> Reason:
        reason = self.skipped[above]
        line = None
        if reason.code == IGNORED:
            line = ignore_files.deciding_line(self.run.request.roots, above) or str(reason)
        text = str(reason) if line is None else f"ignored: {line}"
        folder = f" (its folder {shown(above)})" if above.rstrip(b"/") != path else ""
        return _reason(reason)._replace(text=text + folder)


def playlist_stages(opened: OpenLibrary, request: Request, tools: Tools, next_run: str) -> PlaylistStages:
    """Run the stages for a playlist, and write nothing. The result is valid while the library is open.

    If the request has no folders, only the entries of the file are known. `next_run` is text such as "the
    next update".

    Raises:
        PlayshuffleError: a folder never existed.
    """
    request = request._replace(dry_run=True, options=request.options._replace(force=True), redraw_before_s=0)
    if isinstance(last(opened.state, atomic_file.resolved(request.output or b"")), SavedDeck):
        request = request._replace(deal=request.deal or DealSettings())
    with open_playlist(opened, request, tools) as run:
        library, file = run.library, run.file
        deck = Deck() if run.record.deck is None else with_heard(run)
        patience = (request.deal or DealSettings()).patience
        order = run.record.order
        return PlaylistStages(
            run=run,
            entries={path: row for row, path in enumerate(file.entries())} if file is not None else {},
            indices={path: index for index, path in enumerate(library.tracks.paths)},
            skipped=dict((*library.unreadable, *library.skipped)),
            positions=None
            if request.deal is not None
            else _positions(order.present_then if order is not None else ()),
            drawn_s=order.drawn_s if order is not None else 0,
            dealt=dict(why_dealt(deck, patience)),
            upcoming=_positions(deck.upcoming),
            last_deal=f"deal {deck.deal.number:,} of round {deck.deal.round:,}"
            if deck.deal is not None and deck.has_deal
            else "",
            next_run=next_run,
        )


def _reason(why: Cause) -> Reason:
    return Reason(_CODES.get(why.code, why.code), str(why), file=why.file)


def _positions(indices: Iterable[int]) -> dict[int, int]:
    return {index: position for position, index in enumerate(indices) if index >= 0}


def _of_file(path: bytes) -> Reason:
    if not os.path.lexists(path):
        return _reason(Cause(NO_FILE))
    if os.path.isdir(path):
        return _reason(Cause(FOLDER))
    if not is_audio_name(os.path.basename(path)):
        return _reason(Cause(NOT_AUDIO_NAME))
    return Reason(SKIPPED, "not found by the scan")


def _with_parents(path: bytes) -> Iterator[bytes]:
    while len(path) > 1:
        yield path
        yield path + b"/"
        path = os.path.dirname(path)
