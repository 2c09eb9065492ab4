"""Show folders, playlists, decks and the service: `playshuffle status`."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date, datetime
from typing import Annotated, NamedTuple

from playshuffle.cli import completion
from playshuffle.cli.common_options import ConfigFile, Json, argument, option
from playshuffle.cli.screen import Mark, Screen, home_path, screen_of
from playshuffle.cli.streams import print_json, print_lines, say_error, write_out
from playshuffle.cli.track_list import track_list
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.load import load_if_any
from playshuffle.config.model import Config
from playshuffle.config.words import the_list
from playshuffle.dealing.describe import deck_facts, deck_line, next_deal
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.options.help_groups import OUTPUT
from playshuffle.options.table import Options, as_flags, changed
from playshuffle.service.metrics import metrics
from playshuffle.service.page import page
from playshuffle.service.status_file import resolved
from playshuffle.service.status_json import NOT_WATCHED, PlaylistStatus, RootStatus, Status, failures
from playshuffle.service.status_report import current_status
from playshuffle.store.records import SavedDeck, last
from playshuffle.store.state import State
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle status
  playshuffle status today          # one list: its options, and the last deal
  playshuffle status today --all    # all that was dealt in this round
  playshuffle status --all          # with the playlists that `make` wrote
  playshuffle status --html > status.html
"""


def status(
    name: Annotated[
        str | None, argument("[LIST]", "Show one list, by name or file", completion.lists)
    ] = None,
    config: ConfigFile = None,
    is_all: Annotated[bool, option("--all", "All lists; of one LIST, its whole round", OUTPUT)] = False,
    as_json: Json = False,
    as_html: Annotated[bool, option("--html", "Print a page for browsers", OUTPUT)] = False,
    prometheus: Annotated[
        bool, option("--prometheus", "Print metrics in the format of Prometheus", OUTPUT)
    ] = False,
) -> int:
    """Show folders, playlists and the service."""
    if as_json + as_html + prometheus > 1:
        raise PlayshuffleError("Choose one of --json, --html and --prometheus.")
    config_file = _configuration(config)
    report = current_status(config_file, lists_all=is_all or name is not None)
    screen = screen_of(sys.stdout)
    one = None
    if name is not None:
        one = _one_list(name, config_file, report, is_all=is_all)
        report = replace(report, playlists=(one.status,))
    if prometheus:
        print_lines(metrics(report))
    elif as_html:
        write_out([page(report, time.time())])
    elif as_json:
        print_json(asdict(report) if one is None else one.facts())
    else:
        print_lines(_lines(report, screen) if one is None else [*_list_lines(one, screen), *report.notes])
    is_well = all(playlist.last_error is None for playlist in report.playlists)
    return Exit.DONE if is_well else Exit.LOSSES


class _List(NamedTuple):
    """A list to show; `entries` are dealt tracks."""

    status: PlaylistStatus
    options: Options | None
    entries: Sequence[bytes]
    warnings: Sequence[str] = ()

    def facts(self) -> dict[str, object]:
        options = None if self.options is None else changed(self.options)
        return {**asdict(self.status), "options": options, "entries": [*map(os.fsdecode, self.entries)]}


def _one_list(name: str, config_file: Config | None, report: Status, *, is_all: bool) -> _List:
    with State(writes=False) as state:
        one = the_list(name, known_lists(config_file, state))
        path, record = one.path, last(state, one.path)
        numbers: Sequence[int] = ()
        warnings: Sequence[str] = ()
        if isinstance(record, SavedDeck):
            deck = record.deck
            numbers = deck.dealt if is_all or deck.deal is None else deck.deal.entries
        paths = state.load_tracks().paths_of(numbers) if numbers else {}
    found = [each for each in report.playlists if resolved(each.output) == path]
    known = found[0] if found else PlaylistStatus(None, os.fsdecode(path))
    if not isinstance(record, SavedDeck):  # `make` has written it since
        known = replace(known, deck=None, summary=None)
    elif record.deck.heard_from_s:
        known, warnings = _with_plays(one, known)
    return _List(
        known,
        None if record is None else record.options,
        [paths[number] for number in numbers if number in paths],
        warnings,
    )


def _with_plays(one: KnownList, known: PlaylistStatus) -> tuple[PlaylistStatus, Sequence[str]]:
    """Return a deck's status with plays until now, and warnings about its history.

    If the plays cannot be read, the status is as of the last deal.
    """
    from playshuffle.cli.run_lists import run_lists  # slow to import, and for few lists
    from playshuffle.pipeline.deal import with_heard

    with contextlib.suppress(PlayshuffleError):
        with State(writes=False) as state:
            request = one.request(state)
        if request is not None:
            done, _ = run_lists(
                {"": request._replace(dry_run=True)}, lambda run: (with_heard(run), run.history), quiet=True
            )
            deck, history = done[""]
            notes = history.notes if history is not None else ()
            warnings = [str(note) for note in notes if note.code == "never_played"]
            return replace(known, deck=deck_facts(deck), summary=deck_line(deck)), warnings
    return known, ()


