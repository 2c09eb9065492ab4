"""Open a session: find and read the tracks of a request, and lock its playlist until the end."""

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from playshuffle.errors import MissingError, PlayshuffleError, shown
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Skipped
from playshuffle.library.identity import Remembered
from playshuffle.library.missing import Root, root_user_notes
from playshuffle.library.scan import Library
from playshuffle.library.tracks import Tracks
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.groups import TagsOf
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.choice import Choice, NothingMatchesError, choose
from playshuffle.pipeline.deck_history import load_history
from playshuffle.pipeline.entry_writer import EntryWriter, entry_writer
from playshuffle.pipeline.most_per_tag import Draw
from playshuffle.pipeline.presence import (
    check_deal_source,
    check_own_list,
    expected_tracks,
    nothing_to_play,
    present_roots,
    reachable_roots,
    renamed_tracks,
    root_lookup,
)
from playshuffle.pipeline.report import Report, build_report, checked_losses
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.request_pins import recipe_with_pins
from playshuffle.pipeline.sources import Tools, last_tracks, scan, skip_lists
from playshuffle.pipeline.tag_rows import rows_of, tags_from
from playshuffle.pipeline.target import Target
from playshuffle.playlist import parts
from playshuffle.shuffle import RandBelow
from playshuffle.store.state import Seen, State
from playshuffle.system import atomic_file


class OrderRecord(NamedTuple):
    """An order, as it is remembered.

    order: the order, with the tracks of it that have disappeared. digest: of its paths.
    drawn_s: when it was drawn, in Unix seconds.
    is_known: the same order is remembered already.
    """

    digest: bytes
    order: Remembered
    drawn_s: int
    is_known: bool = False


class Session(NamedTuple):
    """The tracks of a request, the playlist to write, and its stored history.

    target: None if no file is asked for. roots: those that are present. missing: an error for
        each of the others.
    history: the `DeckHistory` of a deal, else None. No string annotation, which `typing` would compile.
    choice: which tracks are chosen.
    tracks: those of them that can be written; unwritable: the others. recipe: with its pins resolved.
    """

    request: Request
    state: State
    target: Target | None
    library: Library
    roots: list[Root]
    missing: list[MissingError]
    history: object
    writer: EntryWriter
    choice: Choice
    tracks: Tracks
    unwritable: list[Skipped]
    tags_of: TagsOf | None
    recipe: Recipe

    def report(self, arranged: Arranged, notes: Sequence[str] = ()) -> Report:
        """Make the playlist of an order, and a report of it."""
        report = build_report(
            self.request,
            self.library,
            self.choice,
            self.target,
            self.writer,
            self.tracks,
            self.unwritable,
            arranged,
        )
        return report._replace(notes=notes)

    def check_losses(self, arranged: Arranged) -> None:
        """Check that the player would lose no track of an order, if the request is strict.

        Raises:
            PlayshuffleError: it would.
        """
        checked_losses(self.request, self.writer, self.tracks, self.unwritable, arranged)

    def replace(self, report: Report, record: OrderRecord) -> Report:
        """Remember the order, then replace the playlist: both or neither.

        Raises:
            PlayshuffleError: the playlist is its own source, and would lose entries.
        """
        target = self.target
        check_own_list(self.request, target, self.library.skipped, report.paths())
        if target is None or not self.request.writes:
            return self.finish(report, is_changed=False)
        with parts.prepared(target.path, report.text, force=self.request.force) as ready:
            seen = Seen(record.digest, report.text.fingerprint, report.playlist_length, record.drawn_s)
            if not record.is_known or target.last != seen:
                self.state.remember(target.path, seen, target.last, record.order, self.roots)
            else:  # the folders may have changed beside the tracks of this playlist
                self.state.remember_roots(target.path, self.roots)
            is_changed = ready.replace()
        return self.finish(report, is_changed=is_changed)

    def finish(self, report: Report, *, is_changed: bool) -> Report:
        """Return the report with all that is known at the end."""
        notes = [*report.notes, *root_user_notes(self.request.roots), *self.state.notes]
        notes += self.target.notes if self.target is not None else []
        notes += [f"{each.problem} Its last content counts." for each in self.choice.lists if each.problem]
        notes += [
            f"No entry of the skip list {shown(path)} is a track of this library. Check its paths:"
            f" playshuffle check {shown(path)}"
            for path in self.choice.idle_lists
        ]
        notes += [f"{error.summary}. Its tracks are skipped until it is back." for error in self.missing]
        by_root = [(root.path, root.tracks) for root in self.roots if not root.path.endswith(b"/")]
        return report._replace(is_changed=is_changed, by_root=by_root, notes=notes)


