"""Explain why a file is in a playlist, or is not."""

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated
from urllib.parse import unquote_to_bytes

from playshuffle.cli import completion, why_report
from playshuffle.cli.common_options import ConfigFile, Json, Quiet, argument, option
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.run_lists import say_broken, titles
from playshuffle.cli.screen import home_path, screen_of, shell_path
from playshuffle.cli.streams import print_json, print_lines, say_error
from playshuffle.cli.why_report import Question, Reasons
from playshuffle.config.build_request import absolute
from playshuffle.config.configuration import load_if_any
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.model import Config
from playshuffle.config.words import Kind, find, find_list, is_path, known_tracks, the_list, unknown
from playshuffle.errors import Exit, MissingError, PlayshuffleError
from playshuffle.library.walk import Changes
from playshuffle.options.help_groups import INCLUDE
from playshuffle.pipeline.explain import IN, PlaylistStages, playlist_stages
from playshuffle.pipeline.open_library import OpenLibrary, open_library
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.playlist.names import Names
from playshuffle.selection.fields import is_query
from playshuffle.selection.query import parse
from playshuffle.selection.track_names import TrackNames
from playshuffle.shuffle import System
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.tags.cause import NO_FILE
from playshuffle.tags.reader_pool import read_all

EXAMPLES = """\b
Examples:
  playshuffle why "Blue Train"      # in all playlists
  playshuffle why song.mp3 --in ~/Music/calm.m3u
  playshuffle why ~/Music           # how many files are in, and why not all
  playshuffle why calm              # the same for one list
  playshuffle why genre:jazz        # the same for the tracks of a query
"""


