"""Read the tags of new and changed files into the columns of their folders."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from zlib import crc32

from playshuffle.library.extinf import extinf
from playshuffle.library.folder import NOTHING_ODD, STAMP_BYTES, AlbumTags, Folder
from playshuffle.library.listing import fits
from playshuffle.library.marks import CERTAIN, file_id, label_sum
from playshuffle.library.suspect_names import is_plain
from playshuffle.library.tag_columns import TagRow, pack
from playshuffle.system.birth_time import Birth, birth_of
from playshuffle.system.regular_file import status_of
from playshuffle.tags import spoken
from playshuffle.tags.reading import ReadAll, Reading, Tags

_LONGEST_MS = (1 << 32) - 1
_NO_SIZE = -1  # a size that no file has, so that the next scan reads the file again


def with_readings(
    folders: Iterable[Folder],
    known_folders: Mapping[bytes, Folder],
    known_fields: Callable[[Folder], Sequence[TagRow]],
    read_all: ReadAll,
) -> Iterator[tuple[Folder, str]]:
    """Read the tags of folders that have no tags yet; yield each such folder, and its tags as JSON.

    A file with the same size, times and inode in `known_folders` is not read again. A file that cannot be
    read, or is replaced meanwhile, keeps its last tags and is read by the next scan.
    """
    paths: list[bytes] = []
    places: list[tuple[Folder, int]] = []  # folder and row of each path
    started: dict[bytes, _Rows] = {}  # by path of the folder, until its last reading
    for folder in folders:
        if folder.durations_ms is not None:
            continue
        before = known_folders.get(folder.path)
        rows: Iterable[int] = range(folder.track_count)
        if before is not None or not folder.names:
            folder_rows = _Rows(folder)
            if before is not None:
                folder_rows.take_over(before, known_fields(before))
            if not folder_rows.missing:
                yield folder_rows.finished()
                continue
            started[folder.path] = folder_rows
            rows = folder_rows.missing
        names = folder.file_names()
        paths += [folder.path + names[row] for row in rows]
        places += [(folder, row) for row in rows]
    for index, reading in read_all(paths) if paths else ():
        folder, row = places[index]
        if folder.path not in started:
            started[folder.path] = _Rows(folder)
        started[folder.path].put(row, reading)
        if not started[folder.path].missing:
            yield started.pop(folder.path).finished()


class _Rows:
    def __init__(self, folder: Folder) -> None:
        self.names = folder.file_names()
        count = len(self.names)
        self._folder = folder
        self._stamps = array("q", folder.stamps)
        self.missing = dict.fromkeys(range(count))  # an ordered set
        self._fields: list[TagRow] = [None] * count
        self._durations_ms = array("I", bytes(4 * count))
        self._extinfs = [b""] * count
        self._artists = [b""] * count
        self._file_ids = array("q", bytes(8 * count))
        self._audio = array("I", bytes(4 * count))
        self._reasons: dict[int, tuple[str, str, bool]] = {}
        self._spoken: dict[int, str] = {}

    def take_over(self, before: Folder, fields: Sequence[TagRow]) -> None:
        """Copy last readings of unchanged files, and provisional tags of changed files, from a known folder.

        If `fields` is empty, because another process has changed the cached folder, all files are read again.
        """
        names = before.file_names()
        if before.durations_ms is None:
            return
        has_fields, fields = len(fields) == len(names), list(fields)  # the rows are made once
        durations_ms = array("I", before.durations_ms)
        extinfs = before.extinf_lines()
        artists = before.all_artists()
        file_ids, contents = array("q", before.file_ids), array("q", before.contents)
        old_row = {name: row for row, name in enumerate(names)}
        for row, name in enumerate(self.names):
            old = old_row.get(name)
            if old is None:
                continue
            self._fields[row] = fields[old] if has_fields else None
            self._durations_ms[row] = durations_ms[old]
            self._extinfs[row] = extinfs[old]
            self._artists[row] = artists[old]
            self._audio[row] = contents[old] >> 32 if contents else 0
            if old in before.odd.spoken:
                self._spoken[row] = before.odd.spoken[old]
            if has_fields and _stamp(before, old) == _stamp(self._folder, row):
                del self.missing[row]
                self._file_ids[row] = file_ids[old] if file_ids else 0
                if old in before.odd.reasons:
                    self._reasons[row] = before.odd.reasons[old]

    def put(self, row: int, reading: Reading) -> None:
        del self.missing[row]
        birth = birth_of(self._folder.path + self.names[row])
        if birth is not None:
            self._file_ids[row] = file_id(birth)
        if self._is_replaced(row, birth):
            self._stamps[4 * row] = _NO_SIZE
            return
        if reading.reason is not None:
            self._reasons[row] = (reading.reason.code, reading.reason.detail, reading.is_audio)
        if not reading.is_final:
            self._stamps[4 * row] = _NO_SIZE
            return
        tags = reading.tags or Tags()
        self._spoken.pop(row, None)
        if why := spoken.why_spoken(self.names[row], reading.tags):
            self._spoken[row] = why
        self._audio[row] = _audio_sum(reading.audio_mark, tags)
        self._fields[row] = None if reading.tags is None else list(tags)
        self._durations_ms[row] = min(tags.duration_ms or 0, _LONGEST_MS)
        self._extinfs[row] = extinf(tags, self.names[row])
        self._artists[row] = tags.artist.encode(errors="replace").replace(b"\0", b" ")

    def _is_replaced(self, row: int, birth: Birth | None) -> bool:
        """Return whether another file has taken a path since the path was listed.

        File systems without birth times may invent inodes and ctimes. There, a file that was written to
        counts as another file.
        """
        size, mtime_ns, _, inode = self._stamps[4 * row : 4 * row + 4]
        if birth is not None:
            return fits(birth.inode) != inode
        now = status_of(self._folder.path + self.names[row])
        return now is not None and (fits(now.st_mtime_ns) != mtime_ns or (size >= 0 and now.st_size != size))

    def finished(self) -> tuple[Folder, str]:
        artists = self._artists[:1] if len(set(self._artists)) == 1 else self._artists
        equals: dict[AlbumTags, AlbumTags] = {}  # marshal stores the same object once
        albums = [equals.setdefault(album, album) for album in map(_album, self._fields)]
        stamps = self._stamps.tobytes()
        odd = self._folder.odd._replace(reasons=self._reasons, spoken=self._spoken)
        folder = self._folder._replace(
            stamps=self._folder.stamps if self._folder.stamps == stamps else stamps,
            durations_ms=self._durations_ms.tobytes(),
            extinfs=b"\0".join(self._extinfs),
            artists=b"\0".join(artists),
            albums=tuple(albums if len(set(albums)) > 1 else albums[:1]),
            has_odd_names=bool(self.names) and not is_plain(self._folder.path, self._folder.names),
            file_ids=self._file_ids.tobytes(),
            contents=array("q", map(_content_sum, self._audio, self._extinfs)).tobytes(),
            odd=odd if any(odd) else NOTHING_ODD,
        )
        return folder, pack(self._fields)


def _album(row: TagRow) -> AlbumTags:
    tags = Tags() if row is None else Tags._make(row)
    return tags.album, tags.album_artist, tags.release_id, tags.disc


def _audio_sum(audio_mark: int, tags: Tags) -> int:
    """Return a checksum of the audio, or else of its length and rates; 0 if these are unknown."""
    if audio_mark:
        return CERTAIN | audio_mark & (CERTAIN - 1)
    if tags.duration_ms is None:
        return 0
    facts = (tags.duration_ms, tags.bitrate, tags.sample_rate, tags.lossless)
    return crc32(repr(facts).encode()) & (CERTAIN - 1) or 1


def _content_sum(audio: int, extinf: bytes) -> int:
    return audio << 32 | label_sum(extinf)


def _stamp(folder: Folder, row: int) -> bytes:
    return folder.stamps[STAMP_BYTES * row : STAMP_BYTES * (row + 1)]
