"""Define a run: one open playlist, with everything to make and write it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from playshuffle.dealing.other_deals import deal_comment
from playshuffle.errors import Exit, MissingError, Note, PlayshuffleError, shown
from playshuffle.library.missing import root_user_notes
from playshuffle.library.scan import Library
from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.recipe import Recipe
from playshuffle.ordering.resting import heard_lately
from playshuffle.pipeline.choice import Choice
from playshuffle.pipeline.entry_writer import EntryWriter
from playshuffle.pipeline.open_library import OpenLibrary
from playshuffle.pipeline.record import Record
from playshuffle.pipeline.report import Report, figures_of
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.skip_lists import file_at
from playshuffle.pipeline.tools import Tools
from playshuffle.players.profiles import GENERIC
from playshuffle.playlist.m3u import TITLE
from playshuffle.playlist.owner import owner_notes, prepared
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.store import records
from playshuffle.store.records import NOTHING, SavedDeck, SavedOrder, SavedRecord
from playshuffle.text import counted, shell_word

if TYPE_CHECKING:
    from playshuffle.pipeline.play_history import PlayHistory


class Run(NamedTuple):
    """One open playlist.

    Attributes:
        now: when it was opened, in local time.
        history: None if the request names no play history.
    """

    request: Request
    tools: Tools
    now: datetime
    opened: OpenLibrary
    library: Library
    file: PlaylistFile | None
    record: Record
    writer: EntryWriter
    choice: Choice
    tags_of: TagsOf
    history: "PlayHistory | None"

    @property
    def tracks(self) -> Tracks:
        """The tracks of the library, to which all indices refer."""
        return self.library.tracks

    @property
    def chosen(self) -> Chosen:
        return Chosen(self.tracks, self.choice.remaining, self.tags_of)

    def complete_recipe(self) -> Recipe:
        """Return the recipe with its pinned tracks, and with the resting ones, from the play history.

        Raises:
            PlayshuffleError: no playlist can be made of the chosen tracks.
        """
        self.check()
        recipe = self.request.recipe._replace(pins=self.choice.pins)
        if self.history is None or not recipe.rests:
            return recipe
        library = Chosen(self.tracks, range(len(self.tracks)), self.tags_of)
        heard = heard_lately(library, recipe, self.history.heard_since, self.now.timestamp())
        return recipe._replace(resting=heard.intersection(self.choice.remaining))

    def check(self) -> None:
        if self.choice.problem is not None:
            raise self.choice.problem

    @property
    def path(self) -> bytes:
        """Return the real path of the playlist file."""
        assert self.file is not None
        return self.file.path

    def write(
        self,
        arranged: Arranged,
        record: SavedRecord,
        before: SavedRecord | None = None,
        notes: Sequence[Note] = (),
        *,
        saves: bool = True,
        replaces: bool = True,
    ) -> Report:
        """Save the order or the deck, then replace the playlist file.

        If a run is killed in between, the next one finishes its work.

        Args:
            record: the order or the deck, still without facts about the file.
            before: the record that `undo` will restore; None keeps the saved one.
            saves: save the record; otherwise the caller saves it.

        Raises:
            PlayshuffleError: the playlist is its own source, and would lose entries.
        """
        if saves:
            self.check()
        report = self._report(arranged, notes, record)
        _check_own_list(self.request, self.file, report)
        if self.file is None or not self.request.writes:
            return self._finished(report)
        if not replaces:
            self._save(report.completed(record)._replace(content=record.content), before)
            return self._finished(report)
        with prepared(self.file.path, report.text, force=self.request.options.force) as ready:
            self.opened.state.save_output_mounts(self.file.path, self.file.mounts)
            report = report._replace(stamp=ready.stamp)
            if saves:
                self._save(report.completed(record), before)
            return self._finished(report._replace(is_changed=ready.replace()))

    def _save(self, record: SavedRecord, before: SavedRecord | None) -> None:
        saved, in_state = self.record.saved, self.record.in_state
        if record == saved and before is None:
            return
        is_order, is_same_file = isinstance(record, SavedOrder), saved and saved.content == record.content
        in_file, numbers_of = None, self.tracks.numbers_of
        if before is not saved:
            before = before and before.translated(numbers_of)
        elif is_order and is_same_file:  # the same list again is not a step for `undo`
            before = self.record.before or NOTHING
        else:
            before = in_state
        if in_state is not None and in_state.content not in (record.content, before and before.content):
            in_file = in_state  # until the file is replaced, it has the saved content
        records.save(self.opened.state, self.path, record.translated(numbers_of), in_file, before)

    def report(self, arranged: Arranged, notes: Sequence[Note] = ()) -> Report:
        return self._finished(self._report(arranged, notes))

    def _report(self, arranged: Arranged, notes: Sequence[Note], record: SavedRecord | None = None) -> Report:
        request, file, writer, library = self.request, self.file, self.writer, self.library
        tracks, order = self.tracks, arranged.played
        suspects = writer.suspects(tracks, order)
        lost = writer.losses(suspects, arranged.playlist_length)
        text = writer.text(tracks, order, self._comments(order, record))
        return Report(
            request=request,
            output=file.path if file is not None else None,
            style=writer.style,
            choice=self.choice,
            arranged=arranged,
            figures=partial(figures_of, tracks, order),
            text=text,
            is_new=file is not None and not file.exists,
            library=library,
            suspects=suspects,
            losses=lost,
            last=self.record.saved_order,
            notes=[*notes, *self._notes()],
        )

    def _comments(self, order: Sequence[int], record: SavedRecord | None) -> list[tuple[str, str]]:
        options = self.request.options
        comments = [("ORDER", self.request.recipe.full_name)]
        if isinstance(record, SavedDeck) and record.deck.deal is not None:
            paths = [self.tracks.paths[index] for index in order]
            comments.append(deal_comment(record.deck.deal.only(order), paths))
        if options.seed is not None:
            comments.append(("SEED", options.seed))
        if options.player != GENERIC:
            comments.append(("FOR", options.player))
        if options.title:  # VLC searches every line for the tags of a stream
            comments.append((TITLE, options.title.replace("#EXT", "# EXT")))
        return comments + self.writer.comments()

    def _finished(self, report: Report) -> Report:
        notes = [*report.notes, *self.opened.state.notes]
        notes += owner_notes(self.path) if report.is_changed else []
        last = self.record.saved_order
        return report._replace(notes=notes, has_news=last is None or last.noted != report.noted)

    def _notes(self) -> list[Note]:
        present = [root for root in self.request.roots if root not in self.library.missing]
        notes = [*root_user_notes(present), *(self.history.notes if self.history is not None else ())]
        notes += self.record.notes
        notes += [
            Note("missing_list", f"{each.problem} Its last content counts.", each.path)
            for each in self.choice.lists
            if each.problem
        ]
        notes += [
            Note(
                "idle_list",
                f"No entry of the skip list {shown(path)} is a track of this library. Check its paths:"
                f" playshuffle check {shell_word(path)}",
                path,
            )
            for path in self.choice.idle_lists
            if path != self.request.never
        ]
        if any(each.new for each in self.choice.lists):
            elsewhere = [root for root in self.opened.state.roots() if root not in present]
            tracks = self.library.tracks.paths
            notes += [
                Note("unknown_entry", text, each.path)
                for each in self.choice.lists
                for text in each.unknown(tracks, elsewhere)
            ]
        notes += [note for root, error in self.library.missing.items() for note in self._waiting(root, error)]
        if undecided := self.choice.undecided:
            kept, count = len(undecided.intersection(self.choice.remaining)), counted(len(undecided), "track")
            text = f"Unknown tags, since a drive is missing and the cache was lost: {count}."
            text += f" Until the drive is back, the query keeps those of the last list ({kept:,})."
            notes.append(Note("undecided", text))
        return notes

    def _waiting(self, root: bytes, error: MissingError) -> Iterator[Note]:
        waiting = self.library.waiting[root].intersection(self.choice.remaining)
        if not waiting:
            return
        verb = "waits" if len(waiting) == 1 else "wait"
        tracks = f"{len(waiting):,} of {counted(len(self.choice.remaining), 'track')}"
        until = " Deals skip these tracks until it is back." if self.record.deck is not None else ""
        yield Note("waiting", f"{tracks} {verb} for {shown(root)}: {error.why}.{until}", root, error.advice)


def _check_own_list(request: Request, file: PlaylistFile | None, report: Report) -> None:
    """Raise an error if a playlist made from itself would lose entries for ever."""
    if file is None or not file.is_file(request.source_file) or request.options.accept_missing:
        return
    written = report.paths()
    lost = set(request.files or ()).union(file.entries()).difference(written)
    if lost:  # the same file may have several names
        kept = set(filter(None, map(file_at, written)))
        lost = {path for path in lost if file_at(path) not in kept}
    reasons = {path: str(reason) for path, reason in report.library.skipped if path in lost}
    reasons |= dict.fromkeys(request.streams, "not a file")
    reasons |= dict.fromkeys(sorted(lost.difference(reasons)), "left out by an option or a default")
    if reasons:
        path, reason = next(iter(reasons.items()))
        raise PlayshuffleError(
            "The list that --from names would be replaced, and lose"
            f" {counted(len(reasons), 'entry', 'entries')}, among them {shown(path)} ({reason}). It was left"
            " as it is. Mount the drive, choose another file with -o, or remove the entries with"
            " --accept-missing.",
            Exit.MISSING,
        )
