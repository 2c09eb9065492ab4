"""Read and change the skip list of all playlists: never.m3u, which any player may edit.

Entries below the home folder are relative to the list, so that they also work in a copy of the home.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

from playshuffle.config.places import never_list
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.skip_lists import RULE, folder_of, present_places, rules_in, with_new_places
from playshuffle.playlist import playlist_reader
from playshuffle.playlist.m3u import PathStyle, entries
from playshuffle.store.state import State
from playshuffle.system import atomic_file


def never_tracks() -> list[bytes]:
    """Return the paths and rules in never.m3u, in order."""
    return _known(_content())


def add_tracks(paths: Sequence[bytes]) -> list[bytes]:
    """Add tracks at the end; return the ones that never.m3u did not have."""
    with _locked():
        content = _content() or b"#EXTM3U\n"
        there = {*_known(content)}
        new = [path for path in dict.fromkeys(paths) if path not in there]
        content += b"" if content.endswith(b"\n") else b"\n"
        tracks: dict[int, bytes] = {}
        for path in new:
            if path.startswith(RULE):
                content += _spelled(path) + b"\n"
                continue
            tracks[content.count(b"\n")] = path
            content += b"\n"
        if new:
            content = _with_tracks(content, tracks)
            atomic_file.write(never_list(), [content])
    return new


def remove_track(path: bytes | None = None) -> bytes | None:
    """Remove a track or rule, by default the last one, and return it; None if never.m3u lacks it."""
    with _locked():
        content = _content()
        before = _entries(content)
        path = path or next(iter(_known(content)[::-1]), None)
        lines = content.split(b"\n")
        numbers = [entry.line for entry in before if entry.path == path]
        numbers += [line for rule, line in rules_in(content).items() if _expanded(rule) == path]
        for index in (line - 1 for line in sorted(numbers, reverse=True)):
            start = index - 1 if index and lines[index - 1].startswith(b"#EXTINF") else index
            del lines[start : index + 1]
        if path is None or not numbers:
            return None
        rest = b"\n".join(lines)
        if [entry.path for entry in _entries(rest)] != [entry.path for entry in before if entry.path != path]:
            raise _refusal(path)
        atomic_file.write(never_list(), [rest])
    return path


def follow_tracks(state: State) -> None:
    """Give entries of renamed tracks the new paths, if never.m3u can be written."""
    table = cache(state.load_tracks)

    def path_of() -> dict[bytes, bytes]:
        numbers = state.former_paths()
        present = table().paths_of(numbers.values())
        return {path: present[number] for path, number in numbers.items() if number in present}

    def paths() -> Iterator[bytes]:
        return (top + name for top, row in table().folders.items() for name in row.numbers_by_name())

    new_place = cache(present_places(path_of, paths))
    if any(with_new_places(entry, new_place) != entry for entry in never_tracks()):
        with contextlib.suppress(PlayshuffleError), _locked():
            atomic_file.write(never_list(), [with_new_paths(never_list(), new_place)])


def with_new_paths(path: bytes, new_place: Callable[[bytes], bytes]) -> bytes:
    """Return the content of the skip list `path` with each entry's path changed by `new_place`.

    Raises:
        PlayshuffleError: a new path cannot be written as an entry.
    """
    content = playlist_reader.lines_of(path)
    new_paths = {entry.line - 1: (entry.path, new_place(entry.path)) for entry in _entries(content)}
    content = _with_tracks(content, {line: new for line, (old, new) in new_paths.items() if new != old})
    lines = content.split(b"\n")
    for rule, line in rules_in(content).items():
        changed = with_new_places(rule, new_place)
        if changed != rule:
            lines[line - 1] = _spelled(changed)
    return b"\n".join(lines)


def _with_tracks(content: bytes, tracks: Mapping[int, bytes]) -> bytes:
    """Replace lines of the list's content, counted from 0, by tracks.

    Each track has the first spelling that is read as this path: mostly the same one for all.
    """
    if not tracks:
        return content
    before = {entry.line - 1: entry.path for entry in _entries(content)}
    folder, home = (
        os.path.realpath(name) for name in (os.path.dirname(never_list()), os.path.expanduser(b"~"))
    )
    named = os.path.join(os.path.expanduser(b"~"), b"")  # by its name: the home folder may be a link
    real = {
        line: os.path.join(home, path.removeprefix(named)) if path.startswith(named) else path
        for line, path in tracks.items()
    }
    is_below = all(path.startswith(os.path.join(home, b"")) for path in (folder, *real.values()))
    wanted = [[path for _, path in sorted({**before, **paths}.items())] for paths in (tracks, real)]
    for style in PathStyle if is_below else (PathStyle.ABSOLUTE, PathStyle.URI):
        lines = content.split(b"\n")
        for line, entry in zip(real, entries([*real.values()], style, folder), strict=True):
            lines[line] = entry
        changed = b"\n".join(lines)
        if [entry.path for entry in _entries(changed)] in wanted:
            return changed
    numbers = sorted(tracks)
    if len(numbers) == 1:
        raise _refusal(tracks[numbers[0]])
    for half in (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]):
        content = _with_tracks(content, {number: tracks[number] for number in half})
    return content


def _known(content: bytes) -> list[bytes]:
    lines = [(entry.line, entry.path) for entry in _entries(content)]
    lines += [(line, _expanded(rule)) for rule, line in rules_in(content).items()]
    return [path for _, path in sorted(lines)]


def _expanded(rule: bytes) -> bytes:
    folder = folder_of(rule)
    return rule if folder is None else RULE + os.path.join(folder, b"")


def _spelled(rule: bytes) -> bytes:
    """Return a rule as it is written: a folder below the home folder begins with ~."""
    home = RULE + os.path.join(os.path.expanduser(b"~"), b"")
    return RULE + b"~/" + rule.removeprefix(home) if rule.startswith(home) else rule


def _entries(content: bytes) -> list[playlist_reader.Entry]:
    entries = playlist_reader.read_content(content, never_list()).entries
    return [entry._replace(path=os.path.normpath(entry.path)) for entry in entries if entry.path]


def _content() -> bytes:
    return playlist_reader.lines_of(never_list()) if os.path.lexists(never_list()) else b""


@contextmanager
def _locked() -> Iterator[None]:
    atomic_file.make_folder_for(never_list())
    with atomic_file.held(os.path.dirname(never_list())):
        yield


def _refusal(path: bytes) -> PlayshuffleError:
    return PlayshuffleError(
        f"{shown(never_list())} was written by another program in a way that playshuffle cannot change for"
        f" {shown(path)}. Change it with that program or a text editor.",
        Exit.CANNOT_CREATE,
    )
