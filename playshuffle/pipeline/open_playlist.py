"""Open a playlist over an open library: lock it, read its record, and choose its tracks."""

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from playshuffle.errors import MissingError, shown
from playshuffle.library.folder import Skipped
from playshuffle.library.missing import root_user_notes
from playshuffle.library.scan import Library
from playshuffle.library.tracks import Tracks
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.groups import TagsOf
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.choice import Choice, NothingMatchesError, choose
from playshuffle.pipeline.deck_record import DeckRecord, load_deck
from playshuffle.pipeline.entry_writer import EntryWriter, entry_writer
from playshuffle.pipeline.most_per_tag import Draw
from playshuffle.pipeline.open_library import OpenLibrary, open_library
from playshuffle.pipeline.presence import check_deal_source, check_files, check_own_list, nothing_to_play
from playshuffle.pipeline.report import Report, build_report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.request_pins import recipe_with_pins
from playshuffle.pipeline.skip_lists import SkipList, read_skip_lists
from playshuffle.pipeline.tag_rows import rows_of, tags_from
from playshuffle.pipeline.target import Target
from playshuffle.pipeline.tools import Tools
from playshuffle.playlist import parts
from playshuffle.store import skip_lists as saved_skip_lists
from playshuffle.store.state import SavedOrder
from playshuffle.system import atomic_file
from playshuffle.text import counted


class Run(NamedTuple):
    """One playlist, opened.

    target: its file; None if none is written. choice: which tracks of its folders are chosen.
    tracks: those of them that can be written; unwritable: the others.
    recipe: with its pins resolved to indices of `tracks`.
    last: the last order; None if there is none, and for a deck.
    deck: the record of the deck; None if the playlist is not dealt.
    """

    request: Request
    tools: Tools
    opened: OpenLibrary
    target: Target | None
    writer: EntryWriter
    choice: Choice
    tracks: Tracks
    unwritable: list[Skipped]
    tags_of: TagsOf | None
    recipe: Recipe
    last: SavedOrder | None
    deck: DeckRecord | None

    @property
    def library(self) -> Library:
        """Return all tracks of its folders."""
        return self.opened.library(self.request)

    @property
    def file(self) -> Target:
        """Return the playlist file, of a playlist that has one."""
        assert self.target is not None, "this playlist is a file"
        return self.target

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

    def write(self, report: Report, save: Callable[[str], object]) -> Report:
        """Remember the order or the deck, then replace the playlist: both or neither.

        Args:
            report: has the text of the playlist.
            save: stores what is to be remembered; called with the stamp of the file as it will be.

        Raises:
            PlayshuffleError: the playlist is its own source, and would lose entries; or state or file
                cannot be written.
        """
        check_own_list(self.request, self.target, report)
        if self.target is None or not self.request.writes:
            return self.finish(report, is_changed=False)
        with parts.prepared(self.target.path, report.text, force=self.request.force) as ready:
            self.opened.state.save_output_mounts(self.target.path, self.target.mounts)
            save(ready.stamp)
            is_changed = ready.replace()
        return self.finish(report, is_changed=is_changed)

    def write_order(
        self, report: Report, numbers: "array[int]", absent: Sequence[tuple[int, int]], drawn_s: int
    ) -> Report:
        """Remember an order, then replace the playlist: both or neither.

        Args:
            report: has the text of the playlist.
            numbers: of the tracks in order, the absent ones among them.
            absent: number of each absent track, and since when it is absent (Unix seconds).
            drawn_s: when the order was drawn (Unix seconds).
        """

        def save(stamp: str) -> None:
            order = SavedOrder(
                numbers,
                dict(absent),
                report.playlist_length,
                drawn_s,
                report.text.fingerprint,
                self.tracks.digest,
                stamp,
                self.request.options,
            )
            if order != self.file.last:
                self.opened.state.save_order(self.file.path, order, self.file.last)

        return self.write(report, save)

    def finish(self, report: Report, *, is_changed: bool) -> Report:
        """Return the report with all that is known at the end."""
        notes = [*report.notes, *root_user_notes(self.request.roots), *self.opened.state.notes]
        notes += self.target.notes if self.target is not None else []
        notes += [f"{each.problem} Its last content counts." for each in self.choice.lists if each.problem]
        notes += [
            f"No entry of the skip list {shown(path)} is a track of this library. Check its paths:"
            f" playshuffle check {shown(path)}"
            for path in self.choice.idle_lists
        ]
        notes += [self._waiting_note(root, error) for root, error in self.library.missing.items()]
        by_root = list(self.library.roots.items())
        return report._replace(is_changed=is_changed, by_root=by_root, notes=notes)

    def _waiting_note(self, root: bytes, error: MissingError) -> str:
        numbers = frozenset(self.tracks.numbers)
        waiting = self.library.waiting[root] & numbers
        verb = "waits" if len(waiting) == 1 else "wait"
        tracks = f"{len(waiting):,} of {counted(len(numbers), 'track')}"
        return f"{tracks} {verb} for {shown(root)}. {error.summary}. {error.advice}"


