"""Show folders, playlists, decks and the service: `playshuffle status`."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated

from playshuffle.cli import completion
from playshuffle.cli.common_options import ConfigFile, Json, ShortHelp, argument, option
from playshuffle.cli.screen import Mark, Screen, home_path, screen_of
from playshuffle.cli.streams import print_json, print_lines, say_error, write_out
from playshuffle.config.configuration import load_if_any
from playshuffle.config.list_names import unique_names
from playshuffle.dealing.describe import next_deal
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library.cached_tags import cached_tags
from playshuffle.listening.saved_windows import feedings
from playshuffle.options.help_groups import EXPERT, OUTPUT
from playshuffle.service import status_file
from playshuffle.service.metrics import metrics
from playshuffle.service.status_json import NOT_WATCHED, PlaylistStatus, RootStatus, Status, failures
from playshuffle.service.status_report import current_status
from playshuffle.store.records import summaries
from playshuffle.store.state import State
from playshuffle.text import counted

if TYPE_CHECKING:
    from playshuffle.config.model import Config

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
    as_html: Annotated[bool, option("--html", "Print a page for browsers", EXPERT)] = False,
    prometheus: Annotated[
        bool, option("--prometheus", "Print metrics in the format of Prometheus", EXPERT)
    ] = False,
    is_short_help: ShortHelp = False,  # noqa: ARG001 - typer handles it
) -> int:
    """Show folders, playlists and the service."""
    if as_json + as_html + prometheus > 1:
        raise PlayshuffleError("Choose one of --json, --html and --prometheus.")
    config_file = _configuration(config)
    report = current_status(config_file, lists_all=is_all or name is not None)
    report = report._replace(endless=tuple(feedings()))
    screen = screen_of(sys.stdout)
    one = None
    if name is not None:
        from playshuffle.cli.list_status import list_status  # it needs what most runs do not: tracks, options

        one = list_status(name, config_file, report, is_all=is_all)
        report = report._replace(playlists=(one.status,))
    if prometheus:
        print_lines(metrics(report))
    elif as_html:
        from playshuffle.service.page import page  # rarely wanted

        write_out([page(report, time.time())])
    elif as_json:
        print_json(report.facts() if one is None else one.facts())
    elif one is None:
        print_lines(_lines(report, _titles(config_file), screen))
    else:
        feeds = _feedings(report, one.status.output, screen)
        print_lines([*one.lines(screen), *feeds, *report.notes])
    is_well = all(playlist.last_error is None for playlist in report.playlists)
    return Exit.DONE if is_well else Exit.LOSSES


def _configuration(named: str | None) -> "Config | None":
    try:
        return load_if_any(named)
    except PlayshuffleError as error:
        if named is not None:
            raise
        say_error(str(error))
        return None


def _lines(report: Status, titles: Mapping[bytes, str], screen: Screen) -> Iterator[str]:
    yield from _verdict(report, screen)
    decks = [playlist for playlist in report.playlists if playlist.deck is not None]
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
        ("list", "state", "tracks", "order", "written"),
        [_playlist_row(_title(playlist, titles), playlist, screen) for playlist in others],
        screen,
    )
    yield from _all_problems(others, titles, screen)
    today = datetime.now().astimezone().date()
    yield from _table(
        ("dealt list", "state", "tracks", "this round", "next deal"),
        [_deck_row(_title(playlist, titles), playlist, screen, today) for playlist in decks],
        screen,
    )
    yield from _all_problems(decks, titles, screen)
    yield from _feedings(report, None, screen)
    if report.not_listed:
        if screen.is_terminal:
            yield ""
        hidden = counted(report.not_listed, "other playlist" if others or decks else "playlist")
        yield from screen.wrapped(f"{hidden} written by make: playshuffle status --all")
    yield from report.notes


def _feedings(report: Status, playlist: str | None, screen: Screen) -> Iterator[str]:
    """Yield a line for each list that feeds a player, or for one of them."""
    for feeding in report.endless:
        if playlist in (None, feeding.playlist):
            tracks = f"track {feeding.track:,} of {feeding.tracks:,} in round {feeding.round:,}"
            following = [] if feeding.next is None else [f"next: {_track(os.fsencode(feeding.next))}"]
            yield from screen.detail("Endless", ", ".join([feeding.player, tracks, *following]))


def _track(path: bytes) -> str:
    tags = cached_tags([path]).get(path)
    names = [shown(name) for name in (tags.artist, tags.title) if name] if tags is not None else []
    return " - ".join(names) or shown(os.path.basename(path))


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
        from playshuffle.install import systemctl  # it starts programs, which most runs do not

        start = "playshuffle service install" if systemctl.may_be_there() else systemctl.instead()
        yield from screen.detail("Start", start)
    else:
        mark = Mark.WARNING if problems else Mark.GOOD
        yield screen.verdict(mark, problems or "No service. make and deal work without it")
        yield from screen.detail("Set up", "playshuffle config init")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], screen: Screen) -> Iterator[str]:
    if rows:
        if screen.is_terminal:
            yield ""
        yield from screen.table(header, rows, right={2})


def _all_problems(
    playlists: Sequence[PlaylistStatus], titles: Mapping[bytes, str], screen: Screen
) -> Iterator[str]:
    for playlist in playlists:
        for problem in playlist.problems:
            yield from screen.wrapped(f"{_title(playlist, titles)}: {problem}", "  ")


def _titles(config: "Config | None") -> dict[bytes, str]:
    """Map the file of each list to the name that commands take."""
    with State(writes=False) as state:
        lists: dict[bytes, str | None] = dict.fromkeys(summaries(state))
    playlists = () if config is None else config.playlists
    return unique_names(lists | {os.path.realpath(playlist.output): playlist.name for playlist in playlists})


def _title(playlist: PlaylistStatus, titles: Mapping[bytes, str]) -> str:
    if not playlist.output:  # its table in the configuration is broken
        return shown(playlist.name or "")
    return home_path(titles.get(status_file.resolved(playlist.output), playlist.output))


def _folder_row(root: RootStatus, screen: Screen) -> list[str]:
    scan = "" if root.last_full_scan is None else screen.when(root.last_full_scan)
    watch = "" if root.watched == NOT_WATCHED else root.watched
    return [home_path(root.root), root.state, _number(root.tracks), watch, scan]


def _playlist_row(title: str, playlist: PlaylistStatus, screen: Screen) -> list[str]:
    written = "" if playlist.last_write is None else screen.when(playlist.last_write)
    order = shown(playlist.order or "")
    return [title, _state(playlist), _number(playlist.tracks), order, written]


def _deck_row(title: str, playlist: PlaylistStatus, screen: Screen, today: date) -> list[str]:
    facts = playlist.deck or {}
    count, dealt = facts.get("tracks"), facts.get("dealt")
    progress, heard = "", facts.get("heard")
    if isinstance(count, int) and isinstance(dealt, int) and count:
        bar = screen.bar(dealt, count) if heard is None else ""  # a terminal has no room for both
        progress = f"{bar} {dealt:,}/{count:,}".strip()
    if isinstance(heard, int):
        progress += f", {heard:,} heard"
    return [title, _state(playlist), _number(playlist.tracks), progress, next_deal(facts, today)]


def _state(playlist: PlaylistStatus) -> str:
    return playlist.state if playlist.scanning is None else f"scanning: {playlist.scanning}"


def _number(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
