"""Copy the tracks of a playlist to a stick as numbered files: `playshuffle export`."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from playshuffle.cli import completion
from playshuffle.cli.common_options import ConfigFile, Quiet, argument, option
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.run_lists import titles
from playshuffle.cli.screen import Fact, Mark, home_path, screen_of, shell_path
from playshuffle.cli.streams import say, show
from playshuffle.config.build_request import absolute
from playshuffle.config.known_list import KnownList
from playshuffle.config.load import all_lists
from playshuffle.config.own_players import value_names
from playshuffle.config.words import find_file
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.exporting.copied_tracks import CopiedTrack, find_tracks, longest_name, safe_name
from playshuffle.exporting.copying import Exported
from playshuffle.exporting.export import export as export_tracks
from playshuffle.library.folder import Skipped
from playshuffle.options.option_values import parse_size
from playshuffle.players.check import not_played
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist.owner import user_name
from playshuffle.playlist.playlist_reader import STDIN, read_file_list
from playshuffle.store.state import State
from playshuffle.system import mounts
from playshuffle.tags.reader_pool import read_all
from playshuffle.text import counted, shortened

_NAMES = 5  # named files of those skipped

EXAMPLES = """\b
Examples:
  playshuffle export ~/Music/playshuffle.m3u /media/stick
  playshuffle export today /media/stick --size 8GB
  playshuffle export party.m3u /media/car --max-per-folder 99 --ascii
  playshuffle export phone ~/Phone --keep-names    # copy only new tracks