def why(
    words: Annotated[
        list[str], argument("TRACK...", "Titles, files, folders, queries or lists", completion.lists)
    ],
    playlist: Annotated[
        str | None, option("--in LIST", "Only this playlist", INCLUDE, completion.lists)
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> Exit:
    """Explain why files are in a playlist or not.

    The files of a folder are counted. Of those in no playlist, five are named for each reason.
    The playlists are those of the configuration, and those that make and deal wrote.
    """
    question, others, lists = _question(words, playlist, config)
    requests = [request._replace(dry_run=True) for request in question.requests.values()]
    with contextlib.ExitStack() as stack:
        with progress_bar(quiet) as progress:
            tools = Tools(read_all, System(), progress)
            opened = stack.enter_context(open_library(requests, tools, Changes(still_ns=question.still_ns)))
            playlists = {
                name: playlist_stages(opened, request, tools, question.next_run(name))
                for name, request in question.requests.items()
            }
        return _explain(_paths(others, playlists, opened, lists), playlists, question, as_json=as_json)


def _explain(
    named: Mapping[bytes, Sequence[bytes] | None],
    playlists: Mapping[str, PlaylistStages],
    question: Question,
    *,
    as_json: bool,
) -> Exit:
    screen = screen_of(sys.stdout)
    reasons = _explained((path for path, paths in named.items() if paths is None), playlists)
    inside = {top: _explained(paths, playlists) for top, paths in named.items() if paths is not None}
    missing = [explained.run.library.missing for explained in playlists.values()] if inside else ()
    for summary in dict.fromkeys(error.summary for errors in missing for error in errors.values()):
        say_error(f"{summary}.")
    for top, by_path in inside.items():
        if not by_path:
            say_error(f"No audio file that a playlist could have: {home_path(top)}")
    if as_json:
        every = dict(item for by_path in (reasons, *inside.values()) for item in by_path.items())
        print_json(why_report.as_json(every, playlists, question))
    else:
        print_lines(why_report.lines(reasons, question, screen))
        for top, by_path in inside.items():
            if by_path:
                print_lines(why_report.folder_lines(top, by_path, list(playlists), screen))
    return _code(reasons, inside.values())


def _explained(paths: Iterable[bytes], playlists: Mapping[str, PlaylistStages]) -> Reasons:
    return {path: {name: stages.explain(path) for name, stages in playlists.items()} for path in paths}


def _paths(
    words: Iterable[str],
    playlists: Mapping[str, PlaylistStages],
    opened: OpenLibrary,
    lists: Sequence[KnownList],
) -> dict[bytes, Sequence[bytes] | None]:
    """Map each file that words name to None, and each folder or query to its files."""
    roots = sorted({root for explained in playlists.values() for root in explained.run.request.roots})
    names = known_tracks(opened.whole_table(), roots)
    paths_in: dict[bytes, Sequence[bytes] | None] = {}
    for word in words:
        path = _path(word)
        # A missing folder does not exist now, but tracks are known below it.
        tops = [path, *(os.path.join(root, os.fsencode(word)) for root in roots)]
        below = {top: paths for top in tops if (paths := _below(top, playlists))}
        if path in below or os.path.isdir(path):
            paths_in[path] = below.get(path, ())
        elif not os.path.lexists(path) and below:
            paths_in |= below
        elif not os.path.lexists(path) and is_query(word):
            paths_in[os.fsencode(word)] = _matching(word, playlists)
        else:
            paths_in[path if os.path.lexists(path) else _track(word, path, names, lists)] = None
    return paths_in


def _track(word: str, path: bytes, names: TrackNames, lists: Sequence[KnownList]) -> bytes:
    index = names.find(word)
    if index is None and not is_path(word):
        raise unknown(word, [Kind.LIST, Kind.FILE, Kind.FOLDER, Kind.TRACK], lists, names.near(word))
    return path if index is None else names.paths[index]


def _matching(query: str, playlists: Mapping[str, PlaylistStages]) -> Sequence[bytes]:
    paths: set[bytes] = set()
    for run in (explained.run for explained in playlists.values()):
        tracks = run.choice.all_tracks
        selection = parse(query, run.request.roots).select(tracks, range(len(tracks)), run.rows_of)
        paths.update(tracks.paths[index] for index in selection.kept)
    return sorted(paths)


def _below(top: bytes, playlists: Mapping[str, PlaylistStages]) -> Sequence[bytes]:
    starts = tuple(os.path.join(path, b"") for path in (top, os.path.realpath(top)))
    paths: dict[bytes, None] = {}
    for explained in playlists.values():
        all_paths = (*explained.run.choice.all_tracks.paths, *explained.skipped, *explained.entries)
        paths |= dict.fromkeys(sorted(path for path in all_paths if path.startswith(starts)))
    return list(paths)


def _question(
    words: Sequence[str], name: str | None, config: str | None
) -> tuple[Question, Sequence[str], Sequence[KnownList]]:
    """Return the playlists to explain, the words that name no list, and all lists."""
    config_file = load_if_any(config)
    named: dict[str, KnownList] = {}
    with State(writes=False) as state:
        every_list = known_lists(config_file, state)
        for word in words:
            meant = find(word, Kind.FOLDER if os.path.isdir(word) else Kind.FILE, every_list)
            if meant is not None and meant[1] is not None:
                named[word] = meant[1]
        lists = [*named.values()] if named and name is None else _lists(words, name, every_list, config_file)
        requests = {
            title: _request(one, state) for title, one in zip(titles(lists, every_list), lists, strict=True)
        }
    others = [word for word in words if word not in named] or [
        os.fsdecode(root) for request in requests.values() for root in request.roots
    ]
    configured = {title: one.name for title, one in zip(requests, lists, strict=True) if one.configured}
    if config_file is None:
        return Question(requests, configured), others, every_list
    return Question(requests, configured, config_file.still_ns, config_file.document), others, every_list


def _lists(
    words: Sequence[str], name: str | None, lists: Sequence[KnownList], config_file: Config | None
) -> Sequence[KnownList]:
    if name is not None:
        if os.path.isfile(name) and find_list(name, lists) is None:
            return [KnownList(atomic_file.resolved(absolute(name, Exit.USAGE)))]
        return [the_list(name, lists)]
    if config_file is not None:
        say_broken(config_file)
    folders = {folder for one in lists if not os.path.isdir(folder := os.path.dirname(one.path))}
    lists = [one for one in lists if one.configured is not None or one.exists]
    if not lists and folders:
        raise MissingError(min(folders), "it does not exist", "Mount the drive of your playlists.")
    if not lists:
        music = next((f" {shell_path(word)}" for word in words if os.path.isdir(word)), "")
        raise PlayshuffleError(
            f"No playlist is known. Name one with --in FILE, or make one: playshuffle make{music}"
        )
    return lists


def _request(one: KnownList, state: State) -> Request:
    if one.configured is not None:
        return one.configured.request
    try:
        request = one.request(state)
    except PlayshuffleError as error:
        say_error(f"{home_path(one.path)}: {error}")
        request = None
    return request or Request((), one.path)


def _path(text: str) -> bytes:
    if text.startswith("file://"):
        return unquote_to_bytes(text.removeprefix("file://"))
    path = absolute(text)
    return Names().find(path) or path


def _code(reasons: Reasons, inside: Iterable[Reasons]) -> Exit:
    codes = [{reason.code for reason in by_list.values()} for by_list in reasons.values()]
    if any(by_list == {NO_FILE} for by_list in codes):
        return Exit.NO_INPUT
    for by_path in inside:
        codes += [{reason.code for reason in by_list.values()} for by_list in by_path.values()] or [set()]
    return Exit.LOSSES if any(by_list != {IN} for by_list in codes) else Exit.DONE
