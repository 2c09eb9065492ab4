import os
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.tag_columns import unpack
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.tags import cause
from playshuffle.tags.cause import Cause
from playshuffle.tags.reading import Reading, Tags
from tests.support.tagged import numbered
from tests.support.tree import by_path, find, put

NO_AUDIO = Cause(cause.NOT_AUDIO, "text")
NO_TAGS = Cause(cause.NO_TAGS, "damaged")


class Reader:
    """Read fake tags from the content of a file, and record the requests; `errors` come instead, by path."""

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


class Memory:
    """What one pass leaves to the next."""

    def __init__(self, *roots: bytes) -> None:
        self.roots = roots
        self.known: dict[bytes, Folder] = {}
        self.fields: dict[bytes, list[list[Any] | None]] = {}

    def run(self, errors: Mapping[bytes, Reading] = MappingProxyType({})) -> tuple[Tracks, list[bytes]]:
        """One pass: the library, and the files that were read for it."""
        reader = Reader(errors)
        folders = by_path(find(self.roots, self.known))
        fresh = list(
            with_readings(
                list(folders.values()), self.known, lambda folder: self.fields.get(folder.path, []), reader
            )
        )
        self.fresh = [folder.path for folder, _ in fresh]
        self.fields |= {
            folder.path: [None if row is None else list(row) for row in unpack(text.encode())]
            for folder, text in fresh
        }
        self.known = {**folders, **{folder.path: folder for folder, _ in fresh}}
        self.skipped: list[Skipped]
        library, self.skipped, self.untagged = tracks([list(self.known.values())])
        return library, sorted(reader.asked)


# Reading


def test_each_folder_is_yielded_once_with_the_readings_of_all_its_files(top: bytes) -> None:
    """Those without audio files, too, so that they are known next time; a second run reads nothing."""
    put(top, *(b"%d/%d.mp3" % (folder, file) for folder in range(9) for file in range(9)), b"empty/")
    memory = Memory(top)

    memory.run()

    assert sorted(memory.fresh) == sorted(set(memory.fresh)) == sorted(memory.known)
    assert all(folder.durations_ms is not None for folder in memory.known.values())
    assert (memory.run()[1], memory.fresh) == ([], [])


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
def test_only_files_that_changed_are_read(
    top: bytes, change: Callable[[bytes], object], read_again: list[bytes]
) -> None:
    """The other files keep their tags."""
    put(top, b"a/x.mp3", content=b"x")
    put(top, b"a/y.mp3", content=b"yy")
    put(top, b"a/none.mp3", content=b"no tags")
    memory = Memory(top)
    memory.run()
    change(top)

    library, asked = memory.run()
    forgetful = Memory(top)
    fresh, _ = forgetful.run()

    assert asked == [top + path for path in read_again]
    assert said(library) == said(fresh)
    assert memory.fields == forgetful.fields
    assert memory.untagged == [Skipped(top + b"/a/none.mp3", NO_TAGS)]


def said(library: Tracks) -> list[tuple[bytes, int, bytes]]:
    return list(zip(library.paths, library.durations_ms, library.artists, strict=True))


def test_without_cached_tags_all_files_of_a_changed_folder_are_read_again(top: bytes) -> None:
    put(top, b"x.mp3", b"y.mp3")
    memory = Memory(top)
    memory.run()
    memory.fields.clear()
    os.unlink(top + b"/y.mp3")

    _, asked = memory.run()

    assert asked == [top + b"/x.mp3"]


