"""`playshuffle status`: how folders, playlists and the service stand."""

import sys
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from playshuffle.cli import playlist_options
from playshuffle.cli.screen import Mark, Screen, home_path, screen_of
from playshuffle.cli.streams import say, write_out
from playshuffle.config.load import Config, load
from playshuffle.config.places import find
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.service.status_model import PlaylistStatus, RootStatus, Status

_WIDTH = 80
_LAST = "its last content counts"

EXAMPLES = """\b
Examples:
  playshuffle status
  playshuffle status --json
"""


def status(
    config: playlist_options.ConfigFile = None,
    json: Annotated[bool, typer.Option("--json", help="Say it as JSON on stdout.")] = False,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print metrics in the format of Prometheus.")
    ] = False,
) -> int:
    """Say how folders, playlists and the service stand; the service need not run."""
    from playshuffle.service.status_report import current_status

    try:
        config_file: Config | None = load(find(config))
    except PlayshuffleError as error:
        if config is not None:
            raise
        config_file = None
        say([f"playshuffle: {error}"])
    report = current_status(config_file)
    if json and prometheus:
        raise PlayshuffleError("Choose either --json or --prometheus.", Exit.USAGE)
    if prometheus:
        from playshuffle.service.metrics import metrics

        write_out(f"{line}\n".encode() for line in metrics(report))
    elif json:
        import json as json_

        write_out([json_.dumps(asdict(report), indent=2).encode(), b"\n"])
    else:
        screen = screen_of(sys.stdout)
        lines = _tables(report, screen) if screen.is_terminal else _lines(report)
        write_out(f"{line}\n".encode(errors="replace") for line in lines)
    is_well = all(playlist.last_error is None for playlist in report.playlists)
    return Exit.DONE if is_well else Exit.LOSSES


def _tables(report: Status, screen: Screen) -> Iterator[str]:
    """Return the report for a terminal: the service first, then folders and playlists as tables."""
    for service in report.services:
        yield screen.verdict(Mark.RUNNING, f"running since {screen.when(service.since)}")
        if service.note is not None:
            yield from screen.detail("Note", service.note)
    if not report.services:
        yield screen.verdict(Mark.WARNING, "The service is not running")
    if report.roots:
        yield ""
        header = ("folder", "state", "tracks", "watched", "last scan")
        yield from screen.table(header, [_folder_row(root, screen) for root in report.roots], right={2})
    for root in report.roots:
        if root.advice:
            yield from screen.detail("Try", root.advice)
    if report.playlists:
        yield ""
        header = ("playlist", "tracks", "order", "written", "state")
        rows = [_playlist_row(playlist, screen) for playlist in report.playlists]
        yield from screen.table(header, rows, right={1})
    for playlist in report.playlists:
        yield from _remarks(playlist, screen)
    yield from report.notes


def _remarks(playlist: PlaylistStatus, screen: Screen) -> Iterator[str]:
    title = home_path(playlist.output) if playlist.output else shown(playlist.name or "")
    remarks = [playlist.summary, playlist.last_error and shown(playlist.last_error)]
    remarks += [f"cannot read {shown(path)}" for path in playlist.unreadable]
    remarks += [f"skip list {home_path(path)} is missing: {_LAST}" for path in playlist.missing_lists]
    for remark in filter(None, remarks):
        yield from screen.wrapped(f"{title}: {remark}", "  ")


def _folder_row(root: RootStatus, screen: Screen) -> list[str]:
    tracks = "" if root.tracks is None else f"{root.tracks:,}"
    scan = "" if root.last_full_scan is None else screen.when(root.last_full_scan)
    return [home_path(root.root), root.state, tracks, root.watched, scan]


def _playlist_row(playlist: PlaylistStatus, screen: Screen) -> list[str]:
    return [
        home_path(playlist.output) if playlist.output else shown(playlist.name or ""),
        "" if playlist.tracks is None else f"{playlist.tracks:,}",
        shown(playlist.order or ""),
        "" if playlist.last_write is None else screen.when(playlist.last_write),
        playlist.state,
    ]


def _lines(report: Status) -> Iterator[str]:
    """Return the report for a pipe: a line for each thing, and its facts below."""
    for service in report.services:
        yield f"service: running since {_when(service.since)} (process {service.process})"
        if service.note is not None:
            yield from _wrapped(service.note)
    if not report.services:
        yield "service: not running"
    for root in report.roots:
        yield from _folder(root)
    for playlist in report.playlists:
        yield from _playlist(playlist)
    yield from report.notes


def _folder(root: RootStatus) -> Iterator[str]:
    yield f"folder {shown(root.root)}"
    facts = [root.state, root.file_system, f"watched: {root.watched}"]
    if root.tracks is not None:
        facts.append(f"{root.tracks:,} tracks")
    if root.last_event is not None:
        facts.append(f"last event {_when(root.last_event)}")
    if root.last_full_scan is not None:
        facts.append(f"last whole look {_when(root.last_full_scan)}")
    if root.missed_changes:
        facts.append(f"{root.missed_changes:,} changes found that no event had told")
    yield from _wrapped(", ".join(filter(None, facts)))
    if root.advice:
        yield from _wrapped(f"try: {root.advice}")


def _playlist(playlist: PlaylistStatus) -> Iterator[str]:
    yield " ".join(filter(None, ("playlist", shown(playlist.name or ""), shown(playlist.output))))
    facts = [playlist.state]
    if playlist.tracks is not None:
        facts.append(f"{playlist.tracks:,} tracks")
    if playlist.order is not None:
        facts.append(f"order {shown(playlist.order)}")
    if playlist.last_write is not None:
        facts.append(f"written {_when(playlist.last_write)}")
    yield from _wrapped(", ".join(facts))
    if playlist.summary is not None:
        yield from _wrapped(playlist.summary)
    if playlist.last_error is not None:
        yield from _wrapped(shown(playlist.last_error))
    for unreadable in playlist.unreadable:
        yield from _wrapped(f"cannot be read: {shown(unreadable)}")
    for path in playlist.missing_lists:
        yield from _wrapped(f"skip list {shown(path)} is missing: {_LAST}")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _when(seconds: float) -> str:
    then = datetime.fromtimestamp(seconds).astimezone()
    is_today = then.date() == datetime.now().astimezone().date()
    return f"{then:%H:%M:%S}" if is_today else f"{then:%Y-%m-%d %H:%M}"
