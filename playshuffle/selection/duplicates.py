"""Find copies of one recording, the best copy first.

Two tracks are copies if they have the same MusicBrainz recording id and lengths within three seconds, or the
same artist and title and lengths within two. Each length is compared with the shortest one, so that
differences cannot add up. Files with the same bytes are copies in any case.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from playshuffle.library.folder import NO_DEVICE, Folder
from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.tags.reading import Tags
from playshuffle.text import folded

SHORTEST_MS = 30_000  # shorter tracks are silence, skits and jingles, which share titles and ids
SAME_ID_MS = 3_000
SAME_NAME_MS = 2_000
_PARTS, _PART = 9, 1 << 18  # parts of a large file to compare, and bytes of each

_BRACKETS = r"[(\[{<]([^)\]}>]*)[)\]}>]"


class CopyFacts(NamedTuple):
    """Facts that decide whether tracks are copies, and which one to keep.

    Tracks without artist, title or length, shorter than 30 s, or with a title in square brackets are copies
    only if their files are the same. So are tracks of one release.

    Attributes:
        length_ms: 0 if unknown.
        recording_id: given by MusicBrainz, as is `release_id`.
        bitrate: bits per second.
        content: a digest of the file, if only that can decide.
    """

    path: bytes
    length_ms: int
    artist: str = ""
    title: str = ""
    recording_id: str = ""
    release_id: str = ""
    lossless: bool = False
    bitrate: int = 0
    position: int | None = None
    content: bytes = b""

    @classmethod
    def of(cls, path: bytes, tags: Tags, position: int | None = None) -> "CopyFacts":
        texts = tags.artist, tags.title, tags.recording_id, tags.release_id
        return cls(path, tags.duration_ms or 0, *texts, bool(tags.lossless), tags.bitrate or 0, position)


def find_copies(facts: Sequence[CopyFacts]) -> list[list[int]]:
    """Return groups of copies as indices of `facts`, sorted by first path; each with its best copy first."""
    groups = _Groups(facts)
    groups.join(lambda track: track.content or None, 0)
    groups.join(
        lambda track: folded(track.recording_id) or None if _may_be_copied(track) else None, SAME_ID_MS
    )
    groups.join(lambda track: _name(track) if _may_be_copied(track) else None, SAME_NAME_MS)
    return groups.ranked()


def copies_among(
    tracks: Tracks, indices: Sequence[int], tags_of: TagsOf, positions: Mapping[int, int]
) -> list[list[int]]:
    """Return groups of copies as `find_copies` does, but as indices of `tracks`.

    `positions` maps the index of a track to its position in the saved order.
    """
    tags = zip(indices, tracks.column(tags_of, indices), strict=True)
    facts = [CopyFacts.of(tracks.paths[index], row or Tags(), positions.get(index)) for index, row in tags]
    facts = _with_contents(facts, tracks.column(_sizes, indices))
    return [[indices[row] for row in group] for group in find_copies(facts)]


def short_alike(tracks: Tracks, indices: Sequence[int], tags_of: TagsOf) -> int:
    """Return how many tracks are too short to be compared, and have artist and title of another one."""
    facts = [CopyFacts.of(b"", row) for row in tracks.column(tags_of, indices) if row is not None]
    names = Counter(_name(track) for track in facts if 0 < track.length_ms < SHORTEST_MS)
    return sum(count for name, count in names.items() if name is not None and count > 1)


def _sizes(folder: Folder) -> Sequence[int]:
    """Return the sizes of a folder's files; -1 if their drive is missing, since reading them may hang."""
    return [-1] * folder.track_count if folder.device == NO_DEVICE else folder.stamp_column(0)


