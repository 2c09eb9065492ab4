"""Remove tracks from all playlists, for good: `playshuffle never`."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from playshuffle.cli import completion
from playshuffle.cli.common_options import Quiet, argument, option
from playshuffle.cli.run_lists import request_of, run_lists
from playshuffle.cli.screen import Mark, home_path
from playshuffle.cli.streams import print_lines, say, say_error, show
from playshuffle.config.build_request import absolute
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.never import add_tracks, follow_tracks, never_tracks, remove_track
from playshuffle.config.places import never_list
from playshuffle.config.words import known_tracks
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, of_all, shown
from playshuffle.library.listing import is_audio_name
from playshuffle.listening.saved_windows import notify
from playshuffle.options.given import NOTHING_GIVEN
from playshuffle.pipeline.deal import deal_again, deck_of
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.run import Run
from playshuffle.pipeline.skip_lists import RULE, folder_of
from playshuffle.playlist.names import Names
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.selection.fields import is_query
from playshuffle.selection.query import parse
from playshuffle.service import status_file
from playshuffle.store.state import State
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle never frantic.ogg    # in no playlist any more
  playshuffle never ~/Music/Kids   # a folder, with all that comes into it
  playshuffle never artist:ABBA    # all that match a query
  playshuffle never                # show these tracks
  playshuffle never --undo         # take the last one back; or --undo TRACK
"""


def never(
    tracks: Annotated[
        list[str] | None, argument("[TRACK...]", "Titles, files, folders or queries", completion.titles)
    ] = None,
    undo: Annotated[bool, option("--undo", "Take these tracks back, or the last one")] = False,
    quiet: Quiet = False,
) -> Exit:
    """Remove tracks from all playlists for good.

    They are in never.m3u beside the configuration. Any player may edit that list.
    """
    with State(writes=False) as state:
        follow_tracks(state)
    if undo:
        return _undo(tracks or (), quiet=quiet)
    if not tracks:
        paths = never_tracks()
        print_lines(_listing(paths))
        if not paths and not quiet:
            say(["No track is in the list. To add one: playshuffle never TRACK"])
        return Exit.DONE
    with State(writes=False) as state:
        paths = _found(tracks, state)
        lists = [one for one in known_lists(None, state) if one.exists and _may_have(one, paths)]
        own = [one for one in lists if not _is_updated_by_service(one, state)]
    new = add_tracks(paths)
    notify()
    failures = update_lists(own, quiet=quiet)
    if not quiet:
        what = f"{_shown_line(paths[0])} is" if len(paths) == 1 else f"{len(paths):,} tracks are"
        count = counted(len(lists), "playlist")
        if failures:
            text = f"{what} not wanted any more, but removed from {len(lists) - len(failures)} of {count}"
            show([(Mark.WARNING, text)])
        else:
            done = f"in no playlist any more. Removed from {count}" if new or lists else "already excluded"
            show([(Mark.GOOD, f"{what} {done}")])
        show([("List", home_path(never_list()))])
        times = ", once for each track" if len(new) > 1 else ""
        show([("Undo", f"playshuffle never --undo{times}")] if new else ())
    return of_all(failures)


def _is_updated_by_service(one: KnownList, state: State) -> bool:
    options = one.saved_options(state)
    is_dealt_by_hand = options is not None and options.every == Every.RUN
    return not is_dealt_by_hand and bool(status_file.processes([one.path]))


def _undo(words: Sequence[str], *, quiet: bool) -> Exit:
    listed = never_tracks()
    with State(writes=False) as state:
        paths: list[bytes | None] = [_listed(word, listed) or _found([word], state)[0] for word in words]
    for path in paths or [None]:
        removed = remove_track(path)
        if removed is None:
            what = "No track is" if path is None else f"{_shown_line(path)} is not"
            raise PlayshuffleError(f"{what} in {home_path(never_list())}.")
        if not quiet:
            text = f"{_shown_line(removed)} may be in playlists again, from the next make or deal of each"
            show([(Mark.GOOD, text)])
    return Exit.DONE