@contextmanager
def open_session(
    request: Request,
    tools: Tools,
    changes: Changes = EVERYWHERE,
    *,
    deals: bool = False,
    must_remember: bool = False,
    keeps_choice_from_s: float = math.inf,
) -> Iterator[Session]:
    """Find and read the tracks; until the end no other playshuffle writes this playlist.

    Args:
        request: the playlist.
        tools: what to work with.
        changes: what to look at again.
        deals: load the deck of the playlist instead of its last order, and pass over roots that
            are missing, as long as one is present.
        must_remember: raise an error if the state cannot be written; a deal always does.
        keeps_choice_from_s: under the limit of `--most`, keep the tracks of a last order that was drawn
            at this time (Unix seconds) or later.

    Raises:
        PlayshuffleError: there is nothing to play, nothing can be remembered, a drive is missing, or
            the playlist must not be written.
    """
    must_remember |= deals and request.writes
    with (
        State(writes=request.writes, must_remember=must_remember) as state,
        Cache() if request.tags else nullcontext() as cache,
    ):
        root_of = root_lookup(request, state)
        roots, missing = reachable_roots(request.roots if request.files is None else (), root_of)
        if missing and not (deals and roots):
            raise missing[0]
        target = Target(request.output, state, force=request.force) if request.output is not None else None
        folder = target.check_drive(allow_shrink=request.allow_shrink) if target is not None else []
        version = _version(state, target)
        library = scan(request, roots, cache, tools, changes)
        # From the look at the last order to the end nobody else may write a new one.
        with locked(state, target.path) if target is not None and request.writes else nullcontext():
            if _version(state, target) != version:  # another process wrote, and may have seen more
                library = scan(request, roots, cache, tools, changes._replace(dirty=None))
            writer = entry_writer(request, target, library.tracks.folders)
            history = None
            if deals:
                assert target is not None, "a deck belongs to a file"

                check_deal_source(request, target)
                is_whole = request.allow_shrink or not missing
                history = load_history(state, target, library.tracks, changes, is_whole=is_whole)
            elif target is not None:
                target.find_last_order()
            expected = None if request.allow_shrink else expected_tracks(target, history, library.tracks)
            renamed = renamed_tracks(target, library.tracks, changes) if expected else ()
            present, gone = present_roots(roots, library, root_of, expected, changes.gone, renamed)
            missing = [] if request.allow_shrink else missing + gone
            if missing and not (deals and len(library.tracks)):
                raise missing[0]
            if not len(library.tracks):
                raise nothing_to_play(request.roots, library.skipped + library.unreadable)
            tag_rows = rows_of(cache, tools.read_all, tools.tags) if cache is not None else None
            lists = skip_lists(request, state, target)
            drawn_s = target.last.shuffled_s if target is not None and target.last is not None else 0
            drawn_before = target if drawn_s >= keeps_choice_from_s else None
            draw = None if deals else _draw(request, writer, tools.randbelow, drawn_before, changes)
            last = last_tracks(target, history) if request.dedupe is not None else ()
            choice = choose(request, library.tracks, tag_rows, lists, last, draw)
            history = history and history.with_copies(choice.kept)
            tracks, unwritable = writer.writable(choice.tracks, any_name=request.any_name)
            if not len(tracks):
                raise _nothing_left(roots, missing, choice, unwritable)
            if cache is not None and not missing:
                cache.keep((), library.gone)
            if history is not None and target is not None and request.writes:
                history = history.confirmed(state, target)
            yield Session(
                request=request,
                state=state,
                target=target,
                library=library,
                roots=present + folder,
                missing=missing,
                history=history,
                writer=writer,
                choice=choice,
                tracks=tracks,
                unwritable=unwritable,
                tags_of=tags_from(tag_rows) if tag_rows is not None else None,
                recipe=recipe_with_pins(request, choice, tracks),
            )


def _draw(
    request: Request, writer: EntryWriter, randbelow: RandBelow, target: Target | None, changes: Changes
) -> Draw | None:
    if request.most is None:
        return None

    return Draw(writer, randbelow, target, changes)


def _nothing_left(
    roots: Sequence[bytes], missing: Sequence[MissingError], choice: Choice, unwritable: Sequence[Skipped]
) -> PlayshuffleError:
    """Return the error for folders without any track left."""
    if missing:
        return missing[0]
    return nothing_to_play(roots, unwritable) if unwritable else NothingMatchesError(choice)


def _version(state: State, target: Target | None) -> object:
    """Return a value that changes whenever a process remembers something of the playlist."""
    return None if target is None else (state.seen(target.path), state.deck_version(target.path))


@contextmanager
def locked(state: State, path: bytes) -> Iterator[None]:
    """Keep all others from writing this playlist: of this user, and of any other."""
    folder, name = os.path.split(path)
    with state.locked(), atomic_file.held(folder):
        for litter in (name, *map(os.path.basename, parts.existing(path))):
            atomic_file.sweep(folder, litter)
        yield
