"""Find the terms of a query that change nothing, and suggest a folder for a mistyped path."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from playshuffle.selection.fields import DAY
from playshuffle.selection.findings import Idle
from playshuffle.selection.terms import Term
from playshuffle.text import folded

_CLOSENESS = 0.7
_MOST_FOLDERS = 10_000  # folders to compare; more take seconds


def idle_terms(terms: Iterable[Term], hits: Mapping[Term, int], folders: Iterable[bytes]) -> tuple[Idle, ...]:
    """Return the terms that have no effect on the selected tracks.

    `hits` counts the tracks that match each term before negation. `folders` are paths of folders with tracks,
    and end in a slash.
    """
    unused = [term for term in terms if not hits.get(term)]
    if not any(term.is_negated or term.tops for term in unused):
        return ()
    paths = list(folders)
    idle = []
    for term in unused:
        tops = tuple(os.path.join(top, b"") for top in term.tops)
        is_there = bool(tops) and any(path.startswith(tops) for path in paths)
        is_of_tracks = any(check.field.kind != DAY for check in term.checks)
        if (term.is_negated and is_of_tracks) or (tops and not is_there):
            idle.append(Idle(term.text, term.is_negated, None if is_there else _near(term, paths)))
    return tuple(idle)


def _near(term: Term, folders: Sequence[bytes]) -> str | None:
    for top in term.tops:
        start = top[: len(top) - len(term.relative)] if term.relative else b""
        wanted = folded(os.fsdecode(term.relative or top).rstrip("/"))
        by_name: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for path in _with_parents(folder[len(start) :] for folder in folders if folder.startswith(start)):
            by_name[folded(os.path.basename(path))][folded(path)] = path
        names = get_close_matches(os.path.basename(wanted), by_name, 1, _CLOSENESS)
        if names:
            paths = by_name[names[0]]
            return paths[get_close_matches(wanted, paths, 1, 0)[0]]
    return None


def _with_parents(folders: Iterable[bytes]) -> Iterable[str]:
    paths: dict[str, None] = {}
    for folder in folders:
        path = os.fsdecode(folder).rstrip("/")
        while path and path not in paths and len(paths) < _MOST_FOLDERS:
            paths[path] = None
            path = os.path.dirname(path).rstrip("/")
    return paths