"""
_Playlist = Annotated[str | None, argument("LIST", "File, name of a list, or - for files", completion.lists)]
_Folder = Annotated[str | None, argument("FOLDER", "Folder on the stick, for the new folder LIST")]


def export(
    playlist: _Playlist = None,
    folder: _Folder = None,
    size: Annotated[str | None, option("--size SIZE", "Use at most this space, such as 28GB")] = None,
    max_per_folder: Annotated[
        int | None, option("--max-per-folder N", "At most N tracks in a folder, such as 99")
    ] = None,
    keep_names: Annotated[
        bool, option("--keep-names", "Keep the names, in FOLDER itself, as for phones")
    ] = False,
    is_ascii: Annotated[bool, option("--ascii", "Use only plain letters in names")] = False,
    config: ConfigFile = None,
    quiet: Quiet = False,
) -> Exit:
    """Copy the tracks of a playlist to a stick."""
    _check_folders(max_per_folder, keep_names=keep_names)
    most_bytes = None if size is None else parse_size(size)
    lists = all_lists(config)
    if playlist is None or folder is None:
        raise _incomplete(playlist, lists)
    path = playlist if playlist == STDIN else os.fsdecode(find_file(playlist, lists))
    read = read_file_list(path)
    target = absolute(folder, Exit.CANNOT_CREATE)
    longest = longest_name(target)
    with State(writes=False) as state:
        roots = state.roots()
    below = roots if keep_names else None
    with progress_bar(quiet) as progress:
        tracks, skipped = find_tracks(
            read.files, read_all, progress.report, is_ascii=is_ascii, kept_below=below, longest=longest
        )
    _check_tracks(tracks, playlist, path)
    if not quiet:
        show(_not_played(read.player or (GENERIC if keep_names else "car"), tracks))
    with progress_bar(quiet) as progress:
        done = export_tracks(
            tracks,
            target,
            safe_name(_name(path), is_ascii=is_ascii, longest=longest),
            _source(path),
            progress.report,
            roots=roots,
            most_bytes=most_bytes,
            max_per_folder=max_per_folder,
            keeps_names=keep_names,
        )
    if not quiet:
        say(_report(done, len(tracks), skipped, read.others))
        show(_stay_out(tracks[done.tracks :], path, size, lists))
    return Exit.LOSSES if skipped else Exit.DONE


def _incomplete(playlist: str | None, lists: Sequence[KnownList]) -> PlayshuffleError:
    drives = ", ".join(map(shown, mounts.removable(mounts.table()))) or "none"
    text = f"Name a folder on the stick. Mounted removable drives: {drives}."
    if playlist is None:
        names = ", ".join(map(shown, titles(lists))) or "none"
        text = f"Name a list and a folder on the stick. Lists: {names}. Mounted removable drives: {drives}."
    return PlayshuffleError(text)


def _check_tracks(tracks: Sequence[CopiedTrack], playlist: str, path: str) -> None:
    if not tracks:
        see = f"See: playshuffle check {shell_path(path)}"
        raise PlayshuffleError(f"'{shown(playlist)}' names no file to copy. {see}", Exit.NO_INPUT)


def _check_folders(max_per_folder: int | None, *, keep_names: bool) -> None:
    if max_per_folder is None:
        return
    if max_per_folder < 1:
        raise PlayshuffleError(f"--max-per-folder must be a number from 1, not {max_per_folder}.")
    if keep_names:
        raise PlayshuffleError("--max-per-folder does not work with --keep-names. Remove either.")


def _name(playlist: str) -> str:
    return "playlist" if playlist == STDIN else KnownList(os.fsencode(playlist)).name


def _source(playlist: str) -> str:
    """Describe a list by file and owner: lists of two users may share a name."""
    if playlist == STDIN:
        return f"standard input of {user_name(os.geteuid())}"
    return f"{shown(os.path.realpath(playlist))} of {user_name(os.stat(playlist).st_uid)}"


def _report(
    done: Exported, track_count: int, skipped: Sequence[Skipped], streams: Iterable[bytes]
) -> Iterator[str]:
    text = (
        f"{home_path(done.folder)}: {_fitting(done.tracks, track_count)},"
        f" {done.size / 1e6:,.0f} MB. Copied {done.copied:,}, kept {done.tracks - done.copied:,},"
        f" removed {done.removed:,}"
    )
    mark = Mark.GOOD if done.tracks == track_count else Mark.WARNING
    yield screen_of(sys.stderr).verdict(mark, text)
    reasons = [f"{home_path(track.path)}: {track.reason}" for track in skipped]
    reasons += [f"{shown(stream)}: not a file" for stream in streams]
    yield from (f"  skipped {line}" for line in shortened(reasons, _NAMES))


def _not_played(player: str, tracks: Sequence[CopiedTrack]) -> Iterator[Fact]:
    """Yield what a player cannot play, before it is copied. Numbered copies are for car radios."""
    value_names("player")  # adds the players of the configuration
    name = player if player in PLAYERS else GENERIC
    others, quirk = not_played(name, [track.source for track in tracks])
    if others:
        much = f"{shown(PLAYERS[name].title)} may not play {len(others):,} of {counted(len(tracks), 'track')}"
        yield "Problem", f"{much}: {quirk.what}. To fix: {quirk.cure}"


def _stay_out(
    unfit: Sequence[CopiedTrack], playlist: str, size: str | None, lists: Sequence[KnownList]
) -> Iterator[Fact]:
    """Yield the tracks that do not fit; for a deal, also the commands that deal only what fits."""
    if not unfit:
        return
    tracks = [home_path(track.source) for track in unfit]
    yield from (("Stay out", track) for track in shortened(tracks, _NAMES))
    path = os.path.realpath(os.fsencode(playlist))
    for one, title in zip(lists, titles(lists), strict=True):
        if one.path == path and one.is_dealt:
            name = shlex.quote(title)
            yield "Note", "They were dealt, so they come again in the next round. To deal only what fits:"
            yield "", f"playshuffle undo {name}"
            yield "", f"playshuffle deal {name} --now --size {shlex.quote(size or '8GB')}"


def _fitting(count: int, of: int) -> str:
    return counted(count, "track") if count == of else f"{count:,} of {counted(of, 'track')} fit"
