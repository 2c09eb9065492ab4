"""Show folders, playlists, decks and the service: `playshuffle status`."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated

import typer

from playshuffle.cli import common_options, completion, list_status
from playshuffle.cli.lists import configuration, known_lists, the_list
from playshuffle.cli.screen import Mark, Screen, home_path, screen_of
from playshuffle.cli.streams import say_error, write_out
from playshuffle.config.load import load
from playshuffle.config.model import Config
from playshuffle.config.places import find, places
from playshuffle.dealing.describe import next_deal
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.service.metrics import metrics
from playshuffle.service.status_json import NOT_WATCHED, PlaylistStatus, RootStatus, Status
from playshuffle.service.status_report import current_status
from playshuffle.text import counted

_LAST = "its last content counts"

EXAMPLES = """\b
Examples:
  playshuffle status
  playshuffle status today      # one list
  playshuffle status --all      # with the playlists that `make` wrote
  playshuffle status --json
"""


def status(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[LIST]", help="Show one list, by name or file", autocompletion=completion.lists
        ),
    ] = None,
    config: common_options.ConfigFile = None,
    lists_all: Annotated[bool, typer.Option("--all", help="List playlists written by make, too")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON")] = False,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print metrics in the format of Prometheus")
    ] = False,
) -> int:
    """Show folders, playlists and the service."""
    if name is not None:
        one = the_list(name, known_lists(configuration(config)))
        text = list_status.lines(one, screen_of(sys.stdout), as_json=as_json)
        write_out(f"{line}\n".encode(errors="surrogateescape") for line in text)
        return Exit.DONE
    if as_json and prometheus:
        raise PlayshuffleError("Choose either --json or --prometheus.", Exit.USAGE)
    report = current_status(_configuration(config), lists_all=lists_all)
    if prometheus:
        write_out(f"{line}\n".encode() for line in metrics(report))
    elif as_json:
        write_out([json.dumps(asdict(report), indent=2).encode(), b"\n"])
    else:
        write_out(f"{line}\n".encode(errors="replace") for line in _lines(report, screen_of(sys.stdout)))
    is_well = all(playlist.last_error is None for playlist in report.playlists)
    return Exit.DONE if is_well else Exit.LOSSES


def _configuration(named: str | None) -> Config | None:
    """Return the configuration; None if there is none, or if it is broken and was not named."""
    if named is None and not any(map(os.path.lexists, places())):
        return None

    try:
        return load(find(named))
    except PlayshuffleError as error:
        if named is not None:
            raise
        say_error(str(error))
        return None


def _lines(report: Status, screen: Screen) -> Iterator[str]:
    """Return the report: the verdict, then folders, playlists and decks as tables."""
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
        ("playlist", "state", "tracks", "order", "written"),
        [_playlist_row(playlist, screen) for playlist in others],
        screen,
    )
    for playlist in others:
        yield from _remarks(playlist, screen)
    today = datetime.now().astimezone().date()
    yield from _table(
        ("deck", "state", "tracks", "this round", "next deal"),
        [_deck_row(playlist, screen, today) for playlist in decks],
        screen,
    )
    for playlist in decks:
        yield from _remarks(playlist, screen)
    if report.not_listed:
        if screen.is_terminal:
            yield ""
        hidden = counted(report.not_listed, "other playlist")
        yield from screen.wrapped(f"{hidden} written by make: playshuffle status --all")
    yield from report.notes


def _verdict(report: Status, screen: Screen) -> Iterator[str]:
    configured = [playlist for playlist in report.playlists if playlist.name is not None]
    playlists = configured or report.playlists
    faulty = [playlist for playlist in playlists if playlist.last_error is not None]
    problems = f"{len(faulty):,} of {counted(len(playlists), 'playlist')} cannot be updated"
    for service in report.services:
        since = f"The service runs, started {screen.when(service.since)}"
        if faulty:
            yield screen.verdict(Mark.WARNING, f"{since}; {problems}")
        else:
            yield screen.verdict(Mark.RUNNING, since)
        if service.note is not None:
            yield from screen.detail("Note", service.note)
    if report.services:
        return
    if configured:
        yield screen.verdict(Mark.WARNING, f"The service does not run{f'; {problems}' if faulty else ''}")
        yield from screen.detail("Start", "playshuffle service install")
    else:
        mark = Mark.WARNING if faulty else Mark.GOOD
        yield screen.verdict(mark, problems if faulty else "No service. make and deal work without it")
        yield from screen.detail("Set up", "playshuffle config init")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], screen: Screen) -> Iterator[str]:
    if rows:
        if screen.is_terminal:
            yield ""
        yield from screen.table(header, rows, right={2})


def _remarks(playlist: PlaylistStatus, screen: Screen) -> Iterator[str]:
    remarks = [playlist.last_error and shown(playlist.last_error)]
    remarks += [f"cannot read {shown(path)}" for path in playlist.unreadable]
    remarks += [
        f"{count:,} of {counted(playlist.tracks or 0, 'track')} {'waits' if count == 1 else 'wait'} for"
        f" {home_path(root)}"
        for root, count in playlist.waiting.items()
        if count
    ]
    remarks += [f"skip list {home_path(path)} is missing: {_LAST}" for path in playlist.missing_lists]
    for remark in filter(None, remarks):
        yield from screen.wrapped(f"{_title(playlist)}: {remark}", "  ")


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
    progress = ""
    if isinstance(count, int) and isinstance(dealt, int) and count:
        progress = f"{screen.bar(dealt, count)} {dealt:,}/{count:,}".strip()
    return [_title(playlist), _state(playlist), _number(playlist.tracks), progress, next_deal(facts, today)]


def _state(playlist: PlaylistStatus) -> str:
    return playlist.state if playlist.scanning is None else f"scanning: {playlist.scanning}"


def _number(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