@contextmanager
def open_playlist(
    opened: OpenLibrary,
    request: Request,
    tools: Tools,
    *,
    deals: bool = False,
    keeps_choice_from_s: float = 0,
    explains: bool = False,
) -> Iterator[Run]:
    """Lock one playlist and choose its tracks; until the end no other playshuffle writes it.

    Args:
        opened: the library, opened for this playlist and maybe others.
        request: the playlist.
        tools: what to work with.
        deals: load the deck of the playlist instead of its last order.
        keeps_choice_from_s: under the limit of `--most`, keep the tracks of a last order that was drawn
            at this time (Unix seconds) or later.
        explains: only explain which tracks are chosen. There may be none, and none is drawn.

    Raises:
        PlayshuffleError: there is nothing to play, a drive is missing of which nothing is known, or the
            playlist must not be written.
    """
    library, target = opened.library(request), _target(opened, request)
    with _locked(target.path) if target is not None and request.writes else nullcontext():
        if not explains:
            _check_found(request, library)
        last, deck = _remembered(target, library.tracks, request, deals=deals)
        writer = entry_writer(request, target, library.tracks.folders)
        rows = None
        if opened.cache is not None and request.tags:
            rows = rows_of(opened.cache, tools.read_all, tools.tags)
        known = deck.numbers if deck is not None else last.present if last is not None else ()
        draw = None
        if not deals:
            is_kept = last is not None and last.drawn_s >= keeps_choice_from_s
            draw = Draw(writer, None if explains else tools.randbelow, known if is_kept else ())
        lists = _skip_lists(request, opened, target)
        choice = choose(request, library.tracks, rows, lists, known, draw)
        tracks, unwritable = writer.writable(choice.tracks, any_name=request.any_name)
        recipe = request.recipe
        if not explains:
            if not len(tracks):
                raise (
                    nothing_to_play(request.roots, unwritable) if unwritable else NothingMatchesError(choice)
                )
            recipe = recipe_with_pins(request, choice, tracks)
        tags_of = tags_from(rows) if rows is not None else None
        deck = deck.with_copies(choice.kept) if deck is not None else None
        yield Run(
            request, tools, opened, target, writer, choice, tracks, unwritable, tags_of, recipe, last, deck
        )


@contextmanager
def open_run(
    request: Request,
    tools: Tools,
    changes: Changes = EVERYWHERE,
    *,
    must_remember: bool = False,
    deals: bool = False,
    keeps_choice_from_s: float = 0,
) -> Iterator[Run]:
    """Open the library for one playlist, and this playlist; the arguments are those of both.

    Raises:
        PlayshuffleError: either cannot be opened.
    """
    with (
        open_library([request], tools, changes, must_remember=must_remember) as library,
        open_playlist(library, request, tools, deals=deals, keeps_choice_from_s=keeps_choice_from_s) as run,
    ):
        yield run


def _remembered(
    target: Target | None, tracks: Tracks, request: Request, *, deals: bool
) -> tuple[SavedOrder | None, DeckRecord | None]:
    """Return the last order of a playlist, or its deck."""
    if target is None:
        return None, None
    if deals:
        check_deal_source(request, target)
        deck = load_deck(target, tracks)
        return None, deck.confirmed(target) if request.writes else deck
    target.find_last_order()
    return target.last or order_in_file(target, tracks), None


def order_in_file(target: Target, tracks: Tracks) -> SavedOrder | None:
    """Return the order in a playlist file whose order is not saved; None if no track is in it."""
    entries = target.entries()
    if not entries:
        return None
    number_of = dict(zip(tracks.paths, tracks.numbers, strict=True))
    numbers = array("I", [number_of[path] for path in entries if path in number_of])
    return SavedOrder(numbers, {}, len(numbers), 0, "", b"") if numbers else None


def _skip_lists(request: Request, opened: OpenLibrary, target: Target | None) -> Sequence[SkipList]:
    """Read the skip lists of a request; forget those saved for its playlist if it names none."""
    playlist = target.path if target is not None else None
    if request.without:
        return read_skip_lists(request.without, opened.state, playlist, writes=request.writes)
    if playlist is not None and request.writes:
        saved_skip_lists.forget(opened.state, playlist)
    return ()


def _target(opened: OpenLibrary, request: Request) -> Target | None:
    """Return the playlist file of a request, which may be written."""
    if request.output is None:
        return None
    target = Target(request.output, opened.state, force=request.force)
    target.check_drive(accepts_loss=request.allow_shrink)
    return target


def _check_found(request: Request, library: Library) -> None:
    """Check that there is a track, and that most listed files are there.

    Raises:
        PlayshuffleError: there is none, or most are missing.
    """
    if request.files is not None:
        check_files(request.files, library.skipped)
    if len(library.tracks):
        return
    for error in library.missing.values():
        raise error
    raise nothing_to_play(request.roots, [*library.skipped, *library.unreadable])


@contextmanager
def _locked(path: bytes) -> Iterator[None]:
    """Keep every other user from writing this playlist; the lock of the state keeps our own processes."""
    folder, name = os.path.split(path)
    with atomic_file.held(folder):
        for litter in (name, *map(os.path.basename, parts.existing(path))):
            atomic_file.sweep(folder, litter)
        yield