def _listed(word: str, paths: Sequence[bytes]) -> bytes | None:
    rule = RULE + os.path.join(absolute(word), b"")
    for meant in (RULE + os.fsencode(word), rule):
        if meant in paths:
            return meant
    real, end = os.path.realpath(absolute(word)), b"/" + os.fsencode(word)
    files = (path for path in paths if not path.startswith(RULE))
    return next((path for path in files if os.path.realpath(path) == real or path.endswith(end)), None)


def _found(words: Sequence[str], state: State) -> list[bytes]:
    names = known_tracks(state.load_tracks(), state.roots())
    paths = []
    for word in words:
        path = absolute(word)
        if os.path.isdir(path) or (is_query(word) and not os.path.lexists(path)):
            paths.append(_rule(word, path))
            continue
        found = Names().find(path)  # a file here comes before a track elsewhere
        is_audio = found is not None and is_audio_name(os.path.basename(found))
        if not is_audio and (index := names.find(word)) is not None:
            found, is_audio = names.paths[index], True
        if found is None:
            raise PlayshuffleError(f"No track is called '{shown(word)}'.{names.near(word)}", Exit.NO_INPUT)
        if not is_audio:
            raise PlayshuffleError(f"'{shown(word)}' is not an audio file.", Exit.NO_INPUT)
        paths.append(found)
    return paths


def _rule(word: str, path: bytes) -> bytes:
    """Return the rule for a folder, or else a query."""
    if not os.path.isdir(path):
        parse(word)
        return RULE + os.fsencode(word)
    if not {b"\n"[0], b"\r"[0]}.isdisjoint(path):
        raise PlayshuffleError(f"{shown(path)} has a line break in its name. Name its tracks.", Exit.NO_INPUT)
    return RULE + os.path.join(path, b"")


def _shown_line(path: bytes) -> str:
    return home_path(path.removeprefix(RULE))


def _listing(paths: Sequence[bytes]) -> Iterator[str]:
    """Yield the lines of never.m3u; a folder with the number of known tracks that it keeps out."""
    with State(writes=False) as state:
        tracks = state.load_tracks().folders if any(path.startswith(RULE) for path in paths) else {}
    for path in paths:
        folder = folder_of(path) if path.startswith(RULE) else None
        if folder is None:
            yield _shown_line(path)
            continue
        top = os.path.join(folder, b"")
        count = sum(row.names.count(b"/") + 1 for name, row in tracks.items() if name.startswith(top))
        yield f"{_shown_line(path)}  ({counted(count, 'track')} now)"


def _may_have(one: KnownList, paths: Sequence[bytes]) -> bool:
    """Return whether a list has one of these tracks, or may have one of a folder or query."""
    rules = [path for path in paths if path.startswith(RULE)]
    folders = [folder_of(rule) for rule in rules]
    tops = tuple(os.path.join(folder, b"") for folder in folders if folder is not None)
    entries = _entries(one.path)
    return None in folders or not entries.isdisjoint(paths) or any(path.startswith(tops) for path in entries)


def _entries(playlist: bytes) -> set[bytes]:
    with contextlib.suppress(PlayshuffleError):
        return {*PlaylistFile.find(playlist).entries()}
    return set()


def update_lists(lists: Iterable[KnownList], *, quiet: bool) -> list[Exit]:
    """Write again the lists whose tracks or paths have changed; return an exit code for each failure."""
    requests: dict[str, Request] = {}
    failures: dict[str, PlayshuffleError] = {}
    with State(writes=False) as state:
        for one in lists:
            try:
                request = request_of(one, NOTHING_GIVEN, state, is_dealt=one.is_dealt)
                requests[home_path(one.path)] = request._replace(redraw_before_s=0)
            except PlayshuffleError as error:
                failures[home_path(one.path)] = error
    codes: list[Exit] = []
    try:
        codes = run_lists(requests, _keep, quiet=quiet)[1]
    except PlayshuffleError as error:
        failures |= dict.fromkeys(requests, error)
    for name, failed in failures.items():
        text = str(failed)
        say_error(text if os.path.basename(name) in text else f"{name}: {text}")
    return [*codes, *(error.code for error in failures.values())]


def _keep(run: Run) -> object:
    if run.request.deal is None:
        return keep(run)
    if not deck_of(run).has_deal:
        raise PlayshuffleError(
            "Its deal was taken back, so it keeps its tracks until the next deal.", Exit.LOSSES
        )
    return deal_again(run)