def _with_contents(facts: Sequence[CopyFacts], sizes: Sequence[int]) -> list[CopyFacts]:
    """Return the facts with digests of files that are alike, and are no copies by their tags."""
    changed, alike = [*facts], defaultdict[Hashable, list[int]](list)
    for row, (track, size) in enumerate(zip(facts, sizes, strict=True)):
        alike[size, track.length_ms, track.artist, track.title, track.release_id].append(row)
    for rows in alike.values():
        first = facts[rows[0]]
        if len(rows) > 1 and (first.release_id or not _may_be_copied(first)):
            for row in rows if sizes[rows[0]] >= 0 else ():
                changed[row] = facts[row]._replace(content=_digest(facts[row].path))
    return changed


def _digest(path: bytes) -> bytes:
    """Return a digest of a small file, or of parts of a large one; nothing if it cannot be read."""
    try:
        with open(path, "rb") as file:
            rest = os.fstat(file.fileno()).st_size - _PART
            step = max(rest // (_PARTS - 1), _PART)
            digest = blake2b()
            for start in sorted({*range(0, rest, step), max(rest, 0)}):
                file.seek(start)
                digest.update(file.read(_PART))
            return digest.digest()
    except OSError:
        return b""


def _name(track: CopyFacts) -> Hashable | None:
    """Return artist, title without brackets, and words in brackets; None if artist or title is missing."""
    artist, title = _plain(track.artist), _plain(track.title)
    words = frozenset(word for part in re.findall(_BRACKETS, title) for word in re.findall(r"\w+", part))
    stem = " ".join(re.sub(_BRACKETS, " ", title).split())
    return (artist, stem, words) if artist and stem else None


def _plain(text: str) -> str:
    return " ".join(folded(text).split())


def _may_be_copied(track: CopyFacts) -> bool:
    title = track.title.strip()
    is_bracketed = title.startswith("[") and title.endswith("]")
    return bool(track.artist and title) and track.length_ms >= SHORTEST_MS and not is_bracketed


class _Groups:
    """Groups of copies; each call of `join` merges more of them."""

    def __init__(self, facts: Sequence[CopyFacts]) -> None:
        self._facts = facts
        self._groups = {
            index: [index] for index, track in enumerate(facts) if track.content or _may_be_copied(track)
        }
        self._group_of = {index: index for index in self._groups}

    def join(self, key_of: Callable[[CopyFacts], Hashable | None], within_ms: int) -> None:
        by_key: defaultdict[Hashable, list[int]] = defaultdict(list)
        for index in self._group_of:
            key = key_of(self._facts[index])
            if key is not None:
                by_key[key].append(index)
        for members in by_key.values():
            if len(members) > 1:
                self._join_members(members, within_ms)

    def _join_members(self, members: Iterable[int], within_ms: int) -> None:
        """Add these tracks, the shortest first, each to the first group that it fits."""
        firsts: list[int] = []
        for index in sorted(members, key=lambda row: (self._facts[row].length_ms, self._facts[row].path)):
            for first in firsts:
                is_near = self._facts[index].length_ms - self._facts[first].length_ms <= within_ms
                if is_near and self._merge(self._group_of[first], self._group_of[index]):
                    break
            else:
                firsts.append(index)

    def _merge(self, one: int, other: int) -> bool:
        if one == other:
            return True
        tracks = [self._facts[index] for index in (*self._groups[one], *self._groups[other])]
        files = {(track.release_id, track.content or track.path) for track in tracks}
        releases = [release for release, _ in files if release]
        ids = {folded(track.recording_id) for track in tracks if track.recording_id}
        if len(set(releases)) < len(releases) or len(ids) > 1:
            return False
        for index in self._groups[other]:
            self._group_of[index] = one
        self._groups[one] += self._groups.pop(other)
        return True

    def ranked(self) -> list[list[int]]:
        groups = [group for group in self._groups.values() if len(group) > 1]
        groups.sort(key=lambda members: min(self._facts[index].path for index in members))
        return [sorted(group, key=lambda index: _rank(self._facts[index])) for group in groups]


def _rank(track: CopyFacts) -> tuple[bool, int, bool, int, bytes]:
    # Bit rates of lossless files show how well they are packed, and nothing about their quality.
    bitrate = 0 if track.lossless else -track.bitrate
    return not track.lossless, bitrate, track.position is None, track.position or 0, track.path
