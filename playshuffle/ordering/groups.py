"""Group tracks by artist, album, folder or another field.

Groups are numbered in the order of their first tracks. A track without the tag is a group of its own.
"""

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from playshuffle.library.folder import AlbumTags, Folder
from playshuffle.library.tag_columns import Rows
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.natural import Key, natural_key
from playshuffle.selection.fields import FIELDS, OF_TRACKS, PATH, TEXT, Field, tag
from playshuffle.text import folded

ALBUM, ARTIST, FOLDER = "album", "artist", "folder"

# The possible groups of tracks: these three, and every field of a query.
KEYS = tuple(dict.fromkeys((ALBUM, ARTIST, FOLDER, *OF_TRACKS)))

# A guest does not make a new artist: 'A feat. B', 'A (ft. B)', 'A [featuring B]'.
_GUEST = r"(?is)\s*[(\[]?\b(?:feat|ft|featuring)\b\.?\s.*"
# Between two artists, or inside the name of one.
_JOINT = r"(?i)\s*,\s+|\s+(?:&|\+|x|vs\.?|and)\s+"
_NOBODY = frozenset(("", "various artists", "various", "va", "v.a.", "unknown artist", "[unknown]"))

# One disc of several, as a folder or a title: 'CD1', 'disc 2 - Live', 'Album (Disc 2)', 'Album CD1'.
# Compiled when it is used, which is not on every run.
_DISC = r"(?is)(?:(.*?)[\W_])?(?:cd|dis[ck])[\W_]*([0-9]{1,2})(?:[\W_].*)?"


class Position(NamedTuple):
    """The sort key of a track on its album."""

    disc: int
    side: int
    number: float
    part: int
    name: Key = ()


_NUMBERS = [*map(tag, ("side", "number", "part"))]


class _Album(NamedTuple):
    """The values that identify an album. `place` is its folder, above any folders of single discs."""

    artist: str
    title: str
    place: str


def group_keys(chosen: Chosen, by: str) -> Sequence[int]:
    """Return the group number of each track; `by` is one of `KEYS`."""
    if by == ALBUM:
        return chosen.by_index(_album_keys(chosen.column(_album_discs)), 0)
    if by == ARTIST:
        return artist_keys(chosen.tracks)
    if by == FOLDER:
        keys = _numbered(chosen.column(lambda folder: [folder.path] * (folder.names.count(b"/") + 1)))
    else:
        keys = _numbered(chosen.column(lambda folder: _values(FIELDS[by], folder, chosen.rows_of(folder))))
    return chosen.by_index(keys, 0)


@lru_cache(1)  # the orders of an update and their reports have the same library
def artist_keys(tracks: Tracks) -> Sequence[int]:
    """Return an artist number for each track of a library.

    A track without an artist, or by 'Various Artists', is a group of its own. The first of several artists
    counts. 'A & B' is by A if A is an artist of its own in the library.
    """
    names = {artist: _principal(artist.decode(errors="replace")) for artist in dict.fromkeys(tracks.artists)}
    everyone = frozenset(names.values())
    leading = {artist: _leading(name, everyone) for artist, name in names.items()}
    return _numbered(list(map(leading.__getitem__, tracks.artists)))


def known_count(keys: Iterable[int]) -> int:
    """Return the number of groups without tracks that are groups of their own."""
    return sum(key >= 0 for key in set(keys))


def album_ranks(chosen: Chosen) -> Sequence[int]:
    """Return the rank of each track, album by album, by its position on the album.

    An album is a MusicBrainz release, else one title by one album artist in one folder (track artists would
    split compilations), else a folder. Discs are parts of one album, even in subfolders of their own.
    """
    album_discs = chosen.column(_album_discs)
    keys = _album_keys(album_discs)
    numbers = chosen.column(lambda folder: _numbers(folder, chosen.rows_of(folder)))
    positions = [
        Position(disc, side or 0, math.inf if number is None else number, part or 0)
        for (_, disc), (side, number, part) in zip(album_discs, numbers, strict=True)
    ]
    counts = Counter(zip(keys, positions, strict=True))
    for row, key in enumerate(keys if len(counts) < len(keys) else ()):
        if counts[key, positions[row]] > 1:  # a key of a name is slow
            name = natural_key(os.path.basename(chosen.tracks.paths[chosen.indices[row]]))
            positions[row] = positions[row]._replace(name=name)
    places = list(zip(keys, positions, strict=True))
    return chosen.ranks(sorted(range(len(places)), key=places.__getitem__))


def field_values(chosen: Chosen, field: str) -> list[Any]:
    """Return the raw value of a field for each chosen track."""
    return chosen.column(lambda folder: FIELDS[field].read(folder, chosen.rows_of(folder)))


