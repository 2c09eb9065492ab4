import os
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.tag_columns import TagRow, TagRows
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.tags import cause
from playshuffle.tags.cause import Cause
from playshuffle.tags.reading import Reading, Tags
from tests.library.scans import Scans
from tests.support.tagged import numbered
from tests.support.tree import find, first_root, put

NO_AUDIO = Cause(cause.NOT_AUDIO, "text")
NO_TAGS = Cause(cause.NO_TAGS, "damaged")


class Reader:
    """Make up tags from the content of each file, and record its path. `errors`: by path, used instead."""

    def __init__(self, errors: Mapping[bytes, Reading]) -> None:
        self.asked: list[bytes] = []
        self.errors = errors

    def __call__(self, paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        self.asked += paths
        for number in reversed(range(len(paths))):  # in any order
            with open(paths[number], "rb") as file:
                yield number, self.errors.get(paths[number]) or self.read(file.read())

    def read(self, content: bytes) -> Reading:
        return {
            b"no audio": Reading(None, NO_AUDIO, is_audio=False),
            b"no tags": Reading(None, NO_TAGS),
            b"odd": Reading(Tags(duration_ms=10**15, title="a\0b\ud800\nc", artist="A\0B\ud800")),
        }.get(content) or Reading(Tags(duration_ms=len(content) * 1000, title="x", artist=content.decode()))


class Library(Scans):
    """The library below some roots, scanned again and again."""

    def __init__(self, *roots: bytes) -> None:
        super().__init__()
        self.roots = roots

    def run(self, errors: Mapping[bytes, Reading] = MappingProxyType({})) -> tuple[Tracks, list[bytes]]:
        """Scan once, and return the tracks, and the files whose tags were read."""
        reader = Reader(errors)
        self.skipped: list[Skipped]
        library, self.skipped, self.untagged = tracks([self.scan(self.roots, reader)])
        return library, sorted(reader.asked)


# Reading


def test_each_folder_is_yielded_exactly_once_after_all_of_its_files_were_read(top: bytes) -> None:
    """Also folders without audio files. A second scan reads nothing."""
    put(top, *(b"%d/%d.mp3" % (folder, file) for folder in range(9) for file in range(9)), b"empty/")
    scans = Library(top)

    scans.run()

    assert sorted(scans.fresh) == sorted(set(scans.fresh)) == sorted(scans.known)
    assert all(folder.durations_ms is not None for folder in scans.known.values())
    assert (scans.run()[1], scans.fresh) == ([], [])


@pytest.mark.parametrize(
    ("change", "read_again"),
    [
        (lambda top: put(top, b"a/new.mp3"), [b"/a/new.mp3"]),
        (lambda top: put(top, b"a/cover.jpg"), []),
        (lambda top: put(top, b"a/y.mp3", content=b"Y"), [b"/a/y.mp3"]),
        (lambda top: os.rename(top + b"/a/y.mp3", top + b"/a/0.mp3"), [b"/a/0.mp3"]),
        (lambda top: os.rename(top + b"/a/x.mp3", top + b"/x.mp3"), [b"/x.mp3"]),
        (lambda top: os.unlink(top + b"/a/x.mp3"), []),
        (lambda top: os.utime(top + b"/a"), []),
        (lambda top: os.symlink(b"y.mp3", top + b"/a/0.mp3"), [b"/a/0.mp3"]),
    ],
    ids=["new", "no audio", "edit", "rename", "move", "delete", "touch folder", "link"],
)
def test_only_new_renamed_and_changed_files_are_read_by_the_next_scan(
    top: bytes, change: Callable[[bytes], object], read_again: list[bytes]
) -> None:
    """Files that did not change keep their tags."""
    put(top, b"a/x.mp3", content=b"x")
    put(top, b"a/y.mp3", content=b"yy")
    put(top, b"a/none.mp3", content=b"no tags")
    scans = Library(top)
    scans.run()
    change(top)

    library, asked = scans.run()
    forgetful = Library(top)
    fresh, _ = forgetful.run()

    assert asked == [top + path for path in read_again]
    assert facts(library) == facts(fresh)
    assert scans.fields == forgetful.fields
    assert scans.untagged == [Skipped(top + b"/a/none.mp3", NO_TAGS)]


def facts(library: Tracks) -> list[tuple[bytes, int, bytes]]:
    return list(zip(library.paths, library.durations_ms, library.artists, strict=True))


def test_without_cached_tags_all_files_of_a_changed_folder_are_read_again(top: bytes) -> None:
    put(top, b"x.mp3", b"y.mp3")
    scans = Library(top)
    scans.run()
    scans.fields.clear()
    os.unlink(top + b"/y.mp3")

    _, asked = scans.run()

    assert asked == [top + b"/x.mp3"]


def test_the_cached_tags_of_a_changed_folder_are_unpacked_once(
    top: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unpacked for each file, the tags of a folder of 5,000 files took two minutes."""
    put(top, *(b"%d.mp3" % file for file in range(9)))
    scans = Library(top)
    scans.run()
    unpacked: list[TagRows] = []
    rows_of = TagRows.__iter__

    def unpack(rows: TagRows) -> Iterator[TagRow]:
        unpacked.append(rows)
        return rows_of(rows)

    monkeypatch.setattr(TagRows, "__iter__", unpack)

    put(top, b"new.mp3")
    read = scans.run()[1]

    assert (read, len(unpacked)) == ([top + b"/new.mp3"], 1)


def test_during_a_scan_only_the_tags_of_partly_read_folders_are_in_memory(top: bytes) -> None:
    """The first scan of a large library needs no more scans than a later one."""
    folder_count = 200
    put(top, *(b"%03d/x.mp3" % number for number in range(folder_count)))
    folders = first_root(find([top], {}))
    size = 10_000

    def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        return ((number, Reading(Tags(title="x" * size))) for number in range(len(paths)))

    tracemalloc.start()
    try:
        count = sum(1 for _ in with_readings(folders, {}, lambda _: [], read_all))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == folder_count + 1
    assert peak < folder_count * size / 4


# Errors of the disk

_WHY_BROKEN = Cause(cause.UNREADABLE, "Input/output error")
_BROKEN = Reading(None, _WHY_BROKEN, is_final=False)
_WHY_GONE = Cause(cause.UNREADABLE, "No such file or directory")
_GONE = Reading(None, _WHY_GONE, is_audio=False, is_final=False)


def test_an_unreadable_file_is_a_track_without_tags_until_a_later_scan_can_read_it(top: bytes) -> None:
    """By every scan until it can be read. The other file of its folder is read once."""
    put(top, b"x.mp3", b"y.mp3", content=b"A")
    scans = Library(top)

    for asked in ([top + b"/x.mp3", top + b"/y.mp3"], [top + b"/x.mp3"]):
        library, read = scans.run({top + b"/x.mp3": _BROKEN})

        assert read == asked
        assert facts(library) == [(top + b"/x.mp3", 0, b""), (top + b"/y.mp3", 1000, b"A")]
        assert scans.untagged == [Skipped(top + b"/x.mp3", _WHY_BROKEN)]

    library, read = scans.run()

    assert read == [top + b"/x.mp3"]
    assert facts(library) == [(top + b"/x.mp3", 1000, b"A"), (top + b"/y.mp3", 1000, b"A")]
    assert scans.untagged == []
    assert scans.run()[1] == []


def test_a_file_deleted_before_it_was_read_is_skipped_until_it_exists_again(top: bytes) -> None:
    """After a drive was pulled and connected again, the file has the same size and times."""
    put(top, b"x.mp3", content=b"A")
    scans = Library(top)

    gone, _ = scans.run({top + b"/x.mp3": _GONE})

    assert gone.paths == []
    assert scans.skipped == [Skipped(top + b"/x.mp3", _WHY_GONE)]
    assert facts(scans.run()[0]) == [(top + b"/x.mp3", 1000, b"A")]


@pytest.mark.parametrize("content", [b"A", b"no tags", b"no audio"])
def test_a_changed_file_that_cannot_be_read_keeps_its_last_tags(top: bytes, content: bytes) -> None:
    """Old tags are more likely right than none. The reason why the last reading failed is replaced."""
    put(top, b"x.mp3", content=content)
    scans = Library(top)
    scans.run()
    before = scans.fields[top + b"/"], scans.known[top + b"/"].extinfs
    put(top, b"x.mp3", content=b"changed")

    for _ in range(2):
        library, _ = scans.run({top + b"/x.mp3": _BROKEN})

        assert facts(library) == [
            (top + b"/x.mp3", 1000, b"A") if content == b"A" else (top + b"/x.mp3", 0, b"")
        ]
        assert (scans.fields[top + b"/"], scans.known[top + b"/"].extinfs) == before
        assert scans.untagged == [Skipped(top + b"/x.mp3", _WHY_BROKEN)]

    assert facts(scans.run()[0]) == [(top + b"/x.mp3", 7000, b"changed")]


@pytest.mark.parametrize("content", [b"no tags", b"no audio"])
def test_a_changed_file_without_tags_loses_its_old_tags(top: bytes, content: bytes) -> None:
    """Old tags are kept only while a file cannot be read."""
    put(top, b"x.mp3", content=b"A")
    scans = Library(top)
    scans.run()
    put(top, b"x.mp3", content=content)

    scans.run()

    folder = scans.known[top + b"/"]
    assert scans.fields[top + b"/"] == [None]
    assert (folder.durations_ms, folder.extinfs, folder.artists) == (bytes(4), b"", b"")


def test_two_hard_links_to_a_file_that_cannot_be_read_are_one_track(top: bytes) -> None:
    put(top, b"x.mp3")
    os.link(top + b"/x.mp3", top + b"/y.mp3")

    library, _ = Library(top).run({top + b"/x.mp3": _BROKEN})

    assert library.paths == [top + b"/x.mp3"]


# Order


_PARTS = st.sampled_from([b"a", b"a!", b"a.", b"b", b"a0"])


@given(st.lists(st.lists(_PARTS, min_size=1, max_size=3), max_size=9))
@settings(deadline=None)
def test_tracks_are_sorted_by_path_bytes_within_roots_in_the_given_order(paths: list[list[bytes]]) -> None:
    """A slash sorts by its byte, so that `a!` is before `a/`."""
    by_folder: dict[bytes, set[bytes]] = {}
    for *parents, name in paths:
        by_folder.setdefault(b"/".join([b"/m", *parents, b""]), set()).add(name + b".mp3")
    folders = [tagged(path, {name: name for name in names}) for path, names in by_folder.items()]

    library, _, _ = tracks([folders, [tagged(b"/a/", {b"b.mp3": b"b.mp3"})]])

    sorted_paths = sorted(path + name for path, names in by_folder.items() for name in names)
    assert library.paths == [*sorted_paths, b"/a/b.mp3"]
    assert [os.path.basename(path) for path in library.paths] == library.artists


def tagged(path: bytes, artists: dict[bytes, bytes]) -> Folder:
    """Return a folder whose tags were read. `artists`: by file name."""
    names = sorted(artists)
    return Folder(
        path, 0, 0, 0, 0, b"", True, False, b"", b"/".join(names), bytes(32 * len(names)),
        bytes(4 * len(names)), bytes(len(names) - 1), b"\0".join(artists[name] for name in names),
    )  # fmt: skip


def test_a_file_without_tags_is_a_track_but_a_file_without_audio_is_skipped(top: bytes) -> None:
    put(top, b"a/x.mp3", content=b"no audio")
    put(top, b"a/y.mp3", content=b"no tags")
    put(top, b"a/z.mp3", b"b/x.mp3", content=b"Z")
    scans = Library(top)

    library, _ = scans.run()

    assert facts(library) == [
        (top + b"/a/y.mp3", 0, b""), (top + b"/a/z.mp3", 1000, b"Z"), (top + b"/b/x.mp3", 1000, b"Z")
    ]  # fmt: skip
    assert scans.skipped == [Skipped(top + b"/a/x.mp3", NO_AUDIO)]
    assert scans.untagged == [Skipped(top + b"/a/y.mp3", NO_TAGS)]


@pytest.mark.parametrize("contents", [[b"A", b"A"], [b"A", b"B"], [b"no tags", b"A"], [b"no tags"] * 2])
def test_one_stored_artist_counts_for_all_files_of_a_folder_only_if_all_have_this_artist(
    top: bytes, contents: list[bytes]
) -> None:
    for number, content in enumerate(contents):
        put(top, b"%d.mp3" % number, content=content)

    library, _ = Library(top).run()

    assert library.artists == [b"" if content == b"no tags" else content for content in contents]


def test_odd_characters_or_a_huge_length_in_the_tags_of_a_file_shift_no_tags_to_other_files(
    top: bytes,
) -> None:
    """A NUL, half of a surrogate pair, and a length beyond 32 bits."""
    put(top, *(b"%d.mp3" % number for number in range(3)), content=b"odd")

    library, _ = Library(top).run()

    assert facts(library) == [(top + b"/%d.mp3" % number, 2**32 - 1, b"A B?") for number in range(3)]


def test_a_column_of_artists_can_be_limited_to_some_tracks(top: bytes) -> None:
    for name in (b"a", b"b", b"c", b"d"):
        put(top, name + b"/" + name + b".mp3", content=name)
    library, _ = Library(top).run()

    for indices, artists in (([0, 2, 3], b"acd"), (range(4), b"abcd"), ([], b"")):
        assert b"".join(library.column(Folder.all_artists, indices)) == artists


def test_a_number_that_no_track_has_becomes_a_negative_index_and_is_recovered_from_that_index() -> None:
    library = numbered(3)

    assert list(library.indices_of([3, 7, 1, 0])) == [2, ~7, 0, ~0]
    assert [*library.numbers_of([2, ~7, 0, ~0])] == [3, 7, 1, 0]


# Several paths of a file


def test_a_file_with_several_paths_is_one_track_at_its_real_path_or_else_at_the_smallest_path(
    top: bytes, tmp_path: Path
) -> None:
    """Also if the real path is in another root. A hard link outside of the roots does not count."""
    other = bytes(tmp_path / "other")
    put(bytes(tmp_path), b"outside.mp3", b"other/y.mp3")
    put(top, b"z/real.mp3", b"b/hard.mp3", b"a/", b"single.mp3")
    os.symlink(b"real.mp3", top + b"/z/a.mp3")
    os.symlink(other + b"/y.mp3", top + b"/a/1.mp3")
    for name in (b"b/1.mp3", b"a/2.mp3", b"a/3.mp3"):
        os.symlink(tmp_path / "outside.mp3", top + b"/" + name)
    for name in (b"a/hard.mp3", b"b/other.mp3"):
        os.link(top + b"/b/hard.mp3", top + b"/" + name)
    os.link(top + b"/single.mp3", bytes(tmp_path / "elsewhere.mp3"))

    library, skipped, _ = tracks([*find([top, other], {}).roots.values()])

    real = [b"/a/2.mp3", b"/a/hard.mp3", b"/single.mp3", b"/z/real.mp3"]
    assert library.paths == [*(top + path for path in real), other + b"/y.mp3"]
    assert sorted(skipped) == [
        Skipped(top + path, Cause(cause.DUPLICATE_PATH))
        for path in (b"/a/1.mp3", b"/a/3.mp3", b"/b/1.mp3", b"/b/hard.mp3", b"/b/other.mp3", b"/z/a.mp3")
    ]


def test_a_hard_link_made_between_two_scans_adds_no_track(top: bytes) -> None:
    """Also at the first path, whose file has changed only its ctime."""
    put(top, b"a/x.mp3", b"b/y.mp3")
    scans = Library(top)
    scans.run()
    os.link(top + b"/b/y.mp3", top + b"/a/y.mp3")

    library, _ = scans.run()

    assert library.paths == [top + b"/a/x.mp3", top + b"/a/y.mp3"]
