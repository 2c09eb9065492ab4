"""Explain why a file is in a playlist, or is not."""

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import unquote_to_bytes

import typer

from playshuffle.cli import names, playlist_options
from playshuffle.cli.make import progress_bar, read_all
from playshuffle.cli.screen import Screen, home_path, screen_of
from playshuffle.cli.streams import say_error, write_out
from playshuffle.config.build_request import absolute, build_request
from playshuffle.config.load import understand
from playshuffle.config.options import INCLUDE, Options
from playshuffle.config.places import find
from playshuffle.config.toml_file import Document, read
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.explain import IN, NO_FILE, PlaylistStages, Reason, look_at
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.session import Tools
from playshuffle.shuffle import System
from playshuffle.text import counted

_SCHEMA = 1

EXAMPLES = """\b
Examples:
  playshuffle why song.mp3                       # in all playlists of the configuration
  playshuffle why song.mp3 --in ~/Music/calm.m3u
  playshuffle why ~/Music/Live                   # how many of a folder are in, and why not
  playshuffle why --all                          # all files that are in no playlist
  playshuffle why song.mp3 --folder ~/Music --where genre:jazz
"""


@playlist_options.takes_playlist_options("make")
def why(
    *,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE|FOLDER...", show_default=False, help="Audio files")
    ] = None,
    is_all: Annotated[bool, typer.Option("--all", help="Explain all files that are in no playlist")] = False,
    playlist: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="FILE|NAME",
            help="Only this playlist",
            rich_help_panel=INCLUDE,
            autocompletion=names.playlists,
        ),
    ] = None,
    folders: Annotated[
        list[str] | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="Music folder of a playlist by `make`",
            rich_help_panel=INCLUDE,
        ),
    ] = None,
    options: Options,
    config: playlist_options.ConfigFile = None,
    as_json: playlist_options.Json = False,
    quiet: playlist_options.Quiet = False,
) -> Exit:
    """Explain why files are in a playlist or not."""
    if bool(files) == is_all:
        raise PlayshuffleError("Name either files to explain, or --all.", Exit.USAGE)
    playlists: dict[str, PlaylistStages] = {}
    asked = _requests(folders, options, playlist, config)
    for name, request in asked.requests.items():
        with progress_bar(quiet) as progress:
            playlists[name] = look_at(request, Tools(read_all, System(), progress), asked.still_ns)
    paths = [_path(text) for text in files or ()]
    if is_all:
        return _report_all(playlists, asked, as_json=as_json)
    tops = [path for path in paths if os.path.isdir(path)]
    reasons = {
        path: {name: explained.explain(path) for name, explained in playlists.items()}
        for path in paths
        if path not in tops
    }
    if as_json:
        inside = {path: by_list for top in tops for path, by_list in _below(top, playlists)}
        write_out([_as_json({**reasons, **inside}, playlists, asked).encode(), b"\n"])
    else:
        screen = screen_of(sys.stdout)
        write_out(f"{line}\n".encode(errors="surrogateescape") for line in _lines(reasons, asked, screen))
        for top in tops:
            write_out(f"{line}\n".encode() for line in _counts(top, playlists))
    return _code(reasons)


# The keys of the configuration that stages belong to, by the code of their reasons.
_KEYS = {"duplicate": ("dedupe",), "limit": ("limit", "time"), "where": ("where",), "without": ("without",)}


@dataclass(frozen=True, slots=True)
class _Asked:
    """The playlists to explain.

    requests: by name. still_ns: files modified less than this time ago count as being written.
    document: the configuration; None for a playlist of the command line.
    """

    requests: dict[str, Request]
    still_ns: int = 0
    document: Document | None = None

    def line(self, name: str, code: str) -> int | None:
        """Return the line of the configuration that a reason comes from."""
        document = self.document
        if document is None:
            return None
        lines = (document.line("playlist", name, key) for key in _KEYS.get(code, ()))
        return next((line for line in lines if line is not None), None)


def _requests(
    folders: Sequence[str] | None, options: Options, playlist: str | None, config: str | None
) -> _Asked:
    """Return the playlists to explain.

    Raises:
        PlayshuffleError: the playlist or the configuration does not exist.
    """
    if folders or options.source is not None:
        options = replace(options, folders=tuple(folders or ()))
        if playlist is not None:
            options = replace(options, output=playlist)
        request = build_request(options, dry_run=True)
        return _Asked({shown(os.path.basename(request.output or b"playlist")): request})
    if options != Options():
        raise PlayshuffleError("Options of make need a music folder. Name it with --folder.", Exit.USAGE)
    document = read(find(config))
    loaded = understand(document)
    for broken in loaded.broken:
        say_error(broken.text)
    requests = {
        candidate.name: candidate.request
        for candidate in loaded.playlists
        if playlist in (None, candidate.name) or _is_output(playlist or "", candidate.request)
    }
    if not requests:
        raise PlayshuffleError(
            f"The configuration has no playlist '{shown(playlist or '')}'. For a playlist that `make` wrote,"
            " add --folder and the options of make.",
            Exit.USAGE,
        )
    return _Asked(requests, int(loaded.settle_s * 0.9e9), document)


