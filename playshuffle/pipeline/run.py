"""Define a run: one open playlist, with everything to make and write it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from playshuffle.dealing.other_deals import deal_comment, dealt_comments, names_below
from playshuffle.errors import Exit, MissingError, Note, PlayshuffleError, shown
from playshuffle.library.missing import root_user_notes
from playshuffle.library.scan import Library
from playshuffle.library.tag_columns import RowsOf
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
    rows_of: RowsOf
    history: "PlayHistory | None"

    @property
    def tracks(self) -> Tracks:
        """The tracks of the library, to which all indices refer."""
        return self.library.tracks

    @property
    def chosen(self) -> Chosen:
        return Chosen(self.tracks, self.choice.remaining, self.rows_of)

    def complete_recipe(self) -> Recipe:
        """Return the recipe with its pinned tracks, and with the resting ones, from the play history.

        Raises:
            PlayshuffleError: no playlist can be made of the chosen tracks.
        """
        self.check()
        recipe = self.request.recipe._replace(pins=self.choice.pins)
        if self.history is None or not recipe.rests:
            return recipe
        library = Chosen(self.tracks, range(len(self.tracks)), self.rows_of)
        heard = heard_lately(library, recipe, self.history.played_since, self.now.timestamp())
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
    ) -> Report:
        """Save the order or the deck, then replace the playlist file.

        Args:
            record: the order or the deck, still without facts about the file.
            before: as for `save`.

        Raises:
            PlayshuffleError: as `replace` does; or the choice has no track.
        """
        self.check()
        report = self.report(arranged, record, notes)
        return self.replace(report, lambda written: self.save(written.completed(record), before))

    def report(
        self, arranged: Arranged, record: SavedRecord | None = None, notes: Sequence[Note] = ()
    ) -> Report:
        """Return what would be written, before anything is saved or written."""
        file, writer, tracks, order = self.file, self.writer, self.tracks, arranged.played
        suspects, last = writer.suspects(tracks, order), self.record.saved_order
        report = Report(
            request=self.request,
            output=file.path if file is not None else None,
            style=writer.style,
            choice=self.choice,
            arranged=arranged,
            figures=partial(figures_of, tracks, order),
            text=writer.text(tracks, order, self._comments(order, record)),
            is_new=file is not None and not file.exists,
            library=self.library,
            suspects=suspects,
            losses=writer.losses(suspects, arranged.playlist_length),
            last=last,
            notes=[*notes, *self._notes(), *self.opened.state.notes],
        )
        return report._replace(has_news=last is None or last.noted != report.noted)

    def save(self, record: SavedRecord, before: SavedRecord | None = None) -> None:
        """Save the order or the deck of the playlist.

        `before` is the record that `undo` will restore; None keeps the saved one.
        """
        saved, state, numbers_of = self.record.saved, self.opened.state, self.tracks.numbers_of
        if record == saved and before is None:
            return
        in_file = saved.content if saved is not None else ""
        if before is not None and isinstance(record, SavedOrder) and record.content == in_file:
            # The same list again is not a step for `undo`.
            before = records.load(state, self.path).get(records.BEFORE, NOTHING)
        elif before is not None:
            before = before.translated(numbers_of)
        records.save(state, self.path, record.translated(numbers_of), before, in_file)

    def replace(self, report: Report, save: Callable[[Report], None] = lambda _: None) -> Report:
        """Replace the playlist file, if its content differs and the request writes.

        `save` is called when the new content is complete beside the file. If the run is killed after that,
        the next one finishes its work.

        Raises:
            PlayshuffleError: the playlist is its own source, and would lose entries; or it cannot be written.
        """
        _check_own_list(self.request, self.file, report)
        if self.file is None or not self.request.writes:
            return report
        state = self.opened.state
        with prepared(self.file.path, report.text, force=self.request.options.force) as ready:
            state.save_output_mounts(self.file.path, self.file.mounts)
            report = report._replace(stamp=ready.stamp)
            save(report)
            report = report._replace(is_changed=ready.replace())
        notes = [*report.notes, *(note for note in state.notes if note not in report.notes)]
        if report.is_changed:
            notes += owner_notes(self.path)
        return report._replace(notes=notes)

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
        return [*comments, *self.writer.comments(), *self._dealt_comments(record)]

    def _dealt_comments(self, record: SavedRecord | None) -> list[tuple[str, str]]:
        """Return what the list tells computers that were off: the tracks that count as dealt in the round."""
        if not isinstance(record, SavedDeck) or self.file is None:
            return []
        names, deck = names_below(self.file.folder, self.tracks.paths), record.deck
        dealt = frozenset(deck.dealt).difference(deck.unheard).intersection(range(len(names)))
        others = [name for index, name in enumerate(names) if index not in dealt]
        return dealt_comments(deck.round, deck.since, [names[index] for index in sorted(dealt)], others)

    def _notes(self) -> list[Note]:
        present = [root for root in self.request.roots if root not in self.library.missing]
        notes = [*root_user_notes(present), *(self.history.notes if self.history is not None else ())]
        notes += self.record.notes
        if self.request.streams:
            number = counted(len(self.request.streams), "entry", "entries")
            said = f"Not in the list, since they are not local files: {number} of --from"
            if stream := next(filter(None, self.request.streams), b""):
                said += f", such as {shown(stream)}"
            notes.append(Note("streams", said))
        notes += [
            Note("missing_list", skip_list.problem, skip_list.path)
            for skip_list in self.choice.lists
            if skip_list.problem
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
        if any(skip_list.new for skip_list in self.choice.lists):
            elsewhere = [root for root in self.opened.state.roots() if root not in present]
            tracks = self.library.tracks.paths
            notes += [
                Note("unknown_entry", text, skip_list.path)
                for skip_list in self.choice.lists
                for text in skip_list.unknown(tracks, elsewhere)
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