def _list_lines(one: _List, screen: Screen) -> Iterator[str]:
    playlist = one.status
    facts = [playlist.summary, _count(playlist), playlist.order and f"{shown(playlist.order)} order"]
    facts = facts[:1] if playlist.summary else list(filter(None, facts)) or ["not made yet"]
    mark = Mark.WARNING if playlist.last_error or one.warnings or facts == ["not made yet"] else Mark.GOOD
    yield screen.verdict(mark, f"{_title(playlist)}: {', '.join(map(str, facts))}")
    for problem in (*playlist.problems, *one.warnings):
        yield from screen.detail("Problem", problem)
    if playlist.deck is not None:
        yield from screen.detail("Next", next_deal(playlist.deck, datetime.now().astimezone().date()))
    if playlist.last_write is not None:
        yield from screen.detail("Written", screen.when(playlist.last_write))
    if one.options is not None:
        folders = ", ".join(map(home_path, one.options.folders))
        yield from screen.detail("Options", " ".join(filter(None, (folders, as_flags(one.options)))))
    yield from track_list(one.entries, screen)


def _count(playlist: PlaylistStatus) -> str | None:
    return None if playlist.tracks is None else counted(playlist.tracks, "track")


def _configuration(named: str | None) -> Config | None:
    """Return the configuration; None if there is none, or it is broken and was not named."""
    try:
        return load_if_any(named)
    except PlayshuffleError as error:
        if named is not None:
            raise
        say_error(str(error))
        return None


def _lines(report: Status, screen: Screen) -> Iterator[str]:
    yield from _verdict(report, screen)
    dealt = [playlist for playlist in report.playlists if playlist.deck is not None]
    others = [playlist for playlist in report.playlists if playlist.deck is None]
    yield from _table(
        ("folder", "state", "tracks", "watch", "last scan"),
        [_folder_row(root, screen) for root in report.roots],
        screen,
    )
    for root in report.roots:
        if root.advice:
            yield from screen.detail("Try", root.advice)
    yield from _table(
        ("playlist", "state", "tracks", "order", "written"),
        [_playlist_row(playlist, screen) for playlist in others],
        screen,
    )
    yield from _all_problems(others, screen)
    today = datetime.now().astimezone().date()
    yield from _table(
        ("deck", "state", "tracks", "this round", "next deal"),
        [_deck_row(playlist, screen, today) for playlist in dealt],
        screen,
    )
    yield from _all_problems(dealt, screen)
    if report.not_listed:
        if screen.is_terminal:
            yield ""
        hidden = counted(report.not_listed, "other playlist")
        yield from screen.wrapped(f"{hidden} written by make: playshuffle status --all")
    yield from report.notes


def _verdict(report: Status, screen: Screen) -> Iterator[str]:
    configured = [playlist for playlist in report.playlists if playlist.name is not None]
    playlists = configured or report.playlists
    problems = failures(playlists)
    for service in report.services:
        since = f"The service runs, started {screen.when(service.since)}"
        mark = Mark.WARNING if problems else Mark.RUNNING
        yield screen.verdict(mark, "; ".join(filter(None, (since, problems))))
        if service.note is not None:
            yield from screen.detail("Note", service.note)
    if report.services:
        return
    if configured:
        yield screen.verdict(Mark.WARNING, "; ".join(filter(None, ("The service does not run", problems))))
        yield from screen.detail("Start", "playshuffle service install")
    else:
        mark = Mark.WARNING if problems else Mark.GOOD
        yield screen.verdict(mark, problems or "No service. make and deal work without it")
        yield from screen.detail("Set up", "playshuffle config init")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], screen: Screen) -> Iterator[str]:
    if rows:
        if screen.is_terminal:
            yield ""
        yield from screen.table(header, rows, right={2})


def _all_problems(playlists: Sequence[PlaylistStatus], screen: Screen) -> Iterator[str]:
    for playlist in playlists:
        for problem in playlist.problems:
            yield from screen.wrapped(f"{_title(playlist)}: {problem}", "  ")


def _title(playlist: PlaylistStatus) -> str:
    return home_path(playlist.output) if playlist.output else shown(playlist.name or "")


def _folder_row(root: RootStatus, screen: Screen) -> list[str]:
    scan = "" if root.last_full_scan is None else screen.when(root.last_full_scan)
    watch = "" if root.watched == NOT_WATCHED else root.watched
    return [home_path(root.root), root.state, _number(root.tracks), watch, scan]


def _playlist_row(playlist: PlaylistStatus, screen: Screen) -> list[str]:
    written = "" if playlist.last_write is None else screen.when(playlist.last_write)
    order = shown(playlist.order or "")
    return [_title(playlist), _state(playlist), _number(playlist.tracks), order, written]


def _deck_row(playlist: PlaylistStatus, screen: Screen, today: date) -> list[str]:
    facts = playlist.deck or {}
    count, dealt = facts.get("tracks"), facts.get("dealt")
    progress, heard = "", facts.get("heard")
    if isinstance(count, int) and isinstance(dealt, int) and count:
        bar = screen.bar(dealt, count) if heard is None else ""  # a terminal has no room for both
        progress = f"{bar} {dealt:,}/{count:,}".strip()
    if isinstance(heard, int):
        progress += f", {heard:,} heard"
    return [_title(playlist), _state(playlist), _number(playlist.tracks), progress, next_deal(facts, today)]


def _state(playlist: PlaylistStatus) -> str:
    return playlist.state if playlist.scanning is None else f"scanning: {playlist.scanning}"


def _number(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