def test_a_folder_of_which_not_all_files_were_read_is_not_yielded(top: bytes) -> None:
    """Tags read before an interruption are stored."""
    put(top, b"a/x.mp3", b"b/y.mp3", b"b/z.mp3")

    def interrupted(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        yield 0, Reading(Tags())
        yield 1, Reading(Tags())
        raise KeyboardInterrupt

    came = with_readings(find([top], {}).roots[0], {}, lambda _: [], interrupted)

    assert [next(came)[0].path, next(came)[0].path] == [top + b"/", top + b"/a/"]
    with pytest.raises(KeyboardInterrupt):
        next(came)


def test_while_tags_are_read_only_those_of_unfinished_folders_are_in_memory(top: bytes) -> None:
    """A first run over a large library needs no more memory than a later one."""
    folder_count = 200
    put(top, *(b"%03d/x.mp3" % number for number in range(folder_count)))
    folders = find([top], {}).roots[0]
    size = 10_000

    def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for number in range(len(paths)):
            yield number, Reading(Tags(title="x" * size))

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


def test_a_file_that_cannot_be_read_is_a_track_and_is_read_by_the_next_run(top: bytes) -> None:
    """As often as it takes; its neighbour is not."""
    put(top, b"x.mp3", b"y.mp3", content=b"A")
    memory = Memory(top)

    for asked in ([top + b"/x.mp3", top + b"/y.mp3"], [top + b"/x.mp3"]):
        library, read = memory.run({top + b"/x.mp3": _BROKEN})

        assert read == asked
        assert said(library) == [(top + b"/x.mp3", 0, b""), (top + b"/y.mp3", 1000, b"A")]
        assert memory.untagged == [Skipped(top + b"/x.mp3", _WHY_BROKEN)]

    library, read = memory.run()

    assert read == [top + b"/x.mp3"]
    assert said(library) == [(top + b"/x.mp3", 1000, b"A"), (top + b"/y.mp3", 1000, b"A")]
    assert memory.untagged == []
    assert memory.run()[1] == []


def test_a_file_deleted_before_it_was_read_is_skipped_until_it_is_back(top: bytes) -> None:
    """A drive that is pulled and put in again changes no stamp."""
    put(top, b"x.mp3", content=b"A")
    memory = Memory(top)

    gone, _ = memory.run({top + b"/x.mp3": _GONE})

    assert gone.paths == []
    assert memory.skipped == [Skipped(top + b"/x.mp3", _WHY_GONE)]
    assert said(memory.run()[0]) == [(top + b"/x.mp3", 1000, b"A")]


@pytest.mark.parametrize("content", [b"A", b"no tags", b"no audio"])
def test_a_changed_file_that_cannot_be_read_keeps_its_tags(top: bytes, content: bytes) -> None:
    """Its old tags are likelier than none; its other old facts no longer hold."""
    put(top, b"x.mp3", content=content)
    memory = Memory(top)
    memory.run()
    before = memory.fields[top + b"/"], memory.known[top + b"/"].extinfs
    put(top, b"x.mp3", content=b"changed")

    for _ in range(2):
        library, _ = memory.run({top + b"/x.mp3": _BROKEN})

        assert said(library) == [
            (top + b"/x.mp3", 1000, b"A") if content == b"A" else (top + b"/x.mp3", 0, b"")
        ]
        assert (memory.fields[top + b"/"], memory.known[top + b"/"].extinfs) == before
        assert memory.untagged == [Skipped(top + b"/x.mp3", _WHY_BROKEN)]

    assert said(memory.run()[0]) == [(top + b"/x.mp3", 7000, b"changed")]


@pytest.mark.parametrize("content", [b"no tags", b"no audio"])
def test_a_changed_file_without_tags_loses_its_old_tags(top: bytes, content: bytes) -> None:
    """They are kept only where it could not be read."""
    put(top, b"x.mp3", content=b"A")
    memory = Memory(top)
    memory.run()
    put(top, b"x.mp3", content=content)

    memory.run()

    folder = memory.known[top + b"/"]
    assert memory.fields[top + b"/"] == [None]
    assert (folder.durations_ms, folder.extinfs, folder.artists) == (bytes(4), b"", b"")


def test_a_file_that_cannot_be_read_and_its_hard_link_are_one_track(top: bytes) -> None:
    put(top, b"x.mp3")
    os.link(top + b"/x.mp3", top + b"/y.mp3")

    library, _ = Memory(top).run({top + b"/x.mp3": _BROKEN})

    assert library.paths == [top + b"/x.mp3"]


# Lining up


_PARTS = st.sampled_from([b"a", b"a!", b"a.", b"b", b"a0"])


@given(st.lists(st.lists(_PARTS, min_size=1, max_size=3), max_size=9))
@settings(deadline=None)
def test_tracks_are_sorted_by_path_bytes_within_roots_in_the_given_order(paths: list[list[bytes]]) -> None:
    """A slash sorts as the byte that it is."""
    by_folder: dict[bytes, set[bytes]] = {}
    for *parents, name in paths:
        by_folder.setdefault(b"/".join([b"/m", *parents, b""]), set()).add(name + b".mp3")
    folders = [tagged(path, {name: name for name in names}) for path, names in by_folder.items()]

    library, _, _ = tracks([folders, [tagged(b"/a/", {b"b.mp3": b"b.mp3"})]])

    sorted_paths = sorted(path + name for path, names in by_folder.items() for name in names)
    assert library.paths == [*sorted_paths, b"/a/b.mp3"]
    assert [os.path.basename(path) for path in library.paths] == library.artists


def tagged(path: bytes, artists: dict[bytes, bytes]) -> Folder:
    """A folder as it is after reading: artists by the names of the files."""
    names = sorted(artists)
    return Folder(
        path, 0, 0, 0, 0, b"", True, False, b"", b"/".join(names), bytes(32 * len(names)),
        bytes(4 * len(names)), bytes(len(names) - 1), b"\0".join(artists[name] for name in names),
    )  # fmt: skip


def test_an_unread_file_has_no_tags(top: bytes) -> None:
    put(top, b"x.mp3", b"y.mp3")

    library, skipped, untagged = tracks(find([top], {}).roots)

    assert said(library) == [(top + b"/x.mp3", 0, b""), (top + b"/y.mp3", 0, b"")]
    assert (skipped, untagged) == ([], [])


def test_a_file_without_tags_is_a_track_but_a_file_without_audio_is_skipped(top: bytes) -> None:
    put(top, b"a/x.mp3", content=b"no audio")
    put(top, b"a/y.mp3", content=b"no tags")
    put(top, b"a/z.mp3", b"b/x.mp3", content=b"Z")
    memory = Memory(top)

    library, _ = memory.run()

    assert said(library) == [
        (top + b"/a/y.mp3", 0, b""), (top + b"/a/z.mp3", 1000, b"Z"), (top + b"/b/x.mp3", 1000, b"Z")
    ]  # fmt: skip
    assert memory.skipped == [Skipped(top + b"/a/x.mp3", NO_AUDIO)]
    assert memory.untagged == [Skipped(top + b"/a/y.mp3", NO_TAGS)]


@pytest.mark.parametrize("contents", [[b"A", b"A"], [b"A", b"B"], [b"no tags", b"A"], [b"no tags"] * 2])
def test_one_stored_artist_counts_for_all_files_of_a_folder_only_if_all_have_this_artist(
    top: bytes, contents: list[bytes]
) -> None:
    for number, content in enumerate(contents):
        put(top, b"%d.mp3" % number, content=content)

    library, _ = Memory(top).run()

    assert library.artists == [b"" if content == b"no tags" else content for content in contents]


def test_odd_tags_of_a_file_do_not_change_the_tags_of_others(top: bytes) -> None:
    """NUL, half a character, and a length beyond all measure."""
    put(top, *(b"%d.mp3" % number for number in range(3)), content=b"odd")

    library, _ = Memory(top).run()

    assert said(library) == [(top + b"/%d.mp3" % number, 2**32 - 1, b"A B?") for number in range(3)]


def test_a_column_can_be_limited_to_some_tracks(top: bytes) -> None:
    for name in (b"a", b"b", b"c", b"d"):
        put(top, name + b"/" + name + b".mp3", content=name)
    library, _ = Memory(top).run()

    assert library.column(Folder.all_artists, [0, 2, 3]) == [b"a", b"c", b"d"]
    assert library.column(Folder.all_artists, range(4)) == [b"a", b"b", b"c", b"d"]
    assert library.column(Folder.all_artists, []) == []


def test_a_number_without_a_track_has_a_negative_index_that_encodes_it() -> None:
    library = numbered(3)

    assert library.indices_of([3, 7, 1, 0]) == [2, ~7, 0, ~0]
    assert [*library.numbers_of([2, ~7, 0, ~0])] == [3, 7, 1, 0]


# Reached twice


def test_a_link_beside_its_target_adds_no_track(top: bytes) -> None:
    put(top, b"z.mp3")
    os.symlink(b"z.mp3", top + b"/a.mp3")

    assert_reached_twice(top, left=[b"/z.mp3"], left_out=[b"/a.mp3"])


def test_of_several_links_to_a_file_outside_of_the_root_only_the_smallest_path_is_a_track(
    top: bytes, tmp_path: Path
) -> None:
    put(os.fsencode(tmp_path), b"outside.mp3")
    for name in (b"b", b"a", b"c"):
        put(top, name + b"/")
        os.symlink(tmp_path / "outside.mp3", top + b"/" + name + b"/x.mp3")

    assert_reached_twice(top, left=[b"/a/x.mp3"], left_out=[b"/b/x.mp3", b"/c/x.mp3"])


def test_of_several_hard_links_to_a_file_only_the_smallest_path_is_a_track(top: bytes) -> None:
    put(top, b"b/x.mp3", b"a/")
    os.link(top + b"/b/x.mp3", top + b"/a/y.mp3")
    os.link(top + b"/b/x.mp3", top + b"/b/y.mp3")

    assert_reached_twice(top, left=[b"/a/y.mp3"], left_out=[b"/b/x.mp3", b"/b/y.mp3"])


def test_a_link_to_a_file_in_another_root_adds_no_track(tmp_path: Path) -> None:
    a, b = os.fsencode(tmp_path / "a"), os.fsencode(tmp_path / "b")
    put(a, b"x.mp3")
    put(b, b"y.mp3")
    os.symlink(b + b"/y.mp3", a + b"/link.mp3")

    library, skipped, _ = tracks(find([a, b], {}).roots)

    assert library.paths == [a + b"/x.mp3", b + b"/y.mp3"]
    assert skipped == [Skipped(a + b"/link.mp3", Cause(cause.DUPLICATE_PATH))]


def test_a_hard_link_made_between_two_runs_is_seen(top: bytes) -> None:
    """In the folder of the first, too, though only its ctime has changed."""
    put(top, b"a/x.mp3", b"b/y.mp3")
    memory = Memory(top)
    memory.run()
    os.link(top + b"/b/y.mp3", top + b"/a/y.mp3")

    library, _ = memory.run()

    assert library.paths == [top + b"/a/x.mp3", top + b"/a/y.mp3"]


def test_a_file_with_another_hard_link_outside_of_the_roots_is_a_track(top: bytes, tmp_path: Path) -> None:
    put(top, b"x.mp3")
    os.link(top + b"/x.mp3", os.fsencode(tmp_path / "elsewhere"))

    assert_reached_twice(top, left=[b"/x.mp3"], left_out=[])


def assert_reached_twice(top: bytes, *, left: list[bytes], left_out: list[bytes]) -> None:
    library, skipped, _ = tracks(find([top], {}).roots)
    assert library.paths == [top + path for path in left]
    assert sorted(skipped) == [Skipped(top + path, Cause(cause.DUPLICATE_PATH)) for path in left_out]