def _is_output(text: str, request: Request) -> bool:
    return os.path.realpath(os.fsencode(text)) == os.path.realpath(request.output or b"")


def _path(text: str) -> bytes:
    """Return the path of a file that is named as a path, as a URI, or as in a playlist."""
    if text.startswith("file://"):
        return unquote_to_bytes(text.removeprefix("file://"))
    return absolute(text, Exit.NO_INPUT)


def _lines(reasons: Mapping[bytes, Mapping[str, Reason]], asked: _Asked, screen: Screen) -> Iterator[str]:
    for path, by_list in reasons.items():
        yield home_path(path)
        width = max(map(len, by_list))
        for name, reason in by_list.items():
            answer = "yes" if reason.code == IN else "no"
            line = asked.line(name, reason.code)
            place = (
                ""
                if line is None or asked.document is None
                else f"{shown(asked.document.path)}, line {line}: "
            )
            yield from screen.wrapped(f"{place}{reason.text}", f"  {shown(name):{width}}  {answer}: ")


def _below(top: bytes, playlists: Mapping[str, PlaylistStages]) -> Iterator[tuple[bytes, dict[str, Reason]]]:
    """Yield the reasons of all files below a folder that a scan found, or left out."""
    start = os.path.join(top, b"")
    paths: dict[bytes, None] = {}
    for explained in playlists.values():
        paths_known = (*explained.choice.found.paths, *explained.skipped, *explained.entries)
        paths |= dict.fromkeys(sorted(path for path in paths_known if path.startswith(start)))
    for path in paths:
        yield path, {name: explained.explain(path) for name, explained in playlists.items()}


def _counts(top: bytes, playlists: Mapping[str, PlaylistStages]) -> Iterator[str]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, by_list in _below(top, playlists):
        for name, reason in by_list.items():
            counts[name][reason.code] += 1
    yield home_path(top)
    for name in playlists:
        phrases = [f"{count:,} {code}" for code, count in counts[name].most_common()]
        yield f"  {shown(name)}  {', '.join(phrases) or 'no audio files'}"


def _report_all(playlists: Mapping[str, PlaylistStages], asked: _Asked, *, as_json: bool) -> Exit:
    """Report each file that is in no playlist, grouped by reason."""
    roots = dict.fromkeys(root for explained in playlists.values() for root in explained.request.roots)
    out = {
        path: by_list
        for root in roots
        for path, by_list in _below(root, playlists)
        if all(reason.code != IN for reason in by_list.values())
    }
    if as_json:
        write_out([_as_json(out, playlists, asked).encode(), b"\n"])
        return Exit.DONE
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path, by_list in out.items():
        reason = next(iter(by_list.values()))
        groups[reason.code].append(f"  {home_path(path)}: {reason.text}")
    for code, lines in sorted(groups.items()):
        write_out(f"{line}\n".encode() for line in (f"{code}: {counted(len(lines), 'file')}", *lines))
    return Exit.DONE


def _as_json(
    reasons: Mapping[bytes, Mapping[str, Reason]], playlists: Mapping[str, PlaylistStages], asked: _Asked
) -> str:
    def row(path: bytes, name: str, reason: Reason) -> dict[str, Any]:
        explained = playlists[name]
        at = explained.entries.get(explained.path_of(path))
        return {
            "playlist": name,
            "output": os.fsdecode(explained.request.output or b""),
            "in": reason.code == IN,
            "reason": reason.code,
            "text": reason.text,
            "line": asked.line(name, reason.code),
            "terms": [
                {"term": term.text, "holds": term.holds, "values": dict(term.values)} for term in reason.terms
            ],
            "position": None if at is None else at + 1,
            "drawn": explained.drawn_s or None,
        }

    files = [
        {
            "path": os.fsdecode(path),
            "playlists": [row(path, name, why_of) for name, why_of in by_list.items()],
        }
        for path, by_list in reasons.items()
    ]
    return json.dumps({"schema": _SCHEMA, "files": files}, indent=2)


def _code(reasons: Mapping[bytes, Mapping[str, Reason]]) -> Exit:
    codes = [{reason.code for reason in by_list.values()} for by_list in reasons.values()]
    if any(found == {NO_FILE} for found in codes):
        return Exit.NO_INPUT
    return Exit.LOSSES if any(found != {IN} for found in codes) else Exit.DONE
