"""Show why files are in playlists or not, as lines for a person or JSON for a program."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from playshuffle.cli.screen import Screen, columns, home_path
from playshuffle.config.build_request import absolute
from playshuffle.config.keys import FOR_ALL
from playshuffle.config.load import with_absolute_paths
from playshuffle.config.toml_file import Document
from playshuffle.errors import shown
from playshuffle.pipeline import explain
from playshuffle.pipeline.explain import PlaylistStages, Reason
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.stages import STAGES
from playshuffle.tags.cause import NO_FILE, NOT_AUDIO, UNREADABLE, WHERE, WITHOUT
from playshuffle.text import counted, short, shortened

_NAMES = 5  # named files for each reason

Reasons = Mapping[bytes, Mapping[str, Reason]]
"""The reason by the name of each playlist, by path."""

# Keys of the configuration that cause reasons, by the code of the reason.
_KEYS = {explain.LIMIT: ("limit", "time", "size"), **{kind.code: kind.keys for kind in STAGES}}

# Reasons with the same short text for all files of their code.
_COMMON = {explain.LIMIT, explain.UPCOMING, *(kind.code for kind in STAGES if kind.has_common_reason)}

# Reasons that are in the file, whatever the playlist.
_OF_FILE = {NO_FILE, NOT_AUDIO, UNREADABLE, explain.OUTSIDE}

# The counted files of a folder in words, by the code of the reason; otherwise the code itself.
_WORDS = {
    **{kind.code: kind.leaves_out for kind in STAGES},
    explain.MISSING_DRIVE: "on a missing drive",
    NO_FILE: "no longer there",
    explain.GROWING: "still being written",
    explain.DEALT: "dealt before, in this round",
    explain.UPCOMING: "still to be dealt in this round",
    explain.LIMIT: "after the end of the playlist",
}


class Question(NamedTuple):
    """The playlists to explain.

    Attributes:
        configured: maps the displayed name of each configured list to its name in the configuration.
        still_ns: files modified less than this time ago count as being written.
    """

    requests: dict[str, Request]
    configured: Mapping[str, str]
    still_ns: int = 0
    document: Document | None = None

    def next_run(self, name: str) -> str:
        return "the next update" if name in self.configured else "the next run with the same options"

    def line(self, name: str, reason: Reason) -> int | None:
        if self.document is None or name not in self.configured:
            return None
        table, name = self.document.table, self.configured[name]
        for key in _KEYS.get(reason.code, ()):
            for above, values in ((("playlist", name), table["playlist"][name]), ((), table)):
                if key in values and (key not in FOR_ALL or self._explains(values[key], reason)):
                    return self.document.line(*above, key)
        return None

    def _explains(self, value: str | Sequence[str], reason: Reason) -> bool:
        texts = [value] if isinstance(value, str) else value
        if reason.code == WITHOUT and self.document is not None:
            lists = with_absolute_paths(self.document, {"without": texts})["without"]
            return os.fsencode(reason.file) in [absolute(path) for path in lists]
        return any(term.text in text for text in texts for term in reason.terms if not term.holds)


def lines(reasons: Reasons, question: Question, screen: Screen) -> Iterator[str]:
    """Yield the answer for each file and playlist."""
    for path, reason_of in reasons.items():
        yield home_path(path)
        names: defaultdict[Reason | str, list[str]] = defaultdict(list)
        for name, reason in reason_of.items():
            names[reason if reason.code in _OF_FILE else name].append(name)
        by_list = {
            shown(group[0]) if len(group) == 1 else counted(len(group), "playlist"): reason_of[group[0]]
            for group in names.values()
        }
        for name, reason in by_list.items():
            answer = "yes" if reason.code == explain.IN else "no"
            place = ""
            if question.document is not None and (line := question.line(name, reason)) is not None:
                place = f"{home_path(question.document.path)}, line {line}: "
            yield from screen.hanging(f"{place}{reason.text}", f"{_padded(name, by_list, screen)}{answer}: ")


def folder_lines(top: bytes, reasons: Reasons, names: Sequence[str], screen: Screen) -> Iterator[str]:
    """Yield how many files of a folder are in each playlist, why others are not, and which are in none."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for by_list in reasons.values():
        for name, reason in by_list.items():
            counts[name][reason.code] += 1
    yield home_path(top)
    for name in names:
        total, inside = counts[name].total(), counts[name].pop(explain.IN, 0)
        text = f"{inside:,} of {counted(total, 'file')} in the playlist" if total else "no audio files"
        others = [
            f"{count:,} {_WORDS.get(code) or code.replace('_', ' ')}"
            for code, count in counts[name].most_common()
        ]
        yield from screen.hanging("; ".join([text, *others]), _padded(shown(name), map(shown, names), screen))
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for path, by_list in reasons.items():
        if all(reason.code != explain.IN for reason in by_list.values()):
            by_reason[_heading(next(iter(by_list.values())))].append(home_path(path))
    for heading, paths in sorted(by_reason.items(), key=lambda group: (-len(group[1]), group[0])):
        yield from screen.hanging(f"{counted(len(paths), 'file')}: {heading}")
        room = (screen.width or 0) - 2
        shown_paths = [screen.tail(path, room) if screen.is_terminal else path for path in paths]
        yield from (f"  {line}" for line in shortened(shown_paths, _NAMES))
    if any(len(paths) > _NAMES for paths in by_reason.values()):
        yield "All files: --json"


def _padded(name: str, names: Iterable[str], screen: Screen) -> str:
    width = min(max(map(columns, names)), (screen.width or 160) // 2)
    return f"  {name}{' ' * (width - columns(name))}  "


def _heading(reason: Reason) -> str:
    if reason.code == WHERE:
        failing = [short(term.text) for term in reason.terms if not term.holds]
        return f"{' and '.join(failing)} {'fails' if len(failing) == 1 else 'fail'}"
    return _WORDS[reason.code] if reason.code in _COMMON else reason.text


def as_json(reasons: Reasons, playlists: Mapping[str, PlaylistStages], question: Question) -> dict[str, Any]:
    """Return the reasons for JSON, with the tag values that terms of the query tested."""

    def row(path: bytes, name: str, reason: Reason) -> dict[str, Any]:
        explained = playlists[name]
        position = explained.entries.get(explained.path_of(path))
        return {
            "playlist": name,
            "output": os.fsdecode(explained.run.request.output or b""),
            "in": reason.code == explain.IN,
            "reason": reason.code,
            "text": reason.text,
            "line": question.line(name, reason),
            "terms": [
                {"term": term.text, "holds": term.holds, "values": dict(term.values)} for term in reason.terms
            ],
            "position": None if position is None else position + 1,
            "drawn": explained.drawn_s or None,
        }

    return {
        "files": [
            {
                "path": os.fsdecode(path),
                "playlists": [row(path, name, why_of) for name, why_of in by_list.items()],
            }
            for path, by_list in reasons.items()
        ]
    }