def sort_keys(chosen: Chosen, field: str) -> list[Any]:
    """Return a value to sort each chosen track by a field; None for a track without a value."""
    values = list(map(FIELDS[field].decode, field_values(chosen, field)))
    kind = FIELDS[field].kind
    if kind in (TEXT, PATH):
        keys = {value: natural_key(value) for value in set(values) if value}
        return [keys.get(value) for value in values]
    return [None if value == "" else value for value in values]


def _numbered(names: Sequence[Hashable | None]) -> list[int]:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    if None in numbers:  # without a group: each such track is its own
        return [~index if name is None else numbers[name] for index, name in enumerate(names)]
    return [numbers[name] for name in names]


def _principal(artists: str) -> str | None:
    first = folded(artists.partition("; ")[0].strip())
    name = re.sub(_GUEST, "", first).strip() or first
    return None if name in _NOBODY else name


def _leading(name: str | None, everyone: Collection[str | None]) -> str | None:
    for joint in reversed([] if name is None else list(re.finditer(_JOINT, name))):
        if name is not None and name[: joint.start()] in everyone:
            return _leading(name[: joint.start()], everyone)
    return name


def _values(field: Field, folder: Folder, rows: Rows) -> list[Hashable | None]:
    values = map(field.decode, field.read(folder, rows))
    if field.kind != TEXT:
        return [None if value == "" else value for value in values]
    if field.name in ("albumartist", "composer"):
        return [*map(_principal, values)]
    firsts = [folded(text.partition("; ")[0].strip()) or None for text in values]
    if field.name != "work":
        return [*firsts]
    composers = map(_principal, FIELDS["composer"].read(folder, rows))
    pairs = zip(firsts, composers, strict=True)  # several composers wrote a Symphony No. 5
    return [None if work is None else (work, composer) for work, composer in pairs]


def _album_keys(album_discs: Sequence[tuple[Hashable, int]]) -> list[int]:
    """Return the number of each track's album."""
    pairs = dict.fromkeys(album_discs)
    first_disc = _joined_discs(pairs)
    numbers = _numbered([first_disc.get(album, album) for album, _ in pairs])
    return list(map(dict(zip(pairs, numbers, strict=True)).__getitem__, album_discs))


def _joined_discs(album_discs: Iterable[tuple[Hashable, int]]) -> dict[Hashable, Hashable]:
    """Map each further disc of an album to the first disc, if that has a folder beside or above it.

    Discs with equal numbers are of two albums of one name.
    """
    discs: dict[Hashable, set[int]] = defaultdict(set)
    near: dict[Hashable, list[Hashable]] = defaultdict(list)
    for album, disc in album_discs:
        discs[album].add(disc)
    first_disc: dict[Hashable, Hashable] = {}

    def first(album: Hashable) -> Hashable:
        while album in first_disc:
            album = first_disc[album]
        return album

    for album in discs:
        if isinstance(album, _Album) and album.title:
            near[album].append(album)
            near[album._replace(place=os.path.dirname(album.place))].append(album)
    for several in near.values():
        one, *others = dict.fromkeys(map(first, several))
        numbers = [number for each in (one, *others) for number in discs[each]]
        if others and len(numbers) == len(set(numbers)):
            first_disc |= dict.fromkeys(others, one)
            discs[one] = set(numbers)
    return {album: first(album) for album in first_disc}


def _album_discs(folder: Folder) -> Iterator[tuple[Hashable, int]]:
    """Return the album and the disc of each file of a folder."""
    parent, name = os.path.split(os.fsdecode(folder.path.rstrip(b"/")))
    stem, folder_disc = _without_disc(name)
    place = os.path.join(parent, stem) if stem else parent
    found: dict[AlbumTags, tuple[Hashable, int]] = {}
    for tags in dict.fromkeys(folder.albums):
        album, artist, release, disc = tags
        title, title_disc = _without_disc(album.strip())
        named = _Album(folded(artist.strip()) if title else "", folded(title), place)
        found[tags] = release or named, disc or title_disc or folder_disc or 1
    return map(found.__getitem__, folder.all_albums())


def _numbers(folder: Folder, rows: Rows) -> Iterator[tuple[Any, ...]]:
    return zip(*(read(folder, rows) for read in _NUMBERS), strict=True)


@lru_cache(64)  # successive tracks of an album have the same names
def _without_disc(name: str) -> tuple[str, int | None]:
    match = re.fullmatch(_DISC, name)
    return ((match[1] or "").rstrip(" ._-([{,:"), int(match[2])) if match else (name, None)
