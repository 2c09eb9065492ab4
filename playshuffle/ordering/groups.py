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

from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import Rows
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.natural import Key, natural_key
from playshuffle.selection.fields import FIELDS, OF_TRACKS, PATH, TEXT, Field
from playshuffle.tags.reading import Tags
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


_NOWHERE = Position(0, 0, 0, 0)
_NO_TAGS = Tags()


class _Album(NamedTuple):
    """The values that identify an album. `place` is its folder, above any folders of single discs."""

    artist: str
    title: str
    place: str


class Albums(NamedTuple):
    """For each track, the number of its album and its position on the album."""

    keys: Sequence[int]
    positions: Sequence[Position]

    def in_order(self, order: Iterable[int]) -> list[int]:
        return sorted(order, key=lambda index: (self.keys[index], self.positions[index], index))


def group_keys(chosen: Chosen, by: str) -> Sequence[int]:
    """Return the group number of each track; `by` is one of `KEYS`."""
    if by == ALBUM:
        return albums(chosen).keys
    if by == ARTIST:
        keys = artist_keys(chosen.column(Folder.all_artists), chosen.tracks.artists)[0]
    elif by == FOLDER:
        keys = _numbered(chosen.column(lambda folder: [folder.path] * (folder.names.count(b"/") + 1)))
    else:
        keys = _numbered(chosen.column(lambda folder: _values(FIELDS[by], folder, chosen.tags_of(folder))))
    return chosen.by_index(keys, 0)


def artist_keys(artists: Sequence[bytes], library: Sequence[bytes] | None = None) -> tuple[list[int], int]:
    """Return an artist number for each track, and the number of known artists.

    A track without an artist, or by 'Various Artists', is a group of its own. The first of several artists
    counts. 'A & B' is by A if A is an artist of its own in the library, which has all these and more.
    """
    texts = dict.fromkeys(artists if library is None else library)
    names = {artist: _principal(artist.decode(errors="replace")) for artist in texts}
    everyone = frozenset(names.values())
    leading = {artist: _leading(names[artist], everyone) for artist in dict.fromkeys(artists)}
    return _numbered(list(map(leading.__getitem__, artists))), len(set(leading.values()) - {None})


def albums(chosen: Chosen) -> Albums:
    """Number the albums, and find the position of each track on its album.

    An album is a MusicBrainz release, else one title by one album artist in one folder (track artists would
    split compilations), else a folder. Discs are parts of one album, even in subfolders of their own.
    """
    album_rows = chosen.column(lambda folder: _album_rows(folder, chosen.tags_of(folder)))
    first_disc = _joined_discs(album_rows)
    keys = _numbered([first_disc.get(album, album) for album, _ in album_rows])
    positions = [position for _, position in album_rows]
    counts = Counter(zip(keys, positions, strict=True))
    for row, key in enumerate(keys if len(counts) < len(keys) else ()):
        if counts[key, positions[row]] > 1:  # a key of a name is slow
            name = natural_key(os.path.basename(chosen.tracks.paths[chosen.indices[row]]))
            positions[row] = positions[row]._replace(name=name)
    return Albums(chosen.by_index(keys, 0), chosen.by_index(positions, _NOWHERE))


def field_values(chosen: Chosen, field: str) -> list[Any]:
    """Return the raw value of a field for each chosen track."""
    return chosen.column(lambda folder: FIELDS[field].read(folder, chosen.tags_of(folder)))


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


def _joined_discs(rows: Iterable[tuple[Hashable, Position]]) -> dict[Hashable, Hashable]:
    """Map each further disc of an album to the first disc, if that has a folder beside or above it.

    Discs with equal numbers are of two albums of one name.
    """
    discs: dict[Hashable, set[int]] = defaultdict(set)
    near: dict[Hashable, list[Hashable]] = defaultdict(list)
    for album, position in rows:
        discs[album].add(position.disc)
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


def _album_rows(folder: Folder, rows: Sequence[Tags | None]) -> Iterator[tuple[Hashable, Position]]:
    parent, name = os.path.split(os.fsdecode(folder.path.rstrip(b"/")))
    stem, folder_disc = _without_disc(name)
    place = os.path.join(parent, stem) if stem else parent
    album: Hashable = None
    texts: tuple[str, ...] = ()
    for row in rows:
        tags = row or _NO_TAGS
        if (tags.album, tags.album_artist, tags.release_id) != texts:  # once for the tracks of an album
            texts = (tags.album, tags.album_artist, tags.release_id)
            title, title_disc = _without_disc(tags.album.strip())
            artist = folded(tags.album_artist.strip()) if title else ""
            album = tags.release_id or _Album(artist, folded(title), place)
        number = math.inf if tags.number is None else tags.number
        disc = tags.disc or title_disc or folder_disc or 1
        yield album, Position(disc, tags.side or 0, number, tags.part or 0)


@lru_cache(64)  # successive tracks of an album have the same names
def _without_disc(name: str) -> tuple[str, int | None]:
    match = re.fullmatch(_DISC, name)
    return ((match[1] or "").rstrip(" ._-([{,:"), int(match[2])) if match else (name, None)
